// Lists the fields of a model and its plan by the native file's sections.
#include "cli/commands/fields.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/fields.hpp"
#include "report/wrap.hpp"

namespace shapelint::cli {

namespace {

constexpr std::size_t doc_column = 30;

std::string_view type_name(model::FieldType type) {
  switch (type) {
    case model::FieldType::integer:
      return "integer";
    case model::FieldType::boolean:
      return "boolean";
    case model::FieldType::choice:
      return "choice";
  }
  return "";
}

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

std::string as_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const model::FieldInfo& field : model::fields()) {
    nlohmann::ordered_json one{
        {"field", field.name}, {"section", field.section}, {"type", type_name(field.type)}};
    if (field.type == model::FieldType::integer) {
      one["minimum"] = field.minimum;
      one["maximum"] = field.maximum;
    }
    if (field.type == model::FieldType::choice) one["choices"] = field.choices;
    one["doc"] = field.doc;
    all.push_back(std::move(one));
  }
  return all.dump(2) + '\n';
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
  io.out << (options.format == 0 ? as_text() : as_json());
  return ExitCode::clean;
}

}  // namespace shapelint::cli
