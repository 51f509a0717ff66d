// Contracts that say the same as a rule, of one package, with its versions and GPUs.
#pragma once

#include <string_view>
#include <vector>

#include "rules/book/rule.hpp"

namespace shapelint::rules {

// A rule's source `contract PACKAGE/NAME` names one: with that package in the stack a finding of the contract
// stands in the place of the rule's.
inline constexpr std::string_view contract_source = "contract ";
std::vector<std::string_view> contracts_of(const Rule& rule);

}  // namespace shapelint::rules
