// The network of an ONNX graph: which nodes are layers, and how large.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "formats/onnx_graph.hpp"
#include "formats/paths.hpp"
#include "model/arithmetic.hpp"
#include "model/cnn.hpp"
#include "model/derive.hpp"

namespace shapelint::formats {

namespace {

using model::Layer;
using model::LayerKind;

constexpr std::int64_t largest_side = std::int64_t{1} << 20;  // of an image, a kernel, a number of channels

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

// What runtimes compute in the epilogue of the product before it.
bool is_fused(const std::string& op) {
  static const std::set<std::string> ops{
      "BatchNormalization", "Relu",      "LeakyRelu", "PRelu",    "Clip",   "Elu", "Selu", "Sigmoid",
      "HardSigmoid",        "HardSwish", "Tanh",      "Identity", "Dropout"};
  return ops.contains(op);
}

// What reads and writes whole tensors. Views (Reshape, Flatten) and arithmetic on shapes do not.
bool moves_memory(const std::string& op) {
  static const std::set<std::string> ops{"Add",
                                         "Sub",
                                         "Mul",
                                         "Div",
                                         "Pow",
                                         "Sqrt",
                                         "Erf",
                                         "Exp",
                                         "Sum",
                                         "Mean",
                                         "Max",
                                         "Min",
                                         "Where",
                                         "Concat",
                                         "Split",
                                         "Slice",
                                         "Pad",
                                         "Transpose",
                                         "Softmax",
                                         "LogSoftmax",
                                         "LayerNormalization",
                                         "InstanceNormalization",
                                         "LRN",
                                         "ReduceMean",
                                         "ReduceSum",
                                         "ReduceMax",
                                         "MaxPool",
                                         "AveragePool",
                                         "GlobalAveragePool",
                                         "GlobalMaxPool",
                                         "Resize",
                                         "Upsample",
                                         "Gelu",
                                         "Softplus",
                                         "Mish",
                                         "DepthToSpace",
                                         "SpaceToDepth"};
  return ops.contains(op) || is_fused(op);
}

// Products in forms that are not lowered.
bool is_other_product(const std::string& op) {
  static const std::set<std::string> ops{"ConvTranspose", "ConvInteger", "QLinearConv", "MatMulInteger",
                                         "QLinearMatMul", "Einsum",      "LSTM",        "GRU",
                                         "RNN",           "If",          "Loop",        "Scan"};
  return ops.contains(op);
}

class GraphLowering {
 public:
  GraphLowering(const Graph& graph, const std::string& path, const ReadOptions& options, ReadResult& result)
      : graph_(graph), path_(path), options_(options), result_(result) {}

  void run() {
    for (const GraphNode& node : graph_.nodes) {
      if (!node.outputs.empty()) lower(node);
    }
    finish();
  }

 private:
  void fail(std::string message, std::string hint) {
    result_.errors.push_back({std::move(message), std::move(hint), path_, {}});
  }

  const GraphShape* shape_of(const std::string& name) const {
    const auto found = graph_.shapes.find(name);
    return found == graph_.shapes.end() ? nullptr : &found->second;
  }
  const GraphShape* input(const GraphNode& node, std::size_t index) const {
    return index < node.inputs.size() ? shape_of(node.inputs[index]) : nullptr;
  }
  const GraphShape* output(const GraphNode& node) const {
    return !node.outputs.empty() ? shape_of(node.outputs[0]) : nullptr;
  }

  // A number of rows of the whole batch, for one image. A graph whose rows are not per image is one image.
  std::int64_t per_image(std::int64_t rows) const {
    return rows % graph_.batch == 0 ? rows / graph_.batch : rows;
  }

  Layer layer(const GraphNode& node, LayerKind kind) {
    Layer out;
    out.kind = kind;
    out.id = next_++;
    out.name = !node.name.empty() ? node.name : !node.outputs.empty() ? node.outputs[0] : node.op;
    while (out.name.starts_with('/')) out.name.erase(0, 1);
    constexpr std::size_t longest = 80;
    if (out.name.size() > longest) out.name.resize(longest);
    result_layers_.push_back({out.id, "", {}, {}, out.name});
    for (const char* key : {"in_channels", "out_channels", "groups"}) {
      result_layers_.push_back({out.id, key, {}, {}, fmt::format("{}.{}", out.name, key)});
    }
    return out;
  }

  void lower(const GraphNode& node) {
    const std::string& op = node.op;
    if (op == "Conv") return conv(node);
    if (op == "Gemm") return gemm(node);
    if (op == "MatMul") return matmul(node);
    if (is_other_product(op) || !node.domain.empty()) {
      ++left_out_[op];
      return;
    }
    const GraphShape* out = output(node);
    if (out == nullptr || !moves_memory(op) || !is_real(node.outputs[0])) return;
    if (is_fused(op) && !node.inputs.empty() && fused_.contains(node.inputs[0])) {
      fused_.insert(node.outputs[0]);
      if (op == "BatchNormalization") norm_of(node.inputs[0]);
      return;
    }
    Layer each = layer(node, LayerKind::elementwise);
    std::int64_t elements = product(*out, 0, out->size());
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const GraphShape* in = input(node, i);
      if (in != nullptr && is_real(node.inputs[i]))
        elements = model::plus(elements, product(*in, 0, in->size()));
    }
    each.elements = std::max<std::int64_t>(1, elements / graph_.batch);
    layers_.push_back(std::move(each));
  }

  bool is_real(const std::string& value) const {
    const auto found = graph_.types.find(value);
    return found != graph_.types.end() && found->second != GraphType::other;
  }

  void norm_of(const std::string& value) {
    for (auto each = layers_.rbegin(); each != layers_.rend(); ++each) {
      if (each->kind != LayerKind::conv || outputs_[each->id] != value) continue;
      each->batch_norm = true;
      return;
    }
  }

  void add(const GraphNode& node, Layer each) {
    outputs_[each.id] = node.outputs[0];
    fused_.insert(node.outputs[0]);
    layers_.push_back(std::move(each));
    if (node.inputs.size() > 1 && graph_.types.contains(node.inputs[1]))
      weight_type_ = graph_.types.at(node.inputs[1]);
  }

  void unknown(const GraphNode& node) { ++left_out_[node.op + " of unknown shape"]; }

  // The padding that leads from one side's size to the inferred one. Where none does (sides with strides of
  // their own, padding on one side only), the input is taken as large as the output asks for.
  static void fit(std::int64_t& image, std::int64_t& padding, std::int64_t in, std::int64_t out,
                  std::int64_t kernel, const Layer& layer) {
    const std::int64_t reach = layer.dilation * (kernel - 1) + 1;
    const std::int64_t needed = (out - 1) * layer.stride + reach;
    image = in;
    padding = std::max<std::int64_t>(0, model::divide_up(std::max<std::int64_t>(0, needed - in), 2));
    const std::int64_t padded = in + 2 * padding;
    if (padded >= reach && (padded - reach) / layer.stride + 1 == out) return;
    image = needed;
    padding = 0;
  }

  void conv(const GraphNode& node) {
    const GraphShape* in = input(node, 0);
    const GraphShape* weights = input(node, 1);
    const GraphShape* out = output(node);
    const bool known = in != nullptr && weights != nullptr && out != nullptr &&
                       in->size() == weights->size() && out->size() == in->size();
    if (!known || in->size() < 3 || in->size() > 4) return unknown(node);
    const bool line = in->size() == 3;  // one dimension: a row
    const auto at = [&](const GraphShape& shape, std::size_t side) {
      return line ? (side == 0 ? 1 : shape[2]) : shape[2 + side];
    };
    Layer each = layer(node, LayerKind::conv);
    each.in_channels = (*in)[1];
    each.out_channels = (*out)[1];
    each.kernel_height = at(*weights, 0);
    each.kernel_width = at(*weights, 1);
    each.groups = integer(node, "group", 1);
    const auto strides = integers(node, "strides");
    each.stride = strides.empty() ? 1 : std::max<std::int64_t>(1, strides.back());
    const auto dilations = integers(node, "dilations");
    each.dilation = dilations.empty() ? 1 : std::max<std::int64_t>(1, dilations.back());
    each.bias = node.inputs.size() > 2;
    const std::int64_t out_height = at(*out, 0);
    const std::int64_t out_width = at(*out, 1);
    for (const std::int64_t size :
         {each.in_channels, each.out_channels, at(*in, 0), at(*in, 1), out_height, out_width,
          each.kernel_height, each.kernel_width, each.groups, each.stride, each.dilation}) {
      if (size < 1 || size > largest_side) return unknown(node);
    }
    fit(each.image_height, each.padding_height, at(*in, 0), out_height, each.kernel_height, each);
    fit(each.image_width, each.padding_width, at(*in, 1), out_width, each.kernel_width, each);
    add(node, std::move(each));
  }

  void linear(const GraphNode& node, std::int64_t rows, std::int64_t in, std::int64_t out) {
    if (rows < 1 || in < 1 || out < 1) return unknown(node);
    Layer each = layer(node, LayerKind::linear);
    each.in_channels = in;
    each.out_channels = out;
    each.rows = per_image(rows);
    each.bias = node.op == "Gemm" && node.inputs.size() > 2;
    add(node, std::move(each));
  }

  void gemm(const GraphNode& node) {
    const GraphShape* a = input(node, 0);
    const GraphShape* b = input(node, 1);
    if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return unknown(node);
    const bool transposed = integer(node, "transA", 0) != 0;
    const std::size_t columns = integer(node, "transB", 0) != 0 ? 0 : 1;
    linear(node, (*a)[transposed ? 1 : 0], (*a)[transposed ? 0 : 1], (*b)[columns]);
  }

  void matmul(const GraphNode& node) {
    const GraphShape* a = input(node, 0);
    const GraphShape* b = input(node, 1);
    const GraphShape* out = output(node);
    if (a == nullptr || b == nullptr || out == nullptr || a->size() < 2 || b->size() < 2 || out->size() < 2)
      return unknown(node);
    const std::size_t rank = a->size();
    if (b->size() == 2) {
      return linear(node, product(*a, 0, rank - 1), a->back(), b->back());
    }
    const std::int64_t products = product(*out, 0, out->size() - 2);
    Layer each = layer(node, LayerKind::matmul);
    each.rows = (*a)[rank - 2];
    each.depth = a->back();
    each.columns = b->back();
    each.products = per_image(products);
    if (each.rows < 1 || each.depth < 1 || each.columns < 1 || each.products < 1) return unknown(node);
    add(node, std::move(each));
  }

  DType dtype() const {
    if (weight_type_ == GraphType::fp16) return DType::fp16;
    if (weight_type_ == GraphType::bf16) return DType::bf16;
    return DType::fp32;
  }

  void finish() {
    for (const auto& [what, count] : left_out_) {
      result_.notes.push_back(
          {fmt::format("{} {} {} left out", count, what, count == 1 ? "is" : "are"), path_, {}, {}});
    }
    const bool products = std::any_of(layers_.begin(), layers_.end(),
                                      [](const Layer& each) { return each.kind != LayerKind::elementwise; });
    if (!products) {
      return fail("the graph has no convolution, linear layer or matrix product whose shape is known", "");
    }
    model::Reading reading;
    reading.path = path_;
    reading.dialect = "onnx";
    const std::string_view file = file_name(path_);
    reading.name = graph_.name.empty() ? std::string(file.substr(0, file.size() - 5)) : graph_.name;
    reading.origins.resize(model::fields().size());
    reading.layers = std::move(result_layers_);
    reading.setup.model.conv = std::move(layers_);
    const auto set = [&](std::string_view field, std::int64_t value, std::string note) {
      const auto index = static_cast<std::size_t>(model::find_field(field));
      model::fields()[index].set(reading.setup, value);
      reading.origins[index].kind = model::Origin::Kind::derived;
      reading.origins[index].note = std::move(note);
    };
    set("micro_batch_size", graph_.batch,
        graph_.symbolic_batch ? "1, since the graph's batch is symbolic" : "the graph's first input");
    set("dtype", static_cast<std::int64_t>(dtype()), "the graph's weights");
    set("mode", static_cast<std::int64_t>(model::Mode::prefill), "a graph is run forward");
    for (const model::Override& each : options_.overrides) {
      if (!model::concerns_networks(each.field)) continue;
      const auto index = static_cast<std::size_t>(each.field);
      model::fields()[index].set(reading.setup, each.value);
      reading.origins[index].kind = model::Origin::Kind::command_line;
      reading.origins[index].note = fmt::format("`{}`", each.flag);
    }
    model::complete_network(reading);
    if (reading.setup.plan.mode == model::Mode::decode)
      return fail("a graph has no decoding", "`train` or `prefill`");
    for (const model::LayerProblem& each : model::resolve(reading.setup.model).problems)
      fail(each.message, each.hint);
    if (result_.errors.empty()) result_.readings.push_back(std::move(reading));
  }

  const Graph& graph_;
  const std::string& path_;
  const ReadOptions& options_;
  ReadResult& result_;
  std::set<std::string> fused_;  // outputs that a following activation may join
  std::map<std::int32_t, std::string> outputs_;
  std::map<std::string, int> left_out_;
  std::vector<Layer> layers_;
  std::vector<model::LayerOrigin> result_layers_;
  GraphType weight_type_ = GraphType::fp32;
  std::int32_t next_ = 0;
};

}  // namespace

void lower_graph(const Graph& graph, const std::string& path, const ReadOptions& options,
                 ReadResult& result) {
  GraphLowering(graph, path, options, result).run();
}

}  // namespace shapelint::formats
