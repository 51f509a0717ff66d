// Schemas and the reference page of data files, from the tables that they are read with.
#include "project/data_files.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "contracts/book.hpp"
#include "formats/dialect/dialect.hpp"
#include "gpu/fields.hpp"
#include "rules/book/rule.hpp"
#include "text/table_reader.hpp"

namespace shapelint::project {

namespace {

using Json = nlohmann::ordered_json;
using text::KeyInfo;
using text::ValueType;

ValueType value_type(gpu::Type type) {
  switch (type) {
    case gpu::Type::integer:
      return ValueType::integer;
    case gpu::Type::number:
      return ValueType::number;
    case gpu::Type::boolean:
      return ValueType::boolean;
    case gpu::Type::text:
      return ValueType::text;
  }
  return ValueType::any;
}

// Figures: a value, or a table of the value and what is known of it.
std::vector<KeyInfo> gpu_keys() {
  std::vector<KeyInfo> out = gpu::plain_profile_keys();
  for (const gpu::Field<gpu::Gpu>& field : gpu::gpu_fields()) {
    KeyInfo info{field.key, field.doc, value_type(field.type)};
    info.unit = field.unit;
    info.is_figure = true;
    if (field.section.empty()) {
      out.push_back(std::move(info));
      continue;
    }
    for (KeyInfo& each : out) {
      if (each.name == field.section) each.nested.push_back(info);
    }
  }
  return out;
}

constexpr std::array<DataFile, 4> kinds_of_data_files{
    {{"rule", "Rules", "rule-folders", "rule", rules::rule_file_keys},
     {"requirement", "Requirements", "contract-folders", "requirement", contracts::contract_file_keys},
     {"format", "Configuration formats", "format-folders", "format", formats::format_file_keys},
     {"gpu", "GPUs", "gpu-folders", "gpu", gpu_keys}}};

Json object_of(const std::vector<KeyInfo>& keys);

Json text_of(const KeyInfo& key) {
  Json out{{"type", "string"}};
  if (!key.choices.empty()) out["enum"] = key.choices;
  return out;
}

Json value_of(const KeyInfo& key) {
  switch (key.type) {
    case ValueType::text:
      return text_of(key);
    case ValueType::texts:
      return {{"anyOf", Json::array({text_of(key), Json{{"type", "array"}, {"items", text_of(key)}}})}};
    case ValueType::boolean:
      return {{"type", "boolean"}};
    case ValueType::integer:
      return {{"type", "integer"}};
    case ValueType::number:
      return {{"type", "number"}};
    case ValueType::expression:
      return {{"type", Json::array({"string", "number", "boolean"})}};
    case ValueType::table:
      if (key.nested.empty()) return {{"type", "object"}};
      return object_of(key.nested);
    case ValueType::tables:
      if (key.nested.empty()) return {{"type", "array"}, {"items", {{"type", "object"}}}};
      return {{"type", "array"}, {"items", object_of(key.nested)}};
    case ValueType::map:
      if (key.nested.empty()) return {{"type", "object"}};
      return {{"type", "object"},
              {"additionalProperties",
               {{"anyOf", Json::array({object_of(key.nested), Json{{"type", "number"}}})}}}};
    case ValueType::any:
      return Json::object();
  }
  return Json::object();
}

Json object_of(const std::vector<KeyInfo>& keys) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const KeyInfo& key : keys) {
    Json value = value_of(key);
    if (key.is_figure) {
      const Json words{{"type", "string"}};
      Json table{{"value", value},
                 {"sources", {{"type", "array"}, {"items", words}}},
                 {"note", words},
                 {"confidence", words}};
      Json whole{{"type", "object"}, {"properties", std::move(table)}, {"required", Json::array({"value"})}};
      value = {{"anyOf", Json::array({std::move(value), std::move(whole)})}};
    }
    value["description"] =
        key.unit.empty() ? std::string(key.doc) : fmt::format("{} [{}]", key.doc, key.unit);
    properties[std::string(key.name)] = std::move(value);
    if (key.presence == text::Presence::required) required.push_back(key.name);
  }
  Json out{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

std::string_view words_for(const KeyInfo& key) {
  if (!key.unit.empty()) return key.unit;
  switch (key.type) {
    case ValueType::text:
      return "string";
    case ValueType::texts:
      return "strings";
    case ValueType::boolean:
      return "true, false";
    case ValueType::integer:
    case ValueType::number:
      return "number";
    case ValueType::expression:
      return "expression";
    case ValueType::table:
    case ValueType::map:
      return "table";
    case ValueType::tables:
      return "tables";
    case ValueType::any:
      return "any";
  }
  return "";
}

// A bar ends a cell.
std::string in_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

// Rows of a table, those of tables in it behind their own.
void add_rows(const std::vector<KeyInfo>& keys, const std::string& prefix, std::string& out) {
  for (const KeyInfo& key : keys) {
    std::string doc = in_cell(key.doc);
    constexpr std::size_t max_listed = 16;
    if (!key.choices.empty() && key.choices.size() <= max_listed)
      doc += fmt::format("{}`{}`", doc.empty() ? "" : ": ", fmt::join(key.choices, "`, `"));
    out += fmt::format("| `{}{}`{} | {} | {} |\n", prefix, key.name,
                       key.presence == text::Presence::required ? " (required)" : "", words_for(key), doc);
    const std::string inner =
        fmt::format("{}{}.{}", prefix, key.name, key.type == ValueType::map ? "*." : "");
    add_rows(key.nested, inner, out);
  }
}

}  // namespace

std::span<const DataFile> data_files() {
  return kinds_of_data_files;
}

std::string schema(const DataFile& file) {
  Json out{{"$schema", "http://json-schema.org/draft-07/schema#"},
           {"title", fmt::format("shapelint: {}", file.title)},
           {"description", "Written by shapelint from the table of keys that such files are read with."}};
  out.update(object_of(file.keys()));
  return out.dump(2) + '\n';
}

std::string data_files_page() {
  std::string out =
      "# Keys of data files\n\n"
      "Written by the tests from the tables that these files are read with. A dotted key belongs to a "
      "table. For "
      "editors:\n`shapelint config --schema rule > rule.schema.json`, and `#:schema rule.schema.json` as a "
      "TOML "
      "file's first line.\n";
  for (const DataFile& file : kinds_of_data_files) {
    out += fmt::format("\n## {}\n\n", file.title);
    out += fmt::format(
        "In the folders of `{}` ([configuration](config-file.md)); how to write one: "
        "[contributing/{}.md](../contributing/{}.md).\n\n",
        file.setting, file.guide, file.guide);
    if (file.name == "gpu") {
      out +=
          "Figures are values, or tables `{ value, sources, note, confidence }`. GB and TFLOP/s are decimal, "
          "KiB and MiB "
          "binary. A profile without `based_on` needs ";
      out += fmt::format("`{}`.\n\n", fmt::join(gpu::required_keys(), "`, `"));
    }
    out += "| key | value | meaning |\n|---|---|---|\n";
    add_rows(file.keys(), "", out);
  }
  return out;
}

}  // namespace shapelint::project
