// shapelint's own TOML file (docs/reference/native-format.md): a model, how it is run, how it is linted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// A value of the file and its bytes.
template <class T>
struct Stated {
  T value{};
  Span span;
};

// [lint.params.RULE]: a rule's parameter set to another value.
struct LintParam {
  std::string rule;
  std::string name;
  double value = 0;
  Span name_span;
  Span span;
};

// Most names of GPUs, rules or packages in a file's lists: each is looked for among all there are, and real
// configurations have a dozen.
inline constexpr std::size_t max_names = 1000;

// The table [lint]: what would otherwise be flags. Names are not checked here; whoever knows them does.
struct LintOptions {
  std::vector<Stated<std::string>> gpus;
  std::vector<Stated<std::string>> select;  // codes, names or prefixes of rules
  std::vector<Stated<std::string>> ignore;
  std::optional<Stated<double>> min_gain;         // share of the step, 0 to 1
  std::optional<Stated<std::string>> fail_level;  // info, warning, error
  std::optional<Stated<std::string>> min_severity;
  std::optional<Stated<std::string>> shape;  // free, padding, fixed
  std::optional<Stated<std::int64_t>> head_multiple;
  std::vector<Stated<std::string>> stack;  // packages: `vllm==0.24`
  std::vector<LintParam> params;
};

struct NativeFile {
  std::vector<model::Reading> readings;  // one; of a file with `[[plan]]` one for each
  LintOptions lint;
};

// Reads a whole file and reports everything that is wrong with it, in the order of the file. Nothing is
// returned when there was an error. A value that can be costed but not run (heads that do not divide
// hidden_size) is no error here: the rules find it. `overrides` stand in for what the file states, before
// anything is derived from it.
std::optional<NativeFile> read_native(const text::Document& document, std::vector<Error>& errors,
                                      std::span<const model::Override> overrides = {});

// Only the table [lint] of a document that may hold nothing else (a project-wide configuration file).
LintOptions read_lint_options(const text::NodeRef& table, std::vector<Error>& errors);

// The reference of the format in Markdown, from the table of fields.
std::string native_format_markdown();

}  // namespace shapelint::formats
