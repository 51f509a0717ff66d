// Internal to the reading of ONNX graphs: a graph with its shapes inferred, without the library's types.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/onnx/operators.hpp"
#include "formats/read.hpp"

namespace shapelint::formats {

using GraphShape = std::vector<std::int64_t>;

struct GraphNode {
  std::string op;
  std::string name;
  std::vector<std::string> inputs;  // empty: left out
  std::vector<std::string> outputs;
  std::map<std::string, std::vector<std::int64_t>> integers;  // attributes; a single number is a list of one
  std::map<std::string, std::string> texts;
};

// Formats of values that matter here.
enum class GraphType : std::uint8_t { other, fp32, fp16, bf16, int8, fp8 };

struct Graph {
  std::string name;
  std::vector<GraphNode> nodes;              // branches that are taken are in line
  std::map<std::string, GraphShape> shapes;  // of the values whose dimensions are all known
  std::map<std::string, GraphType> types;
  std::set<std::string> weights;  // values that are stored in the graph
  std::vector<std::string> notes;
  std::int64_t batch = 1;  // first dimension of the first input
  bool symbolic_batch = false;
};

inline constexpr std::int64_t largest_graph_dimension = std::int64_t{1} << 40;

// What the module (src/formats/onnx/module) is asked for. `sequence_length`: 0 if not given.
struct GraphRequest {
  std::vector<GraphDimension> dimensions;
  std::int64_t sequence_length = 0;
  const GraphOperators* operators = nullptr;
};

// What the module exports: the graph in `bytes`, or an error with its message set.
using ParseGraph = void(const char* bytes, std::size_t size, const GraphRequest* request, Graph* graph,
                        Error* error);

// The network of a graph, as a reading; what is left out is noted.
void lower_graph(const Graph& graph, const std::string& path, const ReadOptions& options, ReadResult& result);

}  // namespace shapelint::formats
