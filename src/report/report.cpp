// What the output formats share.
#include "report/report.hpp"

namespace shapelint::report {

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

}  // namespace shapelint::report
