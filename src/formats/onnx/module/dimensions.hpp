// Symbolic dimensions of a graph's inputs, and the numbers that they are given.
#pragma once

#include <map>
#include <set>
#include <string>

#include <onnx/onnx_pb.h>

#include "formats/onnx/graph.hpp"

namespace shapelint::formats {

// Every symbolic dimension of the graph's inputs (weights are none) and of what the file says of other values
// becomes a number: what was asked for; the batch 1, since everything is counted per image; tokens the
// sequence length. Sets the graph's batch. False and an error that names all dimensions without a number, or
// those asked for that the graph does not have.
bool fix_dimensions(onnx::GraphProto& proto, const std::set<std::string>& weights,
                    const GraphRequest& request, Graph& graph, Error& error);

}  // namespace shapelint::formats
