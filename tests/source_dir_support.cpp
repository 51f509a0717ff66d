// The one object that knows where the checkout lies.
#include "tests/source_dir.hpp"

namespace shapelint::tests {

std::string source_dir() {
  return SHAPELINT_SOURCE_DIR;
}

}  // namespace shapelint::tests
