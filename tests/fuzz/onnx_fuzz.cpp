// Fuzz target of what reads ONNX graphs: the module's own code, and the lowering of what it gives.
#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/onnx/graph.hpp"
#include "formats/onnx/operators.hpp"
#include "tests/fuzz/check.hpp"

extern "C" shapelint::formats::ParseGraph shapelint_parse_onnx_2;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace shapelint;
  formats::GraphRequest request;
  request.operators = &formats::builtin_operators();
  request.sequence_length = 16;
  formats::Graph graph;
  Error error;
  shapelint_parse_onnx_2(reinterpret_cast<const char*>(data), size, &request, &graph, &error);
  if (!error.message.empty()) return 0;
  formats::ReadResult result;
  formats::lower_graph(graph, "input.onnx", {}, result);
  fuzz::require(result.readings.size() + result.errors.size() >= 1);
  return 0;
}
