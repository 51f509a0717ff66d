// Reads rule files.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "rules/book/rule.hpp"
#include "text/document.hpp"

namespace shapelint::rules {

// Unknown and missing keys, wrong types, unknown fields are appended to `errors`; expressions are not looked
// at.
Rule read_rule(text::NodeRef root, std::vector<Error>& errors);

}  // namespace shapelint::rules
