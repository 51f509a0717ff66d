// Internal to the reading of ONNX graphs: the layers of one node that is a product.
#pragma once

#include <vector>

#include "formats/onnx/values.hpp"
#include "model/spec.hpp"

namespace shapelint::formats {

// Without numbers; their names are what to append to the node's. Empty: a shape is not known, or the form
// is none that is understood.
std::vector<model::Layer> product_layers(const GraphNode& node, const OperatorRule& rule,
                                         const GraphValues& values);

}  // namespace shapelint::formats
