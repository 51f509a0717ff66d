// Looking up model types.
#include "formats/dialect/model_types.hpp"

#include <algorithm>
#include <string_view>

#include "base/glob.hpp"
#include "formats/dialect/values.hpp"

namespace shapelint::formats {

namespace {

const ModelType* find_type(const Dialect& dialect, const std::string& name) {
  if (name.empty()) return nullptr;
  const auto exact_match = dialect.types.find(name);
  if (exact_match != dialect.types.end()) return &exact_match->second;
  // A name that is spelt out goes before a pattern that happens to match.
  const ModelType* by_pattern = nullptr;
  for (const auto& [patterns, type] : dialect.types) {
    std::string_view rest = patterns;
    while (!rest.empty()) {
      const std::string_view pattern = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(rest.size(), pattern.size() + 1));
      if (!glob_matches(pattern, name, Glob::name)) continue;
      if (pattern.find('*') == std::string_view::npos) return &type;
      if (by_pattern == nullptr) by_pattern = &type;
    }
  }
  return by_pattern;
}

}  // namespace

std::vector<const ModelType*> types_like(const Dialect& dialect, const std::string& name) {
  std::vector<const ModelType*> types;
  const ModelType* found = find_type(dialect, name);
  for (int links = 0; found != nullptr && links < most_likenesses; ++links) {
    types.push_back(found);
    found = found->like.empty() ? nullptr : find_type(dialect, found->like);
  }
  return types;
}

}  // namespace shapelint::formats
