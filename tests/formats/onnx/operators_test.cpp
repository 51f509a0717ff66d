// Operators of ONNX graphs, each in a graph of its own.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "formats/onnx/onnx.hpp"
#include "model/cnn/cnn.hpp"
#include "tests/catch.hpp"
#include "tests/formats/onnx/bytes.hpp"

namespace shapelint::formats {

namespace {

constexpr std::int64_t fp16 = 10;
constexpr std::int64_t uint8 = 2;
constexpr std::int64_t int8 = 3;

model::Reading read(const GraphBytes& graph) {
  const ReadResult result = read_onnx("net.onnx", graph.model(), {});
  for (const Error& each : result.errors) INFO(each.message);
  REQUIRE(result.readings.size() == 1);
  return result.readings.front();
}
std::vector<model::LayerShape> layers(const GraphBytes& graph) {
  return model::resolve(read(graph).setup.model).layers;
}

}  // namespace

TEST_CASE("a transposed convolution is one of stride 1 to more channels", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes graph;
  graph.inputs = {value("x", {1, 64, 16, 16})};
  graph.outputs = {value("y", {1})};
  graph.weights = {weight("w", {64, 32, 4, 4})};
  graph.nodes = {
      node("ConvTranspose", {"x", "w"}, "y", integers("strides", {2, 2}) + integers("pads", {1, 1, 1, 1}))};
  const auto all = layers(graph);
  REQUIRE(all.size() == 1);
  CHECK(all[0].out == model::Feature{128, 16, 16});
  CHECK(all[0].kernel_height == 2);
  CHECK(model::parameters_of(all[0]) == 64 * 32 * 16);
  // Every pixel of the input meets every weight.
  CHECK(model::multiply_adds(all[0]) == 16.0 * 16 * 64 * 32 * 16);
}

TEST_CASE("a recurrent layer is one product for the inputs and one a step", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  for (const auto& [op, gates] : {std::pair<std::string, std::int64_t>{"LSTM", 4}, {"GRU", 3}}) {
    GraphBytes graph;
    graph.inputs = {value("x", {"batch", 100, 80})};
    graph.outputs = {value("z", {"batch"})};
    graph.weights = {weight("w", {2, gates * 256, 80}), weight("r", {2, gates * 256, 256})};
    graph.nodes = {
        node("Transpose", {"x"}, "t", integers("perm", {1, 0, 2})),
        node(op, {"t", "w", "r"}, "z", integer("hidden_size", 256) + text("direction", "bidirectional"))};
    const auto all = layers(graph);
    REQUIRE(all.size() == 4);  // the transpose first
    CHECK(all[1].name == "z.input");
    CHECK(all[1].rows == 100);
    CHECK(all[1].in.channels == 80);
    CHECK(all[1].out.channels == 2 * gates * 256);
    CHECK(all[2].name == "z.state");
    CHECK(all[2].count == 100);
    CHECK(all[2].rows == 1);
    CHECK(all[3].name == "z.state_reverse");
    CHECK(model::size_of(model::resolve(read(graph).setup.model)).parameters ==
          2 * gates * 256 * 80 + 2 * gates * 256 * 256);
  }
}

TEST_CASE("quantized products are in eight bits", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes graph;
  graph.inputs = {value("x", {1, 64, 8, 8}, uint8)};
  graph.outputs = {value("y", {1})};
  graph.weights = {weight("s", {}), weight("z", {}, uint8), weight("w", {32, 64, 3, 3}, int8),
                   weight("v", {}, int8)};
  graph.nodes = {node("QLinearConv", {"x", "s", "z", "w", "s", "v", "s", "z"}, "y")};
  CHECK(read(graph).setup.plan.dtype == DType::int8);
  CHECK(layers(graph)[0].out == model::Feature{32, 6, 6});

  // The same in three operators: what is widened right before a product is not computed with.
  graph.nodes = {node("DequantizeLinear", {"x", "s", "z"}, "dx"),
                 node("DequantizeLinear", {"w", "s", "v"}, "dw"), node("Conv", {"dx", "dw"}, "c"),
                 node("QuantizeLinear", {"c", "s", "z"}, "y")};
  CHECK(read(graph).setup.plan.dtype == DType::int8);

  // Weights alone are widened.
  graph.inputs = {value("x", {1, 64, 8, 8})};
  graph.nodes = {node("DequantizeLinear", {"w", "s", "v"}, "dw"), node("Conv", {"x", "dw"}, "y")};
  CHECK(read(graph).setup.plan.dtype == DType::fp32);

  graph.inputs = {value("x", {1, 5, 64}, uint8)};
  graph.weights.push_back(weight("m", {64, 16}, int8));
  graph.nodes = {node("MatMulInteger", {"x", "m"}, "y")};
  CHECK(read(graph).setup.plan.dtype == DType::int8);
  CHECK(layers(graph)[0].rows == 5);
}

TEST_CASE("weights in four bits state their size, attention in one operator its heads", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  const std::string microsoft = domain("com.microsoft");
  GraphBytes graph;
  graph.inputs = {value("x", {1, 7, 4096}, fp16), value("past_key", {1, 8, 93, 128}, fp16),
                  value("past_value", {1, 8, 93, 128}, fp16)};
  graph.outputs = {value("y", {1})};
  const auto packed = [&](const std::string& in, const std::string& out, std::int64_t k, std::int64_t n) {
    graph.weights.push_back(weight(out + "_w", {n, k / 32, 16}, uint8));
    graph.weights.push_back(weight(out + "_s", {n * k / 32}, fp16));
    return node(
        "MatMulNBits", {in, out + "_w", out + "_s"}, out,
        microsoft + integer("K", k) + integer("N", n) + integer("bits", 4) + integer("block_size", 32));
  };
  graph.nodes = {packed("x", "q", 4096, 4096), packed("x", "k", 4096, 1024), packed("x", "v", 4096, 1024),
                 node("GroupQueryAttention", {"q", "k", "v", "past_key", "past_value"}, "a",
                      microsoft + integer("num_heads", 32) + integer("kv_num_heads", 8)),
                 packed("a", "y", 4096, 4096)};
  const auto all = layers(graph);
  REQUIRE(all.size() == 6);
  CHECK(read(graph).setup.plan.dtype == DType::fp16);
  CHECK(all[1].out.channels == 1024);
  CHECK(all[3].name == "a.scores");
  CHECK(all[3].products == 32);
  CHECK(all[3].rows == 7);
  CHECK(all[3].columns == 100);
  CHECK(all[3].depth == 128);
  CHECK(all[4].name == "a.values");
  CHECK(all[4].depth == 100);
  CHECK(all[5].rows == 7);
}

TEST_CASE("sums over labels are products", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes graph;
  graph.inputs = {value("q", {2, 5, 12, 64}), value("k", {2, 9, 12, 64})};
  graph.outputs = {value("y", {2})};
  graph.nodes = {node("Einsum", {"q", "k"}, "y", text("equation", "bqhd,bkhd->bhqk"))};
  const auto all = layers(graph);
  CHECK(all[0].products == 12);  // of each of two images
  CHECK(all[0].rows == 5);
  CHECK(all[0].columns == 9);
  CHECK(all[0].depth == 64);
}

TEST_CASE("what is left out is told", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes graph;
  graph.inputs = {value("x", {1, 64})};
  graph.outputs = {value("y", {1})};
  graph.weights = {weight("w", {64, 64})};
  graph.nodes = {node("MatMul", {"x", "w"}, "a"), node("MadeUp", {"a"}, "b", domain("own")),
                 node("MatMul", {"b", "w"}, "c"), node("MatMul", {"c", "w"}, "y")};
  const ReadResult result = read_onnx("net.onnx", graph.model(), {});
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0].message == "2 MatMul of unknown shape are left out");
}

// Debian's libonnx-testdata: a graph for each operator.
TEST_CASE("the library's own graphs are read or refused with one error", "[onnx]") {
  const std::filesystem::path folder = "/usr/share/libonnx-testdata/data";
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  if (!std::filesystem::exists(folder)) SHAPELINT_SKIP("libonnx-testdata is not installed");
  int graphs = 0;
  int networks = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const ReadResult result = read_onnx(entry.path().string(), content, {});
    INFO(entry.path().string());
    CHECK(result.errors.size() + result.readings.size() == 1);
    ++graphs;
    networks += static_cast<int>(result.readings.size());
  }
  CHECK(graphs > 1000);
  CHECK(networks >= 70);
}

}  // namespace shapelint::formats
