// JUnit's XML: a suite per file, a case per problem, and one case that passes for a file without any. An info
// is no failure: its case passes and says it in its output.
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "report/exchange/xml.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"

namespace shapelint::report {

namespace {

enum class Outcome : std::uint8_t { passed, failed, broken };

Outcome outcome_of(const Item& item) {
  if (item.finding == nullptr) return Outcome::broken;
  return item.severity == rules::Severity::info ? Outcome::passed : Outcome::failed;
}

std::string test_case(const Item& item) {
  std::string out = fmt::format("    <testcase name=\"{}\" classname=\"shapelint.{}\" file=\"{}\"",
                                xml_escaped(fmt::format("{}: {}", item.rule, item.message)),
                                xml_escaped(item.code), xml_escaped(item.path));
  if (item.region) out += fmt::format(" line=\"{}\"", item.region->begin.line);
  std::string body = item.path;
  if (item.region) body += fmt::format(":{}:{}", item.region->begin.line, item.region->begin.column);
  for (const std::string& detail : item.details) body += '\n' + detail;
  out += " time=\"0\">\n      ";
  if (outcome_of(item) == Outcome::passed) {
    out += fmt::format("<system-out>{}</system-out>", xml_escaped(body));
  } else {
    out += fmt::format("<{0} message=\"{1}\" type=\"{2}\">{3}</{0}>",
                       outcome_of(item) == Outcome::failed ? "failure" : "error", xml_escaped(item.message),
                       rules::name(item.severity), xml_escaped(body));
  }
  return out + "\n    </testcase>\n";
}

std::string passing(const std::string& path) {
  return fmt::format("    <testcase name=\"no findings\" classname=\"shapelint\" file=\"{}\" time=\"0\"/>\n",
                     xml_escaped(path));
}

}  // namespace

std::string junit(const lint::Report& report) {
  std::map<std::string, std::vector<Item>> suites;
  for (const lint::ModelReport& model : report.models) suites[tidy_path(model.path)];
  for (Item& item : items(report)) suites[item.path].push_back(std::move(item));
  if (suites.empty()) suites["shapelint"];  // a report without a case counts as a broken one

  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::string body;
  for (const auto& [path, list] : suites) {
    std::size_t unreadable = 0;
    std::size_t failed = 0;
    std::string cases;
    for (const Item& item : list) {
      unreadable += outcome_of(item) == Outcome::broken ? 1 : 0;
      failed += outcome_of(item) == Outcome::failed ? 1 : 0;
      cases += test_case(item);
    }
    if (list.empty()) cases = passing(path);
    const std::size_t count = list.empty() ? 1 : list.size();
    body += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"0\">\n{}  </testsuite>\n",
        xml_escaped(path), count, failed, unreadable, cases);
    tests += count;
    failures += failed;
    errors += unreadable;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"shapelint\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "time=\"0\">\n{}</testsuites>\n",
      tests, failures, errors, body);
}

}  // namespace shapelint::report
