// From a point of the grid to its rows.
#include "cli/commands/sweep/sweep.hpp"

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "report/formats.hpp"

namespace shapelint::cli {

namespace {

std::vector<cost::GridAxis> axes_of(const Grid& grid) {
  std::vector<cost::GridAxis> out;
  for (const suggest::RangeRequest& each : grid.over) {
    out.push_back({each.field, each.values.size()});
  }
  return out;
}

}  // namespace

std::string header(const Grid& grid) {
  std::string out;
  for (const suggest::RangeRequest& each : grid.over) out += fmt::format("{},", model::info(each.field).name);
  return out +
         "parameters,memory_gib,gpu,step_us,tokens_per_s_per_gpu,mfu,hfu,compute_us,memory_us,"
         "communication_us,overhead_us,bubble_us,fails\n";
}

RowWriter::RowWriter(const Grid& grid)
    : grid_(grid),
      points_(*grid.rules, *grid.reading, grid.gpus, axes_of(grid)),
      values_(grid.over.size()),
      positions_(grid.over.size()) {
  for (const gpu::Gpu& gpu : grid.gpus) ids_.push_back(report::csv_field(gpu.id));
  for (const suggest::RangeRequest& each : grid.over) {
    std::vector<std::string>& texts = texts_.emplace_back();
    for (const std::int64_t value : each.values) append_exact(texts.emplace_back(), value);
  }
}

void RowWriter::set_point(std::int64_t point) {
  if (point == point_ + 1) {
    std::size_t axis = positions_.size();
    while (axis > 0 && ++positions_[axis - 1] == texts_[axis - 1].size()) positions_[--axis] = 0;
  } else {
    std::int64_t below = grid_.points;
    for (std::size_t axis = 0; axis < positions_.size(); ++axis) {
      below /= static_cast<std::int64_t>(texts_[axis].size());
      positions_[axis] =
          static_cast<std::uint32_t>(point / below % static_cast<std::int64_t>(texts_[axis].size()));
    }
  }
  point_ = point;
  start_.clear();
  for (std::size_t axis = 0; axis < positions_.size(); ++axis) {
    values_[axis] = grid_.over[axis].values[positions_[axis]];
    start_ += texts_[axis][positions_[axis]];
    start_ += ',';
  }
  points_.move_to(values_, positions_);
}

void RowWriter::append(std::int64_t point, SweepPlot* plot, std::string& out) {
  set_point(point);
  const model::Setup& setup = points_.setup();
  const std::string& fails = points_.broken();
  append_exact(start_, points_.parameters());
  start_ += ',';
  append_exact(start_, points_.memory_bytes() / bytes_per_gib);
  start_ += ',';
  const std::span<const cost::StepCost> steps = points_.price(plot != nullptr);
  const model::Workload& workload = points_.workload();
  for (std::size_t gpu = 0; gpu < steps.size(); ++gpu) {
    const cost::StepCost& step = steps[gpu];
    const double tokens_per_s = rules::tokens_per_s_per_gpu(setup, workload, step);
    out += start_;
    out += ids_[gpu];
    for (const double value : {step.time_us, tokens_per_s, step.mfu, step.hfu, step.compute_us,
                               step.memory_us, step.communication_us, step.overhead_us, step.bubble_us}) {
      out += ',';
      append_exact(out, value);
    }
    out += ',';
    out += fails;
    out += '\n';
    if (plot != nullptr) {
      plot->add(static_cast<std::size_t>(point), gpu, setup, workload, step, tokens_per_s, !fails.empty());
    }
  }
}

}  // namespace shapelint::cli
