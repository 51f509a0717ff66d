// Tables of single kernels as CSV.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cost/engines/kinds.hpp"

namespace shapelint::calibrate {

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
