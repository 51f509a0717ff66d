// reviewdog's diagnostic format, with proposals as suggestions.
// Source: reviewdog, proto/rdf/reviewdog.proto (columns count bytes of UTF-8 from 1).
#include <algorithm>

#include <nlohmann/json.hpp>

#include "report/formats.hpp"
#include "report/items.hpp"
#include "text/json/write.hpp"

namespace shapelint::report {

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
