// What a rule's own example costs, for its page.
#pragma once

#include <vector>

#include "rules/book/docs.hpp"
#include "rules/book/rule.hpp"

namespace shapelint::lint {

// The rule's first example on an A100 and an H100, and on the GPU of the example if it is found on neither.
// Empty for rules without one, and for those of which no model is linted (comments, mistakes in the file).
std::vector<rules::ExampleCost> example_costs(const rules::RuleBook& book, const rules::Rule& rule);

}  // namespace shapelint::lint
