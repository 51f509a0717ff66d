// What is known of a reading, and what may follow from that.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/dialect/known.hpp"
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

// Where a value of a published model comes from.
model::Origin origin_of(const Checkpoint& known, model::FieldId field);

// What its checkpoint stores becomes a value of the model, unless the command line names another number
// format. Returns what dialects export of it: `packs_weights`, `quantization_block`.
std::vector<std::pair<std::string, double>> take_stored(Checkpoint& known,
                                                        std::span<const model::Override> overrides);

}  // namespace shapelint::formats
