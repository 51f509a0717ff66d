// ONNX graphs through the ONNX library. Only this folder sees its headers, and those of protobuf. It is a
// module of its own: the library takes tens of milliseconds to load, which only graphs are worth.
#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

#include "base/budget.hpp"
#include "base/counted.hpp"
#include "base/number.hpp"
#include "formats/onnx/graph.hpp"
#include "formats/onnx/module/infer.hpp"

namespace shapelint::formats {

namespace {

// Each takes some 2 kB until all are lowered.
constexpr int max_nodes = 100'000;
constexpr std::int64_t max_parsed_bytes = std::int64_t{128} << 20;
constexpr int deepest = 32;  // functions and branches inside each other

GraphType type_of(int type) {
  constexpr int first_fp8 = 17;  // FLOAT8E4M3FN and three more, since onnx 1.14
  constexpr int last_fp8 = 20;
  if (type >= first_fp8 && type <= last_fp8) return GraphType::fp8;
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return GraphType::fp32;
    case onnx::TensorProto::FLOAT16:
      return GraphType::fp16;
    case onnx::TensorProto::BFLOAT16:
      return GraphType::bf16;
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
      return GraphType::int8;
    default:
      return GraphType::other;
  }
}

// Messages of onnx.proto that hold others. `element`: of a sequence, map or optional, which has a type.
enum class Message : std::uint8_t {
  model,
  training,
  graph,
  node,
  attribute,
  function,
  tensor,
  sparse,
  value,
  type,
  element,
  tensor_type,
  shape
};

std::optional<Message> held_in(Message message, std::uint32_t field) {
  struct Held {
    Message in;
    std::uint32_t field;
    Message what;
  };
  using enum Message;
  static constexpr std::array<Held, 33> all{{
      {model, 7, graph},       {model, 20, training},     {model, 25, function},   {training, 1, graph},
      {training, 2, graph},    {graph, 1, node},          {graph, 5, tensor},      {graph, 11, value},
      {graph, 12, value},      {graph, 13, value},        {graph, 15, sparse},     {node, 5, attribute},
      {attribute, 5, tensor},  {attribute, 6, graph},     {attribute, 10, tensor}, {attribute, 11, graph},
      {attribute, 14, type},   {attribute, 15, type},     {attribute, 22, sparse}, {attribute, 23, sparse},
      {function, 7, node},     {function, 11, attribute}, {sparse, 1, tensor},     {sparse, 2, tensor},
      {value, 2, type},        {type, 1, tensor_type},    {type, 4, element},      {type, 5, element},
      {type, 8, tensor_type},  {type, 9, element},        {element, 1, type},      {element, 2, type},
      {tensor_type, 2, shape},
  }};
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Held& each) { return each.in == message && each.field == field; });
  return found == all.end() ? std::nullopt : std::optional(found->what);
}

// What is left of what a graph may have.
struct Left {
  std::int64_t nodes = max_nodes;
  std::int64_t bytes = max_parsed_bytes;
};

// Whether a message has more nodes, or takes more memory once it is parsed, than what is left; found without
// making any of it: protobuf takes up to thirty times the bytes. What is broken is the parser's to refuse.
bool has_more(std::string_view bytes, Message message, int depth, Left& left) {
  using Format = google::protobuf::internal::WireFormatLite;
  constexpr std::int64_t bytes_of_value = 64;     // a text, a dimension
  constexpr std::int64_t bytes_of_message = 320;  // a node, a tensor, an attribute
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  google::protobuf::io::CodedInputStream stream(begin, static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = stream.ReadTag()) {
    if (Format::GetTagWireType(tag) != Format::WIRETYPE_LENGTH_DELIMITED) {
      if ((left.bytes -= sizeof(std::int64_t)) < 0) return true;
      if (!Format::SkipField(&stream, tag)) return false;
      continue;
    }
    const auto field = static_cast<std::uint32_t>(Format::GetTagFieldNumber(tag));
    const auto held = held_in(message, field);
    std::uint32_t size = 0;
    if (!stream.ReadVarint32(&size)) return false;
    const auto at = static_cast<std::size_t>(stream.CurrentPosition());
    if (size > bytes.size() - at) return false;
    left.bytes -= held ? bytes_of_message : bytes_of_value;
    // Numbers that are packed take a byte or more each.
    const bool may_be_packed = (message == Message::tensor && field != 9) || message == Message::attribute;
    if (!held && may_be_packed) left.bytes -= std::int64_t{size} * 8;
    if (held == Message::node) --left.nodes;
    if (left.nodes < 0 || left.bytes < 0) return true;
    if (held && depth <= 4 * deepest && has_more(bytes.substr(at, size), *held, depth + 1, left)) return true;
    stream.Skip(static_cast<int>(size));
  }
  return false;
}

class GraphReader {
 public:
  GraphReader(const GraphRequest& request, Graph& graph, Error& error)
      : request_(request), graph_(graph), error_(error) {}

  void read(std::string_view bytes) {
    const google::protobuf::LogSilencer quiet;
    Left left;
    if (has_more(bytes, Message::model, 0, left)) {
      if (left.nodes < 0) return fail_of_size();
      return fail("the graph has more names, attributes and sizes than any network needs",
                  "the graph is not read");
    }
    if (!model_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model_.has_graph()) {
      return fail("the file is not an ONNX graph",
                  bytes.empty() ? "it is empty" : "it may be truncated, or another kind of file");
    }
    onnx::GraphProto& proto = *model_.mutable_graph();
    for (const onnx::TensorProto& each : proto.initializer()) graph_.weights.insert(each.name());
    if (!fix_dimensions(proto, graph_.weights, request_, graph_, error_)) return;
    for (const onnx::FunctionProto& each : model_.functions())
      functions_[each.domain() + ":" + each.name()] = &each;
    Types declared;
    for (const auto* values : {&proto.value_info(), &proto.output()}) {
      for (const onnx::ValueInfoProto& each : *values) declared[each.name()] = each.type();
    }
    ShapeInference inference(model_, *request_.operators, std::move(declared));
    inference_ = &inference;
    for (const onnx::ValueInfoProto& each : proto.input()) {
      if (!graph_.weights.contains(each.name())) inference.add_type(each.name(), each.type());
      defined_.insert(each.name());
    }
    add_graph(proto, 0);
    if (!error_.message.empty()) return;
    collect_shapes();
    tell_choices();
    graph_.name = proto.name();
  }

 private:
  void fail(std::string message, std::string hint) {
    if (!error_.message.empty()) return;
    error_.message = std::move(message);
    error_.hint = std::move(hint);
  }

  void fail_of_size() {
    fail(fmt::format("the graph has more than {} nodes", max_nodes), "no more are read");
  }

  // The nodes of a graph, or of a branch of one, whose names are its surroundings' as well.
  void add_graph(const onnx::GraphProto& proto, int depth) {
    for (const onnx::TensorProto& each : proto.initializer()) {
      graph_.weights.insert(each.name());
      inference_->add_weights(each);
      defined_.insert(each.name());
    }
    for (const onnx::SparseTensorProto& each : proto.sparse_initializer())
      defined_.insert(each.values().name());
    for (const onnx::NodeProto& node : proto.node()) {
      add(node, depth);
      if (!error_.message.empty()) return;
    }
  }

  void add(const onnx::NodeProto& node, int depth) {
    if (graph_.nodes.size() >= max_nodes) return fail_of_size();
    if (depth > deepest) return fail(fmt::format("functions are nested more than {} deep", deepest), "");
    for (const std::string& each : node.input()) {
      if (each.empty() || defined_.contains(each)) continue;
      return fail(fmt::format("`{}` reads `{}`, which no node before it writes", title(node), each),
                  "the graph has a cycle, or its nodes are out of order");
    }
    const auto function = functions_.find(node.domain() + ":" + node.op_type());
    if (function != functions_.end()) {
      call(node, *function->second, depth);
    } else if (node.op_type() == "If") {
      branch(node, depth);
    } else {
      inference_->infer(node);
      collect(node);
    }
    defined_.insert(node.output().begin(), node.output().end());
  }

  static std::string title(const onnx::NodeProto& node) {
    return node.name().empty() ? node.op_type() : node.name();
  }

  void collect(const onnx::NodeProto& node) {
    GraphNode out{node.op_type(), node.name(), {}, {}, {}, {}};
    out.inputs.assign(node.input().begin(), node.input().end());
    out.outputs.assign(node.output().begin(), node.output().end());
    for (const onnx::AttributeProto& each : node.attribute()) {
      if (each.has_s()) out.texts[each.name()] = each.s();
      auto& values = out.integers[each.name()];
      values.assign(each.ints().begin(), each.ints().end());
      if (each.has_i()) values.push_back(each.i());
    }
    graph_.nodes.push_back(std::move(out));
  }

  void alias(const std::string& from, const std::string& to, int depth) {
    onnx::NodeProto same;
    same.set_op_type("Identity");
    same.add_input(from);
    same.add_output(to);
    add(same, depth);
  }

  // The branch that is taken where the condition is arithmetic on shapes, else the longer one.
  void branch(const onnx::NodeProto& node, int depth) {
    const onnx::GraphProto* then_branch = nullptr;
    const onnx::GraphProto* else_branch = nullptr;
    for (const onnx::AttributeProto& each : node.attribute()) {
      if (each.name() == "then_branch") then_branch = &each.g();
      if (each.name() == "else_branch") else_branch = &each.g();
    }
    if (then_branch == nullptr || else_branch == nullptr) return;
    const SmallTensor* condition = node.input_size() > 0 ? inference_->value(node.input(0)) : nullptr;
    const bool known = condition != nullptr && condition->values.size() == 1;
    const bool takes_then =
        known ? condition->values[0] != 0 : then_branch->node_size() >= else_branch->node_size();
    if (!known) ++guessed_;
    const onnx::GraphProto& taken = takes_then ? *then_branch : *else_branch;
    add_graph(taken, depth + 1);
    for (int i = 0; i < node.output_size() && i < taken.output_size(); ++i) {
      if (error_.message.empty()) alias(taken.output(i).name(), node.output(i), depth + 1);
    }
  }

  // The body of a function of the file, with the caller's values and attributes for its own.
  void call(const onnx::NodeProto& node, const onnx::FunctionProto& function, int depth) {
    std::map<std::string, std::string> names;
    for (int i = 0; i < function.input_size(); ++i)
      names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    for (int i = 0; i < function.output_size() && i < node.output_size(); ++i)
      names[function.output(i)] = node.output(i);
    const std::string prefix = fmt::format("{}@{}/", title(node), ++calls_);
    const auto rename = [&](const std::string& name) {
      if (name.empty()) return name;
      return names.try_emplace(name, prefix + name).first->second;
    };
    for (const onnx::NodeProto& inner : function.node()) {
      charge(10 + inner.ByteSizeLong());  // a copy of it is made, of which what it holds is kept
      onnx::NodeProto copy = inner;
      for (std::string& each : *copy.mutable_input()) each = rename(each);
      for (std::string& each : *copy.mutable_output()) each = rename(each);
      copy.set_name(fmt::format("{}/{}", title(node), title(inner)));
      for (onnx::AttributeProto& each : *copy.mutable_attribute()) {
        if (each.ref_attr_name().empty()) continue;
        const std::string own = each.name();
        for (const onnx::AttributeProto& given : node.attribute()) {
          if (given.name() == each.ref_attr_name()) each = given;
        }
        each.set_name(own);
      }
      add(copy, depth + 1);
      if (!error_.message.empty()) return;
    }
  }

  void collect_shapes() {
    for (const auto& [name, type] : inference_->types()) {
      const auto shape = known_shape(type);
      if (!shape) continue;
      graph_.shapes[name] = *shape;
      graph_.types[name] = type_of(type.tensor_type().elem_type());
    }
  }

  void tell_choices() {
    if (guessed_ == 0) return;
    graph_.notes.push_back(
        fmt::format("{} of the graph's branches (If) {} known only at run time: the longer one is taken",
                    guessed_, in_number(guessed_ == 1, "is|are")));
  }

  const GraphRequest& request_;
  Graph& graph_;
  Error& error_;
  onnx::ModelProto model_;
  ShapeInference* inference_ = nullptr;
  std::map<std::string, const onnx::FunctionProto*> functions_;
  std::set<std::string> defined_;
  int guessed_ = 0;
  int calls_ = 0;
};

}  // namespace

}  // namespace shapelint::formats

extern "C" __attribute__((visibility("default"))) void shapelint_parse_onnx_2(
    const char* bytes, std::size_t size, const shapelint::formats::GraphRequest* request,
    shapelint::formats::Graph* graph, shapelint::Error* error) {
  // Its own account: the library shares none with the program.
  const shapelint::Budget budget;
  try {
    shapelint::formats::GraphReader(*request, *graph, *error).read(std::string_view(bytes, size));
  } catch (const shapelint::Spent& spent) {
    error->message = spent.what();
  }
}
