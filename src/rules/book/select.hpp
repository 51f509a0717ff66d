// Which rules run.
#pragma once

#include "rules/book/rule.hpp"
#include "rules/engine/lint.hpp"

namespace shapelint::rules {

// Rules in preview and deprecated ones only run when they are named.
bool is_selected(const Rule& rule, const Options& options);

}  // namespace shapelint::rules
