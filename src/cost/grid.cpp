// Steps of a grid, from parts that were priced before.
#include "cost/grid.hpp"

#include "cost/stages.hpp"
#include "model/stages.hpp"

namespace shapelint::cost {

namespace {

constexpr std::size_t max_prices = 16'000;  // per GPU: some 6 MB
constexpr double max_numbered = 1e18;       // points of a part, by a key of 64 bits
constexpr std::size_t max_runs = 500'000;   // some 20 MB

}  // namespace

GridPrices::GridPrices(std::span<const gpu::Gpu* const> gpus, std::span<const GridAxis> axes,
                       const model::Setup& start)
    : gpus_(gpus.begin(), gpus.end()), axes_(axes.begin(), axes.end()), steps_(gpus.size()) {
  std::vector<model::FieldId> varying;
  for (const GridAxis& axis : axes_) varying.push_back(axis.field);
  const model::PartDependence dependence = model::part_dependence(start, varying);
  for (std::size_t part = 0; part < tables_.size(); ++part) {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (model::depends_on(static_cast<model::ModelComponent>(part), axes_[axis].field, dependence)) {
        tables_[part].axes.push_back(axis);
      }
    }
    double points = 1;
    for (const std::size_t axis : tables_[part].axes) points *= static_cast<double>(axes_[axis].values);
    tables_[part].is_numbered = points < max_numbered;
  }
  for (const gpu::Gpu* gpu : gpus_) memos_.push_back(std::make_unique<PriceMemo>(*gpu));
}

bool GridPrices::covers(const model::Setup& setup) {
  return setup.model.conv.empty() && setup.plan.fusion == model::Fusion::none &&
         !setup.plan.offload_activations;
}

void GridPrices::forget() {
  for (Table& table : tables_) {
    table.known.clear();
    table.last.reset();
  }
  remembered_.clear();
}

void GridPrices::Priced::clear() {
  pieces.clear();
  runs.clear();
}

GridPrices::PricedPart GridPrices::lower_and_price(model::ModelComponent part, const model::Setup& setup,
                                                   Priced& into) {
  scratch_.ops.clear();
  pieces_.clear();
  model::lower_part(setup, part, scratch_, &pieces_);
  PricedPart out{&into,
                 static_cast<std::uint32_t>(into.pieces.size()),
                 static_cast<std::uint32_t>(pieces_.size()),
                 static_cast<std::uint32_t>(into.runs.size()),
                 static_cast<std::uint32_t>(scratch_.ops.size()),
                 model::part_size(setup, part)};
  into.pieces.insert(into.pieces.end(), pieces_.begin(), pieces_.end());
  for (const auto& memo : memos_) {
    for (const model::Op& op : scratch_.ops) {
      const OpCost& cost = memo->price(op);
      into.runs.push_back(
          {op.count, cost.time_us, model::op_flops(op), cost.bound, op.host_us, traits_of(op, 0)});
    }
  }
  return out;
}

GridPrices::PricedPart GridPrices::find(model::ModelComponent part, const model::Setup& setup,
                                        std::span<const std::uint32_t> positions) {
  Table& table = tables_[static_cast<std::size_t>(part)];
  std::uint64_t key = 0;
  for (const std::size_t axis : table.axes) key = key * axes_[axis].values + positions[axis];
  if (table.is_numbered && table.last && table.last_key == key) return *table.last;
  table.last_key = key;
  const bool is_shared = table.axes.size() < axes_.size();  // with other points of the grid
  if (!is_shared || !table.is_numbered) {
    table.passing.clear();
    table.last = lower_and_price(part, setup, table.passing);
    return *table.last;
  }
  const auto [place, is_new] = table.known.try_emplace(key);
  if (is_new) place.value() = lower_and_price(part, setup, remembered_);
  table.last = place->second;
  return *table.last;
}

void GridPrices::move_to(const model::Setup& setup, std::span<const std::uint32_t> positions) {
  if (remembered_.runs.size() > max_runs) forget();
  for (auto& memo : memos_) {
    if (memo->size() > max_prices) memo = std::make_unique<PriceMemo>(memo->gpu());
  }
  setup_ = &setup;
  stages_ = setup.plan.pipeline > 1 ? 2 : 1;
  std::array<model::LayerRuns, 2> runs;
  if (stages_ > 1) {
    stage_ = setup;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
      stage_.plan.pace = stage == 0 ? model::Pace::first : model::Pace::last;
      runs[stage] = model::layer_runs(stage_);
      stage_layers_[stage] = model::slowest_stage(stage_).layers;
    }
  } else {
    runs[0] = model::layer_runs(setup);
  }
  const auto take = [&](model::ModelComponent part, double first, double last) {
    const auto index = static_cast<std::size_t>(part);
    times_[0][index] = first;
    times_[1][index] = last;
    if (first > 0 || (stages_ > 1 && last > 0)) {
      parts_[index] = find(part, setup, positions);
      sizes_[index] = parts_[index].size;
    } else if (model::times_in(setup.model, part) > 0 || model::mtp_layers(setup) > 0) {
      sizes_[index] = model::part_size(setup, part);
    }
  };
  for (const model::ModelComponent part : model::layer_parts)
    take(part, model::runs_of(runs[0], part), model::runs_of(runs[1], part));
  take(model::ModelComponent::ends, 1, 0);
  take(model::ModelComponent::last_ends, 0, 1);
  parameters_ = model::parameter_count(setup.model, sizes_);
  const auto experts = static_cast<double>(model::expert_parameter_count(setup.model, sizes_));
  const model::RankParameters further = model::mtp_parameters(setup);
  const double whole =
      setup.plan.tensor > 1 ? static_cast<double>(model::whole_parameter_count(setup.model, sizes_)) : 0;
  held_ = model::parameters_per_rank(setup.plan, static_cast<double>(parameters_) - experts + further.dense,
                                     experts + further.expert, whole);
}

// A part's runs on one GPU, piece by piece.
struct GridPrices::Cursor {
  const Run* first;
  const Run* at;
  const std::uint32_t* ends;
  double times;
};

// For the ops of one stage's step.
struct GridPrices::Sums {
  StepSums step;
  double flops = 0;
  double embedding_us = 0;
};

GridPrices::Sums GridPrices::sums_of(std::size_t stage, std::size_t gpu) {
  Sums out;
  const auto cursor = [&](model::ModelComponent part) {
    const auto index = static_cast<std::size_t>(part);
    const PricedPart& priced = parts_[index];
    const Run* first = priced.in->runs.data() + priced.first_run + gpu * priced.ops;
    return Cursor{first, first, priced.in->pieces.data() + priced.first_piece, times_[stage][index]};
  };
  const auto add_piece = [&](Cursor& part, std::size_t piece) {
    double all_us = 0;
    for (const Run* end = part.first + part.ends[piece]; part.at != end; ++part.at) {
      const Run& run = *part.at;
      const double count = part.times * run.count;
      OpTraits traits = run.traits;
      traits.once = count < totals_.micro_batches;
      traits.host_us = count * run.host_us;
      add(out.step, traits, run.bound, count * run.time_us);
      out.flops += count * run.flops;
      all_us += count * run.time_us;
    }
    return all_us;
  };
  std::array<Cursor, model::layer_parts.size()> layer;
  std::size_t parts = 0;
  std::size_t pieces = 0;
  for (const model::ModelComponent part : model::layer_parts) {
    const auto index = static_cast<std::size_t>(part);
    if (times_[stage][index] <= 0) continue;
    layer[parts++] = cursor(part);
    pieces = parts_[index].pieces;
  }
  Cursor ends = cursor(stage == 0 ? model::ModelComponent::ends : model::ModelComponent::last_ends);
  out.embedding_us = add_piece(ends, 0);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    for (std::size_t part = 0; part < parts; ++part) add_piece(layer[part], piece);
  }
  add_piece(ends, 1);
  for (const model::Op& op : scratch_.ops) {
    const OpCost& cost = memos_[gpu]->price(op);
    add(out.step, traits_of(op, totals_.micro_batches), cost.bound, op.count * cost.time_us);
  }
  return out;
}

std::span<const StepCost> GridPrices::price() {
  model::set_totals(*setup_, sizes_, totals_);
  scratch_.ops.clear();
  model::lower_update(*setup_, held_, scratch_);
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    std::array<Sums, 2> sums;
    for (std::size_t stage = 0; stage < stages_; ++stage) sums[stage] = sums_of(stage, gpu);
    std::size_t slowest = 0;
    if (stages_ > 1) {
      std::array<StageSums, 2> each;
      for (std::size_t stage = 0; stage < stages_; ++stage) {
        cost::set_totals(*gpus_[gpu], totals_, setup_->plan.dtype, sums[stage].step, steps_[gpu]);
        each[stage] = stage_sums(steps_[gpu], sums[stage].step, totals_.micro_batches,
                                 sums[stage].embedding_us, stage_layers_[stage]);
      }
      const Paced chosen = pace_of(*setup_, each[0], each[1]);
      slowest = chosen.pace == model::Pace::last ? 1 : 0;
      stage_.plan.pace = chosen.pace;
      stage_.plan.other_stages = chosen.other_stages;
      model::set_totals(stage_, sizes_, totals_);
    }
    totals_.hardware_flops = sums[slowest].flops;
    cost::set_totals(*gpus_[gpu], totals_, setup_->plan.dtype, sums[slowest].step, steps_[gpu]);
  }
  return steps_;
}

}  // namespace shapelint::cost
