// Conditions of a demand, as text.
#include "contracts/demand.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/words.hpp"

namespace shapelint::contracts {

namespace {

// Where `sign` stands outside of parentheses; npos: nowhere.
std::size_t find_outside(std::string_view text, std::string_view sign) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0 && text.substr(i).starts_with(sign)) return i;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> names_in(std::string_view text) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > i && std::isalpha(static_cast<unsigned char>(text[i])) != 0)
      out.push_back(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return out;
}

// The field that a rank's share is of.
std::string_view field_of(std::string_view name) {
  constexpr std::array shares{
      std::pair<std::string_view, std::string_view>{"hidden_per_rank", "hidden_size"},
      std::pair<std::string_view, std::string_view>{"intermediate_per_rank", "intermediate_size"},
      std::pair<std::string_view, std::string_view>{"moe_intermediate_per_rank", "moe_intermediate_size"},
      std::pair<std::string_view, std::string_view>{"heads_per_rank", "num_attention_heads"},
      std::pair<std::string_view, std::string_view>{"key_value_heads_per_rank", "num_key_value_heads"},
      std::pair<std::string_view, std::string_view>{"vocab_rows_per_rank", "vocab_size"},
      std::pair<std::string_view, std::string_view>{"tokens", "sequence_length"}};
  for (const auto& [share, field] : shares) {
    if (share == name) return field;
  }
  return name;
}

}  // namespace

std::vector<std::string_view> conditions_of(std::string_view demand) {
  if (find_outside(demand, "||") != std::string_view::npos) return {demand};
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = find_outside(demand, "&&");
    out.push_back(trimmed(demand.substr(0, end)));
    if (end == std::string_view::npos) return out;
    demand.remove_prefix(end + 2);
  }
}

std::string sum_of(std::string_view condition) {
  constexpr std::array<std::string_view, 5> comparisons{"==", "<=", ">=", "<", ">"};
  std::string_view left = condition;
  for (const std::string_view each : comparisons) {
    const std::size_t at = find_outside(condition, each);
    if (at != std::string_view::npos && at < left.size()) left = condition.substr(0, at);
  }
  left = trimmed(left);
  const std::size_t modulo = find_outside(left, "%");
  if (modulo == std::string_view::npos) return std::string(left);
  return std::string(trimmed(left.substr(0, modulo))) + " / " + std::string(trimmed(left.substr(modulo + 1)));
}

bool is_about(std::string_view size, std::string_view condition) {
  const std::vector<std::string_view> named = names_in(size);
  const std::vector<std::string_view> used = names_in(condition);
  return std::any_of(used.begin(), used.end(), [&](std::string_view name) {
    return std::any_of(named.begin(), named.end(),
                       [&](std::string_view other) { return field_of(other) == field_of(name); });
  });
}

}  // namespace shapelint::contracts
