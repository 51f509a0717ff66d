// Shapes of a graph's values, one node after the other, with the ONNX library's knowledge of operators.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "base/keyed_hash.hpp"
#include "formats/onnx/graph.hpp"

namespace shapelint::formats {

// Arithmetic on shapes: the small tensors that an exported graph computes sizes with.

// At most max_folded values; whole numbers up to 2^53 are exact, larger ones (`to the end`) are clamped.
struct SmallTensor {
  std::vector<std::int64_t> dims;  // empty: a single number
  std::vector<double> values;
  bool whole = true;
};
inline constexpr std::size_t max_folded = 4096;

// A whole number as near to a value as there is one up to 2^62.
std::int64_t whole(double value);

// The values of a stored tensor; nothing when it is large, stored elsewhere, broken, or no numbers.
std::optional<SmallTensor> small_tensor(const onnx::TensorProto& tensor);
onnx::TensorProto tensor_of(const SmallTensor& small);

// What a node computes. An input that is nullptr is left out or not known; `shape`: of the first input,
// nullptr when it is not known. Nothing when the operator is no arithmetic on shapes.
std::optional<SmallTensor> fold(const onnx::NodeProto& node, const std::vector<const SmallTensor*>& inputs,
                                const std::vector<std::int64_t>* shape);

// Symbolic dimensions of a graph's inputs, and the numbers that they are given.

// Every symbolic dimension of the graph's inputs (weights are none) and of what the file says of other values
// becomes a number: what was asked for; the batch 1, since everything is counted per image; tokens the
// sequence length. Sets the graph's batch. False and an error that names all dimensions without a number, or
// those asked for that the graph does not have.
bool fix_dimensions(onnx::GraphProto& proto, const std::set<std::string>& weights,
                    const GraphRequest& request, Graph& graph, Error& error);

using Types = NameMap<onnx::TypeProto>;

// The shape when every dimension is a number from 0 to largest_graph_dimension; nullopt otherwise.
std::optional<GraphShape> known_shape(const onnx::TypeProto& type);

class ShapeInference {
 public:
  // `declared`: what the file says of values, for those that nothing else is known of.
  ShapeInference(const onnx::ModelProto& model, const GraphOperators& operators, Types declared);

  void add_type(const std::string& name, onnx::TypeProto type);
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
  NameMap<int> versions_;  // of the operators, by domain
  Types types_;
  Types declared_;
  NameMap<SmallTensor> values_;
  NameMap<onnx::TensorProto> tensors_;  // the same for the library
  NameMap<const onnx::TensorProto*> weights_;
  friend class NodeContext;
};

}  // namespace shapelint::formats
