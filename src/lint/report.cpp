// What a run of the linter found.
#include "lint/report.hpp"

#include <algorithm>

#include "rules/engine/merge.hpp"

namespace shapelint::lint {

const text::SharedText* source_of(const ModelReport& model, const std::string& path) {
  if (path == model.path) return &model.source;
  const auto found = model.other_sources.find(path);
  return found == model.other_sources.end() ? nullptr : &found->second;
}

std::vector<const rules::Finding*> for_programs(const ModelReport& model) {
  std::vector<const rules::Finding*> all;
  for (const rules::Finding& finding : model.result.findings) all.push_back(&finding);
  if (model.hides_from_programs || model.hidden.empty()) return all;
  for (const rules::Finding& finding : model.hidden) all.push_back(&finding);
  std::stable_sort(all.begin(), all.end(), [](const rules::Finding* a, const rules::Finding* b) {
    return rules::comes_before(*a, *b);
  });
  return all;
}

std::string rule_page(std::string_view pattern, std::string_view code, std::string_view name) {
  constexpr std::size_t word = std::string_view("{code}").size();
  std::string out;
  while (!pattern.empty()) {
    if (pattern.starts_with("{code}")) {
      out += code;
      pattern.remove_prefix(word);
    } else if (pattern.starts_with("{name}")) {
      out += name;
      pattern.remove_prefix(word);
    } else {
      out += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace shapelint::lint
