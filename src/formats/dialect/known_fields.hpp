// What is known of a reading, and what may follow from that.
#pragma once

#include "model/fields.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

// What model::complete() derives from a width or a number of heads that nobody knows is no value.
bool rests_on_something(const model::Reading& reading, model::FieldId field);

// Whether the field can be that number: whole, but for rounding, and neither too small nor too large.
bool is_in_range(double number, const model::FieldInfo& field);

// An assumed vocabulary is as large as it is said to be, without padding.
void leave_unpadded(model::Reading& reading);

// A length that nobody stated must not read past the table of positions.
void keep_within_positions(model::Reading& reading);

// An encoder's output that nobody gave a length is as long as what is known or assumed by now.
void follow_length(model::Reading& reading);

}  // namespace shapelint::formats
