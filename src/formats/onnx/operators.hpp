// What becomes of each operator of an ONNX graph: formats/onnx/operators.toml.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// In the order of operator_uses.
enum class OperatorUse : std::uint8_t {
  nothing,  // a view, arithmetic on shapes
  fused,
  memory,
  left_out,
  conv,
  transposed_conv,
  gemm,
  matmul,
  packed_weights,
  recurrent,
  einsum,
  attention
};

struct OperatorRule {
  OperatorUse use = OperatorUse::nothing;
  std::int64_t a = 0;  // inputs with the operands, and with the bias; a bias of -1 is none
  std::int64_t b = 1;
  std::int64_t bias = 2;
  std::int64_t gates = 1;  // recurrent
  bool projected = false;  // attention
  bool copies = false;     // memory: it reads as much as it writes
};

// In the order of shape_rules.
enum class ShapeRuleKind : std::uint8_t { as_input, as_operator, matmul, columns, embedding, attention };

// How to infer the shape of an operator that the ONNX library does not know.
struct ShapeRule {
  ShapeRuleKind kind = ShapeRuleKind::as_input;
  std::int64_t input = 0;
  std::int64_t type_input = -1;  // whose number format the output has; -1: as `input`
  std::vector<std::int64_t> outputs{0};
  std::string attribute;  // columns
  std::string op;         // as_operator: of ONNX itself
};

struct GraphOperators {
  std::map<std::string, OperatorRule, std::less<>> rules;
  std::map<std::string, ShapeRule, std::less<>> shapes;

  const OperatorRule& rule(std::string_view op) const;
};

// Mistakes are appended to `errors`.
GraphOperators read_operators(std::span<const text::Document> documents, std::vector<Error>& errors);

// The compiled-in ones.
const GraphOperators& builtin_operators();

}  // namespace shapelint::formats
