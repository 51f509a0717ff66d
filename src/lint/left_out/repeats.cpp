// Leaves out what a report would say twice.
#include "lint/left_out/repeats.hpp"

#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace shapelint::lint {

namespace {

// The same rule about the same value on the same GPU.
using Subject = std::tuple<std::string, std::size_t, std::size_t, std::string_view, std::string,
                           model::FieldId, std::string>;

Subject subject_of(const rules::Finding& finding) {
  return {finding.path,     finding.span.begin, finding.span.end, finding.code,
          finding.key_path, finding.blamed,     finding.gpu};
}

// What is said of a subject from outside of its file: by which file first, and who was first to say it so.
struct Said {
  std::string by;
  std::map<std::string, std::string> first_with;  // a message
};

}  // namespace

std::vector<std::string> leave_repeats(Report& report) {
  std::map<Subject, Said> said;
  for (const ModelReport& model : report.models) {
    for (const rules::Finding& finding : model.result.findings) {
      if (finding.path == model.path) continue;
      Said& of_it = said[subject_of(finding)];
      if (of_it.by.empty()) of_it.by = model.path;
      of_it.first_with.try_emplace(finding.message, model.path);
    }
  }
  if (said.empty()) return {};
  std::map<std::string, std::pair<std::size_t, std::string>>
      lost;  // by file: how many, and where they are told
  for (ModelReport& model : report.models) {
    std::erase_if(model.result.findings, [&](const rules::Finding& finding) {
      const auto found = said.find(subject_of(finding));
      if (found == said.end()) return false;
      const std::string& teller =
          finding.path == model.path ? found->second.by : found->second.first_with.at(finding.message);
      if (teller == model.path) return false;
      auto& [count, with] = lost[model.path];
      ++count;
      if (with.empty()) with = teller;
      return true;
    });
  }
  std::vector<std::string> notes;
  for (const auto& [path, what] : lost) {
    const auto& [count, with] = what;
    notes.push_back(fmt::format("{}: {} {} told with {}, which builds on the same file", path, count,
                                count == 1 ? "finding is" : "findings are", with));
  }
  return notes;
}

}  // namespace shapelint::lint
