// `shapelint formats`: the dialects that are understood, or one of them in full.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

struct FormatsOptions {
  std::vector<std::string> names;  // none: the table
  ProjectOptions project;          // whose dialects are listed, too
  std::size_t format = 0;          // text, json
};

std::vector<Option> formats_options(FormatsOptions& options);
ExitCode list_formats(const FormatsOptions& options, Io& io);

}  // namespace shapelint::cli
