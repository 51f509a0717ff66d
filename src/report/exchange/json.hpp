// Everything a run found, for programs: docs/schema/shapelint-report.schema.json describes it.
#pragma once

#include <iosfwd>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "model/fields.hpp"
#include "report/formats.hpp"
#include "report/report.hpp"

namespace shapelint::report {

// Raised when a key changes its meaning or goes away; new keys may come without.
inline constexpr int json_version = 2;

// A field's value as JSON has it: a number, a boolean, or the name of a choice.
nlohmann::ordered_json value_json(model::FieldId field, std::int64_t value);

// One JSON object, indented, ending with a line feed. Numbers are finite, times in microseconds.
std::string json(const lint::Report& report, JsonParts parts = {});
// The same as it is made, model by model: of thousands the whole would take gigabytes.
void write_json(const lint::Report& report, JsonParts parts, std::ostream& out);

}  // namespace shapelint::report
