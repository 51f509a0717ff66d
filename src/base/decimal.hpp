// Decimal numbers of texts, the same wherever the library is built.
#pragma once

#include <charconv>

namespace shapelint {

// As std::from_chars, which some standard libraries have for whole numbers only.
std::from_chars_result read_decimal(const char* begin, const char* end, double& value);

// The same by strtod of the locale "C".
std::from_chars_result read_decimal_by_strtod(const char* begin, const char* end, double& value);

}  // namespace shapelint
