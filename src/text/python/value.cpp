// Numbers, texts, and what is worked out of them.
#include "text/python/value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/budget.hpp"
#include "base/number.hpp"
#include "text/errors.hpp"

namespace shapelint::text::python {

namespace {

constexpr std::string_view out_of_range = "the number is too large, or not a number";
constexpr std::size_t few_entries = 8;

// Looking an entry up, or putting one into the index; and the memory of one in it, as libstdc++ has it.
constexpr std::size_t units_per_entry = 10;
constexpr std::size_t bytes_per_index = 64;

// A vector that grows has room for up to as many again.
constexpr std::size_t entry_bytes = sizeof(Entry) + sizeof(Entry) / 2;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Value apply_integers(std::string_view sign, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  const bool is_division = sign == "//" || sign == "%";
  if (is_division && (b == 0 || b == -1)) {
    if (b == 0 || a == std::numeric_limits<std::int64_t>::min()) return unknown(std::string(out_of_range));
    return of_integer(sign == "%" ? 0 : -a);
  }
  if (sign == "+") overflows = __builtin_add_overflow(a, b, &result);
  if (sign == "-") overflows = __builtin_sub_overflow(a, b, &result);
  if (sign == "*") overflows = __builtin_mul_overflow(a, b, &result);
  if (sign == "//") result = floor_divide(a, b);
  if (sign == "%") result = a - floor_divide(a, b) * b;
  if (sign == "**") {
    constexpr std::int64_t largest_exponent = 1023;  // beyond, doubles are infinite for every base over 1
    if (b < 0)
      return a == 0 ? unknown(std::string(out_of_range))
                    : of_number(std::pow(static_cast<double>(a), static_cast<double>(b)));
    if (b > largest_exponent) return unknown(std::string(out_of_range));
    charge(static_cast<std::size_t>(b));
    result = 1;
    for (std::int64_t i = 0; i < b && !overflows; ++i) overflows = __builtin_mul_overflow(result, a, &result);
  }
  const bool is_sign =
      sign == "+" || sign == "-" || sign == "*" || sign == "//" || sign == "%" || sign == "**";
  if (sign == "<<" && b >= 0 && b < 62 && a >= 0 && a < (std::int64_t{1} << (62 - b)))
    return of_integer(a << b);
  if (sign == ">>" && b >= 0 && b < 63) return of_integer(a >> b);
  if (overflows || !is_sign) return unknown(std::string(out_of_range));
  return of_integer(result);
}

}  // namespace

Value* Object::find(std::string_view key) {
  charge_text(key.size());
  if (!index.empty()) {
    const auto found = index.find(key);
    return found == index.end() ? nullptr : &entries[found->second].value;
  }
  for (Entry& each : entries) {
    if (each.key == key) return &each.value;
  }
  return nullptr;
}

Entry& Object::set(std::string_view key, Value value) {
  if (Value* const found = find(key)) {
    if (value.text.size() > found->text.size()) charge_bytes(value.text.size() - found->text.size());
    *found = std::move(value);
    return index.empty() ? *std::find_if(entries.begin(), entries.end(),
                                         [&](const Entry& each) { return each.key == key; })
                         : entries[index.find(key)->second];
  }
  charge(units_per_entry);
  charge_bytes(entry_bytes + bytes_per_index + 2 * key.size() + value.text.size());
  entries.push_back({std::string(key), std::move(value), {}, nullptr});
  if (!index.empty()) {
    index.emplace(key, entries.size() - 1);
  } else if (entries.size() > few_entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) index.emplace(entries[i].key, i);
  }
  return entries.back();
}

void Object::append(Value value) {
  charge(2 + value.text.size() / 64);
  charge_bytes(entry_bytes + value.text.size());
  entries.push_back({{}, std::move(value), {}, nullptr});
}

void Object::erase(std::string_view key) {
  charge(units_per_entry * entries.size());
  std::erase_if(entries, [&](const Entry& each) { return each.key == key; });
  index.clear();
  if (entries.size() <= few_entries) return;
  for (std::size_t i = 0; i < entries.size(); ++i) index.emplace(entries[i].key, i);
}

Value unknown(std::string reason) {
  Value value;
  value.text = std::move(reason);
  return value;
}

Value none() {
  Value value;
  value.kind = ValueKind::none;
  return value;
}

Value of_integer(std::int64_t integer) {
  Value value;
  value.kind = ValueKind::integer;
  value.integer = integer;
  return value;
}

Value of_number(double number) {
  Value value;
  value.kind = ValueKind::number;
  value.number = number;
  return value;
}

Value of_boolean(bool is_so) {
  Value value;
  value.kind = ValueKind::boolean;
  value.integer = is_so ? 1 : 0;
  return value;
}

Value of_text(std::string text) {
  Value value;
  value.kind = ValueKind::string;
  value.text = std::move(text);
  return value;
}

bool is_numeric(const Value& value) {
  return value.kind == ValueKind::integer || value.kind == ValueKind::number ||
         value.kind == ValueKind::boolean;
}

bool is_sequence(const Value& value) {
  return value.kind == ValueKind::list || value.kind == ValueKind::tuple;
}

double as_double(const Value& value) {
  return value.kind == ValueKind::number ? value.number : static_cast<double>(value.integer);
}

Truth truth(const Value& value) {
  switch (value.kind) {
    case ValueKind::unknown:
    case ValueKind::named:
    case ValueKind::awaited:
    case ValueKind::builtin:
      return Truth::open;
    case ValueKind::none:
      return Truth::no;
    case ValueKind::boolean:
    case ValueKind::integer:
      return value.integer != 0 ? Truth::yes : Truth::no;
    case ValueKind::number:
      return value.number != 0 ? Truth::yes : Truth::no;
    case ValueKind::string:
      return value.text.empty() ? Truth::no : Truth::yes;
    case ValueKind::list:
    case ValueKind::tuple:
    case ValueKind::table:
      return value.object->entries.empty() ? Truth::no : Truth::yes;
    default:
      return Truth::yes;
  }
}

Truth equal(const Value& a, const Value& b) {
  if (a.kind == ValueKind::unknown || b.kind == ValueKind::unknown) return Truth::open;
  if (a.kind == ValueKind::named && b.kind == ValueKind::named) {
    if (a.text == b.text) return Truth::yes;
    // Members of one enumeration differ by their names.
    const auto owner = [](std::string_view text) { return text.substr(0, text.rfind('.')); };
    return owner(a.text) == owner(b.text) ? Truth::no : Truth::open;
  }
  if (a.kind == ValueKind::builtin || b.kind == ValueKind::builtin) return Truth::open;
  if (a.kind == ValueKind::none || b.kind == ValueKind::none)
    return a.kind == b.kind ? Truth::yes : Truth::no;
  if (a.kind == ValueKind::named || b.kind == ValueKind::named) return Truth::open;
  const auto answer = [](bool is_so) { return is_so ? Truth::yes : Truth::no; };
  if (is_numeric(a) && is_numeric(b)) return answer(as_double(a) == as_double(b));
  charge_text(std::min(a.text.size(), b.text.size()));
  if (a.kind == ValueKind::string && b.kind == ValueKind::string) return answer(a.text == b.text);
  if (is_numeric(a) || is_numeric(b) || a.kind == ValueKind::string || b.kind == ValueKind::string)
    return a.object != nullptr || b.object != nullptr ? Truth::open : Truth::no;
  return a.object != nullptr && a.object == b.object ? Truth::yes : Truth::open;
}

Value compare(std::string_view sign, const Value& a, const Value& b) {
  if (a.kind == ValueKind::unknown) return a;
  if (b.kind == ValueKind::unknown) return b;
  if (sign == "==" || sign == "!=") {
    const Truth same = equal(a, b);
    if (same == Truth::open) return unknown("it depends on a comparison known only at run time");
    return of_boolean((same == Truth::yes) == (sign == "=="));
  }
  if (!is_numeric(a) || !is_numeric(b)) return unknown("it depends on a comparison known only at run time");
  const double x = as_double(a);
  const double y = as_double(b);
  if (sign == "<") return of_boolean(x < y);
  if (sign == ">") return of_boolean(x > y);
  if (sign == "<=") return of_boolean(x <= y);
  return of_boolean(x >= y);
}

namespace {

constexpr std::size_t longest_text = 100'000;  // adding a text to itself doubles it

// `"M" * 24`
Value repeated(const std::string& text, std::int64_t times) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(times, 0));
  if (!text.empty() && count > longest_text / text.size()) return unknown("the string is too long");
  charge_text(count * text.size());
  std::string out;
  out.reserve(count * text.size());
  for (std::size_t i = 0; i < count && !text.empty(); ++i) out += text;
  return of_text(std::move(out));
}

}  // namespace

Value apply(std::string_view sign, const Value& a, const Value& b) {
  if (a.kind == ValueKind::unknown) return a;
  if (b.kind == ValueKind::unknown) return b;
  if (sign == "*" && a.kind == ValueKind::string && b.kind == ValueKind::integer)
    return repeated(a.text, b.integer);
  if (sign == "*" && a.kind == ValueKind::integer && b.kind == ValueKind::string)
    return repeated(b.text, a.integer);
  if (sign == "+" && a.kind == ValueKind::string && b.kind == ValueKind::string) {
    if (a.text.size() + b.text.size() > longest_text) return unknown("the string is too long");
    charge_text(a.text.size() + b.text.size());
    return of_text(a.text + b.text);
  }
  if (!is_numeric(a) || !is_numeric(b)) return unknown("it is computed from values that are not numbers");
  const double x = as_double(a);
  const double y = as_double(b);
  const auto finite = [](double value) {
    return std::isfinite(value) ? of_number(value) : unknown(std::string(out_of_range));
  };
  if (sign == "/") return y == 0 ? unknown(std::string(out_of_range)) : finite(x / y);
  if (a.kind != ValueKind::number && b.kind != ValueKind::number)
    return apply_integers(sign, a.integer, b.integer);
  if (sign == "+") return finite(x + y);
  if (sign == "-") return finite(x - y);
  if (sign == "*") return finite(x * y);
  if (sign == "**") return finite(std::pow(x, y));
  if (y == 0 || (sign != "//" && sign != "%")) return unknown(std::string(out_of_range));
  return finite(sign == "//" ? std::floor(x / y) : x - std::floor(x / y) * y);
}

Value read_number(std::string_view written) {
  charge(written.size() / 8);
  std::string digits;
  for (const char c : written) {
    if (c != '_') digits += c;
  }
  int base = 10;
  std::string_view body = digits;
  if (body.size() > 2 && body[0] == '0') {
    const char kind = static_cast<char>(body[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    if (base != 10) body.remove_prefix(2);
  }
  std::int64_t integer = 0;
  const char* const end = body.data() + body.size();
  if (const auto [stop, problem] = std::from_chars(body.data(), end, integer, base);
      stop == end && problem == std::errc()) {
    return of_integer(integer);
  }
  double real = 0;
  const auto [stop, problem] = read_decimal(body.data(), end, real);
  return base == 10 && stop == end && problem == std::errc() ? of_number(real)
                                                             : unknown(std::string(out_of_range));
}

Value read_string(std::string_view written) {
  const std::size_t quote = written.find_first_of("'\"");
  const std::string_view prefix = written.substr(0, quote);
  if (prefix.find_first_of("bB") != std::string_view::npos) return unknown("it is a string of bytes");
  written.remove_prefix(quote);
  charge_text(written.size());
  const std::size_t size =
      written.size() >= 6 && written[1] == written[0] && written[2] == written[0] ? 3 : 1;
  const std::string_view body = written.substr(size, written.size() - 2 * size);
  if (prefix.find_first_of("rR") != std::string_view::npos) return of_text(std::string(body));
  Value value = of_text({});
  if (!unescape(body, value.text)) return unknown("it has escapes that are not read");
  return value;
}

bool unescape(std::string_view body, std::string& out) {
  charge(body.size() / 8);  // byte by byte
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 >= body.size()) {
      out += body[i];
      continue;
    }
    const char c = body[++i];
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c == '\\' || c == '\'' || c == '"') {
      out += c;
    } else if (c != '\n') {
      return false;  // character codes are not needed for a configuration
    }
  }
  return true;
}

bool write(const Value& value, std::string& out) {
  charge_text(value.text.size());
  if (value.kind == ValueKind::string) {
    out += value.text;
  } else if (value.kind == ValueKind::integer) {
    out += std::to_string(value.integer);
  } else if (value.kind == ValueKind::number) {
    out += exact(value.number);
  } else if (value.kind == ValueKind::boolean) {
    out += value.integer != 0 ? "True" : "False";
  } else if (value.kind == ValueKind::none) {
    out += "None";
  } else {
    return false;
  }
  return true;
}

}  // namespace shapelint::text::python
