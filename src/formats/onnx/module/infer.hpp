// Shapes of a graph's values, one node after the other, with the ONNX library's knowledge of operators.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <onnx/onnx_pb.h>

#include "formats/onnx/graph.hpp"
#include "formats/onnx/module/fold.hpp"

namespace shapelint::formats {

using Types = std::unordered_map<std::string, onnx::TypeProto>;

// The shape when every dimension is a number from 0 to largest_graph_dimension; nullopt otherwise.
std::optional<GraphShape> known_shape(const onnx::TypeProto& type);

class ShapeInference {
 public:
  // `declared`: what the file says of values, for those that nothing else is known of.
  ShapeInference(const onnx::ModelProto& model, const GraphOperators& operators, Types declared);

  void add_input(const std::string& name, const onnx::TypeProto& type) { types_[name] = type; }
  void add_weights(const onnx::TensorProto& tensor);

  // Types of the node's outputs, and their values where it is arithmetic on shapes. What cannot be inferred
  // stays unknown.
  void infer(const onnx::NodeProto& node);

  const Types& types() const { return types_; }
  // nullptr: it is not known before the graph runs.
  const SmallTensor* value(const std::string& name) const;

 private:
  void by_library(const onnx::NodeProto& node, std::vector<onnx::TypeProto>& outputs);
  void by_rule(const onnx::NodeProto& node, const ShapeRule& rule, std::vector<onnx::TypeProto>& outputs);
  void with_schema(const onnx::NodeProto& node, const std::string& op, const std::string& domain,
                   std::vector<onnx::TypeProto>& outputs);
  const onnx::TypeProto* type(const onnx::NodeProto& node, std::int64_t index) const;
  const onnx::TensorProto* data(const std::string& name);

  const GraphOperators& operators_;
  std::unordered_map<std::string, int> versions_;  // of the operators, by domain
  Types types_;
  Types declared_;
  std::unordered_map<std::string, SmallTensor> values_;
  std::unordered_map<std::string, onnx::TensorProto> tensors_;  // the same for the library
  std::unordered_map<std::string, const onnx::TensorProto*> weights_;
  friend class NodeContext;
};

}  // namespace shapelint::formats
