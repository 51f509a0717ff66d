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

// Most lines of one file: what looks for places in it keeps a few words for each.
inline constexpr std::int64_t max_lines = 4'000'000;

// Deepest nesting of tables and lists, of brackets and of commands; real files stay under 20. Every reader
// that calls itself holds it, and gets through with a stack of 256 KiB.
inline constexpr int max_depth = 64;

// Most values of one file, after aliases are expanded. The largest public file holds about 100,000. What a
// reader needs for each keeps the whole program under 300 MB.
inline constexpr std::int64_t max_values = 500'000;

// The error for a text that is too large or not UTF-8, with the place of the byte; nothing when it is fine.
std::optional<Error> check_source(const std::string& path, std::string_view source);

// The error of a parser about a text that it refuses: one of syntax, unless the text is too large for it.
Error refused(Error error);

Error too_deep(const std::string& path, std::int64_t at);
Error too_many_values(const std::string& path, std::int64_t at);

}  // namespace shapelint::text
