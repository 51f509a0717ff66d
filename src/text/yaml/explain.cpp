// libyaml's messages name its own rules; these say what a reader of the file can do.
#include "text/yaml/explain.hpp"

namespace shapelint::text::yaml {

namespace {

struct Row {
  std::string_view problem;  // libyaml 0.2.5, scanner.c and parser.c
  std::string_view message;
  std::string_view hint;
  bool at_context = false;
};
constexpr Row rows[] = {
    {"did not find expected key", "this does not belong to the table above", "check the indentation"},
    {"did not find expected '-' indicator", "this does not belong to the list above",
     "check the indentation"},
    {"did not find expected ',' or '}'", "expected `,` or `}`", ""},
    {"did not find expected ',' or ']'", "expected `,` or `]`", ""},
    {"did not find expected node content", "a value is missing", ""},
    {"did not find expected <document start>", "the document ends before this",
     "the first value of a file decides whether it is a list (`- `) or a table (`key:`); `---` begins "
     "another document"},
    {"mapping values are not allowed in this context", "`:` cannot stand here",
     "text that holds `: ` needs quotes"},
    {"block sequence entries are not allowed in this context", "`- ` cannot stand here", ""},
    {"found character that cannot start any token", "no value can begin like this", "put it in quotes"},
    {"could not find expected ':'", "no `:` after the key",
     "or indent it more, if it is the value of the key above", true},
    {"found unexpected end of stream", "a quote is never closed", "", true},
    {"found unexpected document indicator", "a quote is never closed", "", true},
};

}  // namespace

Explanation explain(std::string_view problem) {
  for (const Row& row : rows) {
    if (row.problem == problem) return {std::string(row.message), std::string(row.hint), row.at_context};
  }
  return {std::string(problem), {}, false};
}

}  // namespace shapelint::text::yaml
