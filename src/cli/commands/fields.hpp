// `shapelint fields`: what `--set` and the native file take.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"

namespace shapelint::cli {

struct FieldsOptions {
  std::size_t format = 0;  // text, json
};

std::vector<Option> fields_options(FieldsOptions& options);
ExitCode list_fields(const FieldsOptions& options, Io& io);

}  // namespace shapelint::cli
