// From one place in a configuration to a Reading: every field's value and where it came from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "formats/dialect/dialect.hpp"
#include "formats/dialect/known.hpp"
#include "formats/dialect/view.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

// What is known of a published model by its name.
using FindModel = std::function<std::optional<Checkpoint>(const std::string&)>;

// Fills a Reading from the tables of `dialect` and, for what those leave open, of `common`. Values that
// cannot be understood become unknown, with a note; a word where only a number can stand is an error.
model::Reading resolve(const Dialect& dialect, const Dialect& common, const Part& part, const View& view,
                       const Place& base, std::span<const model::Override> overrides, const FindModel& find,
                       std::vector<Error>& errors);

}  // namespace shapelint::formats
