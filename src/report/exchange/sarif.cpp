// SARIF 2.1.0, with what GitHub's code scanning requires and recommends.
// Sources: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0; GitHub docs, "SARIF
// support for code scanning".
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/docs_url.hpp"
#include "base/strings.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "report/style.hpp"
#include "text/json/json.hpp"

namespace shapelint::report {

namespace {

using Json = nlohmann::ordered_json;

// Longest description that GitHub takes, in characters.
constexpr std::size_t longest_description = 1024;
// Results of one run that GitHub takes.
constexpr std::size_t max_results = 25'000;

std::string_view level(rules::Severity severity) {
  return word_of(severity, {.info = "note", .warning = "warning", .error = "error"});
}

std::string_view problem_severity(rules::Severity severity) {
  return word_of(severity, {.info = "recommendation", .warning = "warning", .error = "error"});
}

std::string_view precision(rules::Confidence confidence) {
  switch (confidence) {
    case rules::Confidence::certain:
      return "very-high";
    case rules::Confidence::measured:
      return "high";
    case rules::Confidence::estimated:
      return "medium";
  }
  return "medium";
}

// A relative reference (RFC 3986): every byte that is not unreserved or `/` is escaped.
std::string uri_of(std::string_view path) {
  return (path.starts_with('/') ? "file://" : "") + percent_encoded(path, "-._~/");
}

Json artifact(std::string_view path) {
  Json out{{"uri", uri_of(path)}};
  if (!path.starts_with('/')) out["uriBaseId"] = "%SRCROOT%";
  return out;
}

Json region_json(const Region& region) {
  return {{"startLine", region.begin.line},
          {"startColumn", region.begin.column},
          {"endLine", region.end.line},
          {"endColumn", region.end.column}};
}

// GitHub wants a region; a finding about a value that the file does not state is about the file.
Json physical(const Item& item) {
  const Region start{};
  return {{"artifactLocation", artifact(item.path)}, {"region", region_json(item.region.value_or(start))}};
}

// The first characters, never half of one; GitHub takes no empty text.
std::string described(std::string_view text, std::string_view otherwise) {
  const std::string clean = printable(text.empty() ? otherwise : text);
  std::string_view left = clean;
  for (std::size_t i = 0; i < longest_description && !left.empty(); ++i) next_code_point(left);
  return clean.substr(0, clean.size() - left.size());
}

Json rule_json(const lint::RuleInfo& rule) {
  std::string plain(rule.why.empty() ? rule.summary : rule.why);
  std::string rich = plain;
  if (!rule.sources.empty()) {
    plain += "\n\nSources:";
    rich += "\n\nSources:\n";
    for (const std::string_view source : rule.sources) {
      plain += fmt::format("\n- {}", source);
      rich += fmt::format("\n- {}", source);
    }
  }
  Json out{{"id", rule.code},
           {"name", rule.name},
           {"shortDescription", {{"text", described(rule.summary, rule.name)}}},
           {"fullDescription",
            {{"text", described(rule.mechanism.empty() ? rule.summary : rule.mechanism, rule.name)}}},
           {"help",
            {{"text", printable(plain.empty() ? std::string(rule.name) : plain)},
             {"markdown", printable(rich.empty() ? std::string(rule.name) : rich)}}},
           {"defaultConfiguration", {{"level", level(rule.severity)}}},
           {"properties",
            {{"tags", Json::array({"performance", "gpu"})},
             {"precision", precision(rule.confidence)},
             {"problem.severity", problem_severity(rule.severity)}}}};
  if (!rule.url.empty()) out["helpUri"] = rule.url;
  return out;
}

// The rules of the findings: all that ran are 250 kB.
std::vector<lint::RuleInfo> rules_of(const lint::Report& report, const std::vector<Item>& all) {
  std::vector<lint::RuleInfo> rules;
  for (const lint::RuleInfo& rule : report.rules) {
    const bool occurs = std::any_of(all.begin(), all.end(), [&](const Item& item) {
      return item.finding != nullptr && item.finding->code == rule.code;
    });
    if (occurs) rules.push_back(rule);
  }
  for (const Item& item : all) {
    if (item.finding == nullptr) continue;
    const auto same = [&](const lint::RuleInfo& rule) { return rule.code == item.finding->code; };
    if (std::any_of(rules.begin(), rules.end(), same)) continue;
    lint::RuleInfo rule;
    rule.code = item.finding->code;
    rule.name = rule.summary = item.finding->rule;
    rule.mechanism = item.finding->why;
    rule.url = item.url;
    rule.severity = item.severity;
    rule.confidence = item.finding->confidence;
    rules.push_back(rule);
  }
  std::sort(rules.begin(), rules.end(),
            [](const lint::RuleInfo& a, const lint::RuleInfo& b) { return a.code < b.code; });
  return rules;
}

Json related(const Item& item) {
  Json out = Json::array();
  for (const model::FieldId field : item.finding->related) {
    const model::Origin& origin = model::origin(item.model->reading, field);
    if (origin.kind != model::Origin::Kind::stated || origin.path != item.model->path) continue;
    const Region region{item.model->source.places().place(origin.span.begin),
                        item.model->source.places().place(origin.span.end), origin.span};
    out.push_back(
        {{"id", out.size() + 1},
         {"physicalLocation", {{"artifactLocation", artifact(item.path)}, {"region", region_json(region)}}},
         {"message", {{"text", model::info(field).name}}}});
  }
  return out;
}

Json fixes_json(const Item& item) {
  Json out = Json::array();
  for (const ItemFix& fix : item.fixes) {
    Json replacements = Json::array();
    for (const Edit& edit : fix.edits) {
      replacements.push_back(
          {{"deletedRegion", region_json(edit.region)}, {"insertedContent", {{"text", edit.text}}}});
    }
    out.push_back({{"description", {{"text", fix.description}}},
                   {"artifactChanges", Json::array({Json{{"artifactLocation", artifact(item.path)},
                                                         {"replacements", std::move(replacements)}}})}});
  }
  return out;
}

Json result_json(const Item& item, std::size_t rule_index, int occurrence) {
  std::string text = item.message;
  for (const std::string& detail : item.details) text += '\n' + detail;
  Json location{{"physicalLocation", physical(item)}};
  if (!item.finding->key_path.empty()) {
    location["logicalLocations"] =
        Json::array({Json{{"fullyQualifiedName", printable(item.finding->key_path)}}});
  }
  Json out{{"ruleId", item.code},
           {"ruleIndex", rule_index},
           {"level", level(item.severity)},
           {"message", {{"text", text}}},
           {"locations", Json::array({std::move(location)})},
           {"partialFingerprints",
            {{"primaryLocationLineHash", fmt::format("{}:{}", fingerprint(item, false), occurrence)}}}};
  if (Json more = related(item); !more.empty()) out["relatedLocations"] = std::move(more);
  if (Json fixes = fixes_json(item); !fixes.empty()) out["fixes"] = std::move(fixes);
  out["properties"] = {{"precision", precision(item.finding->confidence)},
                       {"confidence", rules::name(item.finding->confidence)},
                       {"gain", item.finding->gain},
                       {"gainError", item.finding->gain_error},
                       {"certainToFail", item.finding->certain_to_fail},
                       {"label", item.label}};
  return out;
}

Json notification(const Item& item) {
  std::string text = item.message;
  for (const std::string& detail : item.details) text += '\n' + detail;
  Json out{{"level", "error"}, {"message", {{"text", text}}}};
  if (!item.path.empty()) out["locations"] = Json::array({Json{{"physicalLocation", physical(item)}}});
  return out;
}

}  // namespace

std::string sarif(const lint::Report& report) {
  std::vector<Item> all = items(report, Which::for_programs);
  const std::vector<lint::RuleInfo> rules = rules_of(report, all);
  Json rule_list = Json::array();
  std::map<std::string_view, std::size_t> index;
  for (const lint::RuleInfo& rule : rules) {
    index[rule.code] = rule_list.size();
    rule_list.push_back(rule_json(rule));
  }
  if (all.size() > max_results) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Item& a, const Item& b) { return a.severity > b.severity; });
    all.resize(max_results);
  }
  Json results = Json::array();
  Json notifications = Json::array();
  std::map<std::string, int> seen;
  for (const Item& item : all) {
    if (item.finding == nullptr) {
      notifications.push_back(notification(item));
    } else {
      const int occurrence = ++seen[fingerprint(item, true)];
      results.push_back(result_json(item, index[item.finding->code], occurrence));
    }
  }
  Json invocation{{"executionSuccessful", notifications.empty()}};
  if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
  Json driver{{"name", "shapelint"}, {"semanticVersion", SHAPELINT_VERSION}};
  if (!docs_url().empty()) driver["informationUri"] = docs_url();
  driver["rules"] = std::move(rule_list);
  const Json run{{"tool", {{"driver", std::move(driver)}}},
                 {"automationDetails", {{"id", "shapelint/"}}},
                 {"columnKind", "unicodeCodePoints"},
                 {"invocations", Json::array({std::move(invocation)})},
                 {"results", std::move(results)}};
  const Json out{{"version", "2.1.0"},
                 {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"runs", Json::array({run})}};
  return text::json_text(out, 2) + '\n';
}

}  // namespace shapelint::report
