// How deep and how large a TOML text is, before toml++ sees it: a dotted key of 40,000 parts would take its
// stack, and a list of millions the memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shapelint::text {

// The error for a text that nests more than max_depth tables and lists (headers, dotted keys and brackets
// together) or holds more than max_values values, with the place. Looks at each byte once, and at valid TOML
// alone exactly: of other texts it measures what toml++ reads before it stops.
std::optional<Error> beyond_limits(const std::string& path, std::string_view toml);

}  // namespace shapelint::text
