// Brackets, commas, names.
#include "text/interpolation/syntax.hpp"

#include "base/budget.hpp"
#include "base/words.hpp"

namespace shapelint::text::interpolation {

std::size_t reference_end(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    constexpr std::size_t bytes_per_charge = 8;
    if (i % bytes_per_charge == 0) charge();
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split_arguments(std::string_view text, HeldBytes& held) {
  constexpr std::size_t units_per_argument = 2;
  charge(1 + text.size() / 4);
  std::vector<std::string_view> found;
  int depth = 0;
  char quote = '\0';
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (quote != '\0' && i < text.size()) {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ']' || c == ')') {
      --depth;
    } else if (c == ',' && (depth <= 0 || i == text.size())) {
      charge(units_per_argument);
      held.add(2 * sizeof(std::string_view));  // a vector that grows has room for as many again
      found.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return found;
}

bool is_variable_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text) {
    if (!((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

}  // namespace shapelint::text::interpolation
