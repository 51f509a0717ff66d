// Names of severities and confidences.
#include "rules/finding.hpp"

namespace shapelint::rules {

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

std::string_view name(Confidence confidence) {
  switch (confidence) {
    case Confidence::estimated:
      return "estimated";
    case Confidence::measured:
      return "measured";
    case Confidence::certain:
      return "certain";
  }
  return "";
}

}  // namespace shapelint::rules
