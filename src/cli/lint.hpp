// `shapelint lint`: findings of one or more files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/gpu_options.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "model/reading.hpp"

namespace shapelint::cli {

enum class Format : std::uint8_t { text, json };

struct LintOptions {
  std::vector<std::string> files;
  std::string stdin_filename = "<stdin>";
  GpuOptions gpu;
  Format format = Format::text;
  // What is not given here the file's [lint] table may say.
  std::optional<double> min_gain;
  std::optional<std::size_t> fail_level;  // index into fail_levels
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  bool verbose = false;
  bool exit_zero = false;
  std::vector<model::Override> overrides;
};

std::vector<Option> lint_options(LintOptions& options);
ExitCode lint(const LintOptions& options, Io& io);

}  // namespace shapelint::cli
