// Whole networks as exported graphs, against what is published of them.
#include <functional>

#include <fmt/format.h>

#include "formats/onnx/onnx.hpp"
#include "model/cnn/cnn.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/onnx/bytes.hpp"

namespace shapelint::formats {

namespace {

// A network layer after layer, as PyTorch exports it: weights are called as modules are, nodes are not.
class Net {
 public:
  explicit Net(std::int64_t image) { graph_.inputs = {value("x", {"batch", 3, image, image})}; }

  std::string op(const std::string& name, const std::vector<std::string>& in,
                 const std::string& attributes = "") {
    std::string out = fmt::format("v{}", ++count_);
    graph_.nodes.push_back(node(name, in, out, attributes));
    return out;
  }
  std::string conv(const std::string& x, std::int64_t in, std::int64_t out, std::int64_t kernel,
                   std::int64_t stride = 1, std::int64_t pad = 0, std::int64_t groups = 1,
                   bool bias = false) {
    const std::string name = fmt::format("conv{}", ++count_);
    graph_.weights.push_back(weight(name + ".weight", {out, in / groups, kernel, kernel}));
    graph_.weights.push_back(weight(name + ".bias", {out}));
    std::vector<std::string> inputs{x, name + ".weight"};
    if (bias) inputs.push_back(name + ".bias");
    return op("Conv", inputs,
              integers("pads", {pad, pad, pad, pad}) + integers("strides", {stride, stride}) +
                  integer("group", groups));
  }
  std::string norm(const std::string& x, std::int64_t channels) {
    const std::string name = fmt::format("bn{}", ++count_);
    std::vector<std::string> inputs{x};
    for (const char* each : {".weight", ".bias", ".mean", ".var"}) {
      graph_.weights.push_back(weight(name + each, {channels}));
      inputs.push_back(name + each);
    }
    return op("BatchNormalization", inputs);
  }
  std::string relu(const std::string& x) { return op("Relu", {x}); }
  std::string conv_norm(const std::string& x, std::int64_t in, std::int64_t out, std::int64_t kernel,
                        std::int64_t stride = 1, std::int64_t pad = 0, std::int64_t groups = 1) {
    return norm(conv(x, in, out, kernel, stride, pad, groups), out);
  }
  std::string pool(const std::string& x, std::int64_t kernel, std::int64_t stride, std::int64_t pad = 0,
                   bool ceil = false) {
    return op("MaxPool", {x},
              integers("kernel_shape", {kernel, kernel}) + integers("strides", {stride, stride}) +
                  integers("pads", {pad, pad, pad, pad}) + integer("ceil_mode", ceil ? 1 : 0));
  }
  std::string average_pool(const std::string& x) {
    return op("AveragePool", {x}, integers("kernel_shape", {2, 2}) + integers("strides", {2, 2}));
  }
  std::string linear(const std::string& x, std::int64_t in, std::int64_t out) {
    const std::string name = fmt::format("fc{}", ++count_);
    graph_.weights.push_back(weight(name + ".weight", {out, in}));
    graph_.weights.push_back(weight(name + ".bias", {out}));
    return op("Gemm", {x, name + ".weight", name + ".bias"}, integer("transB", 1));
  }
  std::string classify(const std::string& x, std::int64_t channels) {
    return linear(op("Flatten", {op("GlobalAveragePool", {x})}), channels, 1000);
  }
  std::string constant(const std::vector<std::int64_t>& values) {
    const std::string name = fmt::format("n{}", ++count_);
    graph_.weights.push_back(numbers(name, values));
    return name;
  }

  model::NetworkSize size(const std::string& out) {
    graph_.outputs = {value(out, {"batch"})};
    const ReadResult result = read_onnx("net.onnx", graph_.model(), {});
    REQUIRE(result.errors.empty());
    CHECK(result.notes.empty());
    return model::size_of(model::resolve(result.readings.front().setup.model));
  }

 private:
  GraphBytes graph_;
  int count_ = 0;
};

model::NetworkSize resnet50() {
  Net net(224);
  std::string x = net.pool(net.relu(net.conv_norm("x", 3, 64, 7, 2, 3)), 3, 2, 1);
  std::int64_t in = 64;
  const std::vector<std::int64_t> blocks{3, 4, 6, 3};
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    for (std::int64_t block = 0; block < blocks[stage]; ++block) {
      const std::int64_t stride = block == 0 && stage > 0 ? 2 : 1;
      std::string y = net.relu(net.conv_norm(x, in, width, 1));
      y = net.relu(net.conv_norm(y, width, width, 3, stride, 1));
      y = net.conv_norm(y, width, 4 * width, 1);
      if (block == 0) x = net.conv_norm(x, in, 4 * width, 1, stride);
      x = net.relu(net.op("Add", {y, x}));
      in = 4 * width;
    }
  }
  return net.size(net.classify(x, in));
}

model::NetworkSize vgg19() {
  Net net(224);
  std::string x = "x";
  std::int64_t in = 3;
  const std::vector<std::int64_t> widths{64, 128, 256, 512, 512};
  for (std::size_t stage = 0; stage < widths.size(); ++stage) {
    for (int i = 0; i < (stage < 2 ? 2 : 4); ++i) {
      x = net.relu(net.conv(x, in, widths[stage], 3, 1, 1, 1, true));
      in = widths[stage];
    }
    x = net.pool(x, 2, 2);
  }
  x = net.op("Flatten", {x});
  x = net.relu(net.linear(x, 512 * 49, 4096));
  return net.size(net.linear(net.relu(net.linear(x, 4096, 4096)), 4096, 1000));
}

model::NetworkSize alexnet() {
  Net net(224);
  std::string x = net.pool(net.relu(net.conv("x", 3, 64, 11, 4, 2, 1, true)), 3, 2);
  x = net.pool(net.relu(net.conv(x, 64, 192, 5, 1, 2, 1, true)), 3, 2);
  x = net.relu(net.conv(x, 192, 384, 3, 1, 1, 1, true));
  x = net.relu(net.conv(x, 384, 256, 3, 1, 1, 1, true));
  x = net.pool(net.relu(net.conv(x, 256, 256, 3, 1, 1, 1, true)), 3, 2);
  x = net.relu(net.linear(net.op("Flatten", {x}), 256 * 36, 4096));
  return net.size(net.linear(net.relu(net.linear(x, 4096, 4096)), 4096, 1000));
}

model::NetworkSize squeezenet() {
  Net net(224);
  std::string x = net.pool(net.relu(net.conv("x", 3, 96, 7, 2, 0, 1, true)), 3, 2, 0, true);
  std::int64_t in = 96;
  int fire = 2;
  for (const std::int64_t squeeze : {16, 16, 32, 32, 48, 48, 64, 64}) {
    const std::string s = net.relu(net.conv(x, in, squeeze, 1, 1, 0, 1, true));
    const std::string a = net.relu(net.conv(s, squeeze, 4 * squeeze, 1, 1, 0, 1, true));
    const std::string b = net.relu(net.conv(s, squeeze, 4 * squeeze, 3, 1, 1, 1, true));
    x = net.op("Concat", {a, b}, integer("axis", 1));
    if (fire == 4 || fire == 8) x = net.pool(x, 3, 2, 0, true);
    in = 8 * squeeze;
    ++fire;
  }
  return net.size(net.op("GlobalAveragePool", {net.relu(net.conv(x, 512, 1000, 1, 1, 0, 1, true))}));
}

model::NetworkSize densenet121() {
  Net net(224);
  std::string x = net.pool(net.relu(net.conv_norm("x", 3, 64, 7, 2, 3)), 3, 2, 1);
  std::int64_t in = 64;
  const std::vector<int> blocks{6, 12, 24, 16};
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    for (int i = 0; i < blocks[stage]; ++i) {
      const std::string y = net.relu(net.conv_norm(net.relu(net.norm(x, in)), in, 128, 1));
      x = net.op("Concat", {x, net.conv(y, 128, 32, 3, 1, 1)}, integer("axis", 1));
      in += 32;
    }
    if (stage == 3) break;
    x = net.average_pool(net.conv(net.relu(net.norm(x, in)), in, in / 2, 1));
    in /= 2;
  }
  return net.size(net.classify(net.relu(net.norm(x, in)), in));
}

// Depthwise convolutions, and channels that are split and shuffled.
model::NetworkSize shufflenet_v2() {
  Net net(224);
  const auto shuffle = [&](const std::string& a, const std::string& b, std::int64_t channels) {
    const std::string both = net.op("Concat", {a, b}, integer("axis", 1));
    const std::string shape = net.op("Shape", {both});
    const std::string sides = net.op("Slice", {shape, net.constant({2}), net.constant({4})});
    const std::string batch = net.op("Slice", {shape, net.constant({0}), net.constant({1})});
    const std::string apart =
        net.op("Concat", {batch, net.constant({2, channels / 2}), sides}, integer("axis", 0));
    const std::string together = net.op("Concat", {batch, net.constant({-1}), sides}, integer("axis", 0));
    const std::string turned =
        net.op("Transpose", {net.op("Reshape", {both, apart})}, integers("perm", {0, 2, 1, 3, 4}));
    return net.op("Reshape", {turned, together});
  };
  const auto branch = [&](const std::string& x, std::int64_t in, std::int64_t out, std::int64_t stride) {
    std::string y = net.relu(net.conv_norm(x, in, out, 1));
    y = net.conv_norm(y, out, out, 3, stride, 1, out);
    return net.relu(net.conv_norm(y, out, out, 1));
  };
  std::string x = net.pool(net.relu(net.conv_norm("x", 3, 24, 3, 2, 1)), 3, 2, 1);
  std::int64_t in = 24;
  const std::vector<std::int64_t> widths{116, 232, 464};
  for (std::size_t stage = 0; stage < widths.size(); ++stage) {
    const std::int64_t half = widths[stage] / 2;
    const std::string left = net.relu(net.conv_norm(net.conv_norm(x, in, in, 3, 2, 1, in), in, half, 1));
    x = shuffle(left, branch(x, in, half, 2), 2 * half);
    in = 2 * half;
    for (int i = 1; i < (stage == 1 ? 8 : 4); ++i) {
      const std::string a = net.op("Slice", {x, net.constant({0}), net.constant({half}), net.constant({1})});
      const std::string b =
          net.op("Slice", {x, net.constant({half}), net.constant({2 * half}), net.constant({1})});
      x = shuffle(a, branch(b, half, half, 1), in);
    }
  }
  return net.size(net.classify(net.relu(net.conv_norm(x, in, 1024, 1)), 1024));
}

}  // namespace

// torchvision's table of classification weights: parameters exactly, multiply-adds ("GFLOPS") in billions to
// two places. https://pytorch.org/vision/stable/models.html
TEST_CASE("exported networks are as large as published", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  struct Published {
    const char* name;
    std::function<model::NetworkSize()> size;
    std::int64_t parameters;
    double multiply_adds;
  };
  // Norms in front of convolutions are no part of a layer: two parameters for each of their channels.
  std::int64_t in_front = 0;
  std::int64_t channels = 64;
  for (const int blocks : {6, 12, 24, 16}) {
    for (int i = 0; i < blocks; ++i, channels += 32) in_front += 2 * channels;
    in_front += 2 * channels;  // of the transition, and at last of the whole
    channels /= 2;
  }
  const std::vector<Published> all{{"ResNet-50", resnet50, 25'557'032, 4.09},
                                   {"VGG-19", vgg19, 143'667'240, 19.63},
                                   {"AlexNet", alexnet, 61'100'840, 0.71},
                                   {"SqueezeNet 1.0", squeezenet, 1'248'424, 0.82},
                                   {"DenseNet-121", densenet121, 7'978'856 - in_front, 2.83},
                                   {"ShuffleNet-V2 x1.0", shufflenet_v2, 2'278'604, 0.14}};
  for (const Published& each : all) {
    INFO(each.name);
    const model::NetworkSize size = each.size();
    CHECK(size.parameters == each.parameters);
    CHECK(size.multiply_adds / 1e9 == Approx(each.multiply_adds).margin(0.0055));
  }
}

namespace {

// A BERT encoder, 12 x 768, as PyTorch exports it: heads by Reshape and Transpose, with sizes that the graph
// computes; only the products and what makes their shapes.
GraphBytes bert(bool fused) {
  constexpr std::int64_t width = 768;
  constexpr std::int64_t heads = 12;
  GraphBytes g;
  g.inputs = {value("ids", {"batch", "sequence"}, 7)};
  g.outputs = {value("out", {"batch"})};
  int count = 0;
  const auto op = [&](const std::string& name, const std::vector<std::string>& in,
                      const std::string& how = "") {
    std::string out = fmt::format("v{}", ++count);
    g.nodes.push_back(node(name, in, out, how));
    return out;
  };
  const auto constant = [&](const std::vector<std::int64_t>& values) {
    std::string name = fmt::format("n{}", ++count);
    g.weights.push_back(numbers(name, values));
    return name;
  };
  const auto linear = [&](const std::string& x, std::int64_t in, std::int64_t out) {
    const std::string name = fmt::format("w{}", ++count);
    g.weights.push_back(weight(name, {in, out}));
    return op("MatMul", {x, name});
  };
  const std::string microsoft = domain("com.microsoft");
  g.weights.push_back(weight("words", {30522, width}));
  std::string x = op("Gather", {"words", "ids"});
  const std::string shape = op("Shape", {"ids"});
  const std::string batch = op("Unsqueeze", {op("Gather", {shape, constant({0})}), constant({0})});
  for (int layer = 0; layer < 12; ++layer) {
    std::string mixed;
    if (fused) {
      g.weights.push_back(weight(fmt::format("qkv{}", layer), {width, 3 * width}));
      mixed = op("Attention", {x, fmt::format("qkv{}", layer)}, microsoft + integer("num_heads", heads));
    } else {
      const auto split = [&](const std::string& from, const std::vector<std::int64_t>& order) {
        const std::string sizes = op(
            "Concat", {op("Slice", {shape, constant({0}), constant({2})}), constant({heads, width / heads})},
            integer("axis", 0));
        return op("Transpose", {op("Reshape", {from, sizes})}, integers("perm", order));
      };
      const std::string q = split(linear(x, width, width), {0, 2, 1, 3});
      const std::string k = split(linear(x, width, width), {0, 2, 3, 1});
      const std::string v = split(linear(x, width, width), {0, 2, 1, 3});
      const std::string scores = op("Softmax", {op("MatMul", {q, k})}, integer("axis", -1));
      const std::string y = op("Transpose", {op("MatMul", {scores, v})}, integers("perm", {0, 2, 1, 3}));
      mixed = op("Reshape", {y, constant({0, 0, width})});
    }
    const std::string after = op("Add", {linear(mixed, width, width), x});
    const std::string up = linear(after, width, 4 * width);
    const std::string active = fused ? op("FastGelu", {up}, microsoft) : op("Tanh", {up});
    x = op("Add", {linear(active, 4 * width, width), after});
  }
  g.nodes.push_back(node("Identity", {x}, "out"));
  return g;
}

}  // namespace

TEST_CASE("an exported transformer comes out as its products", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  ReadOptions options;
  options.dimensions = {{"sequence", 128}, {"batch", 4}};
  for (const bool fused : {false, true}) {
    INFO(fused);
    const ReadResult result = read_onnx("bert.onnx", bert(fused).model(), options);
    REQUIRE(result.errors.empty());
    CHECK(result.notes.empty());
    const model::Setup& setup = result.readings.front().setup;
    const model::NetworkSize size = model::size_of(model::resolve(setup.model));
    CHECK(size.parameters == 12 * 12 * 768 * 768);
    CHECK(size.multiply_adds == 12.0 * 128 * (12 * 768 * 768 + 2 * 128 * 768));
    // Sun et al. 2020, arXiv 2004.02984, table 4: 22.5 billion FLOPs at 128 tokens.
    CHECK(2 * size.multiply_adds == Approx(22.5e9).epsilon(0.01));
    const model::Workload workload = model::lower(setup);
    int scores = 0;
    for (const model::Op& op : workload.ops) {
      if (op.kind == model::OpKind::gemm && op.batch.value == 4 * 12 && op.n.value == 128 && op.k.value == 64)
        ++scores;
    }
    CHECK(scores == 12);
  }
}

TEST_CASE("tokens of a graph are the sequence length", "[onnx]") {
  if (!reads_onnx()) SHAPELINT_SKIP("this build reads no ONNX graphs");
  CHECK(read_onnx("bert.onnx", bert(false).model(), {}).errors.front().hint ==
        "give it with `--dim sequence=N`; `--sequence-length N` sets the number of tokens");
  ReadOptions options;
  options.overrides = {{model::FieldId::sequence_length, 128, "--sequence-length"}};
  CHECK(read_onnx("bert.onnx", bert(false).model(), options).errors.empty());
}

}  // namespace shapelint::formats
