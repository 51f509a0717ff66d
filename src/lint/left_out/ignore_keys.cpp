// Suppressions by key path.
#include "lint/left_out/ignore_keys.hpp"

#include <fmt/format.h>

#include "lint/left_out/suppress.hpp"

namespace shapelint::lint {

std::size_t ignore_keys(const project::FileSettings& file, std::vector<rules::Finding>& findings,
                        UsedKeys& used) {
  return std::erase_if(findings, [&](const rules::Finding& finding) {
    bool silenced = false;
    for (const project::KeyIgnore* each : file.ignore_keys) {
      if (each->key != finding.key_path) continue;
      for (std::size_t i = 0; i < each->rules.size(); ++i) {
        if (!answers(each->rules[i].value, finding)) continue;
        used.emplace(each, i);
        silenced = true;
      }
    }
    return silenced;
  });
}

std::vector<rules::Finding> unused_keys(const project::FileSettings& file, const rules::RuleBook& book,
                                        const rules::Options& options, const std::string& path,
                                        const UsedKeys& used) {
  std::vector<rules::Finding> unused;
  for (const project::KeyIgnore* each : file.ignore_keys) {
    const std::string& glob = each->match.glob;
    if (glob.find_first_of("*?[") != std::string::npos || glob.find('/') == std::string::npos) continue;
    for (std::size_t i = 0; i < each->rules.size(); ++i) {
      const project::Name& rule = each->rules[i];
      if (used.contains({each, i}) || !has_run(rule.value, book, options)) continue;
      unused.push_back(
          unused_finding(rule.path, rule.span,
                         fmt::format("nothing is found for `{}` at `{}` of {}", rule.value, each->key, path),
                         "the entry of `ignore-keys` can go"));
    }
  }
  return unused;
}

}  // namespace shapelint::lint
