// Adding values to a file: comments, layout and everything else stay.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "text/parse_any.hpp"

namespace shapelint::formats {

struct AddedValue {
  model::FieldId field = model::no_field;
  std::int64_t value = 0;
};

// Whether a value that the file leaves out can be written into it: it is native, and nothing else states it.
bool can_add(const model::Reading& reading, model::FieldId field);

// New text for some bytes of a file.
struct TextPatch {
  Span span;
  std::string text;
};

// What makes a file of a dialect say an instruction of setting_syntax(): each key is set where it is stated,
// else added next to another of its table, and one that is to be left out is removed. Of ways that are
// joined by "or" the first. Nothing where the instruction is no list of settings or has no place. `source`:
// of the reading's own file. Whoever writes the result should read it again and compare.
std::vector<TextPatch> patches_for(const text::Source& source, const model::Reading& reading,
                                   std::string_view instruction);

// The text with each value behind the last key of its table, or in a new table at the end. Whoever writes the
// result should read it again and compare: a file can say the same thing twice.
std::string add_values(std::string source, std::span<const AddedValue> values);

}  // namespace shapelint::formats
