// From plans to their pictures.
#include <algorithm>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "cli/commands/plan/plan.hpp"

namespace shapelint::cli {

namespace {

using api::PlanCount;
using api::PlanResult;
using api::ServingPlan;
using api::TrainingPlan;

chart::FrontFigure front_of(const PlanCount& count) {
  chart::FrontFigure out;
  for (const ServingPlan& each : *count.front) {
    out.points.push_back(
        {each.output_tokens_per_s_per_user, each.output_tokens_per_s_per_gpu,
         fmt::format("{} x {}, {}", each.replicas, degree_words(each.parallel), each.dtype),
         fmt::format("{} x {}, {}, {} requests: TTFT {}, TPOT {}, {} output tokens/s per GPU", each.replicas,
                     degree_words(each.parallel), each.dtype, with_commas(each.concurrent_requests),
                     duration(each.ttft_us), duration(each.tpot_us),
                     tenths(each.output_tokens_per_s_per_gpu))});
  }
  std::sort(out.points.begin(), out.points.end(),
            [](const chart::FrontPoint& a, const chart::FrontPoint& b) { return a.per_user < b.per_user; });
  return out;
}

double real(std::int64_t value) {
  return static_cast<double>(value);
}

// What a rank of each plan needs.
chart::MemoryFigure memory_of(const std::vector<TrainingPlan>& plans) {
  chart::MemoryFigure out;
  out.parts = {"weights", "gradients", "optimizer", "activations"};
  for (const TrainingPlan& each : plans) {
    const api::MemoryParts& parts = each.memory.parts;
    out.bars.push_back(
        {fmt::format("{}, ZeRO-{}", pipeline_words(each), each.zero),
         {real(parts.weights), real(parts.gradients), real(parts.optimizer), real(parts.activations)}});
    out.usable_bytes = real(each.memory.usable_bytes);
  }
  return out;
}

// Of a schedule that runs forward and backward passes in turn: a step is one pass of all micro-batches, and
// its bubble as long as the other stages take for one of them, or with ZB-H1 for what weight gradients leave.
std::optional<chart::TimelineFigure> timeline_of(const TrainingPlan& plan) {
  const bool are_apart = plan.pipeline_schedule == "zero_bubble" && plan.virtual_pipeline == 1;
  if (plan.parallel.pipeline <= 1 || (plan.pipeline_schedule != "1f1b" && !are_apart)) return std::nullopt;
  chart::TimelineFigure out;
  out.stages = plan.parallel.pipeline;
  out.chunks = plan.virtual_pipeline;
  out.micro_batches = plan.gradient_accumulation;
  // A backward pass is two GEMMs for each of the forward pass, and with full recomputation that again.
  const double forward = plan.recompute == "full" ? 0.25 : 1.0 / 3;
  const double waiting = are_apart ? 1 - 2 * forward : 1 / real(out.chunks);
  const double passes = real(out.micro_batches) + real(out.stages - 1) * waiting;
  const double each_us = plan.step_us / passes;
  if (are_apart) out.weights_us = forward * each_us;
  out.forward_us = forward * each_us;
  out.backward_us = (1 - forward) * each_us;
  return out;
}

}  // namespace

chart::PlanFigure plan_figure(const PlanResult& result, const std::string& model) {
  chart::PlanFigure out;
  const PlanCount& count = result.counts[static_cast<std::size_t>(*result.best)];
  out.title = fmt::format("{} on {} {}", model, with_commas(count.num_gpus), count.gpu);
  if (result.kind == "serving") {
    out.subtitle = fmt::format("requests with {} input and {} output tokens, steady state",
                               with_commas(*result.input_tokens), with_commas(*result.output_tokens));
    out.front = front_of(count);
    return out;
  }
  const TrainingPlan& best = count.plans->front();
  out.subtitle =
      fmt::format("training, {} sequences of {} tokens per step; fastest plan: {}, {} per step, MFU {}",
                  with_commas(*result.sequences_per_step), with_commas(*result.sequence_length),
                  degree_words(best.parallel), duration(best.step_us), percent(best.mfu));
  out.memory = memory_of(*count.plans);
  out.timeline = timeline_of(best);
  return out;
}

}  // namespace shapelint::cli
