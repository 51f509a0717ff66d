// ONNX graphs as bytes, written field by field (onnx.proto3), so that the tests need no library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shapelint::formats {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7fU) | 0x80U);
  return out + static_cast<char>(value);
}
inline std::string number(std::uint64_t field, std::int64_t value) {
  return varint(field << 3U) + varint(static_cast<std::uint64_t>(value));
}
inline std::string bytes(std::uint64_t field, const std::string& value) {
  return varint((field << 3U) | 2U) + varint(value.size()) + value;
}

struct Dim {
  std::int64_t size = 0;
  std::string name;
  Dim(std::int64_t number) : size(number) {}
  Dim(const char* symbol) : name(symbol) {}
};

// ValueInfoProto of a tensor; a dimension is a number, or the name of a symbolic one.
inline std::string value(const std::string& name, const std::vector<Dim>& dims, std::int64_t type = 1) {
  std::string shape;
  for (const Dim& dim : dims) shape += bytes(1, dim.name.empty() ? number(1, dim.size) : bytes(2, dim.name));
  return bytes(1, name) + bytes(2, bytes(1, number(1, type) + bytes(2, shape)));
}
// A one-dimensional INT64 tensor with its values.
inline std::string numbers(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string out = number(1, static_cast<std::int64_t>(values.size())) + number(2, 7);
  for (const std::int64_t each : values) out += number(7, each);
  return out + bytes(8, name);
}
// TensorProto without data: only its shape is looked at.
inline std::string weight(const std::string& name, const std::vector<std::int64_t>& dims,
                          std::int64_t type = 1) {
  std::string out;
  for (const std::int64_t dim : dims) out += number(1, dim);
  return out + number(2, type) + bytes(8, name);
}
inline std::string integers(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string out = bytes(1, name);
  for (const std::int64_t each : values) out += number(8, each);
  return bytes(5, out + number(20, 7));
}
inline std::string integer(const std::string& name, std::int64_t value) {
  return bytes(5, bytes(1, name) + number(3, value) + number(20, 2));
}
inline std::string text(const std::string& name, const std::string& value) {
  return bytes(5, bytes(1, name) + bytes(4, value) + number(20, 3));
}
inline std::string domain(const std::string& name) {
  return bytes(7, name);
}
inline std::string node(const std::string& op, const std::vector<std::string>& in, const std::string& out,
                        const std::string& attributes = "") {
  std::string all;
  for (const std::string& each : in) all += bytes(1, each);
  return all + bytes(2, out) + bytes(3, out) + bytes(4, op) + attributes;
}

struct GraphBytes {
  std::vector<std::string> nodes, weights, inputs, outputs;
  std::int64_t opset = 13;
  std::string model() const {
    std::string graph = bytes(2, "net");
    for (const std::string& each : nodes) graph += bytes(1, each);
    for (const std::string& each : weights) graph += bytes(5, each);
    for (const std::string& each : inputs) graph += bytes(11, each);
    for (const std::string& each : outputs) graph += bytes(12, each);
    return number(1, 8) + bytes(7, graph) + bytes(8, number(2, opset)) +
           bytes(8, bytes(1, "com.microsoft") + number(2, 1));
  }
};

}  // namespace shapelint::formats
