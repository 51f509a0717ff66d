// `shapelint gemm`: the predicted time of one GEMM, explained, or of a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct GemmOptions {
  std::vector<std::string> sizes;  // M N K
  ProjectOptions project;
  std::size_t dtype = dtypes.size();  // index; none of them: bf16, or the first that the recipe scales
  std::size_t recipe = 0;             // index into recipes
  bool with_quantization = false;
  std::int64_t batch = 1;
  std::size_t layout = 0;
  std::string shapes;      // CSV of products instead of M N K
  std::size_t format = 0;  // text, csv
  std::size_t timing = 0;  // automatic, in-step, as-measured
};

std::vector<Option> gemm_options(GemmOptions& options);
ExitCode gemm(const GemmOptions& options, Io& io);

}  // namespace shapelint::cli
