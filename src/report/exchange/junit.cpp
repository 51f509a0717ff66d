// JUnit's XML: a suite per file, a case per problem, and one case that passes for a file without any.
#include <map>

#include <fmt/format.h>

#include "report/exchange/xml.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"

namespace shapelint::report {

namespace {

std::string test_case(const Item& item) {
  std::string out = fmt::format("    <testcase name=\"{}\" classname=\"shapelint.{}\" file=\"{}\"",
                                xml_escaped(fmt::format("{}: {}", item.rule, item.message)),
                                xml_escaped(item.code), xml_escaped(item.path));
  if (item.region) out += fmt::format(" line=\"{}\"", item.region->begin.line);
  const std::string_view element = item.finding != nullptr ? "failure" : "error";
  std::string body = item.path;
  if (item.region) body += fmt::format(":{}:{}", item.region->begin.line, item.region->begin.column);
  for (const std::string& detail : item.details) body += '\n' + detail;
  return out +
         fmt::format(" time=\"0\">\n      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n    </testcase>\n",
                     element, xml_escaped(item.message), rules::name(item.severity), xml_escaped(body));
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
    std::string cases;
    for (const Item& item : list) {
      unreadable += item.finding == nullptr ? 1 : 0;
      cases += test_case(item);
    }
    if (list.empty()) cases = passing(path);
    const std::size_t count = list.empty() ? 1 : list.size();
    body += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"0\">\n{}  </testsuite>\n",
        xml_escaped(path), count, list.size() - unreadable, unreadable, cases);
    tests += count;
    failures += list.size() - unreadable;
    errors += unreadable;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"shapelint\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "time=\"0\">\n{}</testsuites>\n",
      tests, failures, errors, body);
}

}  // namespace shapelint::report
