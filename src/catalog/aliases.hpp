// Further names of published models, of a user's own data files.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "catalog/known_models.hpp"
#include "text/document.hpp"

namespace shapelint::catalog {

// Adds what a file's `[[alias]]` call `models`; of a built-in one a copy joins them. Errors are appended with
// their place.
void load_aliases(const text::Document& document, std::vector<KnownModel>& models,
                  std::vector<Error>& errors);

}  // namespace shapelint::catalog
