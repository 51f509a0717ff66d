// The one place that turns numbers into text for people, and text into numbers, the same wherever the
// library is built.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint {

// "17.3 %"; one decimal below 100, none above; never "-0.0 %".
std::string percent(double share);
// "12.3 us", "4.56 ms", "1.23 s": three significant digits.
std::string duration(double time_us);
// "2.65 B", "124.4 M": four significant digits, as parameter counts are usually quoted.
std::string count_short(double count);
// "2,651,307,520".
std::string with_commas(std::int64_t value);
// "78.7", "1,234": one decimal below 100, none above.
std::string tenths(double value);
// Bytes in units of 2^30, without the unit: "78.7", "1,234".
std::string gib(double bytes);
// "1.23" with the given number of decimals, no trailing zeros removed.
std::string fixed(double value, int decimals);
// Shortest text that reads back as the same double; what machine-readable output uses. Never "nan" or "inf".
std::string exact(double value);
// Appended to `out`, for rows by the million.
void append_exact(std::string& out, double value);
void append_exact(std::string& out, std::int64_t value);

// The number with the fewest decimals, one at least, from `low` to below `high`; empty where that takes too
// many.
std::string shortest_decimal(double low, double high);

// The upper median of at least one value.
double median(std::vector<double> values);

// A whole decimal integer (`-12`, `50257`) or nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);
// A whole decimal number (`1e-3`, `0.5`) or nothing; not "nan", "inf" or hexadecimal.
std::optional<double> parse_number(std::string_view text);

// As std::from_chars, which some standard libraries have for whole numbers only.
std::from_chars_result read_decimal(const char* begin, const char* end, double& value);

// The same by strtod of the locale "C".
std::from_chars_result read_decimal_by_strtod(const char* begin, const char* end, double& value);

}  // namespace shapelint
