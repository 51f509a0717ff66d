// Annotations of GitHub Actions.
// Source: GitHub docs, "Workflow commands for GitHub Actions", "Setting an error message"; the escapes are
// those of actions/toolkit, packages/core/src/command.ts.
#include <algorithm>

#include <fmt/format.h>

#include "report/exchange/suppressed.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

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

}  // namespace shapelint::report
