// Lists the fields of a model and its plan by the native file's sections.
#include "cli/commands/commands.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "model/fields.hpp"
#include "objects/printed/document.hpp"
#include "report/style.hpp"

namespace shapelint::cli {

namespace {

constexpr std::size_t doc_column = 30;

std::string described(const model::FieldInfo& field) {
  if (field.type == model::FieldType::boolean) return fmt::format("{}; true or false", field.doc);
  if (field.type != model::FieldType::choice) return std::string(field.doc);
  return fmt::format("{}; one of {}", field.doc, fmt::join(field.choices, ", "));
}

std::string as_text() {
  std::string out;
  std::string_view section;
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section != section) {
      section = field.section;
      out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section);
    }
    std::string line = fmt::format("  {}", field.name);
    if (line.size() + 2 > doc_column) {
      out += line + '\n';
      line.clear();
    }
    out += line + report::wrap(described(field), doc_column, line.size()) + '\n';
  }
  return out;
}

}  // namespace

std::vector<Option> fields_options(FieldsOptions& options) {
  return {{.names = "--format",
           .value = "NAME",
           .doc = "output format",
           .set = into_choice(options.format, text_or_json),
           .choices = strings(text_or_json)}};
}

ExitCode list_fields(const FieldsOptions& options, Io& io) {
  if (options.format == 0)
    io.out << as_text();
  else
    objects::write_document("fields", objects::Status::ok, objects::FieldList{api::fields()}, io.out);
  return ExitCode::clean;
}

}  // namespace shapelint::cli
