// TOML to a Document.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/errors.hpp"

namespace shapelint::text {

// Parses TOML 1.0. Errors (syntax, duplicate keys, invalid UTF-8, a file over max_source_bytes) carry the
// place. Dates and times are read as strings: no configuration of a model needs them.
Result<Document> parse_toml(std::string path, SharedText source);

// How deep and how large a TOML text is, before toml++ sees it: a dotted key of 40,000 parts would take its
// stack, and a list of millions the memory.

// The error for a text that nests more than max_depth tables and lists (headers, dotted keys and brackets
// together) or holds more than max_values values, with the place. Looks at each byte once, and at valid TOML
// alone exactly: of other texts it measures what toml++ reads before it stops.
std::optional<Error> beyond_limits(const std::string& path, std::string_view toml);

}  // namespace shapelint::text
