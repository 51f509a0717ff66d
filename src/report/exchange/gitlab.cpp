// GitLab's code quality report.
// Source: GitLab docs, "Code Quality", "Code Quality report format".
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/formats.hpp"
#include "report/items.hpp"
#include "text/json/write.hpp"

namespace shapelint::report {

namespace {

using Json = nlohmann::ordered_json;

std::string_view gitlab_severity(const Item& item) {
  if (item.finding == nullptr) return "blocker";
  if (item.finding->certain_to_fail) return "critical";
  return word_of(item.severity, {.info = "info", .warning = "minor", .error = "major"});
}

}  // namespace

std::string gitlab(const lint::Report& report) {
  Json out = Json::array();
  std::set<std::string> taken;
  for (const Item& item : items(report)) {
    // Of two entries with one fingerprint GitLab shows only one.
    const std::string own = fingerprint(item, true);
    std::string unique = own;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = fmt::format("{}-{}", own, i);
    Json location{{"path", item.path}};
    if (item.region) {
      const Region& region = *item.region;
      location["positions"] = {{"begin", {{"line", region.begin.line}, {"column", region.begin.column}}},
                               {"end", {{"line", region.end.line}, {"column", region.end.column}}}};
    } else {
      location["lines"] = {{"begin", 1}};
    }
    std::string body;
    for (const std::string& detail : item.details) body += (body.empty() ? "" : "\n") + detail;
    if (!item.url.empty())
      body += fmt::format("{}more: [{}]({})", body.empty() ? "" : "\n", item.rule, item.url);
    Json entry{{"type", "issue"},
               // GitLab does not show check_name.
               {"description", fmt::format("{}: {}", item.code, item.message)},
               {"check_name", item.rule},
               {"fingerprint", unique},
               {"severity", gitlab_severity(item)},
               {"categories", Json::array({"Performance"})},
               {"location", std::move(location)}};
    if (!body.empty()) entry["content"] = {{"body", body}};
    out.push_back(std::move(entry));
  }
  return text::json_text(out, 2) + '\n';
}

}  // namespace shapelint::report
