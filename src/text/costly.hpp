// The error for a file that takes more to work out than it may.
#pragma once

#include <cstdint>
#include <string>

#include "base/budget.hpp"
#include "base/error.hpp"

namespace shapelint::text {

// At the statement or value that was being worked out. There is no answer then, also not for what stands
// before.
inline Error too_costly(const Spent& spent, const std::string& path, std::int64_t at) {
  return Error{spent.what(), "what builds a model by a program is read as far as it is literal", path,
               Span{at, at + 1}, ErrorCode::too_large};
}

}  // namespace shapelint::text
