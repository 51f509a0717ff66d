// Rows of single kernels of engines, for tests of their prices.
#pragma once

#include <map>
#include <string>

namespace shapelint::tests {

using Sizes = std::map<std::string, std::string>;

// The price of a row that states these; 0: none.
double price(const char* gpu_name, const char* kind_name, const Sizes& stated);
Sizes with(Sizes row, const std::string& column, const std::string& value);

}  // namespace shapelint::tests
