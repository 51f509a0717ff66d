// TOML to a Document.
#pragma once

#include <string>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text {

// Largest configuration file that is read. Real ones are under 1 MB; a larger one is a mistake (a data set, a
// checkpoint), and spans are stored in 32 bits.
inline constexpr std::int64_t max_source_bytes = 16 * 1024 * 1024;

// Parses TOML 1.0. Errors (syntax, duplicate keys, invalid UTF-8, a file over max_source_bytes) carry the
// place. Dates and times are read as strings: no configuration of a model needs them.
Result<Document> parse_toml(std::string path, std::string source);

}  // namespace shapelint::text
