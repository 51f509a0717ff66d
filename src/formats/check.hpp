// Mistakes of dialects that a user describes.
#pragma once

#include <span>
#include <vector>

#include "base/error.hpp"
#include "formats/dialect/dialects.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// As the check of all dialects (formats/read.hpp), of those of `documents` only: the others stay unread.
void check_expressions(std::span<const text::Document> documents, const Dialects& dialects,
                       std::vector<Error>& errors);

}  // namespace shapelint::formats
