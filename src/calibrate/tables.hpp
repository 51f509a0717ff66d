// Tables of matrix products and of other kernels as CSV, with or without measured times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cost/engines/kinds.hpp"
#include "cost/kernels/gemm.hpp"

namespace shapelint::calibrate {

// One row. C[m,n] = A[m,k] B[k,n], `batch` times.
struct MeasuredShape {
  cost::GemmShape shape;
  double time_us = 0;     // 0 when the table has no times
  std::string_view gpu;   // empty when the table does not name it
  std::string_view line;  // the row as it stands, without its end
};

struct ShapeTable {
  std::string_view header;
  bool has_times = false;
  std::vector<MeasuredShape> rows;
};

// Reads CSV with a header; columns are found by name: `m`, `n`, `k` and, where present, `batch`, `dtype`
// (default `dtype`), `recipe`, `op`, `layout`, `gpu`, `time_us`; others pass. Rows without a layout are `nn`
// where `op` is `bmm`, as PyTorch's bmm is, and `tn` otherwise. Every bad row is an error with its line;
// `path` is for them. The views of the result point into `text`.
ShapeTable read_shapes(std::string_view text, std::string_view path, DType dtype, std::vector<Error>& errors);

// One row: its cells in the order of the kind's columns, and how it stands in the table.
struct KernelRow {
  std::vector<cost::KernelCell> cells;
  std::vector<bool> stated;  // by column of the kind
  std::string_view line;
  std::int64_t number = 0;  // of that line in the table
};

struct KernelTable {
  std::string_view header;
  std::vector<KernelRow> rows;
};

// Reads CSV with a header; columns are found by name, others pass. Every bad row is an error with its line;
// `path` is for them. The views of the result point into `text`.
KernelTable read_kernel_rows(std::string_view text, std::string_view path, const cost::KernelKind& kind,
                             std::vector<Error>& errors);

}  // namespace shapelint::calibrate
