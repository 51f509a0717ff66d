// Leaves out what a report would say twice: files build on files, and a finding points at where a value
// stands.
#pragma once

#include <string>
#include <vector>

#include "lint/report.hpp"

namespace shapelint::lint {

// Of a value in a file that another one of the report builds on (a script on a model's configuration) the
// file speaks that knows more of the run, so the one that is built on does not repeat it; of several that say
// the same of it the first does. Returns for each file that lost findings a note of how many, and where they
// are.
std::vector<std::string> leave_repeats(Report& report);

}  // namespace shapelint::lint
