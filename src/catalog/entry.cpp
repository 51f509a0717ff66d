// Fields in tables of published models.
#include "catalog/entry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/names.hpp"

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

}  // namespace shapelint::catalog
