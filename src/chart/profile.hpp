// A measured step beside its prediction: bars and tables in one HTML file.
#pragma once

#include <string>

#include "report/profile/profile.hpp"

namespace shapelint::chart {

// Two bars for each row of operations, the longest first.
std::string profile_svg(const report::ProfileReport& report);
// The picture, the tables, and nothing that needs a network or a script.
std::string profile_page(const report::ProfileReport& report);

}  // namespace shapelint::chart
