// Number formats of operands, and which of a GPU's units multiplies them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace shapelint {

enum class DType : std::uint8_t { fp32, tf32, fp16, bf16, fp8, int8, fp4 };

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  double bytes;  // per element as stored in memory; tf32 operands are stored as fp32
};

inline constexpr std::array<DTypeInfo, 7> dtypes{{
    {DType::fp32, "fp32", 4.0},
    {DType::tf32, "tf32", 4.0},
    {DType::fp16, "fp16", 2.0},
    {DType::bf16, "bf16", 2.0},
    {DType::fp8, "fp8", 1.0},
    {DType::int8, "int8", 1.0},
    {DType::fp4, "fp4", 0.5},
}};

constexpr const DTypeInfo& info(DType dtype) {
  return dtypes[static_cast<std::size_t>(dtype)];
}
constexpr std::string_view name(DType dtype) {
  return info(dtype).name;
}
constexpr double bytes_of(DType dtype) {
  return info(dtype).bytes;
}

constexpr std::optional<DType> parse_dtype(std::string_view text) {
  for (const DTypeInfo& each : dtypes) {
    if (each.name == text) return each.dtype;
  }
  return std::nullopt;
}

}  // namespace shapelint
