// Internal to the reading of ONNX graphs: the layers of one node that is a product, attention as one
// operator among them.
#pragma once

#include <string>
#include <vector>

#include "formats/onnx/values.hpp"
#include "model/spec.hpp"

namespace shapelint::formats {

// Without numbers; their names are what to append to the node's. Empty: a shape is not known, or the form
// is none that is understood.
std::vector<model::Layer> product_layers(const GraphNode& node, const OperatorRule& rule,
                                         const GraphValues& values);

// One layer, or none where a size is not positive. `rows` and `products` are of the whole batch.
std::vector<model::Layer> linear_layer(std::int64_t rows, std::int64_t in, std::int64_t out, bool bias,
                                       const GraphValues& values);
std::vector<model::Layer> matmul_layer(std::string name, std::int64_t rows, std::int64_t depth,
                                       std::int64_t columns, std::int64_t products,
                                       const GraphValues& values);

// The products of attention as one operator (com.microsoft's, and ONNX's own from opset 23): those of the
// scores and of the values, and before them that of queries, keys and values where the operator has it.
std::vector<model::Layer> attention_layers(const GraphNode& node, const OperatorRule& rule,
                                           const GraphValues& values);

}  // namespace shapelint::formats
