// Steps of a grid, from parts that were priced before.
#include "cost/grid.hpp"

namespace shapelint::cost {

namespace {

constexpr std::size_t most_prices = 50'000;  // per GPU: some 13 MB
constexpr std::size_t most_runs = 500'000;   // some 20 MB
constexpr std::array layer_parts{model::StepPart::frame, model::StepPart::attention, model::StepPart::mixer,
                                 model::StepPart::mlp, model::StepPart::mixture};

}  // namespace

GridPrices::GridPrices(std::span<const gpu::Gpu* const> gpus, std::span<const GridAxis> axes,
                       bool has_pattern)
    : gpus_(gpus.begin(), gpus.end()), axes_(axes.begin(), axes.end()), steps_(gpus.size()) {
  for (std::size_t part = 0; part < tables_.size(); ++part) {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (model::depends_on(static_cast<model::StepPart>(part), axes_[axis].field, has_pattern)) {
        tables_[part].axes.push_back(axis);
      }
    }
  }
  for (const gpu::Gpu* gpu : gpus_) memos_.push_back(std::make_unique<PriceMemo>(*gpu));
}

bool GridPrices::covers(const model::Setup& setup) {
  return setup.model.conv.empty() && setup.plan.fusion == model::Fusion::none;
}

void GridPrices::forget() {
  for (Table& table : tables_) {
    table.known.clear();
    table.last = nullptr;
  }
  parts_.clear();
  remembered_ = 0;
}

void GridPrices::lower_and_price(model::StepPart part, const model::Setup& setup, PricedPart& out) {
  scratch_.ops.clear();
  out.pieces.clear();
  out.runs.clear();
  model::lower_part(setup, part, scratch_, &out.pieces);
  out.ops = scratch_.ops.size();
  out.runs.reserve(out.ops * gpus_.size());
  for (const auto& memo : memos_) {
    for (const model::Op& op : scratch_.ops) {
      const OpCost& cost = memo->price(op);
      out.runs.push_back({op.count, cost.time_us, model::op_flops(op), cost.bound, traits_of(op, 0)});
    }
  }
}

const GridPrices::PricedPart& GridPrices::find(model::StepPart part, const model::Setup& setup,
                                               std::span<const std::uint32_t> positions) {
  Table& table = tables_[static_cast<std::size_t>(part)];
  std::uint64_t key = 0;
  for (const std::size_t axis : table.axes) key = key * axes_[axis].values + positions[axis];
  if (table.last != nullptr && table.last_key == key) return *table.last;
  table.last_key = key;
  if (table.axes.size() == axes_.size()) {  // no other point has the same
    lower_and_price(part, setup, table.only);
    table.last = &table.only;
    return table.only;
  }
  const auto [place, is_new] = table.known.try_emplace(key, nullptr);
  if (is_new) {
    lower_and_price(part, setup, parts_.emplace_back());
    place.value() = &parts_.back();
    remembered_ += parts_.back().runs.size();
  }
  table.last = place->second;
  return *table.last;
}

void GridPrices::add_piece(const PricedPart& part, std::size_t piece, double times, std::size_t gpu,
                           StepSums& sums, double& flops) const {
  const Run* first = part.runs.data() + gpu * part.ops;
  const Run* run = first + (piece == 0 ? 0 : part.pieces[piece - 1]);
  for (const Run* end = first + part.pieces[piece]; run != end; ++run) {
    const double count = times * run->count;
    OpTraits traits = run->traits;
    traits.once = count < totals_.micro_batches;
    add(sums, traits, run->bound, count * run->time_us);
    flops += count * run->flops;
  }
}

std::span<const StepCost> GridPrices::price(const model::Setup& setup,
                                            std::span<const std::uint32_t> positions) {
  if (remembered_ > most_runs) forget();
  for (auto& memo : memos_) {
    if (memo->size() > most_prices) memo = std::make_unique<PriceMemo>(memo->gpu());
  }
  model::set_totals(setup, totals_);
  const model::LayerRuns runs = model::layer_runs(setup);
  const std::array<double, layer_parts.size()> times{runs.all, runs.attention, runs.mixer, runs.mlp,
                                                     runs.mixture};
  std::array<const PricedPart*, layer_parts.size()> layer{};
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < layer.size(); ++i) {
    if (times[i] <= 0) continue;
    layer[i] = &find(layer_parts[i], setup, positions);
    pieces = layer[i]->pieces.size();
  }
  const PricedPart& ends = find(model::StepPart::ends, setup, positions);
  scratch_.ops.clear();
  model::lower_update(setup, model::parameters_per_rank(setup), scratch_);
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    StepSums sums;
    double flops = 0;
    add_piece(ends, 0, 1, gpu, sums, flops);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      for (std::size_t i = 0; i < layer.size(); ++i) {
        if (layer[i] != nullptr) add_piece(*layer[i], piece, times[i], gpu, sums, flops);
      }
    }
    add_piece(ends, 1, 1, gpu, sums, flops);
    for (const model::Op& op : scratch_.ops) {
      const OpCost cost = cost::price(*gpus_[gpu], op);
      add(sums, traits_of(op, totals_.micro_batches), cost.bound, op.count * cost.time_us);
    }
    totals_.hardware_flops = flops;
    cost::set_totals(*gpus_[gpu], totals_, setup.plan.dtype, sums, steps_[gpu]);
  }
  return steps_;
}

}  // namespace shapelint::cost
