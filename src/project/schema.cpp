// JSON schemas of the configuration and of the native file, for editors.
#include <nlohmann/json.hpp>

#include "formats/native/keys.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "project/config.hpp"
#include "project/keys.hpp"

namespace shapelint::project {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view draft = "http://json-schema.org/draft-07/schema#";

Json strings() {
  return {{"anyOf", Json::array({Json{{"type", "string"}},
                                 Json{{"type", "array"}, {"items", {{"type", "string"}}}}})}};
}

template <std::size_t N>
Json one_of(const std::array<std::string_view, N>& names) {
  Json list = Json::array();
  for (const std::string_view name : names) list.push_back(name);
  return {{"enum", std::move(list)}};
}

Json share() {
  return {{"anyOf", Json::array({Json{{"type", "number"}, {"minimum", 0}, {"maximum", 1}},
                                 Json{{"type", "string"}, {"pattern", "^[0-9.]+%$"}}})}};
}

Json multiple() {
  return {{"type", "integer"}, {"minimum", 1}, {"maximum", rules::largest_head_multiple}};
}

Json parameters() {
  return {{"type", "object"},
          {"additionalProperties", {{"type", "object"}, {"additionalProperties", {{"type", "number"}}}}}};
}

Json field_schema(const model::FieldInfo& field) {
  Json out{{"description", field.doc}};
  switch (field.type) {
    case model::FieldType::boolean:
      out["type"] = "boolean";
      break;
    case model::FieldType::integer:
      out["type"] = "integer";
      out["minimum"] = field.minimum;
      out["maximum"] = field.maximum;
      break;
    case model::FieldType::choice: {
      Json list = Json::array();
      for (const std::string_view choice : field.choices) list.push_back(choice);
      out["enum"] = std::move(list);
      break;
    }
  }
  return out;
}

Json object(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

Json files_schema() {
  Json properties{{"match", {{"type", "string"}, {"description", "pattern of paths"}}}, {"gpu", strings()}};
  for (const model::FieldInfo& field : model::fields())
    properties[std::string(field.name)] = field_schema(field);
  Json table = object(std::move(properties));
  table["required"] = Json::array({"match"});
  return {{"type", "array"}, {"items", std::move(table)}};
}

Json ignore_keys_schema() {
  Json properties{{"path", {{"type", "string"}, {"description", "pattern of paths; [default: all]"}}},
                  {"key", {{"type", "string"}, {"description", "key path, as findings give it"}}},
                  {"rules", strings()},
                  {"reason", {{"type", "string"}}}};
  Json table = object(std::move(properties));
  table["required"] = Json::array({"key", "rules"});
  return {{"type", "array"}, {"items", std::move(table)}};
}

Json key_schema(const Key& key) {
  switch (key.type) {
    case KeyType::text:
      return {{"type", "string"}};
    case KeyType::names:
    case KeyType::paths:
      return strings();
    case KeyType::share:
      return share();
    case KeyType::level:
      return one_of(levels);
    case KeyType::shape:
      return one_of(rules::shape_names);
    case KeyType::multiple:
      return multiple();
    case KeyType::table:
      if (key.name == "severity") return {{"type", "object"}, {"additionalProperties", one_of(severities)}};
      if (key.name == "params") return parameters();
      return {{"type", "object"}, {"additionalProperties", strings()}};
    case KeyType::tables:
      return key.name == "files" ? files_schema() : ignore_keys_schema();
  }
  return {};
}

Json lint_schema() {
  Json properties = Json::object();
  for (const formats::PlainKey& key : formats::lint_keys) {
    Json value = key.key == "min_gain" ? Json{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}
                 : key.key == "fail_level" || key.key == "min_severity" ? one_of(levels)
                 : key.key == "params"                                  ? parameters()
                 : key.key == "shape"                                   ? one_of(rules::shape_names)
                 : key.key == "head_multiple"                           ? multiple()
                                                                        : strings();
    value["description"] = key.doc;
    properties[std::string(key.key)] = std::move(value);
  }
  return object(std::move(properties));
}

constexpr const char* layer_reference = "#/properties/conv/items";

Json conv_schema() {
  Json properties = Json::object();
  for (const formats::ConvKey& key : formats::conv_keys) {
    Json value{{"type", "integer"}, {"minimum", key.minimum}, {"maximum", key.maximum}};
    if (key.key == "padding") value = {{"anyOf", Json::array({value, {{"const", "same"}}})}};
    value["description"] = key.doc;
    properties[std::string(key.key)] = std::move(value);
  }
  const Json layers{{"type", "array"}, {"items", {{"$ref", layer_reference}}}};
  for (const formats::ConvOther& key : formats::conv_others) {
    Json value{{"type", "string"}};
    if (key.flag != nullptr) value = {{"type", "boolean"}};
    if (key.key == "type") value = one_of(formats::conv_types);
    if (key.key == "layers") value = layers;
    if (key.key == "branches") value = {{"type", "array"}, {"items", layers}};
    value["description"] = key.doc;
    properties[std::string(key.key)] = std::move(value);
  }
  return {{"type", "array"}, {"items", object(std::move(properties))}};
}

// What [model] holds with [[conv]].
void add_image_keys(Json& properties) {
  for (const formats::ImageKey& key : formats::image_keys) {
    if (key.key == "name") continue;
    Json value{{"type", "integer"}, {"minimum", 1}, {"maximum", formats::largest_image}};
    if (key.values.starts_with("`true`")) value = {{"type", "boolean"}};
    value["description"] = "of a convolutional network: " + std::string(key.doc);
    properties[std::string(key.key)] = std::move(value);
  }
}

// The fields of a section and, as tables, of the sections in it.
Json section_schema(std::string_view section) {
  Json properties = Json::object();
  if (section == "model") properties["name"] = {{"type", "string"}, {"description", "used in headings"}};
  if (section == "model") {
    properties["layers"] = {{"anyOf", Json::array({strings(), {{"type", "object"}}})},
                            {"description", "kind of each layer, or the positions of each kind"}};
    const Json tables{{"type", "object"}};
    properties["layer"] = {{"type", "object"},
                           {"additionalProperties", tables},
                           {"description", "kinds of layers by name: differences from `model`"}};
    properties["shared"] = {
        {"type", "object"},
        {"additionalProperties", tables},
        {"description", "a block of attention and MLP by its name, whose weights layers that use it share"}};
    add_image_keys(properties);
  }
  for (const model::FieldInfo& field : model::fields()) {
    if (field.section == section) {
      Json value = field_schema(field);
      if (section == "model" && model::find_layer_key(field.key) != nullptr) {
        Json description = value["description"];
        value.erase("description");
        value = {{"anyOf", Json::array({value, {{"type", "array"}, {"items", value}}})},
                 {"description", std::move(description)}};
      }
      properties[std::string(field.key)] = std::move(value);
    } else if (field.section.starts_with(section) && field.section.substr(section.size()).starts_with('.')) {
      const std::string inner(field.section.substr(section.size() + 1));
      if (!properties.contains(inner)) properties[inner] = section_schema(field.section);
    }
  }
  return object(std::move(properties));
}

// [[plan]].
Json plans_schema() {
  Json properties{
      {"name", {{"type", "string"}, {"description", "name of the plan in reports"}}},
      {"runs",
       {{"type", "number"}, {"exclusiveMinimum", 0}, {"description", "runs per iteration [default: 1]"}}}};
  for (const std::string_view section : {"run", "parallel"}) {
    properties[std::string(section)] = section_schema(section);
    properties[std::string(section)]["description"] = "takes precedence over the file's own table";
  }
  Json table = object(std::move(properties));
  table["required"] = Json::array({"name"});
  return {{"type", "array"}, {"items", std::move(table)}};
}

}  // namespace

std::string schema() {
  Json properties = Json::object();
  for (const Key& key : keys()) {
    Json value = key_schema(key);
    value["description"] = key.doc;
    properties[std::string(key.name)] = value;
    // Both spellings are read.
    std::string other(key.name);
    for (char& c : other) c = c == '-' ? '_' : c;
    if (other != key.name) properties[other] = std::move(value);
  }
  Json out{{"$schema", draft},
           {"title", "shapelint.toml"},
           {"description", "Configuration of shapelint; written by it from its table of keys."}};
  out.update(object(std::move(properties)));
  return out.dump(2) + '\n';
}

std::string native_schema() {
  Json properties = Json::object();
  for (const std::string_view section : {"model", "run", "parallel"}) {
    properties[std::string(section)] = section_schema(section);
  }
  properties["plan"] = plans_schema();
  properties["conv"] = conv_schema();
  properties["lint"] = lint_schema();
  Json out{
      {"$schema", draft},
      {"title", "shapelint model"},
      {"description", "A model as shapelint's native file states it; written from its table of fields."}};
  out.update(object(std::move(properties)));
  return out.dump(2) + '\n';
}

}  // namespace shapelint::project
