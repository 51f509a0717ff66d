// Fields and layers from the tables of models.
#include "catalog/entry.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "model/mixer.hpp"

namespace shapelint::catalog {

std::optional<FieldValue> field_value(text::NodeRef entry, std::vector<Error>& errors) {
  const model::FieldId field = model::find_field(entry.key());
  if (field == model::no_field) {
    errors.push_back(with_code(entry.key_error(fmt::format("unknown field `{}`", entry.key()),
                                               did_you_mean(entry.key(), model::field_names())),
                               ErrorCode::unknown_name));
    return std::nullopt;
  }
  if (const auto number = entry.as_integer()) return FieldValue{field, *number};
  if (const auto flag = entry.as_boolean()) return FieldValue{field, *flag ? 1 : 0};
  const auto name = entry.as_string();
  if (!name) {
    errors.push_back(entry.error(fmt::format("`{}` is an integer, true or false, or a name", entry.key())));
    return std::nullopt;
  }
  const auto choices = model::info(field).choices;
  const auto found = std::find(choices.begin(), choices.end(), *name);
  if (found == choices.end()) {
    errors.push_back(
        with_code(entry.error(fmt::format("unknown choice `{}`", *name)), ErrorCode::unknown_name));
    return std::nullopt;
  }
  return FieldValue{field, found - choices.begin()};
}

void put(std::vector<FieldValue>& values, const FieldValue& value) {
  std::erase_if(values, [&](const FieldValue& each) { return each.first == value.first; });
  values.push_back(value);
}

namespace {

std::string names_of(std::span<const std::string_view> choices) {
  std::string out;
  for (const std::string_view each : choices) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", each);
  return out;
}

// The mixer of that kind among the model's.
std::optional<std::int64_t> mixing_of_kind(std::string_view kind, const std::vector<FieldValue>& values) {
  for (std::size_t which = 0; which < model::most_mixers; ++which) {
    const model::FieldId field = model::mixer_fields[which].kind;
    for (const auto& [each, value] : values) {
      if (each == field && value > 0 && model::info(field).choices[static_cast<std::size_t>(value)] == kind)
        return model::mixing_by(which);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> layer_value(text::NodeRef node, const model::LayerKey& key,
                                        std::vector<Error>& errors) {
  if (!key.choices.empty()) {
    const auto name = node.as_string();
    const auto found = name ? std::find(key.choices.begin(), key.choices.end(), *name) : key.choices.end();
    if (found != key.choices.end()) return found - key.choices.begin();
    errors.push_back(
        node.error(fmt::format("`{}` is {}", key.name,
                               name ? fmt::format("`{}`", *name) : std::string(text::describe(node.kind()))),
                   "expected one of " + names_of(key.choices)));
    return std::nullopt;
  }
  const auto flag = node.as_boolean();
  const auto number = flag ? std::optional<std::int64_t>(*flag ? 1 : 0) : node.as_integer();
  if (number && *number >= model::smallest(key) && *number <= model::largest(key)) return number;
  errors.push_back(
      node.error(fmt::format("`{}` is {}", key.name,
                             number ? std::to_string(*number) : std::string(text::describe(node.kind()))),
                 fmt::format("write a number from {} to {}", model::smallest(key), model::largest(key))));
  return std::nullopt;
}

model::TransformerLayer read_layer(text::NodeRef table, const std::vector<FieldValue>& values,
                                   std::vector<Error>& errors) {
  model::TransformerLayer out;
  for (const text::NodeRef node : table) {
    const model::LayerKey* key = model::find_layer_key(node.key());
    if (key == nullptr) {
      std::vector<std::string_view> names;
      for (const model::LayerKey& each : model::layer_keys()) names.push_back(each.name);
      errors.push_back(with_code(node.key_error(fmt::format("unknown key `{}` of a layer", node.key()),
                                                did_you_mean(node.key(), names)),
                                 ErrorCode::unknown_name));
      continue;
    }
    if (key->name == "mixer") {
      if (const auto mixing = mixing_of_kind(node.as_string().value_or(""), values)) {
        out.mixing = *mixing;
        continue;
      }
    }
    if (const auto value = layer_value(node, *key, errors)) out.*(key->member) = *value;
  }
  return out;
}

}  // namespace shapelint::catalog
