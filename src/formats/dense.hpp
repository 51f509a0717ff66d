// Networks of products that a dialect lists: the dense part of a recommender (DLRM).
#pragma once

#include <vector>

#include "formats/dialect/dialect.hpp"
#include "formats/dialect/view.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

// Adds the dialect's layers to a reading whose values are known; nothing for a dialect without layers. A
// width that is no number is an error.
void add_dense_layers(const Dialect& dialect, const View& view, const Place& base, model::Reading& reading,
                      std::vector<Error>& errors);

}  // namespace shapelint::formats
