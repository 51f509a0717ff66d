// The commands that are one source each: what they are asked, and the function that answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

namespace shapelint::cli {

// `shapelint config`: which configuration applies to a file, and what it says; the schemas for editors.

struct ConfigOptions {
  std::string show;  // --show FILE
  ProjectOptions project;
  std::size_t schema = 0;  // index into the choices of --schema
};

std::vector<Option> config_options(ConfigOptions& options);
ExitCode config(const ConfigOptions& options, Io& io);

// `shapelint fields`: what `--set` and the native file take.

struct FieldsOptions {
  std::size_t format = 0;  // text, json
};

std::vector<Option> fields_options(FieldsOptions& options);
ExitCode list_fields(const FieldsOptions& options, Io& io);

// `shapelint formats`: the config formats that are understood, or one of them in full.

struct FormatsOptions {
  std::vector<std::string> names;  // none: the table
  ProjectOptions project;          // whose dialects are listed, too
  std::size_t format = 0;          // text, json
};

std::vector<Option> formats_options(FormatsOptions& options);
ExitCode list_formats(const FormatsOptions& options, Io& io);

// `shapelint gemm`: the predicted time of one matrix product, explained, or of a table of them.

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

// `shapelint lsp`: a language server over standard input and output.

struct LspOptions {
  ProjectOptions project;
};

std::vector<Option> lsp_options(LspOptions& options);
ExitCode lsp(const LspOptions& options, Io& io);

}  // namespace shapelint::cli
