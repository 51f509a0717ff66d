// Prices of training plans.
#include "contracts/plan/step_prices.hpp"

#include <algorithm>

#include "contracts/plan/training.hpp"
#include "model/fields.hpp"

namespace shapelint::contracts {

namespace {

// What the ends depend on must be numbered by 63 bits (GridPrices): five for each degree and size.
constexpr std::int64_t narrow_range = 8;
constexpr std::size_t most_values = 32;

// These wide ranges are searched at few values: none, the usual one and that of the file.
bool has_few_values(model::FieldId field) {
  return field == model::FieldId::offload_optimizer || field == model::FieldId::embedding_stages;
}

}  // namespace

std::vector<StepPrices::Axis> StepPrices::axes_of() {
  constexpr std::size_t few = 4;
  std::vector<Axis> out;
  for (const model::FieldId field : chosen_in_training()) {
    const model::FieldInfo& info = model::info(field);
    const bool is_wide = info.maximum - info.minimum >= narrow_range;
    const auto range = static_cast<std::size_t>(info.maximum - info.minimum) + 1;
    const std::size_t values = !is_wide ? range : has_few_values(field) ? few : most_values;
    out.push_back({{field, values}, is_wide, info.minimum, {}});
  }
  return out;
}

std::vector<cost::GridAxis> StepPrices::named(const std::vector<Axis>& axes) {
  std::vector<cost::GridAxis> out;
  for (const Axis& axis : axes) out.push_back(axis.of);
  return out;
}

StepPrices::StepPrices(const gpu::Gpu& gpu, cost::PriceMemo& memo, const suggest::OnStack& stack,
                       const model::Setup& start)
    : memo_(memo), stack_(stack), axes_(axes_of()), gpu_(&gpu), grid_({&gpu_, 1}, named(axes_), start) {}

std::optional<std::uint32_t> StepPrices::position(Axis& axis, std::int64_t value) {
  if (!axis.is_wide) return static_cast<std::uint32_t>(value - axis.first);
  const auto found = std::find(axis.seen.begin(), axis.seen.end(), value);
  const auto at = static_cast<std::size_t>(found - axis.seen.begin());
  if (found == axis.seen.end()) {
    if (at >= axis.of.values) return std::nullopt;
    axis.seen.push_back(value);
  }
  return static_cast<std::uint32_t>(at);
}

bool StepPrices::is_in_grid(const model::Setup& setup) {
  if (stack_.run || !cost::GridPrices::covers(setup)) return false;
  positions_.clear();
  for (Axis& axis : axes_) {
    const auto at = position(axis, model::get(setup, axis.of.field));
    if (!at) return false;
    positions_.push_back(*at);
  }
  return true;
}

StepPrices::Time StepPrices::price(const model::Setup& setup) {
  if (is_in_grid(setup)) {
    grid_.move_to(setup, positions_);
    const cost::StepCost& cost = grid_.price().front();
    return {cost.time_us, cost.bubble_us};
  }
  suggest::step_of(&stack_, memo_, setup, step_);
  return {step_.cost.time_us, step_.cost.bubble_us};
}

}  // namespace shapelint::contracts
