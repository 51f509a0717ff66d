// What no configuration needs and an attacker or an accident might send: every reader refuses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shapelint::text {

// Largest configuration file that is read. Real ones are under 1 MB; a larger one is a mistake (a data set, a
// checkpoint), and spans are stored in 32 bits.
inline constexpr std::int64_t max_source_bytes = std::int64_t{16} * 1024 * 1024;

// Deepest nesting of tables and lists; real files stay under 20.
inline constexpr int max_depth = 200;

// Most values of one file, after aliases are expanded. The largest public file holds about 100,000.
inline constexpr std::int64_t max_values = 1'000'000;

// The error for a text that is too large or not UTF-8, with the place of the byte; nothing when it is fine.
std::optional<Error> check_source(const std::string& path, std::string_view source);

// The error of a parser about a text that it refuses: one of syntax, unless the text is too large for it.
Error refused(Error error);

Error too_deep(const std::string& path, std::int64_t at);
Error too_many_values(const std::string& path, std::int64_t at);

}  // namespace shapelint::text
