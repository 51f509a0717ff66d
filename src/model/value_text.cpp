// Values of fields in words.
#include "model/value_text.hpp"

namespace shapelint::model {

std::string value_text(FieldId field, std::int64_t value) {
  if (field == no_field) return std::to_string(value);
  const FieldInfo& info = fields()[static_cast<std::size_t>(field)];
  const auto index = static_cast<std::size_t>(value);
  switch (info.type) {
    case FieldType::boolean:
      return value != 0 ? "true" : "false";
    case FieldType::choice:
      return value >= 0 && index < info.choices.size() ? std::string(info.choices[index])
                                                       : std::to_string(value);
    case FieldType::integer:
      return std::to_string(value);
  }
  return std::to_string(value);
}

}  // namespace shapelint::model
