// Internal to the reading of ONNX graphs: what is known of a graph's values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "formats/onnx/graph.hpp"

namespace shapelint::formats {

// Product of the dimensions from `begin` to `end`, which saturates.
std::int64_t product(const GraphShape& shape, std::size_t begin, std::size_t end);
inline std::int64_t elements(const GraphShape& shape) {
  return product(shape, 0, shape.size());
}

// Attributes, and what holds where a node does not state them.
std::int64_t integer(const GraphNode& node, const std::string& name, std::int64_t otherwise);
std::vector<std::int64_t> integers(const GraphNode& node, const std::string& name);

class GraphValues {
 public:
  explicit GraphValues(const Graph& graph) : graph_(graph), constants_(graph.weights) {}

  // Has to see every node in order: what only weights go into is a constant.
  void pass(const GraphNode& node);

  // nullptr: there is no such input, or its shape is not known.
  const GraphShape* shape_of(const std::string& value) const;
  const GraphShape* input(const GraphNode& node, std::int64_t index) const;
  const GraphShape* output(const GraphNode& node, std::size_t index = 0) const;

  bool is_constant(const std::string& value) const { return constants_.contains(value); }
  bool has_input(const GraphNode& node, std::int64_t index) const;
  // Whether it is one of the tensors that a network computes with: no index, no shape, no mask.
  bool is_real(const std::string& value) const;
  // The format that a product of these operands is computed in. Operands that are widened from integers
  // right before it are taken as the integers, as runtimes do.
  DType dtype_of(const std::string& a, const std::string& b) const;
  // A number of rows of the whole batch, for one image. A graph whose rows are not per image is one image.
  std::int64_t per_image(std::int64_t rows) const {
    return rows % graph_.batch == 0 ? rows / graph_.batch : rows;
  }

 private:
  GraphType type_of(const std::string& value) const;

  const Graph& graph_;
  std::set<std::string> constants_;
  std::map<std::string, GraphType> widened_;  // outputs of DequantizeLinear: what they were
};

}  // namespace shapelint::formats
