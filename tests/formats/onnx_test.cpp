// ONNX graphs. The bytes are written here, field by field (onnx.proto3), so that the tests need no library.
#include "formats/onnx.hpp"

#include "model/cnn.hpp"
#include "model/lower.hpp"
#include "tests/catch.hpp"

namespace shapelint::formats {

namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7fU) | 0x80U);
  return out + static_cast<char>(value);
}
std::string number(std::uint64_t field, std::int64_t value) {
  return varint(field << 3U) + varint(static_cast<std::uint64_t>(value));
}
std::string bytes(std::uint64_t field, const std::string& value) {
  return varint((field << 3U) | 2U) + varint(value.size()) + value;
}

constexpr std::int64_t symbolic = -1;

// ValueInfoProto of a float tensor.
std::string value(const std::string& name, const std::vector<std::int64_t>& dims) {
  std::string shape;
  for (const std::int64_t dim : dims) shape += bytes(1, dim == symbolic ? bytes(2, "n") : number(1, dim));
  return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, shape)));
}
// TensorProto without data: only its shape is looked at.
std::string weight(const std::string& name, const std::vector<std::int64_t>& dims, std::int64_t type = 1) {
  std::string out;
  for (const std::int64_t dim : dims) out += number(1, dim);
  return out + number(2, type) + bytes(8, name);
}
std::string integers(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string out = bytes(1, name);
  for (const std::int64_t each : values) out += number(8, each);
  return bytes(5, out + number(20, 7));
}
std::string integer(const std::string& name, std::int64_t value) {
  return bytes(5, bytes(1, name) + number(3, value) + number(20, 2));
}
std::string node(const std::string& op, const std::vector<std::string>& in, const std::string& out,
                 const std::string& attributes = "") {
  std::string text;
  for (const std::string& each : in) text += bytes(1, each);
  return text + bytes(2, out) + bytes(3, out) + bytes(4, op) + attributes;
}

struct Graph {
  std::vector<std::string> nodes, weights, inputs, outputs;
  std::string model() const {
    std::string graph = bytes(2, "net");
    for (const std::string& each : nodes) graph += bytes(1, each);
    for (const std::string& each : weights) graph += bytes(5, each);
    for (const std::string& each : inputs) graph += bytes(11, each);
    for (const std::string& each : outputs) graph += bytes(12, each);
    return number(1, 8) + bytes(7, graph) + bytes(8, number(2, 13));
  }
};

// Two convolutions, one with groups, a pool and a linear layer.
Graph small_network(std::int64_t batch) {
  Graph graph;
  graph.inputs = {value("x", {batch, 3, 32, 32})};
  graph.outputs = {value("y", {batch, 10})};
  graph.weights = {weight("w1", {60, 3, 3, 3}), weight("b1", {60}), weight("w2", {64, 30, 3, 3}),
                   weight("w3", {10, 64})};
  graph.nodes = {
      node("Conv", {"x", "w1", "b1"}, "c1", integers("pads", {1, 1, 1, 1}) + integers("strides", {2, 2})),
      node("Relu", {"c1"}, "r1"),
      node("Conv", {"r1", "w2"}, "c2", integers("pads", {1, 1, 1, 1}) + integer("group", 2)),
      node("GlobalAveragePool", {"c2"}, "g"),
      node("Flatten", {"g"}, "f"),
      node("Gemm", {"f", "w3"}, "y", integer("transB", 1)),
  };
  return graph;
}

std::string errors_of(const ReadResult& result) {
  std::string out;
  for (const Error& each : result.errors)
    out += each.message + (each.hint.empty() ? "" : "; " + each.hint) + "\n";
  return out;
}

}  // namespace

TEST_CASE("a program without the ONNX library says so", "[onnx]") {
  if (reads_onnx()) return;
  CHECK(
      errors_of(read_onnx("net.onnx", small_network(1).model(), {})) ==
      "this program was built without ONNX; build it where libonnx-dev and libprotobuf-dev are installed\n");
}

TEST_CASE("a graph is a network of its convolutions and products", "[onnx]") {
  if (!reads_onnx()) return;
  const ReadResult result = read_onnx("net.onnx", small_network(symbolic).model(), {});
  CHECK(errors_of(result).empty());
  REQUIRE(result.readings.size() == 1);
  const model::Setup& setup = result.readings.front().setup;
  CHECK(setup.plan.mode == model::Mode::prefill);
  CHECK(setup.plan.dtype == DType::fp32);
  CHECK(setup.plan.micro_batch_size == 1);
  const model::Network network = model::resolve(setup.model);
  REQUIRE(network.layers.size() == 4);
  CHECK(network.layers[0].name == "c1");
  CHECK(network.layers[0].out == model::Feature{60, 16, 16});
  CHECK(network.layers[1].groups == 2);
  CHECK(network.layers[1].out == model::Feature{64, 16, 16});
  CHECK(network.layers[3].in == model::Feature{64, 1, 1});
  CHECK(model::parameter_count(setup) == 60 * 27 + 60 + 64 * 30 * 9 + 640);
  CHECK(model::size_of(network).multiply_adds == 256.0 * 60 * 27 + 256.0 * 64 * 30 * 9 + 640);
}

TEST_CASE("the command line gives a graph its batch", "[onnx]") {
  if (!reads_onnx()) return;
  ReadOptions options;
  options.overrides = {{model::find_field("micro_batch_size"), 32, "--micro-batch-size"}};
  for (const std::int64_t batch : {symbolic, std::int64_t{4}}) {
    const ReadResult result = read_onnx("net.onnx", small_network(batch).model(), options);
    REQUIRE(result.readings.size() == 1);
    const model::Workload workload = model::lower(result.readings.front().setup);
    CHECK(workload.ops.front().m.value == 32 * 16 * 16);
    CHECK(workload.tokens_per_step == 32);
  }
}

TEST_CASE("attention in a graph is batched products", "[onnx]") {
  if (!reads_onnx()) return;
  Graph graph;
  graph.inputs = {value("q", {2, 12, 128, 64}), value("k", {2, 12, 64, 128}), value("h", {2, 128, 768})};
  graph.outputs = {value("s", {2, 12, 128, 128}), value("o", {2, 128, 3072})};
  graph.weights = {weight("w", {768, 3072}, 10)};
  graph.nodes = {node("MatMul", {"q", "k"}, "s"), node("MatMul", {"h", "w"}, "o")};
  const ReadResult result = read_onnx("net.onnx", graph.model(), {});
  REQUIRE(result.readings.size() == 1);
  const model::Setup& setup = result.readings.front().setup;
  CHECK(setup.plan.micro_batch_size == 2);
  const model::Workload workload = model::lower(setup);
  REQUIRE(workload.ops.size() == 2);
  CHECK(workload.ops[0].batch.value == 24);
  CHECK(workload.ops[0].m.value == 128);
  CHECK(workload.ops[0].k.value == 64);
  CHECK(workload.ops[1].m.value == 256);
  CHECK(workload.ops[1].n.value == 3072);
}

TEST_CASE("broken graphs give one error", "[onnx]") {
  if (!reads_onnx()) return;
  const std::string good = small_network(1).model();
  CHECK(errors_of(read_onnx("a.onnx", "", {})) == "the file is no ONNX graph; it is empty\n");
  CHECK(errors_of(read_onnx("a.onnx", "[model]\nhidden_size = 3\n", {})) ==
        "the file is no ONNX graph; it may be cut off, or be something else\n");
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    const ReadResult result = read_onnx("a.onnx", good.substr(0, cut), {});
    INFO(cut);
    CHECK(result.errors.size() == 1);
  }
  Graph symbol = small_network(1);
  symbol.inputs = {value("x", {1, 3, symbolic, 32})};
  CHECK(errors_of(read_onnx("a.onnx", symbol.model(), {})) ==
        "dimension 2 of input `x` is symbolic (`n`); only the batch may be; export the graph with a size "
        "there\n");
  Graph none = small_network(1);
  none.nodes = {node("Relu", {"x"}, "y")};
  none.outputs = {value("y", {1, 3, 32, 32})};
  CHECK(errors_of(read_onnx("a.onnx", none.model(), {})) ==
        "the graph has no convolution, linear layer or matrix product whose shape is known\n");
  Graph huge = small_network(1);
  huge.inputs = {value("x", {1, 3, 1'000'000'000'000'000, 32})};
  CHECK(errors_of(read_onnx("a.onnx", huge.model(), {})) ==
        "input `x` has a dimension of 1000000000000000; no tensor is that large\n");
}

}  // namespace shapelint::formats
