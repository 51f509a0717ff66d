// JSON to a Document.
#pragma once

#include <string>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/limits.hpp"

namespace shapelint::text {

// Parses JSON as Python's json module reads it (that is what the frameworks use): RFC 8259, and NaN, Infinity
// and -Infinity as numbers. Beyond that, comments (`//`, `/* */`) and a byte-order mark are skipped.
// Duplicate keys are all kept, the last one counts (see duplicate_keys). An integer that does not fit 64 bits
// becomes a number. The span of a value includes quotes and brackets.
// Errors (syntax, size, depth, invalid UTF-8, a number past the range of a double) carry the place.
Result<Document> parse_json(std::string path, SharedText source);

}  // namespace shapelint::text
