// A text with a part of it replaced, as tests vary what they lint.
#pragma once

#include <string>

#include "tests/catch.hpp"

namespace shapelint::tests {

// The first `old`, which must be there.
inline std::string replaced(std::string text, const std::string& old, const std::string& with) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), with);
}

}  // namespace shapelint::tests
