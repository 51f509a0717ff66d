// Lower bounds of steps.
#include "contracts/plan/step_bound.hpp"

#include <algorithm>
#include <tuple>

#include "model/arithmetic.hpp"
#include "model/fields.hpp"
#include "model/stages.hpp"

namespace shapelint::contracts {

namespace {

using model::FieldId;
using model::ModelComponent;

// Sums in another order than the step's own differ in their last bits.
constexpr double rounding = 1 - 1e-9;

bool has(const model::ModelSpec& model, ModelComponent part) {
  if (part == ModelComponent::mixture) return model.moe.num_experts > 0;
  const std::size_t which = model::mixer_of(part);
  return which >= model::most_mixers || model.mixers[which].kind != model::MixerKind::none;
}

}  // namespace

const StepBound::PartTimes& StepBound::priced(const model::Setup& setup, ModelComponent part,
                                              const LayerKey& key) {
  constexpr std::array fields{FieldId::tensor,
                              FieldId::context,
                              FieldId::expert,
                              FieldId::expert_tensor,
                              FieldId::micro_batch_size,
                              FieldId::overlap,
                              FieldId::sequence_parallel,
                              FieldId::zero};
  static_assert(fields.size() == std::tuple_size_v<LayerKey>);
  PartKey own{static_cast<std::uint64_t>(part)};
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (model::depends_on(part, fields[i], {})) own[i + 1] = key[i];
  const auto [entry, is_new] = parts_.try_emplace(own);
  if (!is_new) return entry->second;
  scratch_.ops.clear();
  model::lower_part(setup, part, scratch_);
  for (const model::Op& op : scratch_.ops) {
    if (cost::phase_of(op.pass) == cost::Phase::update) continue;
    const bool is_head = part == ModelComponent::ends && op.component != model::Component::embedding;
    suggest::add_op(entry->second[is_head ? 1 : 0], op, op.count * memo_.price(op).time_us, false);
  }
  return entry->second;
}

StepBound::Layer StepBound::priced(model::Setup setup, const LayerKey& key) {
  setup.plan.gradient_accumulation = 1;
  setup.plan.pipeline = 1;
  Layer out;
  for (const ModelComponent part : model::layer_parts) {
    if (has(setup.model, part)) out.parts[static_cast<std::size_t>(part)] = priced(setup, part, key)[0];
  }
  const PartTimes& ends = priced(setup, ModelComponent::ends, key);
  out.embedding = ends[0];
  out.head = ends[1];
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

const StepBound::Sums& StepBound::sums_of(const model::Plan& plan, const MakeSetup& setup) {
  const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const LayerKey key{word(plan.tensor),
                     word(plan.context),
                     word(plan.expert),
                     word(plan.expert_tensor),
                     word(plan.micro_batch_size),
                     word(static_cast<std::int64_t>(plan.overlap)),
                     plan.sequence_parallel ? 1U : 0U,
                     plan.zero >= 3 ? 1U : 0U};
  const CutKey cut{plan.pipeline, plan.embedding_stages, plan.stage_layers};
  const double micro_batches = model::at_least_one(plan.gradient_accumulation);
  if (last_.key == key && last_.cut == cut && last_.micro_batches == micro_batches) return last_;
  const auto [entry, is_new] = layers_.try_emplace(key);
  if (is_new) entry->second = priced(setup(), key);
  const Layer& layer = entry->second;
  const auto [known, are_new] = stages_.try_emplace(cut);
  if (are_new) known->second = stages_of(setup());
  const Stages& stages = known->second;
  last_ = {key, cut, micro_batches, {}, stages.between};
  suggest::PartTime first = sum_of(layer, stages.runs[0], micro_batches);
  if (plan.pipeline <= 1) {
    suggest::add(first, layer.embedding, micro_batches);
    suggest::add(first, layer.head, micro_batches);
  }
  last_.stages[0] = suggest::sums_of(first, micro_batches);
  if (plan.pipeline <= 1) return last_;
  suggest::PartTime last = sum_of(layer, stages.runs[1], micro_batches);
  suggest::add(last, layer.head, stages.heads * micro_batches);
  last_.stages[1] = suggest::sums_of(last, micro_batches);
  return last_;
}

double StepBound::min_us(const model::Plan& plan, double min_waiting, const MakeSetup& setup) {
  const Sums& sums = sums_of(plan, setup);
  const auto& stages = sums.stages;
  const double straggling = model::straggler_fraction(plan);
  if (plan.pipeline <= 1) return rounding * (stages[0].time_us + straggling * stages[0].each_us);
  // The others do their micro-batch once, as cost::pace_of() has it.
  const double between_us = sums.between * stages[0].each_us / sums.micro_batches;
  double least = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double others_us = stages[1 - i].each_us / sums.micro_batches;
    least = std::max(least, stages[i].time_us + (others_us + between_us) * min_waiting);
  }
  return rounding * (least + straggling * std::min(stages[0].each_us, stages[1].each_us));
}

}  // namespace shapelint::contracts
