// Small tensors from and to the library's.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "formats/onnx/module/fold.hpp"

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
    if (dim < 0 || dim > static_cast<std::int64_t>(most_folded)) return std::nullopt;
    count *= static_cast<std::size_t>(dim);
    if (count > most_folded) return std::nullopt;
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

}  // namespace shapelint::formats
