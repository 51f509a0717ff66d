// What one rule found on several GPUs.
#pragma once

#include <cstddef>
#include <vector>

#include "model/fields.hpp"
#include "rules/engine/hits.hpp"

namespace shapelint::rules {

// Hits of one field on all GPUs where the condition holds.
struct Group {
  model::FieldId field = model::no_field;
  std::vector<Hit> hits;
  std::vector<std::size_t> gpus;  // of each hit, by their place among the GPUs linted for
};

}  // namespace shapelint::rules
