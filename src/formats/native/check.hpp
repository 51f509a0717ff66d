// Internal to the native format: what must be there, and what cannot be true together.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// Fields that nothing can be assumed for.
void check_required(const text::Document& document, const model::Reading& reading,
                    std::vector<Error>& errors);

// Values that contradict each other or multiply to more than can be counted; the reading is complete.
void check_consistent(const text::Document& document, const model::Reading& reading,
                      std::vector<Error>& errors);

// The list [[conv]] and the image's keys in [model] (native_layers.cpp).
void read_network(const text::Document& document, model::Reading& reading, std::vector<Error>& errors);
// Layers that do not fit each other, and what a CNN cannot be run with.
void check_network(const text::Document& document, const model::Reading& reading, std::vector<Error>& errors);

}  // namespace shapelint::formats
