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

// One layer of [[conv]]; false when an error was added.
bool check_convolution(const text::NodeRef& table, const model::Conv& conv, std::vector<Error>& errors);

}  // namespace shapelint::formats
