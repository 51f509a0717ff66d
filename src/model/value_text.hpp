// Values of fields in words.
#pragma once

#include <cstdint>
#include <string>

#include "model/fields.hpp"

namespace shapelint::model {

// As a native file would state it: `32`, `true`, `bf16`.
std::string value_text(FieldId field, std::int64_t value);

}  // namespace shapelint::model
