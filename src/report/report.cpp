// What the output formats share.
#include "report/report.hpp"

#include <fmt/format.h>

namespace shapelint::report {

Counts count(const std::vector<rules::Finding>& findings) {
  Counts counts;
  for (const rules::Finding& finding : findings) {
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
  return counts;
}

std::string value_text(model::FieldId field, std::int64_t value) {
  if (field == model::no_field) return fmt::format("{}", value);
  const model::FieldInfo& info = model::info(field);
  const auto index = static_cast<std::size_t>(value);
  switch (info.type) {
    case model::FieldType::boolean:
      return value != 0 ? "true" : "false";
    case model::FieldType::choice:
      return value >= 0 && index < info.choices.size() ? std::string(info.choices[index])
                                                       : fmt::format("{}", value);
    case model::FieldType::integer:
      return fmt::format("{}", value);
  }
  return fmt::format("{}", value);
}

}  // namespace shapelint::report
