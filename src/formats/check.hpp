// Mistakes in the expressions of dialects.
#pragma once

#include <span>
#include <vector>

#include "base/error.hpp"
#include "formats/dialect/dialects.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// Syntax, and names that are neither a field nor one of the dialect's own values, in the dialects that
// `documents` describe: the others stay unread. Reading does not look for them: an expression with a mistake
// gives nothing.
void check_expressions(std::span<const text::Document> documents, const Dialects& dialects,
                       std::vector<Error>& errors);

}  // namespace shapelint::formats
