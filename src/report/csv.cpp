// Fields of CSV.
#include "report/csv.hpp"

#include "base/decimal.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = read_decimal(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string line = text::one_line(text);
  const bool is_formula =
      !line.empty() && std::string_view("=+-@\t\r").find(line.front()) != std::string::npos;
  std::string safe = is_formula && !is_number(line) ? '\'' + line : line;
  if (safe.find_first_of(",\"\n\r'") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) {
    if (c == '"') out += c;
    out += c;
  }
  return out + '"';
}

}  // namespace shapelint::report
