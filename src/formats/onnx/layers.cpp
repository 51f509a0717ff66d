// The network of an ONNX graph: which nodes are layers, what they are called, and what is left out.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "formats/dialect/paths.hpp"
#include "formats/onnx/graph.hpp"
#include "formats/onnx/products.hpp"
#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/derive.hpp"

namespace shapelint::formats {

namespace {

using model::Layer;
using model::LayerKind;

constexpr std::size_t longest_name = 80;

bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// `layer1.0.conv1` of the weights `layer1.0.conv1.weight`; empty where they are not called so.
std::string stem_of(const std::string& weights) {
  constexpr std::array<std::string_view, 5> endings{".weight", "_weight", "_w_0", "_w", ".W"};
  for (const std::string_view ending : endings) {
    if (weights.size() > ending.size() && weights.ends_with(ending))
      return weights.substr(0, weights.size() - ending.size());
  }
  return {};
}

// Modules' paths where the exporter wrote them, else what the weights are called.
std::string name_of(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  std::string name = node.name;
  if (name.find('/') == std::string::npos && name.find('.') == std::string::npos &&
      rule.use > OperatorUse::left_out && values.has_input(node, rule.b)) {
    const std::string& weights = node.inputs[static_cast<std::size_t>(rule.b)];
    const std::string stem = values.is_constant(weights) ? stem_of(weights) : "";
    if (!stem.empty()) name = stem;
  }
  if (name.empty()) name = node.outputs[0];
  if (is_number(name)) name = fmt::format("{}_{}", node.op, name);
  while (name.starts_with('/')) name.erase(0, 1);
  if (name.size() > longest_name) name = "..." + name.substr(name.size() - longest_name + 3);
  return name;
}

class GraphLowering {
 public:
  GraphLowering(const Graph& graph, const std::string& path, const ReadOptions& options, ReadResult& result)
      : graph_(graph), values_(graph), path_(path), options_(options), result_(result) {}

  void run() {
    for (const GraphNode& node : graph_.nodes) {
      values_.pass(node);
      if (!node.outputs.empty() && !values_.is_constant(node.outputs[0])) lower(node);
    }
    finish();
  }

 private:
  void fail(std::string message, std::string hint) {
    result_.errors.push_back({std::move(message), std::move(hint), path_, {}});
  }
  void note(std::string message) { result_.notes.push_back({std::move(message), path_, {}, {}}); }

  void lower(const GraphNode& node) {
    const OperatorRule& rule = builtin_operators().rule(node.op);
    switch (rule.use) {
      case OperatorUse::nothing:
        return;
      case OperatorUse::left_out:
        ++left_out_[node.op];
        return;
      case OperatorUse::fused:
        if (!join(node)) memory(node, rule);
        return;
      case OperatorUse::memory:
        return memory(node, rule);
      default:
        return product(node, rule);
    }
  }

  void add(Layer layer, const std::string& name, bool has_keys) {
    layer.id = next_++;
    layer.name = layer.name.empty() ? name : fmt::format("{}.{}", name, layer.name);
    origins_.push_back({layer.id, "", {}, {}, layer.name});
    if (has_keys) {
      for (const char* key : {"in_channels", "out_channels", "groups"})
        origins_.push_back({layer.id, key, {}, {}, fmt::format("{}.{}", layer.name, key)});
    }
    layers_.push_back(std::move(layer));
  }

  void product(const GraphNode& node, const OperatorRule& rule) {
    std::vector<Layer> layers = product_layers(node, rule, values_);
    if (layers.empty()) {
      ++left_out_[node.op + " of unknown shape"];
      return;
    }
    const std::string name = name_of(node, rule, values_);
    const bool has_keys = rule.use == OperatorUse::conv || rule.use == OperatorUse::gemm ||
                          rule.use == OperatorUse::matmul || rule.use == OperatorUse::packed_weights;
    const auto operand = [&](std::int64_t index) {
      return values_.has_input(node, index) ? node.inputs[static_cast<std::size_t>(index)] : std::string{};
    };
    double& sums = sums_[values_.dtype_of(operand(rule.a), operand(rule.b))];
    for (Layer& layer : layers) {
      sums += sums_of(layer);
      add(std::move(layer), name, has_keys);
    }
    // Of several products in one operator nothing behind it joins any.
    if (layers.size() == 1) layer_of_[node.outputs[0]] = layers_.size() - 1;
  }

  static double sums_of(const Layer& layer) {
    using model::real;
    if (layer.kind == LayerKind::matmul)
      return real(layer.products) * real(layer.rows) * real(layer.columns) * real(layer.depth);
    const double weights = real(layer.in_channels / std::max<std::int64_t>(1, layer.groups)) *
                           real(layer.out_channels) * real(layer.kernel_height) * real(layer.kernel_width);
    const double pixels =
        layer.kind == LayerKind::conv ? real(layer.image_height) * real(layer.image_width) : 1;
    return weights * pixels * real(layer.rows) * real(layer.repeat);
  }

  // Into the epilogue of the product whose output it reads.
  bool join(const GraphNode& node) {
    if (node.inputs.empty()) return true;
    const auto before = layer_of_.find(node.inputs[0]);
    if (before == layer_of_.end()) return false;
    layer_of_[node.outputs[0]] = before->second;
    Layer& layer = layers_[before->second];
    if (node.op == "BatchNormalization" && layer.kind == LayerKind::conv) layer.batch_norm = true;
    return true;
  }

  void memory(const GraphNode& node, const OperatorRule& rule) {
    if (!values_.is_real(node.outputs[0])) return;
    std::int64_t written = 0;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const GraphShape* out = values_.output(node, i);
      if (out != nullptr && values_.is_real(node.outputs[i])) written = model::plus(written, elements(*out));
    }
    if (written == 0) return;
    std::int64_t read = rule.copies ? written : 0;
    for (std::size_t i = 0; i < node.inputs.size() && !rule.copies; ++i) {
      const GraphShape* in = values_.input(node, static_cast<std::int64_t>(i));
      if (in != nullptr && values_.is_real(node.inputs[i])) read = model::plus(read, elements(*in));
    }
    Layer layer;
    layer.kind = LayerKind::elementwise;
    layer.elements = std::max<std::int64_t>(1, model::plus(written, read) / graph_.batch);
    add(std::move(layer), name_of(node, rule, values_), false);
  }

  // The format in which most of the arithmetic is done.
  DType dtype() const {
    const auto most = std::max_element(sums_.begin(), sums_.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == sums_.end() ? DType::fp32 : most->first;
  }

  void tell_what_is_left_out() {
    for (const std::string& each : graph_.notes) note(each);
    for (const auto& [what, count] : left_out_)
      note(fmt::format("{} {} {} left out", count, what, in_number(count == 1, "is|are")));
    if (sums_.size() < 2) return;
    std::string formats;
    for (const auto& [format, sums] : sums_)
      formats += fmt::format("{}{}", formats.empty() ? "" : ", ", shapelint::name(format));
    note(fmt::format("GEMMs have several dtypes ({}): all are predicted in the main one", formats));
  }

  void finish() {
    tell_what_is_left_out();
    if (sums_.empty()) {
      std::string hint;
      for (const auto& [what, count] : left_out_)
        hint += fmt::format("{}{} {}", hint.empty() ? "left out: " : ", ", count, what);
      return fail("the graph has no convolution, linear layer or GEMM of known shape", std::move(hint));
    }
    model::Reading reading;
    reading.path = path_;
    reading.dialect = "onnx";
    const std::string_view file = file_name(path_);
    reading.name = graph_.name.empty() ? std::string(file.substr(0, file.size() - 5)) : graph_.name;
    reading.layers = std::move(origins_);
    reading.setup.model.conv = std::move(layers_);
    const auto set = [&](model::FieldId field, std::int64_t value, model::Origin::Kind kind,
                         std::string why) {
      model::set(reading.setup, field, value);
      reading.origins[field].kind = kind;
      reading.origins[field].note = std::move(why);
    };
    const auto derive = [&](model::FieldId field, std::int64_t value, std::string why) {
      set(field, value, model::Origin::Kind::derived, std::move(why));
    };
    derive(model::FieldId::micro_batch_size, graph_.batch,
           graph_.symbolic_batch ? "1, since the graph's batch is symbolic" : "the graph's first input");
    derive(model::FieldId::dtype, static_cast<std::int64_t>(dtype()), "the graph's weights");
    derive(model::FieldId::mode, static_cast<std::int64_t>(model::Mode::prefill),
           "an ONNX graph has a forward pass only");
    derive(model::FieldId::fusion, static_cast<std::int64_t>(model::Fusion::full), "ONNX runtimes fuse it");
    for (const model::Override& each : options_.overrides) {
      if (!model::concerns_networks(each.field)) continue;
      set(each.field, each.value, model::Origin::Kind::command_line, fmt::format("`{}`", each.flag));
    }
    model::complete_network(reading);
    if (reading.setup.plan.mode == model::Mode::decode)
      return fail("a graph has no decoding", "use `train` or `prefill`");
    for (const model::LayerProblem& each : model::resolve(reading.setup.model).problems)
      fail(each.message, each.hint);
    if (result_.errors.empty()) result_.readings.push_back(std::move(reading));
  }

  const Graph& graph_;
  GraphValues values_;
  const std::string& path_;
  const ReadOptions& options_;
  ReadResult& result_;
  std::map<std::string, std::size_t> layer_of_;  // values that a following activation may join
  std::map<std::string, int> left_out_;
  std::map<DType, double> sums_;  // multiply-adds, roughly
  std::vector<Layer> layers_;
  std::vector<model::LayerOrigin> origins_;
  std::int32_t next_ = 0;
};

}  // namespace

void lower_graph(const Graph& graph, const std::string& path, const ReadOptions& options,
                 ReadResult& result) {
  GraphLowering(graph, path, options, result).run();
}

}  // namespace shapelint::formats
