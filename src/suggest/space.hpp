// Where a search looks: fields with the values to try, and what every candidate must satisfy.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/reading.hpp"
#include "suggest/change.hpp"

namespace shapelint::suggest {

// One field and the values worth trying, ascending, the present one among them.
struct Axis {
  model::FieldId field = model::no_field;
  std::vector<std::int64_t> values;
};

// A condition that candidates must satisfy: a framework's hard rule, or a wish of the user.
struct Constraint {
  std::string name;
  std::function<bool(const model::Setup&)> holds;
};

struct Space {
  std::vector<Axis> axes;
  std::vector<Constraint> constraints;  // on combinations: heads of usual widths
};

// Values of `field` near the present one that hardware likes, in both directions; `reach` is how far as a
// share of the value (0.02: 2 %) where the field is a width, and at least the nearest aligned value each way
// is included. A vocabulary only grows: its tokens exist. Fields that are no dimension get the values that
// make sense for them (powers of two for degrees and batches). Alone the present value when nothing does.
Axis neighbourhood(const model::Reading& reading, model::FieldId field, double reach);

// The neighbourhoods of several fields. Together with hidden_size, the numbers of heads that suit each of its
// values are looked at as well.
Space neighbourhoods(const model::Reading& reading, std::span<const model::FieldId> fields, double reach);

// Numbers of key-value heads that fit another number of query heads: the same count where it divides, and
// the one that keeps the number of query heads per group. Empty when the field follows by itself.
std::vector<std::int64_t> matching_key_value_heads(const model::Setup& start, const Links& links,
                                                   std::int64_t heads);

}  // namespace shapelint::suggest
