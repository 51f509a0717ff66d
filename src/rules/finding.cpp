// Names of severities and confidences.
#include "rules/finding.hpp"

#include <array>

namespace shapelint::rules {

std::string_view name(Severity severity) {
  static constexpr std::array<std::string_view, 3> names{"info", "warning", "error"};
  return names.at(static_cast<std::size_t>(severity));
}

std::string_view name(Confidence confidence) {
  static constexpr std::array<std::string_view, 3> names{"estimated", "measured", "certain"};
  return names.at(static_cast<std::size_t>(confidence));
}

}  // namespace shapelint::rules
