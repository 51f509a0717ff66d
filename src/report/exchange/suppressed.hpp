// What a report leaves out, for formats that would show findings and nothing else.
#pragma once

#include <string>

#include <fmt/format.h>

#include "lint/phrases.hpp"
#include "lint/report.hpp"

namespace shapelint::report {

// "2 findings are suppressed, 3 findings are in the baseline": by comments, `ignore-keys` and proofs. Empty
// where nothing is left out.
inline std::string suppressed_text(const lint::Report& report) {
  std::string out;
  const auto add = [&](std::size_t count, const char* how) {
    if (count == 0) return;
    out += fmt::format("{}{} {} {}", out.empty() ? "" : ", ", lint::plural(count, "finding"),
                       count == 1 ? "is" : "are", how);
  };
  add(report.suppressed, "suppressed");
  add(report.baselined, "in the baseline");
  return out;
}

}  // namespace shapelint::report
