// What the sizes of an operator's inputs say of the matrix product that it is.
#pragma once

#include <string_view>
#include <vector>

#include "trace/trace.hpp"

namespace shapelint::trace {

// `[[4096, 1024], [], [1024]]`; what is nested deeper reads as empty.
std::vector<std::vector<std::int64_t>> parse_sizes(std::string_view text);

// Whether it is one of `aten::mm` and its like.
bool multiplies(std::string_view op);
// Of such an operator: k is 0 where the sizes are not those of a product. `is_whole`: the operator launches
// nothing but what the product needs.
Product product_of(std::string_view op, std::string_view sizes, bool& is_whole);

// The same product, whichever way round: m <= n.
Product either_way(Product product);

}  // namespace shapelint::trace
