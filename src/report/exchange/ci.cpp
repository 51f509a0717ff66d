// Formats of code hosts: GitHub's workflow commands, GitLab's code quality, and reviewdog's JSON.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/exchange/exchange.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "text/json/json.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

// Annotations of GitHub Actions.
// Source: GitHub docs, "Workflow commands for GitHub Actions", "Setting an error message"; the escapes are
// those of actions/toolkit, packages/core/src/command.ts.

namespace {

std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  const std::string clean = text::without_commands(text::printable(text), false);
  for (const char c : clean) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (is_property && c == ':') {
      out += "%3A";
    } else if (is_property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view command(rules::Severity severity) {
  return word_of(severity, {.info = "notice", .warning = "warning", .error = "error"});
}

}  // namespace

std::string github(const lint::Report& report) {
  std::vector<Item> all = items(report);
  std::stable_sort(all.begin(), all.end(),
                   [](const Item& a, const Item& b) { return a.severity > b.severity; });
  std::string out;
  for (const Item& item : all) {
    out += fmt::format("::{} ", command(item.severity));
    const std::string title = item.finding != nullptr ? fmt::format("shapelint {} ({})", item.code, item.rule)
                                                      : std::string("shapelint");
    out += "title=" + escaped(title, true);
    if (!item.path.empty()) out += ",file=" + escaped(item.path, true);
    if (item.region) {
      const Region& region = *item.region;
      out += fmt::format(",line={},endLine={}", region.begin.line, region.end.line);
      // Columns of a region over several lines make GitHub drop the whole annotation.
      if (region.begin.line == region.end.line) {
        out += fmt::format(",col={},endColumn={}", region.begin.column, region.end.column);
      }
    }
    std::string body = message_with_models(item);
    for (const std::string& detail : item.details) body += '\n' + detail;
    if (item.finding != nullptr) {
      body += fmt::format("\nmore: `shapelint explain {}`", item.code);
      if (!item.url.empty()) body += ", " + item.url;
    }
    out += "::" + escaped(body, false) + '\n';
  }
  if (const std::string left_out = suppressed_text(report); !left_out.empty())
    out += "::notice title=shapelint::" + escaped(left_out, false) + '\n';
  return out;
}

// GitLab's code quality report.
// Source: GitLab docs, "Code Quality", "Code Quality report format".

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
    // GitLab shows only one of two entries with the same fingerprint.
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

// reviewdog's diagnostic format, with proposals as suggestions.
// Source: reviewdog, proto/rdf/reviewdog.proto (columns count bytes of UTF-8 from 1).

namespace {

using Json = nlohmann::ordered_json;

Json position(std::string_view source, std::int64_t offset, std::int64_t line) {
  const auto end =
      static_cast<std::size_t>(std::clamp<std::int64_t>(offset, 0, static_cast<std::int64_t>(source.size())));
  const std::size_t newline = end == 0 ? std::string_view::npos : source.rfind('\n', end - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return {{"line", line}, {"column", end - begin + 1}};
}

Json range(std::string_view source, const Region& region) {
  return {{"start", position(source, region.span.begin, region.begin.line)},
          {"end", position(source, region.span.end, region.end.line)}};
}

std::string_view rdf_severity(rules::Severity severity) {
  return word_of(severity, {.info = "INFO", .warning = "WARNING", .error = "ERROR"});
}

}  // namespace

std::string rdjson(const lint::Report& report) {
  Json diagnostics = Json::array();
  for (const Item& item : items(report)) {
    std::string message = item.message;
    for (const std::string& detail : item.details) message += '\n' + detail;
    Json location{{"path", item.path}};
    if (item.region) location["range"] = range(item.source, *item.region);
    Json diagnostic{{"message", message},
                    {"location", std::move(location)},
                    {"severity", rdf_severity(item.severity)},
                    {"code", {{"value", item.code}}}};
    if (!item.url.empty()) diagnostic["code"]["url"] = item.url;
    Json suggestions = Json::array();
    for (const ItemFix& fix : item.fixes) {
      // A suggestion replaces one range; what needs several edits together cannot be one.
      if (fix.edits.size() != 1) continue;
      suggestions.push_back(
          {{"range", range(item.source, fix.edits.front().region)}, {"text", fix.edits.front().text}});
    }
    if (!suggestions.empty()) diagnostic["suggestions"] = std::move(suggestions);
    diagnostics.push_back(std::move(diagnostic));
  }
  const Json out{{"source", {{"name", "shapelint"}}}, {"diagnostics", std::move(diagnostics)}};
  return text::json_text(out, 2) + '\n';
}

}  // namespace shapelint::report
