// How what a finding proposes is done in the file at hand.
#pragma once

#include "lint/report.hpp"
#include "project/project.hpp"

namespace shapelint::lint {

// Puts into each finding how the dialect sets what its first proposal changes, before what its rule says of
// that. A rule that speaks of the dialect itself has the last word.
void add_how(const project::Configured& configured, ModelReport& model);

}  // namespace shapelint::lint
