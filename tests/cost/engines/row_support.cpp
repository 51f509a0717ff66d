// Rows of single kernels of engines.
#include "tests/cost/engines/row_support.hpp"

#include <cmath>
#include <vector>

#include "cost/engines/kinds.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"

namespace shapelint::tests {

double price(const char* gpu_name, const char* kind_name, const Sizes& stated) {
  const auto gpu = gpu::find_gpu(gpu_name);
  REQUIRE(gpu);
  const cost::KernelKind* kind = cost::find_kernel_kind(kind_name);
  REQUIRE(kind != nullptr);
  std::vector<cost::KernelCell> row;
  std::size_t used = 0;
  for (const cost::KernelColumn& column : kind->columns) {
    cost::KernelCell cell;
    cell.whole = column.unstated;
    const auto found = stated.find(std::string(column.name));
    if (found != stated.end()) {
      ++used;
      cell.word = found->second;
      if (column.type == cost::CellType::whole) cell.whole = std::stoll(found->second);
    }
    row.push_back(cell);
  }
  REQUIRE(used == stated.size());
  const auto cost = kind->price(*gpu, row);
  if (!cost) return 0;
  CHECK(std::isfinite(cost->time_us));
  CHECK(cost->time_us >= 0);
  CHECK(cost->ideal_us <= cost->time_us);
  return cost->time_us;
}

Sizes with(Sizes row, const std::string& column, const std::string& value) {
  row[column] = value;
  return row;
}

}  // namespace shapelint::tests
