// An error that may be about a text which is not at hand where it is told.
#pragma once

#include <string>

#include "base/error.hpp"

namespace shapelint::text {

struct LocatedError {
  Error error;
  std::string source;  // the text that the error's place refers to; empty when it has none
};

}  // namespace shapelint::text
