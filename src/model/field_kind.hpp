// What sort of thing a field is, by what changing it does to the model that is trained.
#pragma once

#include <cstdint>

#include "model/fields.hpp"

namespace shapelint::model {

enum class FieldKind : std::uint8_t {
  shape,    // the model itself: another value is another model
  padding,  // rows that no token uses may be added: the model stays what it is
  plan,     // how it is run: another value computes the same
  task      // what it is asked to do, or how exactly: lengths, stored bits, dropout
};

FieldKind kind_of(FieldId field);

// Whether a field says something of training alone: a server has no gradients, and no step of several
// micro-batches.
bool is_of_training(FieldId field);

}  // namespace shapelint::model
