// Everything a run found, for programs: docs/schema/shapelint-report.schema.json describes it.
#pragma once

#include <iosfwd>
#include <string>

#include "report/report.hpp"

namespace shapelint::report {

// Raised when a key changes its meaning or goes away; new keys may come without.
inline constexpr int json_version = 1;

// One JSON object, indented, ending with a line feed. Numbers are finite, times in microseconds.
std::string json(const lint::Report& report);
// The same as it is made, model by model: of thousands the whole would take gigabytes.
void write_json(const lint::Report& report, std::ostream& out);

}  // namespace shapelint::report
