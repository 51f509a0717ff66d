// TOML to a Document.
#pragma once

#include <string>

#include "base/error.hpp"
#include "text/document.hpp"
#include "text/limits.hpp"

namespace shapelint::text {

// Parses TOML 1.0. Errors (syntax, duplicate keys, invalid UTF-8, a file over max_source_bytes) carry the
// place. Dates and times are read as strings: no configuration of a model needs them.
Result<Document> parse_toml(std::string path, SharedText source);

}  // namespace shapelint::text
