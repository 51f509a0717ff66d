// From one place in a configuration to a Reading: every field's value and where it came from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// Keys of a file that are not read, but resemble one that is.

// A remark for each key in the tables at `scopes` that no path of `tables` names, and that differs by a
// letter or two from a key of a field that the file does not state: what was written there is not read. A key
// next to the one that it resembles is no typo, and one that resembles nothing is another program's.
void remark_on_near_keys(std::span<const FieldRules* const> tables, const View& view,
                         std::span<const Place> scopes, const model::Reading& reading,
                         std::vector<model::Remark>& out);

}  // namespace shapelint::formats
