// Reads files of contracts.
#pragma once

#include <vector>

#include "contracts/contract.hpp"

namespace shapelint::contracts {

// The contracts of one file. Unknown and missing keys, wrong types, names that do not exist are appended to
// `errors`, and with `check` each expression that does not compile, at its place.
std::vector<Contract> read_contracts(text::NodeRef root, bool check, std::vector<Error>& errors);

}  // namespace shapelint::contracts
