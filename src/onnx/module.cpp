// ONNX graphs through the ONNX library; the only file that sees its headers, and those of protobuf. It is a
// module of its own: the library takes tens of milliseconds to load, which only graphs are worth.
#include <algorithm>
#include <exception>
#include <set>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "formats/onnx_graph.hpp"

namespace shapelint::formats {

namespace {

constexpr int most_nodes = 200'000;

GraphType type_of(int type) {
  if (type == onnx::TensorProto::FLOAT) return GraphType::fp32;
  if (type == onnx::TensorProto::FLOAT16) return GraphType::fp16;
  return type == onnx::TensorProto::BFLOAT16 ? GraphType::bf16 : GraphType::other;
}

class GraphReader {
 public:
  GraphReader(std::int64_t sequence_length, Graph& graph, Error& error)
      : sequence_length_(sequence_length), graph_(graph), error_(error) {}

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
    collect_nodes();
    graph_.name = model_.graph().name();
  }

 private:
  void fail(std::string message, std::string hint) {
    error_.message = std::move(message);
    error_.hint = std::move(hint);
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
          if (dim->dim_value() > largest_graph_dimension) {
            fail(fmt::format("input `{}` has a dimension of {}", input.name(), dim->dim_value()),
                 "no tensor is that large");
            return false;
          }
          if (i == 0 && first) graph_.batch = dim->dim_value();
          continue;
        }
        const std::string name = dim->dim_param();
        std::int64_t value = 0;
        if (i == 0) {
          value = 1;
          graph_.symbolic_batch = graph_.symbolic_batch || first;
        } else if (i == 1 && shape->dim_size() <= 3) {
          value = sequence_length_;
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
    GraphShape shape;
    for (const auto& dim : value.type().tensor_type().shape().dim()) {
      if (!dim.has_dim_value() || dim.dim_value() < 0 || dim.dim_value() > largest_graph_dimension) return;
      shape.push_back(dim.dim_value());
    }
    graph_.shapes[value.name()] = std::move(shape);
    graph_.types[value.name()] = type_of(value.type().tensor_type().elem_type());
  }

  void collect_shapes() {
    const onnx::GraphProto& graph = model_.graph();
    for (const auto& each : graph.input()) add_shape(each);
    for (const auto& each : graph.value_info()) add_shape(each);
    for (const auto& each : graph.output()) add_shape(each);
    for (const onnx::TensorProto& each : graph.initializer()) {
      graph_.shapes[each.name()] = {each.dims().begin(), each.dims().end()};
      graph_.types[each.name()] = type_of(each.data_type());
    }
  }

  void collect_nodes() {
    for (const onnx::NodeProto& node : model_.graph().node()) {
      GraphNode out{node.op_type(), node.name(), node.domain(), {}, {}, {}};
      out.inputs.assign(node.input().begin(), node.input().end());
      out.outputs.assign(node.output().begin(), node.output().end());
      for (const onnx::AttributeProto& each : node.attribute()) {
        auto& values = out.integers[each.name()];
        values.assign(each.ints().begin(), each.ints().end());
        if (each.type() == onnx::AttributeProto::INT) values.push_back(each.i());
      }
      graph_.nodes.push_back(std::move(out));
    }
  }

  std::int64_t sequence_length_;
  Graph& graph_;
  Error& error_;
  onnx::ModelProto model_;
  std::set<std::string> weights_;
};

}  // namespace

}  // namespace shapelint::formats

extern "C" __attribute__((visibility("default"))) void shapelint_parse_onnx(const char* bytes,
                                                                            std::size_t size,
                                                                            std::int64_t sequence_length,
                                                                            shapelint::formats::Graph* graph,
                                                                            shapelint::Error* error) {
  shapelint::formats::GraphReader(sequence_length, *graph, *error).read(std::string_view(bytes, size));
}
