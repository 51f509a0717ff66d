// Costs for an objective.
#include "suggest/search/costing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cost/kernels/memory.hpp"
#include "cost/stages.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "model/stages.hpp"

namespace shapelint::suggest {

namespace {

using model::ModelComponent;
using model::real;

double ranks_of(const model::Plan& plan) {
  return real(plan.tensor) * real(plan.pipeline) * real(plan.context);
}

// Tokens of a step that are not padding of a longer sequence.
double useful_tokens(const model::Setup& setup, const Problem& problem) {
  const model::Setup& start = problem.start;
  const double all = model::tokens_per_step(setup);
  if (!problem.longer_is_padding || setup.plan.mode == model::Mode::decode ||
      setup.plan.sequence_length <= start.plan.sequence_length)
    return all;
  return all * real(start.plan.sequence_length) / real(setup.plan.sequence_length);
}

}  // namespace

Costing::Costing(const Problem& problem, std::vector<double> references,
                 std::span<cost::PriceMemo* const> memos)
    : problem_(problem), references_(std::move(references)) {
  start_flops_ = model::forward_flops_per_token(problem.start);
  const double head = model::head_flops_per_token(problem.start);
  cost::StepCost step;
  for (std::size_t gpu = 0; gpu < problem.gpus.size(); ++gpu) {
    if (problem.on_stack) {
      const OnStack stack = problem.on_stack();
      cost::PriceMemo memo(*problem.gpus[gpu]);
      Step run;
      step_of(&stack, memo, problem.start, run);
      step = std::move(run.cost);
    } else if (memos.empty()) {
      step = cost::price_step(*problem.gpus[gpu], problem.start);
    } else {
      cost::price_step(*memos[gpu], problem.start, step);
    }
    const double time_us = step.time_us;
    start_us_per_token_.push_back(time_us * ranks_of(problem.start.plan) /
                                  std::max(1.0, model::tokens_per_step(problem.start)));
    start_costs_.push_back(cost(problem.start, gpu, time_us, start_flops_ - head, head));
  }
  if (references_.empty()) references_ = start_costs_;
}

double Costing::cost(const model::Setup& plan, std::size_t gpu, double time_us, double layer_flops,
                     double head_flops) const {
  const double us_per_token = time_us * ranks_of(plan.plan) / std::max(1.0, useful_tokens(plan, problem_));
  // A smaller model is not faster for doing less: gain() has the same rule.
  const double flops = layer_flops + head_flops;
  const double at_equal_work = flops > 0 ? us_per_token * std::max(1.0, start_flops_ / flops) : us_per_token;
  switch (problem_.objective) {
    case Objective::tokens:
      return at_equal_work;
    case Objective::cost:
      return at_equal_work * (gpu < problem_.prices.size() ? problem_.prices[gpu] : 1.0);
    case Objective::mfu: {
      const double work = model::model_flops_per_step(plan, layer_flops, head_flops);
      return work > 0 ? time_us * cost::peak_flops_per_us(*problem_.gpus[gpu], plan.plan.dtype) / work
                      : time_us;
    }
    case Objective::step:
    case Objective::prefill:
      return time_us;
    case Objective::decode:
      return us_per_token;
  }
  return time_us;
}

Estimate Costing::priced(const model::Setup& setup, std::span<const double> times_us) const {
  Estimate out;
  out.feasible = true;
  out.parameters_high = model::parameter_count(setup);
  const double head = model::head_flops_per_token(setup);
  const double layers = model::forward_flops_per_token(setup) - head;
  const double tokens = std::max(1.0, useful_tokens(setup, problem_));
  std::vector<double> values;
  std::vector<double> speeds;
  for (std::size_t gpu = 0; gpu < times_us.size(); ++gpu) {
    const double own = cost(setup, gpu, times_us[gpu], layers, head);
    values.push_back(references_[gpu] / own);
    out.worst = gpu == 0 ? start_costs_[gpu] / own : std::min(out.worst, start_costs_[gpu] / own);
    speeds.push_back(start_us_per_token_[gpu] * tokens / (times_us[gpu] * ranks_of(setup.plan)));
  }
  out.value = combine(values);
  out.speed = combine(speeds);
  return out;
}

double Costing::start_value() const {
  std::vector<double> ratios;
  for (std::size_t gpu = 0; gpu < start_costs_.size(); ++gpu)
    ratios.push_back(references_[gpu] / start_costs_[gpu]);
  return combine(ratios);
}

double Costing::combine(std::span<const double> ratios) const {
  if (ratios.size() == 1) return ratios[0];
  if (problem_.basket == GpuAggregate::worst) return *std::min_element(ratios.begin(), ratios.end());
  double sum = 0;
  for (std::size_t gpu = 0; gpu < ratios.size(); ++gpu) sum += problem_.weights[gpu] * ratios[gpu];
  return sum;
}

Estimate Costing::estimate(const model::Setup& plan, std::span<const PartNode* const> parts,
                           PartTable& table) const {
  Estimate out;
  for (const PartNode* part : parts) {
    if (!part->valid) return out;
  }
  const PartNode& attention = *parts[static_cast<std::size_t>(ModelComponent::attention)];
  const PartNode& mlp = *parts[static_cast<std::size_t>(ModelComponent::mlp)];
  const PartNode& mixture = *parts[static_cast<std::size_t>(ModelComponent::mixture)];
  const PartNode& frame = *parts[static_cast<std::size_t>(ModelComponent::frame)];
  const PartNode& ends = *parts[static_cast<std::size_t>(ModelComponent::ends)];
  const PartNode& last_ends = *parts[static_cast<std::size_t>(ModelComponent::last_ends)];
  const std::int64_t attentions = model::num_attention_layers(plan.model);
  const std::int64_t mlps = model::num_mlps(plan.model);
  const std::int64_t mixtures = model::num_moe_layers(plan.model);
  const auto parameters = [&](bool high) {
    const auto of = [&](const PartNode& node) { return high ? node.parameters_high : node.parameters_low; };
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sum = model::plus(
          sum, model::times(model::times_in(plan.model, static_cast<ModelComponent>(i)), of(*parts[i])));
    }
    return sum;
  };
  const std::int64_t least = parameters(false);
  out.parameters_high = parameters(true);
  const Bounds& bounds = problem_.bounds;
  if (real(least) > bounds.parameters_high || real(out.parameters_high) < bounds.parameters_low) return out;
  const auto layer_flops = [&](bool high) {
    const auto of = [&](const PartNode& node) { return high ? node.products_high : node.products_low; };
    double mixers = 0;
    for (const ModelComponent part : model::mixer_parts)
      mixers += real(model::num_mixer_layers(plan.model, model::mixer_of(part))) *
                of(*parts[static_cast<std::size_t>(part)]);
    return 2 *
           (real(attentions) * of(attention) + mixers + real(mlps) * of(mlp) + real(mixtures) * of(mixture));
  };
  const double most_layer_flops = layer_flops(true);
  const double most_head_flops = 2 * ends.products_high;
  if (layer_flops(false) + 2 * ends.products_low > bounds.flops_high ||
      most_layer_flops + most_head_flops < bounds.flops_low) {
    return out;
  }
  out.feasible = true;

  // Of the first stage and of the last, or of the only one.
  const std::size_t stages = plan.plan.pipeline > 1 ? 2 : 1;
  std::array<model::LayerRuns, 2> stage_runs;
  std::array<double, 2> stage_layers{};
  if (stages > 1) {
    model::Setup stage = plan;
    for (std::size_t i = 0; i < stages; ++i) {
      stage.plan.pace = i == 0 ? model::Pace::first : model::Pace::last;
      stage_runs[i] = model::layer_runs(stage);
      stage_layers[i] = model::slowest_stage(stage).layers;
    }
  } else {
    stage_runs[0] = model::layer_runs(plan);
  }
  std::int64_t whole = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    whole = model::plus(whole, model::times(model::times_in(plan.model, static_cast<ModelComponent>(i)),
                                            parts[i]->whole_low));
  const double experts =
      real(model::times(model::times_in(plan.model, ModelComponent::mixture), mixture.experts_low));
  model::AdapterSize adapters;
  for (std::size_t i = 0; i < parts.size() && plan.plan.adapters; ++i) {
    const std::int64_t layers = model::times_in(plan.model, static_cast<ModelComponent>(i));
    adapters.dense = model::plus(adapters.dense, model::times(layers, parts[i]->adapters.dense));
    adapters.expert = model::plus(adapters.expert, model::times(layers, parts[i]->adapters.expert));
  }
  const model::RankParameters further = model::mtp_parameters(plan);
  const model::RankParameters held = model::parameters_per_rank(
      plan.plan, real(least) - experts + further.dense, experts + further.expert, real(whole));
  const model::RankParameters learning =
      model::parameters_per_rank(plan.plan, real(adapters.dense), real(adapters.expert));
  const bool training = plan.plan.mode == model::Mode::train;
  const double micro_batches =
      training ? real(std::max<std::int64_t>(1, plan.plan.gradient_accumulation)) : 1.0;
  const double waiting = model::straggler_fraction(plan.plan);
  constexpr std::size_t most_gpus = 16;
  std::array<double, most_gpus> values{};
  std::array<double, most_gpus> speeds{};
  const double tokens = std::max(1.0, useful_tokens(plan, problem_));
  const std::size_t gpus = problem_.gpus.size();
  for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
    std::array<PartTime, 2> sums;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      const model::LayerRuns& runs = stage_runs[stage];
      PartTime& sum = sums[stage];
      add(sum, table.time(attention, gpu), runs.attention);
      for (const ModelComponent part : model::mixer_parts) {
        const double mixing = runs.mixers[model::mixer_of(part)];
        if (mixing > 0) add(sum, table.time(*parts[static_cast<std::size_t>(part)], gpu), mixing);
      }
      add(sum, table.time(frame, gpu), runs.all);
      if (runs.mlp > 0) add(sum, table.time(mlp, gpu), runs.mlp);
      if (runs.mixture > 0) add(sum, table.time(mixture, gpu), runs.mixture);
      add(sum, table.time(stage == 0 ? ends : last_ends, gpu), 1);
      if (training) table.add_update(plan, held, learning, gpu, sum);
    }
    double time_us = step_us(sums[0], micro_batches, waiting);
    if (stages > 1) {
      std::array<cost::StageSums, 2> each{sums_of(sums[0], micro_batches), sums_of(sums[1], micro_batches)};
      for (std::size_t i = 0; i < stages; ++i) each[i].layers = stage_layers[i];
      const cost::Paced chosen = cost::pace_of(plan, each[0], each[1]);
      model::SlowestStage slowest;
      slowest.others = chosen.other_stages;
      time_us = step_us(sums[chosen.pace == model::Pace::last ? 1 : 0], micro_batches,
                        model::pipeline_bubble(plan.plan, slowest) + waiting);
    }
    const double least_cost = cost(plan, gpu, time_us, most_layer_flops, most_head_flops);
    values[gpu] = references_[gpu] / least_cost;
    out.worst =
        gpu == 0 ? start_costs_[gpu] / least_cost : std::min(out.worst, start_costs_[gpu] / least_cost);
    speeds[gpu] = start_us_per_token_[gpu] * tokens / (time_us * ranks_of(plan.plan));
  }
  out.value = combine({values.data(), gpus});
  out.speed = combine({speeds.data(), gpus});
  return out;
}

}  // namespace shapelint::suggest
