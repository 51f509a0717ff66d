// The table of formats, and what they share.
#include "report/formats.hpp"

#include "base/number.hpp"
#include "report/exchange/exchange.hpp"
#include "report/findings/text.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

std::string render(Format format, const lint::Report& report, const RenderOptions& options) {
  // Those that have no escapes of their own may be shown as they are, too.
  switch (format) {
    case Format::text:
      return text::without_commands(text(report, options));
    case Format::concise:
      return text::without_commands(concise(report, options));
    case Format::json:
      return json(report, options.parts);
    case Format::compact:
      return compact(report);
    case Format::json_lines:
      return json_lines(report);
    case Format::sarif:
      return sarif(report);
    case Format::github:
      return github(report);
    case Format::gitlab:
      return gitlab(report);
    case Format::junit:
      return junit(report);
    case Format::checkstyle:
      return checkstyle(report);
    case Format::rdjson:
      return rdjson(report);
    case Format::markdown:
      return text::without_commands(markdown(report));
  }
  return {};
}

void add(const rules::Finding& finding, Counts& counts) {
  switch (finding.severity) {
    case rules::Severity::error:
      ++counts.errors;
      break;
    case rules::Severity::warning:
      ++counts.warnings;
      break;
    case rules::Severity::info:
      ++counts.infos;
      break;
  }
}

Counts count(const std::vector<rules::Finding>& findings) {
  Counts counts;
  for (const rules::Finding& finding : findings) add(finding, counts);
  return counts;
}

namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = read_decimal(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string line = text::one_line(text);
  const bool is_formula =
      !line.empty() && std::string_view("=+-@\t\r").find(line.front()) != std::string::npos;
  std::string safe = is_formula && !is_number(line) ? '\'' + line : line;
  if (safe.find_first_of(",\"\n\r'") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) {
    if (c == '"') out += c;
    out += c;
  }
  return out + '"';
}

}  // namespace shapelint::report
