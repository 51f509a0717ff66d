// Decimal numbers of texts.
#include "base/decimal.hpp"

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <version>

namespace shapelint {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

const char* past_digits(const char* at, const char* end) {
  while (at != end && is_digit(*at)) ++at;
  return at;
}

bool begins_with(const char* at, const char* end, std::string_view word) {
  if (static_cast<std::size_t>(end - at) < word.size()) return false;
  for (const char letter : word) {
    if ((*at++ | 0x20) != letter) return false;
  }
  return true;
}

// The end of the longest number at `begin`; `begin` where there is none.
const char* end_of_number(const char* begin, const char* end) {
  const char* at = begin;
  if (at != end && *at == '-') ++at;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (begins_with(at, end, word)) return at + word.size();
  }
  const char* whole = past_digits(at, end);
  std::size_t digits = static_cast<std::size_t>(whole - at);
  at = whole;
  if (at != end && *at == '.') {
    const char* fraction = past_digits(at + 1, end);
    digits += static_cast<std::size_t>(fraction - at - 1);
    at = fraction;
  }
  if (digits == 0) return begin;
  if (at != end && (*at | 0x20) == 'e') {
    const char* exponent = at + 1;
    if (exponent != end && (*exponent == '+' || *exponent == '-')) ++exponent;
    if (const char* last = past_digits(exponent, end); last != exponent) at = last;
  }
  return at;
}

}  // namespace

std::from_chars_result read_decimal_by_strtod(const char* begin, const char* end, double& value) {
  const char* stop = end_of_number(begin, end);
  if (stop == begin) return {begin, std::errc::invalid_argument};
  const std::string text(begin, stop);
  const double read = std::strtod(text.c_str(), nullptr);
  const std::string_view digits = std::string_view(text).substr(0, text.find_first_of("eE"));
  const bool is_word = text.find_first_of("nN") != std::string::npos;
  const bool is_lost = std::isinf(read) || (read == 0 && digits.find_first_of("123456789") != digits.npos);
  if (is_lost && !is_word) return {stop, std::errc::result_out_of_range};
  value = read;
  return {stop, std::errc()};
}

std::from_chars_result read_decimal(const char* begin, const char* end, double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, value);
#else
  return read_decimal_by_strtod(begin, end, value);
#endif
}

}  // namespace shapelint
