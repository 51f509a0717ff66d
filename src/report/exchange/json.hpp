// Everything a run found, for programs: docs/schema/shapelint-lint.schema.json describes it.
#pragma once

#include <iosfwd>
#include <string>

#include "report/formats.hpp"
#include "report/report.hpp"

namespace shapelint::report {

// One JSON object, indented, ending with a line feed. Numbers are finite, times in microseconds.
std::string json(const lint::Report& report, JsonParts parts = {});
// The same as it is made.
void write_json(const lint::Report& report, JsonParts parts, std::ostream& out);

}  // namespace shapelint::report
