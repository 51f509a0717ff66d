// How often each rule was found.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lint/phrases.hpp"
#include "objects/printed/document.hpp"
#include "report/formats.hpp"
#include "report/items.hpp"
#include "text/json/write.hpp"

namespace shapelint::report {

namespace {

struct Row {
  std::string code;
  std::string rule;
  rules::Severity severity = rules::Severity::info;  // the most severe
  std::size_t count = 0;
  std::size_t files = 0;
};

std::vector<Row> rows_of(const lint::Report& report) {
  std::map<std::string, Row> by_code;
  std::map<std::string, std::string> last_path;
  for (const Item& item : items(report)) {
    Row& row = by_code[item.code];
    row.code = item.code;
    row.rule = item.rule;
    row.severity = std::max(row.severity, item.severity);
    if (row.count++ == 0 || last_path[item.code] != item.path) ++row.files;
    last_path[item.code] = item.path;
  }
  std::vector<Row> rows;
  for (auto& [code, row] : by_code) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.count > b.count; });
  return rows;
}

}  // namespace

std::string statistics(const lint::Report& report, const Style& style) {
  std::string out;
  for (const Row& row : rows_of(report)) {
    const Role role = role_of(row.severity);
    out += fmt::format("{:>6}  {}  {} (files: {})\n", row.count, style.paint(role, row.code), row.rule,
                       row.files);
  }
  return out;
}

std::string statistics_json(const lint::Report& report) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Row& row : rows_of(report)) {
    out.push_back({{"code", row.code},
                   {"rule", row.rule},
                   {"severity", rules::name(row.severity)},
                   {"count", row.count},
                   {"files", row.files}});
  }
  return objects::document("statistics",
                           text::json_text(nlohmann::ordered_json{{"rules", std::move(out)}}, 2), 2) +
         '\n';
}

}  // namespace shapelint::report
