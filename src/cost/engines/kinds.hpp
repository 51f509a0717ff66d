// Kinds of single kernels that can be priced from a table of their sizes: which columns each needs, and its
// price. A new kind is an entry here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"

namespace shapelint::cost {

enum class CellType : std::uint8_t { whole, word };

struct KernelColumn {
  std::string_view name;
  CellType type = CellType::whole;
  bool is_needed = true;      // others may lack in the table or be empty
  std::int64_t unstated = 0;  // a whole number that is not there
  std::string_view meaning{};
  bool (*knows)(std::string_view word) = nullptr;  // whether a row with it can be priced; null: with any
};

// A cell of a row: one for each column of its kind, in their order.
struct KernelCell {
  std::int64_t whole = 0;
  std::string_view word;
};

struct KernelKind {
  std::string_view name;  // `attention-prefill`
  std::string_view summary;
  std::span<const KernelColumn> columns;
  // Nothing where no model of this GPU or number format is known.
  std::optional<OpCost> (*price)(const gpu::Gpu& gpu, std::span<const KernelCell> row);
  std::string_view former_name{};  // still accepted
};

std::span<const KernelKind> kernel_kinds();
// By name or former name; null if there is none.
const KernelKind* find_kernel_kind(std::string_view name);

}  // namespace shapelint::cost
