// The products that a step is predicted to run, as a profiler would see them called.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/op.hpp"
#include "model/spec.hpp"
#include "trace/trace.hpp"

namespace shapelint::trace {

// Calls of one size that an operation is: all of it, or its part where a run calls what is predicted as one
// product one after the other (queries, keys and values; gate and up).
struct Expected {
  std::size_t op = 0;  // of the workload
  Product product;     // either way round
  double calls = 0;    // per step
};

// `seen`: how often the step calls each product, either way round. It decides between one and several.
struct ProductLess {
  bool operator()(const Product& a, const Product& b) const;
};
using Seen = std::map<Product, std::size_t, ProductLess>;
std::vector<Expected> expected_products(const model::Setup& setup, const model::Workload& workload,
                                        const Seen& seen);

// Operations in the order of their calls in a micro-batch: forward passes layer by layer, backward ones the
// other way.
std::vector<std::size_t> order_of(const model::Workload& workload, const std::vector<Expected>& expected);

// `2048 x 1024 x 4096`; `8 of 64 x 64 x 128`.
std::string text_of(const Product& product);

// The predicted product that has all but one of the sizes, the nearest in that: `head.logits is predicted as
// …`.
std::string closest_product(const model::Workload& workload, const Product& product);

// Whether this is a product within the attention of `shape`: scores, or values, or a gradient of either.
bool is_within(const model::AttentionShape& shape, const Product& product);

}  // namespace shapelint::trace
