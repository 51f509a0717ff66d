// Adding values to a native file: comments, layout and everything else stay.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/reading.hpp"

namespace shapelint::formats {

struct AddedValue {
  model::FieldId field = model::no_field;
  std::int64_t value = 0;
};

// Whether a value that the file leaves out can be written into it: it is native, and nothing else states it.
bool can_add(const model::Reading& reading, model::FieldId field);

// The text with each value behind the last key of its table, or in a new table at the end. Whoever writes the
// result should read it again and compare: a file can say the same thing twice.
std::string add_values(std::string source, std::span<const AddedValue> values);

}  // namespace shapelint::formats
