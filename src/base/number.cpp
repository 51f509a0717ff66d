// Numbers to text and back.
#include "base/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <version>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"

namespace shapelint {

namespace {

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

namespace {

// Three significant digits without an exponent for values in [0.001, 1e6).
std::string three_digits(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude >= 99.95) return fmt::format("{:.0f}", value);
  if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string percent(double share) {
  const double value = 100.0 * share;
  std::string text = std::fabs(value) >= 99.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
  if (text == "-0.0") text = "0.0";
  return text + " %";
}

std::string duration(double time_us) {
  if (time_us < 0) return fmt::format("-{}", duration(-time_us));
  if (time_us < 999.5) return three_digits(time_us) + " us";
  if (time_us < 999.5e3) return three_digits(time_us / 1e3) + " ms";
  return three_digits(time_us / 1e6) + " s";
}

std::string count_short(double count) {
  struct Unit {
    double size;
    const char* suffix;
  };
  static constexpr std::array<Unit, 4> units{{{1e12, " T"}, {1e9, " B"}, {1e6, " M"}, {1e3, " K"}}};
  for (const Unit& unit : units) {
    if (std::fabs(count) < unit.size) continue;
    const double value = count / unit.size;
    if (value >= 999.95) return fmt::format("{:.0f}{}", value, unit.suffix);
    if (value >= 99.995) return fmt::format("{:.1f}{}", value, unit.suffix);
    if (value >= 9.9995) return fmt::format("{:.2f}{}", value, unit.suffix);
    return fmt::format("{:.3f}{}", value, unit.suffix);
  }
  return fmt::format("{:.0f}", count);
}

std::string in_number(bool is_one, std::string_view noun) {
  const std::size_t bar = noun.find('|');
  if (bar != std::string_view::npos) return std::string(is_one ? noun.substr(0, bar) : noun.substr(bar + 1));
  if (is_one) return std::string(noun);
  for (const std::string_view end : {"ch", "sh", "s", "x"})
    if (noun.ends_with(end)) return std::string(noun) + "es";
  return std::string(noun) + "s";
}

std::string with_commas(std::int64_t value) {
  const std::string digits = fmt::format("{}", value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') out += ',';
    out += digits[i];
  }
  return out;
}

std::string tenths(double value) {
  constexpr double three_digits = 99.95;
  return std::fabs(value) < three_digits ? fixed(value, 1) : with_commas(std::llround(value));
}

std::string gib(double bytes) {
  return tenths(bytes / bytes_per_gib);
}

std::string fixed(double value, int decimals) {
  return fmt::format("{:.{}f}", value, decimals);
}

std::string shortest_decimal(double low, double high) {
  constexpr int max_decimals = 12;
  double power = 1;
  for (int decimals = 1; decimals <= max_decimals; ++decimals) {
    power *= 10;
    const double value = std::ceil(low * power) / power;
    if (value < high) return fixed(value, decimals);
  }
  return {};
}

std::string exact(double value) {
  std::string out;
  append_exact(out, value);
  return out;
}

void append_exact(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (value == 0 && !std::signbit(value)) {
    out += '0';
    return;
  }
  // The digits are fmt's; its way of setting them around the point takes as long as finding them.
  const auto shortest = fmt::detail::dragonbox::to_decimal(std::fabs(value));
  const int count = fmt::detail::count_digits(shortest.significand);
  const int whole = shortest.exponent + count;  // digits before the point
  constexpr int min_whole = -3;                 // where fmt begins to write exponents, and
  constexpr int max_whole = 16;                 // where it ends
  constexpr std::size_t block = 24;             // copied as a whole: as many as 17 digits are in it
  std::array<char, 2 * block> text;             // -1.2345678901234567e-308 has 24 characters
  char* end = text.data();
  if (whole < min_whole || whole > max_whole) {
    end = fmt::format_to(end, FMT_COMPILE("{}"), value);
    out.append(text.data(), end);
    return;
  }
  if (std::signbit(value)) *end++ = '-';
  std::array<char, 2 * block> digits;
  fmt::detail::format_decimal(digits.data(), shortest.significand, count);
  if (whole <= 0) {
    constexpr std::string_view zeros = "0.000";
    std::memcpy(end, zeros.data(), zeros.size());
    end += 2 - whole;
    std::memcpy(end, digits.data(), block);
    end += count;
  } else if (whole < count) {
    std::memcpy(end, digits.data(), block);
    end += whole;
    *end++ = '.';
    std::memcpy(end, digits.data() + whole, block);
    end += count - whole;
  } else {
    std::memcpy(end, digits.data(), block);
    end = std::fill_n(end + count, whole - count, '0');
  }
  out.append(text.data(), end);
}

void append_exact(std::string& out, std::int64_t value) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = read_decimal(text.data(), end, value);
  if (problem != std::errc{} || stop != end || text.empty() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace shapelint
