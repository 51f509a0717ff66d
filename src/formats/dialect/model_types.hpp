// The model types of a dialect by their names, `model_type` of Hugging Face above all.
#pragma once

#include <string>
#include <vector>

#include "formats/dialect/dialect.hpp"

namespace shapelint::formats {

// The type and those that it is like, nearest first; none for a name that the dialect does not know. They
// belong to the dialect.
std::vector<const ModelType*> types_like(const Dialect& dialect, const std::string& name);

}  // namespace shapelint::formats
