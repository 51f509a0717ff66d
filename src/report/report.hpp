// What the output formats share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lint/report.hpp"
#include "model/fields.hpp"
#include "rules/finding.hpp"

namespace shapelint::report {

struct Counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
};

void add(const rules::Finding& finding, Counts& counts);
Counts count(const std::vector<rules::Finding>& findings);

}  // namespace shapelint::report
