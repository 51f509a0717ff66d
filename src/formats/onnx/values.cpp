// What is known of an ONNX graph's values.
#include "formats/onnx/values.hpp"

#include <algorithm>

#include "model/arithmetic.hpp"

namespace shapelint::formats {

std::int64_t product(const GraphShape& shape, std::size_t begin, std::size_t end) {
  std::int64_t out = 1;
  for (std::size_t i = begin; i < end; ++i) out = model::times(out, shape[i]);
  return out;
}

std::int64_t integer(const GraphNode& node, const std::string& name, std::int64_t otherwise) {
  const auto found = node.integers.find(name);
  return found == node.integers.end() || found->second.empty() ? otherwise : found->second.front();
}

std::vector<std::int64_t> integers(const GraphNode& node, const std::string& name) {
  const auto found = node.integers.find(name);
  return found == node.integers.end() ? std::vector<std::int64_t>{} : found->second;
}

void GraphValues::pass(const GraphNode& node) {
  const bool constant = std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& each) {
    return each.empty() || constants_.contains(each);
  });
  if (constant) constants_.insert(node.outputs.begin(), node.outputs.end());
  if (node.op == "DequantizeLinear" && !node.inputs.empty() && !node.outputs.empty())
    widened_[node.outputs[0]] = type_of(node.inputs[0]);
}

const GraphShape* GraphValues::shape_of(const std::string& value) const {
  const auto found = graph_.shapes.find(value);
  return found == graph_.shapes.end() ? nullptr : &found->second;
}

bool GraphValues::has_input(const GraphNode& node, std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  return index >= 0 && at < node.inputs.size() && !node.inputs[at].empty();
}

const GraphShape* GraphValues::input(const GraphNode& node, std::int64_t index) const {
  return has_input(node, index) ? shape_of(node.inputs[static_cast<std::size_t>(index)]) : nullptr;
}

const GraphShape* GraphValues::output(const GraphNode& node, std::size_t index) const {
  return index < node.outputs.size() ? shape_of(node.outputs[index]) : nullptr;
}

GraphType GraphValues::type_of(const std::string& value) const {
  const auto widened = widened_.find(value);
  if (widened != widened_.end() && widened->second != GraphType::other) return widened->second;
  const auto found = graph_.types.find(value);
  return found == graph_.types.end() ? GraphType::other : found->second;
}

bool GraphValues::is_real(const std::string& value) const {
  const auto found = graph_.types.find(value);
  return found != graph_.types.end() && found->second != GraphType::other;
}

DType GraphValues::dtype_of(const std::string& a, const std::string& b) const {
  const GraphType type = type_of(a);
  // Weights alone in eight bits are widened before the product.
  const bool both = type == type_of(b);
  if (type == GraphType::int8 && both) return DType::int8;
  if (type == GraphType::fp8 && both) return DType::fp8;
  for (const std::string& each : {b, a}) {
    const auto found = graph_.types.find(each);
    if (found == graph_.types.end()) continue;
    if (found->second == GraphType::fp16) return DType::fp16;
    if (found->second == GraphType::bf16) return DType::bf16;
  }
  return DType::fp32;
}

}  // namespace shapelint::formats
