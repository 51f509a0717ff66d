// An error that may be about a text which is not at hand where it is told.
#pragma once

#include "base/error.hpp"
#include "text/shared_text.hpp"

namespace shapelint::text {

struct LocatedError {
  Error error;
  SharedText source;  // the text that the error's place refers to; empty when it has none
};

}  // namespace shapelint::text
