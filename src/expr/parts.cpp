// Parts of a text, compiled or not.
#include "base/strings.hpp"
#include "expr/expression.hpp"

namespace shapelint::expr {

std::size_t find_outside(std::string_view text, std::string_view sign) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0 && text.substr(i).starts_with(sign)) return i;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> conjuncts(std::string_view text) {
  if (find_outside(text, "||") != std::string_view::npos) return {text};
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = find_outside(text, "&&");
    out.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 2);
  }
}

}  // namespace shapelint::expr
