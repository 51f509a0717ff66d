// How a model differs from a published one, to recognise a copy with a typo.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "catalog/known_models.hpp"
#include "model/reading.hpp"

namespace shapelint::rules {

// Sizes that are compared: width, layers, heads, KV heads, head dimension, MLP and expert widths.
struct Comparison {
  std::vector<std::pair<model::FieldId, std::int64_t>> differences;  // the field and the known model's value
  // The same width, and an MLP of which one digit is another: the first difference then, whatever else
  // differs.
  bool same_width = false;
  bool swapped = false;  // two differences, and each value is where the other belongs
};
// The same width, or at most two other sizes of four: what differs in more is another model.
bool is_near(const model::Reading& reading, const catalog::KnownModel& known);
// Whether only one of them is a mixture of experts: that is not a typo.
bool is_other_kind(const model::Reading& reading, const catalog::KnownModel& known);
// Whether it is a published model, in all that is compared.
bool is_published(const model::Reading& reading);
Comparison compare(const model::Reading& reading, const catalog::KnownModel& known);

}  // namespace shapelint::rules
