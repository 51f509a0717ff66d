// ONNX graphs, from bytes to a network.
#include "formats/onnx/onnx.hpp"

#include "catalog/catalog.hpp"
#include "formats/onnx/operators.hpp"
#include "model/cnn/cnn.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/onnx/bytes.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::formats {

namespace {

// Two convolutions, one with groups, a pool and a linear layer.
GraphBytes small_network(const Dim& batch) {
  GraphBytes graph;
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
  if (reads_onnx()) SHAPELINT_SKIP("this build reads ONNX graphs");
  CHECK(errors_of(read_onnx("net.onnx", small_network(1).model(), {})) ==
        "this program was built without ONNX; install libonnx-dev and libprotobuf-dev, and build again\n");
}

TEST_CASE("a graph is a network of its convolutions and products", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  const ReadResult result = read_onnx("net.onnx", small_network("n").model(), {});
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
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  ReadOptions options;
  options.overrides = {{model::FieldId::micro_batch_size, 32, "--micro-batch-size"}};
  for (const Dim& batch : {Dim("n"), Dim(4)}) {
    const ReadResult result = read_onnx("net.onnx", small_network(batch).model(), options);
    REQUIRE(result.readings.size() == 1);
    const model::Workload workload = model::lower(result.readings.front().setup);
    CHECK(workload.ops.front().m.value == 32 * 16 * 16);
    CHECK(workload.tokens_per_step == 32);
  }
}

TEST_CASE("attention in a graph is batched products", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes graph;
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
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  const std::string good = small_network(1).model();
  CHECK(errors_of(read_onnx("a.onnx", "", {})) == "the file is not an ONNX graph; it is empty\n");
  CHECK(errors_of(read_onnx("a.onnx", "[model]\nhidden_size = 3\n", {})) ==
        "the file is not an ONNX graph; it may be truncated, or another kind of file\n");
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    const ReadResult result = read_onnx("a.onnx", good.substr(0, cut), {});
    INFO(cut);
    CHECK(result.errors.size() == 1);
  }
  GraphBytes symbol = small_network(1);
  symbol.inputs = {value("x", {1, 3, "n", 32})};
  CHECK(errors_of(read_onnx("a.onnx", symbol.model(), {})) ==
        "the size of `n` (dimension 2 of input `x`) is not stated; give it with `--dim n=N`\n");
  GraphBytes none = small_network(1);
  none.nodes = {node("Relu", {"x"}, "y")};
  none.outputs = {value("y", {1, 3, 32, 32})};
  CHECK(errors_of(read_onnx("a.onnx", none.model(), {})) ==
        "the graph has no convolution, linear layer or GEMM of known shape\n");
  GraphBytes huge = small_network(1);
  huge.inputs = {value("x", {1, 3, 1'000'000'000'000'000, 32})};
  CHECK(errors_of(read_onnx("a.onnx", huge.model(), {})) ==
        "input `x` has a dimension of 1000000000000000; no tensor is that large\n");
}

TEST_CASE("symbolic dimensions are given by name", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes graph = small_network("n");
  graph.inputs = {value("x", {"n", 3, "height", "width"})};
  const auto read = [&](std::vector<GraphDimension> dimensions) {
    ReadOptions options;
    options.dimensions = std::move(dimensions);
    return read_onnx("net.onnx", graph.model(), options);
  };
  CHECK(errors_of(read({})) ==
        "the size of `height` (dimension 2 of input `x`), `width` (dimension 3 of input `x`) is not stated; "
        "give "
        "them with `--dim height=N --dim width=N`\n");
  const ReadResult good = read({{"height", 64}, {"width", 32}});
  REQUIRE(good.readings.size() == 1);
  const model::Network network = model::resolve(good.readings.front().setup.model);
  CHECK(network.layers[0].out == model::Feature{60, 32, 16});
  CHECK(read({{"height", 64}, {"width", 32}, {"n", 8}}).readings.front().setup.plan.micro_batch_size == 8);
  CHECK(errors_of(read({{"height", 64}, {"width", 32}, {"hieght", 3}})) ==
        "the graph has no symbolic dimension `hieght`; did you mean `height`?\n");
  CHECK(errors_of(read({{"height", 64}, {"width", 32}, {"depth", 3}})) ==
        "the graph has no symbolic dimension `depth`; it has `height`, `n`, `width`\n");
  graph.inputs = {value("x", {1, 3, std::int64_t{0}, 32})};  // exporters' way not to say
  CHECK(errors_of(read({})) ==
        "the size of `x.2` (dimension 2 of input `x`) is not stated; give it with `--dim x.2=N`\n");
  CHECK(read({{"x.2", 64}}).readings.size() == 1);
}

TEST_CASE("a graph of more nodes than any is refused before one is made", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes many;
  many.inputs = {value("x", {1, 3, 8, 8})};
  many.nodes.assign(100'001, node("Relu", {"no node writes it"}, "y"));
  CHECK(errors_of(read_onnx("a.onnx", many.model(), {})) ==
        "the graph has more than 100000 nodes; no more are read\n");
  many.nodes.pop_back();
  CHECK(errors_of(read_onnx("a.onnx", many.model(), {})).find("`y` reads `no node writes it`") == 0);
}

TEST_CASE("a graph that takes much more once it is parsed is refused before", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes wide = small_network(1);
  wide.inputs.push_back(value("y", std::vector<Dim>(3'000'000, Dim(2))));
  GraphBytes listed = small_network(1);
  listed.nodes.push_back(
      node("Relu", {"x"}, "z", bytes(5, bytes(1, "a") + bytes(8, std::string(20 << 20, '1')))));
  GraphBytes named = small_network(1);
  named.nodes.push_back(node("Relu", std::vector<std::string>(3'000'000, "x"), "z"));
  for (const GraphBytes& each : {wide, listed, named})
    CHECK(errors_of(read_onnx("a.onnx", each.model(), {})).find("more names, attributes and sizes") !=
          std::string::npos);
  // A body is copied for each call.
  GraphBytes called = small_network(1);
  called.nodes.assign(1000, node("F", {"x"}, "y", domain("d")));
  const std::string large = bytes(5, bytes(1, "a") + bytes(8, std::string(1 << 20, '1')));
  const std::string body = bytes(1, "F") + bytes(4, "x") + bytes(5, "y") +
                           bytes(7, node("Relu", {"x"}, "y", large)) + bytes(10, "d");
  CHECK(errors_of(read_onnx("a.onnx", called.model() + bytes(25, body), {})).find("takes more work") !=
        std::string::npos);
}

TEST_CASE("tensors of more dimensions than any have no shape", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  // Each node's output would have as many.
  GraphBytes graph;
  graph.inputs = {value("x", std::vector<Dim>(50'000, Dim(2)))};
  for (int i = 0; i < 2000; ++i) graph.nodes.push_back(node("Add", {"x", "x"}, fmt::format("y{}", i)));
  CHECK(errors_of(read_onnx("a.onnx", graph.model(), {})) ==
        "the graph has no convolution, linear layer or GEMM of known shape\n");
}

TEST_CASE("of many sizes that are not stated some are named", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes graph = small_network(1);
  for (int i = 0; i < 1000; ++i)
    graph.inputs.push_back(value(fmt::format("x{}", i), {1, 2, 3, fmt::format("e{}", i).c_str()}));
  const std::string told = errors_of(read_onnx("a.onnx", graph.model(), {}));
  CHECK(told.find("`e19` (dimension 3 of input `x19`) and 980 more is not stated") != std::string::npos);
  CHECK(told.find("e20") == std::string::npos);
}

TEST_CASE("a graph whose nodes are out of order is refused", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes cycle = small_network(1);
  cycle.nodes[1] = node("Add", {"c1", "g"}, "r1");
  CHECK(errors_of(read_onnx("a.onnx", cycle.model(), {})) ==
        "`r1` reads `g`, which no node before it writes; the graph has a cycle, or its nodes are out of "
        "order\n");
}

TEST_CASE("a shape of millions of values is none", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  GraphBytes graph = small_network(1);
  graph.inputs.push_back(value("sizes", {4'000'000}, 7));
  graph.nodes.push_back(node("ConstantOfShape", {"sizes"}, "full"));
  graph.nodes.push_back(node("Reshape", {"x", "sizes"}, "folded"));
  graph.weights.push_back(weight("more", {std::int64_t{1} << 50}, 7));
  graph.nodes.push_back(node("ConstantOfShape", {"more"}, "fuller"));
  CHECK(read_onnx("net.onnx", graph.model(), {}).readings.size() == 1);
}

TEST_CASE("the table of operators has no mistakes", "[onnx]") {
  std::vector<Error> errors;
  const GraphOperators operators = read_operators(catalog::builtin("formats/onnx"), errors);
  CHECK(errors.empty());
  CHECK(operators.rule("Conv").use == OperatorUse::conv);
  CHECK(operators.rule("Reshape").use == OperatorUse::nothing);
  const auto wrong =
      text::parse_toml("o.toml", "[[lowered]]\nuse = \"fussed\"\noperators = [\"A\", \"A\"]\n");
  const std::vector<text::Document> documents{*wrong};
  read_operators(documents, errors);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].message == "unknown rule `fussed`");
  CHECK(errors[0].hint == "did you mean `fused`?");
  CHECK(errors[1].message == "the operator has a rule already");
}

}  // namespace shapelint::formats
