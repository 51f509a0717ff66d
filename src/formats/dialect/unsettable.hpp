// What no key of a framework sets, so that neither a fix nor a plan proposes it.
#pragma once

#include "formats/dialect/dialect.hpp"
#include "formats/dialect/rule_index.hpp"
#include "model/reading.hpp"

namespace shapelint::formats {

// Adds those fields and values to the reading's extras (model::unsettable).
void note_unsettable(const Dialect& dialect, const Part& part, const RuleIndex& rules,
                     model::Reading& reading);

}  // namespace shapelint::formats
