// Everything a run found, for programs.
#include "objects/convert.hpp"
#include "report/exchange/exchange.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <tuple>

#include "objects/printed/document.hpp"

namespace shapelint::report {

namespace {

api::LintResult json_result(const lint::Report& report, JsonParts parts) {
  api::Sources sources;
  return api::result_of(report, sources, {parts.fields, parts.operations});
}

objects::Status status_of(const api::LintResult& result) {
  if (!result.errors.empty()) return objects::Status::failed;
  return result.fails ? objects::Status::findings : objects::Status::ok;
}

}  // namespace

void write_json(const lint::Report& report, JsonParts parts, std::ostream& out) {
  const api::LintResult result = json_result(report, parts);
  objects::write_document("lint", status_of(result), result, out);
}

std::string json(const lint::Report& report, JsonParts parts) {
  std::ostringstream out;
  write_json(report, parts, out);
  return std::move(out).str();
}

std::string json_lines(const lint::Report& report) {
  api::LintResult result = json_result(report, {});
  // Whatever the order of the files.
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const api::Finding& a, const api::Finding& b) {
                     const api::Place first = a.range ? a.range->start : api::Place{0, 0, 0};
                     const api::Place second = b.range ? b.range->start : api::Place{0, 0, 0};
                     return std::tie(a.path, first.line, first.column, a.code, a.message) <
                            std::tie(b.path, second.line, second.column, b.code, b.message);
                   });
  std::stable_sort(result.steps.begin(), result.steps.end(),
                   [](const api::LintedStep& a, const api::LintedStep& b) {
                     return std::tie(a.model, a.gpu) < std::tie(b.model, b.gpu);
                   });
  std::stable_sort(result.errors.begin(), result.errors.end(), [](const api::Error& a, const api::Error& b) {
    return std::tie(a.path, a.message) < std::tie(b.path, b.message);
  });
  return objects::json_lines(status_of(result), result);
}

}  // namespace shapelint::report
