// ONNX graphs through the ONNX library; the only file that sees its headers, and those of protobuf.
#include "formats/onnx.hpp"

#include "text/limits.hpp"

#ifdef SHAPELINT_ONNX
#include <algorithm>
#include <exception>
#include <map>
#include <set>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "formats/paths.hpp"
#include "model/arithmetic.hpp"
#include "model/cnn.hpp"
#include "model/derive.hpp"
#endif

namespace shapelint::formats {

namespace {

constexpr std::int64_t largest_graph_bytes = std::int64_t{1} << 30;  // protobuf itself ends at 2^31

}  // namespace

bool is_onnx(std::string_view path) {
  return path.ends_with(".onnx");
}

std::int64_t size_limit(std::string_view path) {
  return is_onnx(path) ? largest_graph_bytes : text::max_source_bytes;
}

#ifndef SHAPELINT_ONNX

bool reads_onnx() {
  return false;
}

ReadResult read_onnx(const std::string& path, std::string_view, const ReadOptions&) {
  ReadResult result;
  result.recognised = true;
  result.dialect = "onnx";
  result.errors.push_back({"this program was built without ONNX",
                           "build it where libonnx-dev and libprotobuf-dev are installed",
                           path,
                           {}});
  return result;
}

#else

bool reads_onnx() {
  return true;
}

namespace {

using model::Layer;
using model::LayerKind;

constexpr int most_nodes = 200'000;
constexpr std::int64_t largest_dimension = std::int64_t{1} << 40;
constexpr std::int64_t largest_side = std::int64_t{1} << 20;  // of an image, a kernel, a number of channels

using Shape = std::vector<std::int64_t>;

std::int64_t product(const Shape& shape, std::size_t begin, std::size_t end) {
  std::int64_t out = 1;
  for (std::size_t i = begin; i < end; ++i) out = model::times(out, shape[i]);
  return out;
}

std::int64_t integer(const onnx::NodeProto& node, std::string_view name, std::int64_t otherwise) {
  for (const onnx::AttributeProto& each : node.attribute()) {
    if (each.name() == name) return each.i();
  }
  return otherwise;
}

std::vector<std::int64_t> integers(const onnx::NodeProto& node, std::string_view name) {
  for (const onnx::AttributeProto& each : node.attribute()) {
    if (each.name() == name) return {each.ints().begin(), each.ints().end()};
  }
  return {};
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

class GraphReader {
 public:
  GraphReader(const std::string& path, const ReadOptions& options, ReadResult& result)
      : path_(path), options_(options), result_(result) {}

  void read(std::string_view bytes) {
    const google::protobuf::LogSilencer quiet;
    if (!model_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model_.has_graph()) {
      return fail("the file is no ONNX graph",
                  bytes.empty() ? "it is empty" : "it may be cut off, or be something else");
    }
    if (model_.graph().node_size() > most_nodes) {
      return fail(fmt::format("the graph has {} nodes", model_.graph().node_size()),
                  fmt::format("at most {} are read", most_nodes));
    }
    for (const onnx::TensorProto& each : model_.graph().initializer()) weights_.insert(each.name());
    if (!fix_inputs()) return;
    try {
      onnx::shape_inference::InferShapes(model_, onnx::OpSchemaRegistry::Instance(), {false, 0, true});
    } catch (const std::exception& error) {
      std::string what = error.what();
      std::replace(what.begin(), what.end(), '\n', ' ');
      return fail("the shapes of the graph cannot be inferred", what.substr(0, 200));
    }
    collect_shapes();
    for (const onnx::NodeProto& node : model_.graph().node()) lower(node);
    finish();
  }

 private:
  void fail(std::string message, std::string hint) {
    result_.errors.push_back({std::move(message), std::move(hint), path_, {}});
  }

  std::int64_t given(std::string_view field) const {
    const model::FieldId id = model::find_field(field);
    for (const model::Override& each : options_.overrides) {
      if (each.field == id) return each.value;
    }
    return 0;
  }

  // Symbolic dimensions get a number: the batch 1 (everything is counted per image), tokens what was given.
  bool fix_inputs() {
    bool first = true;
    for (onnx::ValueInfoProto& input : *model_.mutable_graph()->mutable_input()) {
      if (weights_.contains(input.name()) || !input.type().has_tensor_type()) continue;
      auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
      for (int i = 0; i < shape->dim_size(); ++i) {
        auto* dim = shape->mutable_dim(i);
        if (dim->has_dim_value() && dim->dim_value() > 0) {
          if (dim->dim_value() > largest_dimension) {
            fail(fmt::format("input `{}` has a dimension of {}", input.name(), dim->dim_value()),
                 "no tensor is that large");
            return false;
          }
          if (i == 0 && first) batch_ = dim->dim_value();
          continue;
        }
        const std::string name = dim->dim_param();
        std::int64_t value = 0;
        if (i == 0) {
          value = 1;
          symbolic_batch_ = symbolic_batch_ || first;
        } else if (i == 1 && shape->dim_size() <= 3) {
          value = given("sequence_length");
        }
        if (value == 0) {
          fail(fmt::format("dimension {} of input `{}` is {}", i, input.name(),
                           name.empty() ? "not stated" : fmt::format("symbolic (`{}`)", name)),
               i == 1 && shape->dim_size() <= 3
                   ? "`--sequence-length` gives it a number"
                   : "only the batch may be; export the graph with a size there");
          return false;
        }
        dim->clear_dim_param();
        dim->set_dim_value(value);
      }
      first = false;
    }
    // Outputs and intermediate values that were exported with symbols are inferred again.
    model_.mutable_graph()->clear_value_info();
    for (onnx::ValueInfoProto& output : *model_.mutable_graph()->mutable_output()) {
      if (output.type().has_tensor_type()) output.mutable_type()->mutable_tensor_type()->clear_shape();
    }
    return true;
  }

  void add_shape(const onnx::ValueInfoProto& value) {
    if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
    Shape shape;
    for (const auto& dim : value.type().tensor_type().shape().dim()) {
      if (!dim.has_dim_value() || dim.dim_value() < 0 || dim.dim_value() > largest_dimension) return;
      shape.push_back(dim.dim_value());
    }
    shapes_[value.name()] = std::move(shape);
    types_[value.name()] = value.type().tensor_type().elem_type();
  }

  void collect_shapes() {
    const onnx::GraphProto& graph = model_.graph();
    for (const auto& each : graph.input()) add_shape(each);
    for (const auto& each : graph.value_info()) add_shape(each);
    for (const auto& each : graph.output()) add_shape(each);
    for (const onnx::TensorProto& each : graph.initializer()) {
      shapes_[each.name()] = {each.dims().begin(), each.dims().end()};
      types_[each.name()] = each.data_type();
    }
  }

  const Shape* shape_of(const std::string& name) const {
    const auto found = shapes_.find(name);
    return found == shapes_.end() ? nullptr : &found->second;
  }
  const Shape* input(const onnx::NodeProto& node, int index) const {
    return index < node.input_size() ? shape_of(node.input(index)) : nullptr;
  }
  const Shape* output(const onnx::NodeProto& node) const {
    return node.output_size() > 0 ? shape_of(node.output(0)) : nullptr;
  }

  // A number of rows of the whole batch, for one image. A graph whose rows are not per image is one image.
  std::int64_t per_image(std::int64_t rows) const { return rows % batch_ == 0 ? rows / batch_ : rows; }

  Layer layer(const onnx::NodeProto& node, LayerKind kind) {
    Layer out;
    out.kind = kind;
    out.id = next_++;
    out.name = !node.name().empty() ? node.name() : node.output_size() > 0 ? node.output(0) : node.op_type();
    while (out.name.starts_with('/')) out.name.erase(0, 1);
    constexpr std::size_t longest = 80;
    if (out.name.size() > longest) out.name.resize(longest);
    result_layers_.push_back({out.id, "", {}, {}, out.name});
    for (const char* key : {"in_channels", "out_channels", "groups"}) {
      result_layers_.push_back({out.id, key, {}, {}, fmt::format("{}.{}", out.name, key)});
    }
    return out;
  }

  void lower(const onnx::NodeProto& node) {
    const std::string& op = node.op_type();
    if (op == "Conv") return conv(node);
    if (op == "Gemm") return gemm(node);
    if (op == "MatMul") return matmul(node);
    if (is_other_product(op) || !node.domain().empty()) {
      ++left_out_[op];
      return;
    }
    const Shape* out = output(node);
    if (out == nullptr || !moves_memory(op) || !is_real(node.output(0))) return;
    if (is_fused(op) && node.input_size() > 0 && fused_.contains(node.input(0))) {
      fused_.insert(node.output(0));
      if (op == "BatchNormalization") norm_of(node.input(0));
      return;
    }
    Layer each = layer(node, LayerKind::elementwise);
    std::int64_t elements = product(*out, 0, out->size());
    for (int i = 0; i < node.input_size(); ++i) {
      const Shape* in = input(node, i);
      if (in != nullptr && is_real(node.input(i)))
        elements = model::plus(elements, product(*in, 0, in->size()));
    }
    each.elements = std::max<std::int64_t>(1, elements / batch_);
    layers_.push_back(std::move(each));
  }

  bool is_real(const std::string& value) const {
    const auto found = types_.find(value);
    return found != types_.end() &&
           (found->second == onnx::TensorProto::FLOAT || found->second == onnx::TensorProto::FLOAT16 ||
            found->second == onnx::TensorProto::BFLOAT16);
  }

  void norm_of(const std::string& value) {
    for (auto each = layers_.rbegin(); each != layers_.rend(); ++each) {
      if (each->kind != LayerKind::conv || outputs_[each->id] != value) continue;
      each->batch_norm = true;
      return;
    }
  }

  void add(const onnx::NodeProto& node, Layer each) {
    outputs_[each.id] = node.output(0);
    fused_.insert(node.output(0));
    layers_.push_back(std::move(each));
    if (node.input_size() > 1 && types_.contains(node.input(1))) weight_type_ = types_[node.input(1)];
  }

  void unknown(const onnx::NodeProto& node) { ++left_out_[node.op_type() + " of unknown shape"]; }

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

  void conv(const onnx::NodeProto& node) {
    const Shape* in = input(node, 0);
    const Shape* weights = input(node, 1);
    const Shape* out = output(node);
    const bool known = in != nullptr && weights != nullptr && out != nullptr &&
                       in->size() == weights->size() && out->size() == in->size();
    if (!known || in->size() < 3 || in->size() > 4) return unknown(node);
    const bool line = in->size() == 3;  // one dimension: a row
    const auto at = [&](const Shape& shape, std::size_t side) {
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
    each.bias = node.input_size() > 2;
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

  void linear(const onnx::NodeProto& node, std::int64_t rows, std::int64_t in, std::int64_t out) {
    if (rows < 1 || in < 1 || out < 1) return unknown(node);
    Layer each = layer(node, LayerKind::linear);
    each.in_channels = in;
    each.out_channels = out;
    each.rows = per_image(rows);
    each.bias = node.op_type() == "Gemm" && node.input_size() > 2;
    add(node, std::move(each));
  }

  void gemm(const onnx::NodeProto& node) {
    const Shape* a = input(node, 0);
    const Shape* b = input(node, 1);
    if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return unknown(node);
    const bool transposed = integer(node, "transA", 0) != 0;
    const std::size_t columns = integer(node, "transB", 0) != 0 ? 0 : 1;
    linear(node, (*a)[transposed ? 1 : 0], (*a)[transposed ? 0 : 1], (*b)[columns]);
  }

  void matmul(const onnx::NodeProto& node) {
    const Shape* a = input(node, 0);
    const Shape* b = input(node, 1);
    const Shape* out = output(node);
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
    if (weight_type_ == onnx::TensorProto::FLOAT16) return DType::fp16;
    if (weight_type_ == onnx::TensorProto::BFLOAT16) return DType::bf16;
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
    reading.name =
        model_.graph().name().empty() ? std::string(file.substr(0, file.size() - 5)) : model_.graph().name();
    reading.origins.resize(model::fields().size());
    reading.layers = std::move(result_layers_);
    reading.setup.model.conv = std::move(layers_);
    const auto set = [&](std::string_view field, std::int64_t value, std::string note) {
      const auto index = static_cast<std::size_t>(model::find_field(field));
      model::fields()[index].set(reading.setup, value);
      reading.origins[index].kind = model::Origin::Kind::derived;
      reading.origins[index].note = std::move(note);
    };
    set("micro_batch_size", batch_,
        symbolic_batch_ ? "1, since the graph's batch is symbolic" : "the graph's first input");
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

  const std::string& path_;
  const ReadOptions& options_;
  ReadResult& result_;
  onnx::ModelProto model_;
  std::set<std::string> weights_;
  std::map<std::string, Shape> shapes_;
  std::map<std::string, int> types_;
  std::set<std::string> fused_;  // outputs that a following activation may join
  std::map<std::int32_t, std::string> outputs_;
  std::map<std::string, int> left_out_;
  std::vector<Layer> layers_;
  std::vector<model::LayerOrigin> result_layers_;
  std::int64_t batch_ = 1;
  bool symbolic_batch_ = false;
  int weight_type_ = onnx::TensorProto::FLOAT;
  std::int32_t next_ = 0;
};

}  // namespace

ReadResult read_onnx(const std::string& path, std::string_view bytes, const ReadOptions& options) {
  ReadResult result;
  result.recognised = true;
  result.dialect = "onnx";
  if (static_cast<std::int64_t>(bytes.size()) > largest_graph_bytes) {
    result.errors.push_back(
        {"the graph is larger than 1 GiB", "export it with its weights in files beside it", path, {}});
    return result;
  }
  GraphReader(path, options, result).read(bytes);
  return result;
}

#endif

}  // namespace shapelint::formats
