// Fields of CSV.
#pragma once

#include <string>
#include <string_view>

namespace shapelint::report {

// A text as a field: one line, quoted where it must be (RFC 4180). What a spreadsheet would take for a
// formula
// (`=`, `+`, `-` or `@` in front, and no number) gets an apostrophe in front, which spreadsheets take for
// text.
std::string csv_field(std::string_view text);

}  // namespace shapelint::report
