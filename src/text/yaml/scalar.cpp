// The resolver of PyYAML, pattern by pattern.
#include "base/strings.hpp"
#include "text/yaml/nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/number.hpp"

namespace shapelint::text::yaml {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view digits_and_underscore = "0123456789_";

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

std::string without_underscores(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != '_'; });
  return out;
}

// `[eE][-+][0-9]+` or nothing.
bool is_exponent(std::string_view text) {
  if (text.empty()) return true;
  return text.size() >= 3 && (text[0] == 'e' || text[0] == 'E') && (text[1] == '+' || text[1] == '-') &&
         all_of(text.substr(2), "0123456789");
}

// `(:[0-5]?[0-9])+` at the beginning of `text`: how long it is, 0 when it is not there.
std::size_t base_60_size(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == ':') {
    const std::string_view rest = text.substr(at + 1);
    if (rest.size() >= 2 && rest[0] >= '0' && rest[0] <= '5' && is_digit(rest[1])) {
      at += 3;
    } else if (!rest.empty() && is_digit(rest[0])) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

double decimal(std::string_view written) {
  const std::string text = without_underscores(written);
  double value = 0;
  const auto [end, problem] = read_decimal(text.data(), text.data() + text.size(), value);
  if (problem != std::errc::result_out_of_range) return value;
  // from_chars leaves the value alone: too large is infinite, too small zero, as in Python.
  const bool is_small = text.find("e-") != std::string::npos || text.find("E-") != std::string::npos;
  return is_small ? 0.0 : std::numeric_limits<double>::infinity();
}

// The value of digits in a base; past 64 bits it goes on as a double. `text` has only digits of the base.
Scalar whole_number(std::string_view text, int base, bool negative) {
  Scalar scalar;
  scalar.kind = Kind::integer;
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  bool fits = true;
  // Counted downwards: the smallest integer has no positive counterpart.
  std::int64_t below = 0;
  double wide = base == 10 ? decimal(text) : 0;
  for (const char c : text) {
    const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    if (base != 10) wide = wide * base + digit;
    if (fits && below >= (least + digit) / base) {
      below = below * base - digit;
    } else {
      fits = false;
    }
  }
  if (fits && !negative && below == least) fits = false;
  if (fits) {
    scalar.integer = negative ? below : -below;
    scalar.number = static_cast<double>(scalar.integer);
  } else {
    scalar.kind = Kind::number;
    scalar.number = negative ? -wide : wide;
  }
  return scalar;
}

std::optional<Scalar> as_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view body = without_sign(text);
  if (body.empty()) return std::nullopt;
  const std::string digits = without_underscores(body);
  if (body.starts_with("0b") && body.size() > 2 && all_of(body.substr(2), "01_")) {
    if (digits.size() == 2) return std::nullopt;  // PyYAML raises an error; a string is closest
    return whole_number(std::string_view(digits).substr(2), 2, negative);
  }
  if (body.starts_with("0x") && body.size() > 2 && all_of(body.substr(2), "0123456789abcdefABCDEF_")) {
    if (digits.size() == 2) return std::nullopt;
    return whole_number(std::string_view(digits).substr(2), 16, negative);
  }
  if (body[0] == '0' && all_of(body, "01234567_")) return whole_number(digits, 8, negative);
  if (body[0] < '1' || body[0] > '9') return std::nullopt;
  const std::size_t end = std::min(body.find_first_not_of(digits_and_underscore), body.size());
  const std::string_view rest = body.substr(end);
  if (rest.empty()) return whole_number(digits, 10, negative);
  if (base_60_size(rest) != rest.size()) return std::nullopt;
  double wide = 0;
  for (std::size_t begin = 0; begin <= body.size();) {
    const std::size_t colon = std::min(body.find(':', begin), body.size());
    wide = wide * 60 + decimal(body.substr(begin, colon - begin));
    begin = colon + 1;
  }
  Scalar scalar;
  scalar.number = negative ? -wide : wide;
  constexpr double exact = 9007199254740992.0;  // 2^53: above, doubles skip integers
  scalar.kind = wide < exact ? Kind::integer : Kind::number;
  scalar.integer = wide < exact ? static_cast<std::int64_t>(scalar.number) : 0;
  return scalar;
}

std::optional<double> as_float(std::string_view text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  const std::string_view body = without_sign(text);
  const double sign = text.starts_with('-') ? -1.0 : 1.0;
  if (is_one_of(body, {".inf", ".Inf", ".INF"})) return sign * infinity;
  if (text.size() >= 2 && text[0] == '.' && is_digit(text[1])) {
    const std::size_t end = std::min(text.find_first_not_of(digits_and_underscore, 1), text.size());
    if (is_exponent(text.substr(end))) return decimal(text);
    return std::nullopt;
  }
  if (body.empty() || !is_digit(body[0])) return std::nullopt;
  const std::size_t whole = std::min(body.find_first_not_of(digits_and_underscore), body.size());
  const std::size_t colons = base_60_size(body.substr(whole));
  const std::size_t point = whole + colons;
  if (point >= body.size() || body[point] != '.') return std::nullopt;
  const std::size_t end = std::min(body.find_first_not_of(digits_and_underscore, point + 1), body.size());
  if (colons == 0) {
    if (!is_exponent(body.substr(end))) return std::nullopt;
    return sign * decimal(body);
  }
  if (end != body.size()) return std::nullopt;
  double value = 0;
  for (std::size_t begin = 0; begin <= body.size();) {
    const std::size_t colon = std::min(body.find(':', begin), body.size());
    value = value * 60 + decimal(body.substr(begin, colon - begin));
    begin = colon + 1;
  }
  return sign * value;
}

}  // namespace

Scalar resolve_scalar(std::string_view plain) {
  Scalar scalar;
  if (is_one_of(plain, {"", "~", "null", "Null", "NULL"})) {
    scalar.kind = Kind::null;
    return scalar;
  }
  if (is_one_of(plain, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    scalar.kind = Kind::boolean;
    scalar.boolean = true;
    return scalar;
  }
  if (is_one_of(plain, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    scalar.kind = Kind::boolean;
    return scalar;
  }
  if (const auto integer = as_integer(plain)) return *integer;
  if (const auto number = as_float(plain)) {
    scalar.kind = Kind::number;
    scalar.number = *number;
  }
  return scalar;
}

std::optional<double> number_read_as_string(std::string_view text) {
  if (resolve_scalar(text).kind != Kind::string) return std::nullopt;
  std::string_view body = without_sign(text);
  const double sign = text.starts_with('-') ? -1.0 : 1.0;
  if (body.starts_with("0o") && body.size() > 2 && all_of(body.substr(2), "01234567_")) {
    return sign * whole_number(without_underscores(body.substr(2)), 8, false).number;
  }
  if (body.empty() || !(is_digit(body[0]) || body[0] == '.')) return std::nullopt;
  const std::string digits = without_underscores(body);
  double value = 0;
  const auto [end, problem] = read_decimal(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return sign * value;
}

}  // namespace shapelint::text::yaml
