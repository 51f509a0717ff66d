// Arithmetic on shapes: the small tensors that an exported graph computes sizes with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <onnx/onnx_pb.h>

namespace shapelint::formats {

// At most most_folded values; whole numbers up to 2^53 are exact, larger ones (`to the end`) are clamped.
struct SmallTensor {
  std::vector<std::int64_t> dims;  // empty: a single number
  std::vector<double> values;
  bool whole = true;
};
inline constexpr std::size_t most_folded = 4096;

// A whole number as near to a value as there is one up to 2^62.
std::int64_t whole(double value);

// The values of a stored tensor; nothing when it is large, stored elsewhere, broken, or no numbers.
std::optional<SmallTensor> small_tensor(const onnx::TensorProto& tensor);
onnx::TensorProto tensor_of(const SmallTensor& small);

// What a node computes. An input that is nullptr is left out or not known; `shape`: of the first input,
// nullptr when it is not known. Nothing when the operator is no arithmetic on shapes.
std::optional<SmallTensor> fold(const onnx::NodeProto& node, const std::vector<const SmallTensor*>& inputs,
                                const std::vector<std::int64_t>* shape);

}  // namespace shapelint::formats
