// Who is mended by whose change.
#include "report/together.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/words.hpp"

namespace shapelint::report {

namespace {

using rules::Finding;

std::string name_of(const Finding& finding) {
  return fmt::format("{} ({})", finding.rule, finding.code);
}

}  // namespace

std::map<const Finding*, Tie> ties_of(const std::vector<const Finding*>& shown) {
  std::map<const Finding*, Tie> ties;
  const auto is_free = [&](const Finding* finding) {
    const auto found = ties.find(finding);
    return found == ties.end() || (found->second.mended_by == nullptr && found->second.mends.empty());
  };
  const auto mended = [&](const Finding* by) {
    std::vector<const Finding*> out;
    for (const Finding* each : shown) {
      const bool is_mended = std::find(by->mends.begin(), by->mends.end(), each->number) != by->mends.end();
      if (each != by && is_mended && is_free(each) && each->severity <= by->severity) out.push_back(each);
    }
    return out;
  };
  while (true) {
    const Finding* best = nullptr;
    std::vector<const Finding*> most;
    for (const Finding* each : shown) {
      if (!is_free(each)) continue;
      std::vector<const Finding*> others = mended(each);
      if (others.size() <= most.size()) continue;
      best = each;
      most = std::move(others);
    }
    if (best == nullptr) return ties;
    for (const Finding* other : most) ties[other].mended_by = best;
    ties[best].mends = std::move(most);
  }
}

std::string also_mends(const Tie& tie) {
  return tie.mends.empty() ? std::string{} : "mends " + also_mended(tie);
}

std::string also_mended(const Tie& tie) {
  std::vector<std::string> names;
  for (const Finding* each : tie.mends) names.push_back(name_of(*each));
  return names.empty() ? std::string{} : in_words(names) + ", too";
}

std::string mended_text(const Tie& tie) {
  if (tie.mended_by == nullptr) return {};
  return fmt::format("what {} proposes mends this, too", name_of(*tie.mended_by));
}

}  // namespace shapelint::report
