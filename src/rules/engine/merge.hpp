// What several findings about one value have in common, and the order of findings.
#pragma once

#include <cstddef>
#include <vector>

#include "rules/finding.hpp"

namespace shapelint::rules {

// A finding costs what its first proposal saves.
void take_gain(Finding& finding);

// Findings about the speed of one field on the same GPUs, or with the same best way out, are alternatives:
// one change settles them. One of them stays, with the proposals of all; the others are named in its note.
void merge_alternatives(std::vector<Finding>& findings, std::size_t proposals);

// The order of findings.
bool comes_before(const Finding& a, const Finding& b);

// What cannot run first, then by severity, gain, code, and place.
void sort_findings(std::vector<Finding>& findings);

}  // namespace shapelint::rules
