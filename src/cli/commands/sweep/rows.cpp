// From a point of the grid to its rows.
#include "cli/commands/sweep/rows.hpp"

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "model/lower/lower.hpp"
#include "report/csv.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::cli {

namespace {

constexpr std::size_t most_remembered = 200'000;  // prices per GPU: some 60 MB

std::vector<const gpu::Gpu*> pointers(std::span<const gpu::Gpu> gpus) {
  std::vector<const gpu::Gpu*> out;
  for (const gpu::Gpu& gpu : gpus) out.push_back(&gpu);
  return out;
}

std::vector<cost::GridAxis> axes_of(const Grid& grid) {
  std::vector<cost::GridAxis> out;
  for (const suggest::RangeRequest& each : grid.over) {
    out.push_back({each.field, each.values.size()});
  }
  return out;
}

double tokens_per_s_per_gpu(const model::Setup& setup, const model::Workload& workload,
                            const cost::StepCost& step) {
  const double ranks = static_cast<double>(setup.plan.tensor) * static_cast<double>(setup.plan.pipeline) *
                       static_cast<double>(setup.plan.context);
  return workload.tokens_per_step / step.time_us * us_per_s / ranks;
}

}  // namespace

std::string header(const Grid& grid) {
  std::string out;
  for (const suggest::RangeRequest& each : grid.over) out += fmt::format("{},", model::info(each.field).name);
  return out +
         "parameters,memory_gb,gpu,step_us,tokens_per_s_per_gpu,mfu,hfu,compute_us,memory_us,"
         "communication_us,overhead_us,bubble_us,fails\n";
}

RowWriter::RowWriter(const Grid& grid)
    : grid_(grid),
      links_(suggest::links_of_unstated(*grid.reading)),
      broken_(*grid.rules, *grid.reading),
      prices_(pointers(grid.gpus), axes_of(grid)),
      memos_(grid.gpus.size()),
      steps_(grid.gpus.size()),
      positions_(grid.over.size()) {
  model::PerField<model::Origin> origins = grid.reading->origins;
  for (const suggest::RangeRequest& each : grid.over) {
    origins[each.field].kind = model::Origin::Kind::stated;
    moved_.add(each.field);
  }
  rederived_ = model::rederived(origins);
}

void RowWriter::set_point(std::int64_t point) {
  setup_ = grid_.reading->setup;
  start_.clear();
  std::int64_t below = grid_.points;
  for (std::size_t axis = 0; axis < grid_.over.size(); ++axis) {
    const suggest::RangeRequest& range = grid_.over[axis];
    below /= static_cast<std::int64_t>(range.values.size());
    positions_[axis] = static_cast<std::uint32_t>(point / below);
    point %= below;
    const std::int64_t value = range.values[positions_[axis]];
    model::set(setup_, range.field, value);
    append_exact(start_, value);
    start_ += ',';
  }
  suggest::follow(grid_.reading->setup, links_, moved_, setup_);
  model::rederive(setup_, rederived_);
}

std::span<const cost::StepCost> RowWriter::price(bool with_ops) {
  if (!with_ops && cost::GridPrices::covers(setup_)) return prices_.price(setup_, positions_);
  workload_ = model::lower(setup_);
  for (std::size_t gpu = 0; gpu < memos_.size(); ++gpu) {
    if (!memos_[gpu] || memos_[gpu]->size() > most_remembered) {
      memos_[gpu] = std::make_unique<cost::PriceMemo>(grid_.gpus[gpu]);
    }
    memos_[gpu]->price(workload_, setup_.plan.dtype, steps_[gpu]);
  }
  return steps_;
}

void RowWriter::append(std::int64_t point, SweepPlot* plot, std::string& out) {
  set_point(point);
  const std::string& fails = broken_.of(setup_);
  append_exact(start_, model::parameter_count(setup_));
  start_ += ',';
  append_exact(start_, suggest::memory_bytes(setup_) / bytes_per_gb);
  start_ += ',';
  const std::span<const cost::StepCost> steps = price(plot != nullptr);
  const model::Workload& workload = steps.data() == steps_.data() ? workload_ : prices_.workload();
  for (std::size_t gpu = 0; gpu < steps.size(); ++gpu) {
    const cost::StepCost& step = steps[gpu];
    const double tokens_per_s = tokens_per_s_per_gpu(setup_, workload, step);
    out += start_;
    out += report::csv_field(grid_.gpus[gpu].id);
    for (const double value : {step.time_us, tokens_per_s, step.mfu, step.hfu, step.compute_us,
                               step.memory_us, step.communication_us, step.overhead_us, step.bubble_us}) {
      out += ',';
      append_exact(out, value);
    }
    out += ',';
    out += fails;
    out += '\n';
    if (plot != nullptr) {
      plot->add(static_cast<std::size_t>(point), gpu, setup_, workload, step, tokens_per_s, !fails.empty());
    }
  }
}

}  // namespace shapelint::cli
