// Arithmetic on shapes. Operators: https://onnx.ai/onnx/operators/.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "formats/onnx/module/infer.hpp"

namespace shapelint::formats {

namespace {

template <class T>
bool from_raw(const std::string& raw, std::size_t count, std::vector<double>& out) {
  if (raw.size() != count * sizeof(T)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    T value{};
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    out.push_back(static_cast<double>(value));
  }
  return true;
}
template <class Field>
bool from_field(const Field& field, std::size_t count, std::vector<double>& out) {
  if (static_cast<std::size_t>(field.size()) != count) return false;
  for (const auto each : field) out.push_back(static_cast<double>(each));
  return true;
}

}  // namespace

std::int64_t whole(double value) {
  constexpr double largest = 4611686018427387904.0;  // 2^62
  return std::isnan(value) ? 0 : static_cast<std::int64_t>(std::clamp(value, -largest, largest));
}

std::optional<SmallTensor> small_tensor(const onnx::TensorProto& tensor) {
  SmallTensor out{{tensor.dims().begin(), tensor.dims().end()}, {}, true};
  std::size_t count = 1;
  for (const std::int64_t dim : out.dims) {
    if (dim < 0 || dim > static_cast<std::int64_t>(max_folded)) return std::nullopt;
    count *= static_cast<std::size_t>(dim);
    if (count > max_folded) return std::nullopt;
  }
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) return std::nullopt;
  const std::string& raw = tensor.raw_data();
  bool read = false;
  switch (tensor.data_type()) {
    case onnx::TensorProto::INT64:
      read = tensor.has_raw_data() ? from_raw<std::int64_t>(raw, count, out.values)
                                   : from_field(tensor.int64_data(), count, out.values);
      break;
    case onnx::TensorProto::INT32:
      read = tensor.has_raw_data() ? from_raw<std::int32_t>(raw, count, out.values)
                                   : from_field(tensor.int32_data(), count, out.values);
      break;
    case onnx::TensorProto::BOOL:
      read = tensor.has_raw_data() ? from_raw<std::uint8_t>(raw, count, out.values)
                                   : from_field(tensor.int32_data(), count, out.values);
      break;
    case onnx::TensorProto::FLOAT:
      out.whole = false;
      read = tensor.has_raw_data() ? from_raw<float>(raw, count, out.values)
                                   : from_field(tensor.float_data(), count, out.values);
      break;
    default:
      break;
  }
  if (!read) return std::nullopt;
  return out;
}

onnx::TensorProto tensor_of(const SmallTensor& small) {
  onnx::TensorProto out;
  for (const std::int64_t dim : small.dims) out.add_dims(dim);
  out.set_data_type(small.whole ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
  for (const double each : small.values) {
    small.whole ? out.add_int64_data(whole(each)) : out.add_float_data(static_cast<float>(each));
  }
  return out;
}

namespace {

using Inputs = std::vector<const SmallTensor*>;
using Folded = std::optional<SmallTensor>;

const onnx::AttributeProto* attribute(const onnx::NodeProto& node, std::string_view name) {
  for (const onnx::AttributeProto& each : node.attribute()) {
    if (each.name() == name) return &each;
  }
  return nullptr;
}
std::int64_t integer(const onnx::NodeProto& node, std::string_view name, std::int64_t otherwise) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found != nullptr && found->has_i() ? found->i() : otherwise;
}

const SmallTensor* at(const Inputs& inputs, std::size_t index) {
  return index < inputs.size() ? inputs[index] : nullptr;
}
// A list in an input, or in the attribute that it was before.
std::optional<std::vector<double>> list(const onnx::NodeProto& node, const Inputs& inputs, std::size_t index,
                                        std::string_view name) {
  if (const SmallTensor* input = at(inputs, index)) return input->values;
  const onnx::AttributeProto* found = attribute(node, name);
  if (found == nullptr) return std::nullopt;
  return std::vector<double>(found->ints().begin(), found->ints().end());
}

SmallTensor row(std::vector<double> values, bool is_whole = true) {
  return {{static_cast<std::int64_t>(values.size())}, std::move(values), is_whole};
}

double divide(double a, double b) {
  return b == 0 ? 0 : a / b;
}

Folded binary(const onnx::NodeProto& node, const Inputs& inputs) {
  using Function = double (*)(double, double);
  static const std::map<std::string, Function, std::less<>> functions{
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", divide},
      {"Mod", [](double a, double b) { return b == 0 ? 0 : a - b * std::floor(a / b); }},
      {"Pow", [](double a, double b) { return std::pow(a, b); }},
      {"Min", [](double a, double b) { return std::min(a, b); }},
      {"Max", [](double a, double b) { return std::max(a, b); }},
      {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
      {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
      {"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
      {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
      {"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
      {"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
      {"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }}};
  const auto function = functions.find(node.op_type());
  if (function == functions.end() || inputs.size() != 2) return std::nullopt;
  const SmallTensor* a = at(inputs, 0);
  const SmallTensor* b = at(inputs, 1);
  if (a == nullptr || b == nullptr || a->values.empty() || b->values.empty()) return std::nullopt;
  // Equal shapes, or one value for all.
  if (a->dims != b->dims && a->values.size() != 1 && b->values.size() != 1) return std::nullopt;
  const bool as_a = a->values.size() > b->values.size() ||
                    (a->values.size() == b->values.size() && a->dims.size() >= b->dims.size());
  SmallTensor out{as_a ? a->dims : b->dims, {}, a->whole && b->whole};
  for (std::size_t i = 0; i < std::max(a->values.size(), b->values.size()); ++i) {
    double value =
        function->second(a->values[a->values.size() == 1 ? 0 : i], b->values[b->values.size() == 1 ? 0 : i]);
    if (out.whole) value = std::trunc(value);
    out.values.push_back(value);
  }
  return out;
}

Folded unary(const onnx::NodeProto& node, const SmallTensor& in) {
  const std::string& op = node.op_type();
  SmallTensor out = in;
  if (op == "Identity") return out;
  if (op == "Cast") {
    const std::int64_t to = integer(node, "to", 0);
    out.whole = to != onnx::TensorProto::FLOAT && to != onnx::TensorProto::DOUBLE &&
                to != onnx::TensorProto::FLOAT16 && to != onnx::TensorProto::BFLOAT16;
    for (double& each : out.values) {
      if (to == onnx::TensorProto::BOOL) each = each != 0 ? 1 : 0;
      if (out.whole) each = std::trunc(each);
    }
    return out;
  }
  double (*function)(double) = nullptr;
  if (op == "Neg") function = [](double value) { return -value; };
  if (op == "Abs") function = [](double value) { return std::abs(value); };
  if (op == "Floor") function = [](double value) { return std::floor(value); };
  if (op == "Ceil") function = [](double value) { return std::ceil(value); };
  if (op == "Round") function = [](double value) { return std::nearbyint(value); };
  if (op == "Sqrt") function = [](double value) { return std::sqrt(std::max(0.0, value)); };
  if (op == "Not") function = [](double value) { return value == 0 ? 1.0 : 0.0; };
  if (function == nullptr) return std::nullopt;
  for (double& each : out.values) each = function(each);
  return out;
}

Folded squeeze(const onnx::NodeProto& node, const Inputs& inputs, bool adds) {
  SmallTensor out = *inputs[0];
  const auto axes = list(node, inputs, 1, "axes");
  if (!adds) {
    // Only what is left of a row matters: all dimensions of one value go.
    if (out.values.size() != 1) return out.dims.size() == 1 ? Folded(out) : std::nullopt;
    out.dims.clear();
    return out;
  }
  if (!axes) return std::nullopt;
  out.dims.insert(out.dims.begin(), axes->size(), 1);
  if (inputs[0]->values.size() != 1) return std::nullopt;
  return out;
}

Folded slice(const onnx::NodeProto& node, const Inputs& inputs) {
  if (inputs[0]->dims.size() != 1) return std::nullopt;
  const auto starts = list(node, inputs, 1, "starts");
  const auto ends = list(node, inputs, 2, "ends");
  const auto steps = list(node, inputs, 4, "steps");
  if (!starts || !ends || starts->size() != 1 || ends->size() != 1) return std::nullopt;
  const auto size = static_cast<double>(inputs[0]->values.size());
  const double step = steps && steps->size() == 1 ? steps->front() : 1;
  if (std::abs(step) < 1) return std::nullopt;
  const auto place = [&](double value, double low, double high) {
    return std::clamp(value < 0 ? value + size : value, low, high);
  };
  std::vector<double> values;
  if (step > 0) {
    for (double i = place(starts->front(), 0, size); i < place(ends->front(), 0, size); i += step)
      values.push_back(inputs[0]->values[static_cast<std::size_t>(i)]);
  } else if (size > 0) {
    for (double i = place(starts->front(), 0, size - 1); i > place(ends->front(), -1, size - 1); i += step)
      values.push_back(inputs[0]->values[static_cast<std::size_t>(i)]);
  }
  return row(std::move(values), inputs[0]->whole);
}

Folded gather(const SmallTensor& data, const SmallTensor* indices) {
  if (indices == nullptr || data.dims.size() != 1) return std::nullopt;
  SmallTensor out{indices->dims, {}, data.whole};
  const auto size = static_cast<std::int64_t>(data.values.size());
  for (const double each : indices->values) {
    const std::int64_t index = whole(each) < 0 ? whole(each) + size : whole(each);
    if (index < 0 || index >= size) return std::nullopt;
    out.values.push_back(data.values[static_cast<std::size_t>(index)]);
  }
  return out;
}

Folded concat(const Inputs& inputs) {
  std::vector<double> values;
  bool is_whole = true;
  for (const SmallTensor* each : inputs) {
    if (each == nullptr || each->dims.size() != 1) return std::nullopt;
    values.insert(values.end(), each->values.begin(), each->values.end());
    is_whole = is_whole && each->whole;
  }
  if (values.size() > max_folded) return std::nullopt;
  return row(std::move(values), is_whole);
}

// One value, as often as a shape says.
Folded filled(const SmallTensor& shape, double value, bool is_whole) {
  SmallTensor out{{}, {}, is_whole};
  double count = 1;
  for (const double each : shape.values) {
    count *= std::max(0.0, each);
    if (count > static_cast<double>(max_folded)) return std::nullopt;
    out.dims.push_back(whole(each));
  }
  out.values.assign(static_cast<std::size_t>(count), value);
  return out;
}

Folded reshape(const SmallTensor& data, const SmallTensor* shape) {
  if (shape == nullptr || shape->values.size() > 1) return std::nullopt;
  SmallTensor out = data;
  if (shape->values.empty()) {
    if (data.values.size() != 1) return std::nullopt;
    out.dims.clear();
  } else {
    out.dims = {static_cast<std::int64_t>(data.values.size())};
  }
  return out;
}

Folded range(const Inputs& inputs) {
  if (inputs.size() != 3 || inputs[1] == nullptr || inputs[2] == nullptr) return std::nullopt;
  for (const SmallTensor* each : inputs) {
    if (each->values.size() != 1) return std::nullopt;
  }
  const double step = inputs[2]->values[0];
  const double first = inputs[0]->values[0];
  if (step == 0) return std::nullopt;
  const double count = std::ceil((inputs[1]->values[0] - first) / step);
  if (!(count <= static_cast<double>(max_folded))) return std::nullopt;
  std::vector<double> values;
  for (double i = 0; i < count; ++i) values.push_back(first + i * step);
  return row(std::move(values), inputs[0]->whole);
}

Folded where(const Inputs& inputs) {
  if (inputs.size() != 3 || inputs[1] == nullptr || inputs[2] == nullptr) return std::nullopt;
  SmallTensor out = *inputs[0];
  out.whole = inputs[1]->whole && inputs[2]->whole;
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const std::vector<double>& from = inputs[out.values[i] != 0 ? 1 : 2]->values;
    if (from.size() != 1 && from.size() != out.values.size()) return std::nullopt;
    out.values[i] = from[from.size() == 1 ? 0 : i];
  }
  return out;
}

Folded shape_of(const onnx::NodeProto& node, const std::vector<std::int64_t>& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](std::int64_t axis) {
    return std::clamp(axis < 0 ? axis + rank : axis, std::int64_t{0}, rank);
  };
  const std::int64_t begin = place(integer(node, "start", 0));
  const std::int64_t end = std::max(begin, place(integer(node, "end", rank)));
  return row({shape.begin() + begin, shape.begin() + end});
}

}  // namespace

std::optional<SmallTensor> fold(const onnx::NodeProto& node, const std::vector<const SmallTensor*>& inputs,
                                const std::vector<std::int64_t>* shape) {
  const std::string& op = node.op_type();
  if (op == "Shape") return shape == nullptr ? std::nullopt : shape_of(node, *shape);
  if (op == "Size") {
    if (shape == nullptr) return std::nullopt;
    double count = 1;
    for (const std::int64_t dim : *shape) count *= static_cast<double>(dim);
    return SmallTensor{{}, {count}, true};
  }
  if (op == "Constant") {
    if (const onnx::AttributeProto* value = attribute(node, "value")) return small_tensor(value->t());
    if (const onnx::AttributeProto* value = attribute(node, "value_int"))
      return SmallTensor{{}, {static_cast<double>(value->i())}, true};
    if (const onnx::AttributeProto* value = attribute(node, "value_ints"))
      return row({value->ints().begin(), value->ints().end()});
    return std::nullopt;
  }
  const SmallTensor* first = at(inputs, 0);
  if (first == nullptr) return std::nullopt;
  if (op == "Gather") return gather(*first, at(inputs, 1));
  if (op == "Concat") return concat(inputs);
  if (op == "Slice") return slice(node, inputs);
  if (op == "Unsqueeze" || op == "Squeeze") return squeeze(node, inputs, op == "Unsqueeze");
  if (op == "Reshape") return reshape(*first, at(inputs, 1));
  if (op == "Range") return range(inputs);
  if (op == "Where") return where(inputs);
  if (op == "Expand" && first->values.size() == 1 && at(inputs, 1) != nullptr)
    return filled(*inputs[1], first->values[0], first->whole);
  if (op == "ConstantOfShape") {
    const onnx::AttributeProto* value = attribute(node, "value");
    const Folded one = value == nullptr ? SmallTensor{{1}, {0}, false} : small_tensor(value->t());
    if (!one || one->values.size() != 1) return std::nullopt;
    return filled(*first, one->values[0], one->whole);
  }
  if (op == "ReduceProd" || op == "ReduceMax" || op == "ReduceMin" || op == "ReduceSum") {
    if (first->dims.size() != 1 || first->values.empty()) return std::nullopt;
    double value = first->values[0];
    for (std::size_t i = 1; i < first->values.size(); ++i) {
      const double each = first->values[i];
      value = op == "ReduceProd"  ? value * each
              : op == "ReduceMax" ? std::max(value, each)
              : op == "ReduceMin" ? std::min(value, each)
                                  : value + each;
    }
    const bool keeps = integer(node, "keepdims", 1) != 0;
    return SmallTensor{
        keeps ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{}, {value}, first->whole};
  }
  if (inputs.size() == 1) return unary(node, *first);
  return binary(node, inputs);
}

}  // namespace shapelint::formats
