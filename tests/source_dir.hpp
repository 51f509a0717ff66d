// Where the source is, for tests that read its files. A function, so that one object alone depends on the
// place and the others can be kept from one checkout to the next.
#pragma once

#include <string>

namespace shapelint::tests {

std::string source_dir();

}  // namespace shapelint::tests
