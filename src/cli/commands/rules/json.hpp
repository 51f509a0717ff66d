// Rules for programs.
#pragma once

#include <span>
#include <string>

#include "rules/book/rule.hpp"

namespace shapelint::cli {

// One JSON object with everything that rule files hold, ending with a line feed.
std::string rules_json_text(std::span<const rules::Rule* const> all);

}  // namespace shapelint::cli
