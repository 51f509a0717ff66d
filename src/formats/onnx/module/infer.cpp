// Shapes of a graph's values. The library infers each operator; it is given the values of the arithmetic on
// shapes, which version 1.12 does not follow through Gather and Slice by itself.
#include "formats/onnx/module/infer.hpp"

#include <algorithm>
#include <exception>

#include <onnx/defs/schema.h>

#include "model/arithmetic.hpp"

namespace shapelint::formats {

std::optional<GraphShape> known_shape(const onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return std::nullopt;
  GraphShape shape;
  for (const auto& dim : type.tensor_type().shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0 || dim.dim_value() > largest_graph_dimension)
      return std::nullopt;
    shape.push_back(dim.dim_value());
  }
  return shape;
}

namespace {

void set_shape(onnx::TypeProto& type, int element, const GraphShape& shape) {
  type.mutable_tensor_type()->set_elem_type(element);
  auto* target = type.mutable_tensor_type()->mutable_shape();
  target->clear_dim();
  for (const std::int64_t dim : shape) target->add_dim()->set_dim_value(dim);
}

std::int64_t integer(const onnx::NodeProto& node, std::string_view name, std::int64_t otherwise) {
  for (const onnx::AttributeProto& each : node.attribute()) {
    if (each.name() == name && each.has_i()) return each.i();
  }
  return otherwise;
}

// Real networks have ten; each is copied for every later node. More are ignored.
constexpr int max_dimensions = 12;

// What the library divides by without looking.
bool divides_by_nothing(const onnx::NodeProto& node) {
  for (const onnx::AttributeProto& each : node.attribute()) {
    if (each.name() == "blocksize" && each.i() < 1) return true;
    if (each.name() != "strides" && each.name() != "dilations" && each.name() != "kernel_shape") continue;
    if (std::any_of(each.ints().begin(), each.ints().end(), [](std::int64_t value) { return value < 1; }))
      return true;
  }
  return false;
}

// The library makes as many dimensions as the shape has values, also when it does not know them.
bool has_many_dimensions(const onnx::NodeProto& node, const onnx::TypeProto* shape) {
  if (shape == nullptr || !shape->has_tensor_type() || shape->tensor_type().shape().dim_size() == 0)
    return false;
  return shape->tensor_type().shape().dim(0).dim_value() > max_dimensions &&
         (node.op_type() == "ConstantOfShape" || node.op_type() == "Expand" || node.op_type() == "Reshape");
}

std::optional<int> rank_of(const onnx::TypeProto* type) {
  if (type == nullptr || !type->has_tensor_type() || !type->tensor_type().has_shape()) return std::nullopt;
  return type->tensor_type().shape().dim_size();
}

// Whether a kernel has as many dimensions as the image that it moves over; the library reads as if it had.
bool kernel_fits(const onnx::NodeProto& node, const onnx::TypeProto* image, const onnx::TypeProto* kernel) {
  const bool convolves = node.op_type().find("Conv") != std::string::npos;
  if (!convolves && node.op_type().find("Pool") == std::string::npos) return true;
  const auto rank = rank_of(image);
  if (!rank) return true;       // then the library has nothing to infer from
  const int moved = *rank - 2;  // all but images and channels
  if (moved < 0 || (convolves && rank_of(kernel).value_or(*rank) != *rank)) return false;
  return std::all_of(node.attribute().begin(), node.attribute().end(), [&](const onnx::AttributeProto& each) {
    const std::string& name = each.name();
    const bool per_dimension = name == "kernel_shape" || name == "strides" || name == "dilations" ||
                               name == "output_padding" || name == "output_shape";
    return (!per_dimension || each.ints_size() == moved) && (name != "pads" || each.ints_size() == 2 * moved);
  });
}

// A recurrent layer without its width, or with outputs that it does not have, the library reads as if it were
// whole.
bool is_whole(const onnx::NodeProto& node, const onnx::OpSchema& schema) {
  const std::string& op = node.op_type();
  if (node.output_size() > schema.max_output() || node.input_size() > schema.max_input()) return false;
  return (op != "LSTM" && op != "GRU" && op != "RNN") || integer(node, "hidden_size", 0) > 0;
}

constexpr int newest_version = 1'000;  // the library takes the newest that it knows

}  // namespace

// One node, as the library asks for it.
class NodeContext final : public onnx::InferenceContext {
 public:
  NodeContext(ShapeInference& inference, const onnx::NodeProto& node, std::vector<onnx::TypeProto>& outputs)
      : inference_(inference), node_(node), outputs_(outputs) {}

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    for (const onnx::AttributeProto& each : node_.attribute()) {
      if (each.name() == name) return &each;
    }
    return nullptr;
  }
  std::size_t getNumInputs() const override { return static_cast<std::size_t>(node_.input_size()); }
  const onnx::TypeProto* getInputType(std::size_t index) const override {
    return inference_.type(node_, static_cast<std::int64_t>(index));
  }
  const onnx::TensorProto* getInputData(std::size_t index) const override {
    if (index >= getNumInputs()) return nullptr;
    return inference_.data(node_.input(static_cast<int>(index)));
  }
  std::size_t getNumOutputs() const override { return outputs_.size(); }
  onnx::TypeProto* getOutputType(std::size_t index) override { return &outputs_.at(index); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override { return nullptr; }
  const onnx::SparseTensorProto* getInputSparseData(std::size_t) const override { return nullptr; }
  const onnx::TensorShapeProto* getSymbolicInput(std::size_t) const override { return nullptr; }

 private:
  ShapeInference& inference_;
  const onnx::NodeProto& node_;
  std::vector<onnx::TypeProto>& outputs_;
};

ShapeInference::ShapeInference(const onnx::ModelProto& model, const GraphOperators& operators, Types declared)
    : operators_(operators), declared_(std::move(declared)) {
  for (const onnx::OperatorSetIdProto& each : model.opset_import()) {
    const std::string domain = each.domain() == "ai.onnx" ? "" : each.domain();
    versions_[domain] = each.version() > 0 && each.version() < newest_version
                            ? static_cast<int>(each.version())
                            : newest_version;
  }
}

void ShapeInference::add_type(const std::string& name, onnx::TypeProto type) {
  if (rank_of(&type).value_or(0) <= max_dimensions)
    types_[name] = std::move(type);
  else
    types_.erase(name);
}

void ShapeInference::add_weights(const onnx::TensorProto& tensor) {
  weights_[tensor.name()] = &tensor;
  onnx::TypeProto type;
  set_shape(type, tensor.data_type(), {tensor.dims().begin(), tensor.dims().end()});
  add_type(tensor.name(), std::move(type));
  if (auto small = small_tensor(tensor)) values_[tensor.name()] = *std::move(small);
}

const SmallTensor* ShapeInference::value(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

const onnx::TypeProto* ShapeInference::type(const onnx::NodeProto& node, std::int64_t index) const {
  if (index < 0 || index >= node.input_size()) return nullptr;
  const auto found = types_.find(node.input(static_cast<int>(index)));
  return found == types_.end() ? nullptr : &found->second;
}

const onnx::TensorProto* ShapeInference::data(const std::string& name) {
  // A tensor whose values are broken, or not in the file, the library would read anyway.
  const auto found = values_.find(name);
  if (found == values_.end()) return nullptr;
  const auto weights = weights_.find(name);
  if (weights != weights_.end()) return weights->second;
  const auto [tensor, inserted] = tensors_.try_emplace(name);
  if (inserted) tensor->second = tensor_of(found->second);
  return &tensor->second;
}

void ShapeInference::with_schema(const onnx::NodeProto& node, const std::string& op,
                                 const std::string& domain, std::vector<onnx::TypeProto>& outputs) {
  const auto version = versions_.find(domain);
  const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Instance()->GetSchema(
      op, version == versions_.end() ? newest_version : version->second, domain);
  // Fewer inputs than the operator has the library would read anyway.
  if (schema == nullptr || node.input_size() < schema->min_input() || !is_whole(node, *schema) ||
      divides_by_nothing(node) || !schema->has_type_and_shape_inference_function())
    return;
  if (has_many_dimensions(node, type(node, op == "ConstantOfShape" ? 0 : 1))) return;
  const std::int64_t kernel = op == "QLinearConv" ? 3 : 1;
  if (!kernel_fits(node, type(node, 0), type(node, kernel))) return;
  NodeContext context(*this, node, outputs);
  try {
    schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::exception&) {
    for (onnx::TypeProto& each : outputs) each.Clear();  // half an answer is none
  }
}

void ShapeInference::by_library(const onnx::NodeProto& node, std::vector<onnx::TypeProto>& outputs) {
  const std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
  const std::string& op = node.op_type();
  // From opset 18 on the axes of a reduction are an input, which the library does not know yet.
  const SmallTensor* axes = node.input_size() == 2 ? value(node.input(1)) : nullptr;
  if (!op.starts_with("Reduce") || op == "ReduceSum" || axes == nullptr)
    return with_schema(node, op, domain, outputs);
  onnx::NodeProto older = node;
  onnx::AttributeProto* attribute = older.add_attribute();
  attribute->set_name("axes");
  attribute->set_type(onnx::AttributeProto::INTS);
  for (const double axis : axes->values) attribute->add_ints(whole(axis));
  older.mutable_input()->RemoveLast();
  with_schema(older, op, domain, outputs);
}

void ShapeInference::by_rule(const onnx::NodeProto& node, const ShapeRule& rule,
                             std::vector<onnx::TypeProto>& outputs) {
  if (rule.kind == ShapeRuleKind::as_operator) return with_schema(node, rule.op, "", outputs);
  const onnx::TypeProto* in = type(node, rule.input);
  const auto shape = in == nullptr ? std::nullopt : known_shape(*in);
  if (!shape || shape->empty()) return;
  const onnx::TypeProto* typed = rule.type_input < 0 ? in : type(node, rule.type_input);
  const int element = (typed == nullptr ? in : typed)->tensor_type().elem_type();
  GraphShape out = *shape;
  const auto other = [&](std::int64_t index) {
    const onnx::TypeProto* found = type(node, index);
    return found == nullptr ? std::nullopt : known_shape(*found);
  };
  switch (rule.kind) {
    case ShapeRuleKind::columns:
      out.back() = integer(node, rule.attribute, 0);
      break;
    case ShapeRuleKind::embedding: {
      const auto tokens = other(0);
      if (!tokens) return;
      const std::int64_t width = out.back();
      out = *tokens;
      out.push_back(width);
      break;
    }
    case ShapeRuleKind::matmul: {
      const auto b = other(1);
      if (!b || b->size() < 2 || out.size() < 2) return;
      if (integer(node, "transA", 0) != 0) std::swap(out[out.size() - 1], out[out.size() - 2]);
      out.back() = (*b)[b->size() - (integer(node, "transB", 0) != 0 ? 2 : 1)];
      break;
    }
    case ShapeRuleKind::attention: {
      const auto second = other(1);
      const std::int64_t heads = integer(node, "num_heads", integer(node, "q_num_heads", 0));
      const std::int64_t key_heads = integer(node, "kv_num_heads", heads);
      const auto values = other(2);
      if (second && second->size() == 2) {
        // With a projection: the third part of its width is that of the values.
        out.back() = (*second)[1] / 3;
        for (const onnx::AttributeProto& each : node.attribute()) {
          if (each.name() == "qkv_hidden_sizes" && each.ints_size() == 3) out.back() = each.ints(2);
        }
      } else if (!second && heads > 0 && key_heads > 0) {
        out.back() = out.back() / model::plus(heads, model::times(2, key_heads));
        out.back() = model::times(out.back(), heads);
      } else if (values && out.size() == values->size() && out.size() == 4) {
        out.back() = values->back();
      } else if (values && values->size() == 3 && heads > 0 && key_heads > 0) {
        out.back() = model::times(values->back() / key_heads, heads);
      }
      break;
    }
    default:
      break;
  }
  for (const std::int64_t index : rule.outputs) {
    if (index >= 0 && index < static_cast<std::int64_t>(outputs.size()))
      set_shape(outputs[static_cast<std::size_t>(index)], element, out);
  }
}

void ShapeInference::infer(const onnx::NodeProto& node) {
  std::vector<onnx::TypeProto> outputs(static_cast<std::size_t>(node.output_size()));
  std::vector<const SmallTensor*> inputs;
  for (const std::string& each : node.input()) inputs.push_back(each.empty() ? nullptr : value(each));
  const onnx::TypeProto* first = type(node, 0);
  const auto shape = first == nullptr ? std::nullopt : known_shape(*first);
  if (auto small = fold(node, inputs, shape ? &*shape : nullptr); small && node.output_size() == 1)
    values_[node.output(0)] = *std::move(small);
  by_library(node, outputs);
  const auto rule = operators_.shapes.find(node.op_type());
  if (rule != operators_.shapes.end() && !outputs.empty() && !known_shape(outputs[0]))
    by_rule(node, rule->second, outputs);
  for (int i = 0; i < node.output_size(); ++i) {
    const std::string& name = node.output(i);
    if (name.empty()) continue;
    onnx::TypeProto& type = outputs[static_cast<std::size_t>(i)];
    const auto declared = declared_.find(name);
    if (!known_shape(type) && declared != declared_.end() && known_shape(declared->second))
      type = declared->second;
    add_type(name, std::move(type));
  }
}

}  // namespace shapelint::formats
