// Keys of a file that a dialect does not know and that are nearly one that it knows.
#pragma once

#include <span>
#include <vector>

#include "formats/dialect/dialect.hpp"
#include "formats/dialect/view.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

// A remark for each key in the tables at `scopes` that no path of `tables` names, and that differs by a
// letter or two from a key of a field that the file does not state: what was written there is not read. A key
// beside the one that it resembles is no mistake, and one that resembles nothing is another program's.
void remark_on_near_keys(std::span<const FieldRules* const> tables, const View& view,
                         std::span<const Place> scopes, const model::Reading& reading,
                         std::vector<model::Remark>& out);

}  // namespace shapelint::formats
