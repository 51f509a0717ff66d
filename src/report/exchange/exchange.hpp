// What the formats for programs share. docs/schema/shapelint-report.schema.json describes the JSON, which
// holds everything that a run found.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "lint/phrases.hpp"
#include "lint/report.hpp"
#include "report/formats.hpp"

namespace shapelint::report {

// One JSON object, indented, ending with a line feed. Numbers are finite, times in microseconds.
std::string json(const lint::Report& report, JsonParts parts = {});
// The same as it is made.
void write_json(const lint::Report& report, JsonParts parts, std::ostream& out);

// "2 findings are suppressed, 3 findings are in the baseline": by comments, `ignore-keys` and proofs. Empty
// where nothing is left out.
inline std::string suppressed_text(const lint::Report& report) {
  std::string out;
  const auto add = [&](std::size_t count, const char* how) {
    if (count == 0) return;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", counted(count, "finding is|findings are"), how);
  };
  add(report.suppressed, "suppressed");
  add(report.baselined, "in the baseline");
  return out;
}

// For the text of an element or an attribute in double quotes. What XML 1.0 cannot hold at all (control
// characters) becomes U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace shapelint::report
