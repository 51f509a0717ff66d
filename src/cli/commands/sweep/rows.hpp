// The rows of a sweep, one point of the grid after the other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/sweep/plot.hpp"
#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/points.hpp"
#include "suggest/edit/axes.hpp"

namespace shapelint::cli {

// What every row follows from.
struct Grid {
  const model::Reading* reading = nullptr;
  const rules::RuleBook* rules = nullptr;
  std::vector<suggest::RangeRequest> over;  // the last one varies fastest
  std::span<const gpu::Gpu> gpus;
  std::int64_t points = 1;
};

// The first line of the output.
std::string header(const Grid& grid);

// Writes rows; remembers prices from point to point. For one thread; the grid must outlive it.
class RowWriter {
 public:
  explicit RowWriter(const Grid& grid);
  // Appends the rows of a point, one for each GPU. `plot` gets them too, and may be null; all calls have one
  // or none has.
  void append(std::int64_t point, SweepPlot* plot, std::string& out);

 private:
  void set_point(std::int64_t point);
  const Grid& grid_;
  rules::Points points_;
  std::int64_t point_ = -2;                      // the present one; at first none, and next to none
  std::vector<std::vector<std::string>> texts_;  // by axis, of its values
  std::vector<std::int64_t> values_;             // of the present point
  std::vector<std::uint32_t> positions_;
  std::string start_;             // of its rows
  std::vector<std::string> ids_;  // by GPU, as fields
};

}  // namespace shapelint::cli
