// Published models, to recognise a mistyped copy of one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"

namespace shapelint::rules {

struct KnownModel {
  std::string_view name;
  std::string_view source;
  std::vector<std::pair<model::FieldId, std::int64_t>> values;
};

// The table compiled into the program (rules/known/*.toml).
std::span<const KnownModel> known_models();

// How a reading differs from a known model.
struct Comparison {
  std::size_t compared = 0;
  std::vector<std::pair<model::FieldId, std::int64_t>> differences;  // the field and the known model's value
  bool swapped = false;  // two differences, and each value is where the other belongs
};
Comparison compare(const model::Reading& reading, const KnownModel& known);

}  // namespace shapelint::rules
