// JSON to a Document, and JSON that is safe to print.
#pragma once

#include <string>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"

namespace shapelint::text {

// Parses JSON as Python's json module reads it (that is what the frameworks use): RFC 8259, and NaN, Infinity
// and -Infinity as numbers. Beyond that, comments (`//`, `/* */`) and a byte-order mark are skipped.
// Duplicate keys are all kept, the last one counts (see duplicate_keys). An integer that does not fit 64 bits
// becomes a number. The span of a value includes quotes and brackets.
// Errors (syntax, size, depth, invalid UTF-8, a number past the range of a double) carry the place.
Result<Document> parse_json(std::string path, SharedText source);

// `dumped` is JSON as nlohmann writes it. Whoever prints the result is safe: what text::printable would
// replace and what text::without_commands would part is written as an escape, which reads as the same text.
std::string json_text(std::string dumped);

// `json`, a value of nlohmann's, so written, `indent` spaces for each level (-1: all in one line). What is no
// UTF-8 is replaced. No line's end behind it.
template <class Json>
std::string json_text(const Json& json, int indent) {
  return json_text(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace shapelint::text
