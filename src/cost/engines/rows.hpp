// From a row's cells to the sizes of a kernel: what the tables of kinds have in common.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/dtype.hpp"
#include "cost/engines/kinds.hpp"

namespace shapelint::cost::detail {

using Row = std::span<const KernelCell>;

constexpr KernelColumn size(std::string_view name, std::string_view meaning) {
  return {name, CellType::whole, true, 0, meaning};
}
constexpr KernelColumn size_or(std::string_view name, std::int64_t unstated, std::string_view meaning) {
  return {name, CellType::whole, false, unstated, meaning};
}
constexpr KernelColumn word(std::string_view name, std::string_view meaning,
                            bool (*knows)(std::string_view) = nullptr) {
  return {name, CellType::word, false, 0, meaning, knows};
}

inline double number(Row row, std::size_t column) {
  return static_cast<double>(row[column].whole);
}

// Engines' names of number formats as ours; nothing where a kernel of it cannot be priced.
inline std::optional<DType> dtype_of(std::string_view word, DType unstated) {
  if (word.empty()) return unstated;
  if (word == "bfloat16") return DType::bf16;
  if (word == "float16" || word == "half") return DType::fp16;
  if (word == "float8" || word.starts_with("float8_")) return DType::fp8;
  return parse_dtype(word);
}

inline bool is_dtype(std::string_view word) {
  return dtype_of(word, DType::bf16).has_value();
}

// The kinds of each family, for the table of all.
std::span<const KernelKind> attention_kinds();
std::span<const KernelKind> expert_kinds();
std::span<const KernelKind> pass_kinds();
std::span<const KernelKind> scan_kinds();

}  // namespace shapelint::cost::detail
