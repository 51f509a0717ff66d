// Versions of packages, as far as their numbers go.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shapelint::contracts {

// The numbers at the beginning: `v2.8.3.post1` is 2.8.3.
using Version = std::vector<std::int64_t>;

// Nothing where it does not begin with a number.
std::optional<Version> parse_version(std::string_view text);

// As far as both have numbers: 0.24 and 0.24.1 are equal.
int compare(const Version& a, const Version& b);

}  // namespace shapelint::contracts
