// Lower bounds of steps.
#include "contracts/plan/step_bound.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "cost/stages.hpp"
#include "model/arithmetic.hpp"
#include "model/stages.hpp"

namespace shapelint::contracts {

namespace {

using model::ModelComponent;

// Sums in another order than the step's own differ in their last bits.
constexpr double rounding = 1 - 1e-9;

bool has(const model::ModelSpec& model, ModelComponent part) {
  if (part == ModelComponent::mixture) return model.moe.num_experts > 0;
  const std::size_t which = model::mixer_of(part);
  return which >= model::most_mixers || model.mixers[which].kind != model::MixerKind::none;
}

}  // namespace

std::size_t StepBound::Hash::operator()(const LayerKey& key) const {
  return static_cast<std::size_t>(hash_of(key));
}

StepBound::Layer StepBound::priced(model::Setup setup) {
  model::Plan& plan = setup.plan;
  plan.gradient_accumulation = 1;
  plan.pipeline = 1;
  Layer out;
  const auto add = [&](const model::Op& op, suggest::PartTime& to) {
    if (cost::phase_of(op.pass) == cost::Phase::update) return;
    suggest::add_op(to, op, op.count * memo_.price(op).time_us, false);
  };
  for (const ModelComponent part : model::layer_parts) {
    if (!has(setup.model, part)) continue;
    scratch_.ops.clear();
    model::lower_part(setup, part, scratch_);
    for (const model::Op& op : scratch_.ops) add(op, out.parts[static_cast<std::size_t>(part)]);
  }
  scratch_.ops.clear();
  model::lower_part(setup, ModelComponent::ends, scratch_);
  for (const model::Op& op : scratch_.ops)
    add(op, op.component == model::Component::embedding ? out.embedding : out.head);
  return out;
}

StepBound::Stages StepBound::stages_of(model::Setup setup) {
  Stages out;
  std::array<double, 2> layers{};
  setup.plan.gradient_accumulation = 1;
  for (std::size_t i = 0; i < out.runs.size(); ++i) {
    setup.plan.pace = i == 0 ? model::Pace::first : model::Pace::last;
    out.runs[i] = model::layer_runs(setup);
    const model::SlowestStage stage = model::slowest_stage(setup);
    layers[i] = stage.layers;
    out.heads = stage.heads;
  }
  const double rest = std::max(0.0, model::real(setup.model.num_layers) - layers[0] - layers[1]);
  out.between = layers[0] > 0 ? rest / layers[0] : 0;
  return out;
}

suggest::PartTime StepBound::sum_of(const Layer& layer, const model::LayerRuns& runs,
                                    double micro_batches) const {
  suggest::PartTime sum;
  for (const ModelComponent part : model::layer_parts) {
    const double times = model::runs_of(runs, part);
    if (times > 0) add(sum, layer.parts[static_cast<std::size_t>(part)], times * micro_batches);
  }
  return sum;
}

double StepBound::least_us(const model::Plan& plan, double least_waiting, const MakeSetup& setup) {
  const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const LayerKey key{word(plan.tensor),
                     word(plan.context),
                     word(plan.expert),
                     word(plan.expert_tensor),
                     word(plan.micro_batch_size),
                     word(static_cast<std::int64_t>(plan.overlap)),
                     plan.sequence_parallel ? 1U : 0U,
                     plan.zero >= 3 ? 1U : 0U};
  const auto [entry, is_new] = layers_.try_emplace(key);
  if (is_new) entry->second = priced(setup());
  const Layer& layer = entry->second;
  const auto [known, are_new] =
      stages_.try_emplace({plan.pipeline, plan.embedding_stages, plan.stage_layers});
  if (are_new) known->second = stages_of(setup());
  const Stages& stages = known->second;

  const double micro_batches = model::at_least_one(plan.gradient_accumulation);
  const double straggling = model::straggler_fraction(plan);
  suggest::PartTime first = sum_of(layer, stages.runs[0], micro_batches);
  if (plan.pipeline <= 1) {
    suggest::add(first, layer.embedding, micro_batches);
    suggest::add(first, layer.head, micro_batches);
    return rounding * suggest::step_us(first, micro_batches, straggling);
  }
  suggest::PartTime last = sum_of(layer, stages.runs[1], micro_batches);
  suggest::add(last, layer.head, stages.heads * micro_batches);
  const std::array sums{suggest::sums_of(first, micro_batches), suggest::sums_of(last, micro_batches)};
  // The others do their micro-batch once, as cost::pace_of() has it.
  const double between_us = stages.between * sums[0].each_us / micro_batches;
  double least = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double others_us = sums[1 - i].each_us / micro_batches;
    least = std::max(least, sums[i].time_us + (others_us + between_us) * least_waiting);
  }
  return rounding * (least + straggling * std::min(sums[0].each_us, sums[1].each_us));
}

}  // namespace shapelint::contracts
