// From plans to their pictures.
#include <algorithm>

#include <fmt/format.h>

#include "base/counted.hpp"
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
    out.points.push_back({each.output_tokens_per_s_per_user, each.output_tokens_per_s_per_gpu,
                          fmt::format("{} x {}, {}", each.replicas, degree_words(each.parallel), each.dtype),
                          fmt::format("{} x {}, {}, {}: TTFT {}, {}{} output tokens/s/GPU", each.replicas,
                                      degree_words(each.parallel), each.dtype,
                                      counted(each.concurrent_requests, "request"), duration(each.ttft_us),
                                      each.tpot_us ? fmt::format("TPOT {}, ", duration(*each.tpot_us)) : "",
                                      tenths(each.output_tokens_per_s_per_gpu))});
  }
  std::sort(out.points.begin(), out.points.end(),
            [](const chart::FrontPoint& a, const chart::FrontPoint& b) { return a.per_user < b.per_user; });
  return out;
}

double real(std::int64_t value) {
  return static_cast<double>(value);
}

// Names that tell the plans apart: of equal ones with what differs between them.
std::vector<std::string> names_of(const std::vector<TrainingPlan>& plans) {
  std::vector<std::string> out;
  for (const TrainingPlan& each : plans)
    out.push_back(fmt::format("{}, ZeRO-{}", pipeline_words(each), each.zero));
  const auto tell_apart = [&](const auto& words) {
    const std::vector<std::string> before = out;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::string own = words(plans[i]);
      for (std::size_t k = 0; k < plans.size(); ++k) {
        if (before[k] != before[i] || words(plans[k]) == own || own.empty()) continue;
        out[i] += ", " + own;
        break;
      }
    }
  };
  tell_apart([](const TrainingPlan& each) {
    return each.stage_layers > 0 ? fmt::format("{} layers", each.stage_layers) : std::string("even layers");
  });
  tell_apart([](const TrainingPlan& each) {
    return fmt::format("{} x {}", each.micro_batch_size, each.gradient_accumulation);
  });
  tell_apart([](const TrainingPlan& each) { return "recompute " + recompute_words(each); });
  tell_apart([](const TrainingPlan& each) { return "overlap " + each.overlap; });
  tell_apart(over_words);
  tell_apart([](const TrainingPlan& each) {
    return std::string(each.offload_optimizer > 0 ? "optimizer on the host" : "");
  });
  return out;
}

// What a rank of each plan needs.
chart::MemoryFigure memory_of(const std::vector<TrainingPlan>& plans) {
  chart::MemoryFigure out;
  out.parts = {"weights", "gradients", "optimizer", "activations"};
  const std::vector<std::string> names = names_of(plans);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const TrainingPlan& each = plans[i];
    const api::MemoryParts& parts = each.memory.parts;
    out.bars.push_back(
        {names[i],
         {real(parts.weights), real(parts.gradients), real(parts.optimizer), real(parts.activations)}});
    out.usable_bytes = real(each.memory.usable_bytes);
  }
  return out;
}

// The step's time is that of a stage from its first to its last pass.
std::optional<chart::TimelineFigure> timeline_of(const TrainingPlan& plan) {
  const auto schedule = chart::schedule_named(plan.pipeline_schedule);
  if (plan.parallel.pipeline <= 1 || !schedule) return std::nullopt;
  chart::TimelineFigure out;
  out.schedule = *schedule;
  out.stages = plan.parallel.pipeline;
  out.chunks = plan.virtual_pipeline;
  out.micro_batches = plan.gradient_accumulation;
  if (!chart::can_be_drawn(out)) return std::nullopt;
  // A backward pass is two GEMMs for each of the forward pass, and with full recomputation that again.
  out.forward_us = plan.recompute == "full" ? 0.25 : 1.0 / 3;
  out.backward_us = 1 - out.forward_us;
  if (out.schedule != chart::Schedule::one_forward_one_backward) out.weights_us = out.forward_us;
  const double each_us = plan.step_us / chart::stage_span_us(chart::pipeline_blocks(out));
  for (double* time_us : {&out.forward_us, &out.backward_us, &out.weights_us}) *time_us *= each_us;
  return out;
}

}  // namespace

chart::PlanFigure plan_figure(const PlanResult& result, const api::PlanOptions& asked,
                              const std::string& model, std::string_view gpu) {
  chart::PlanFigure out;
  const PlanCount& count = result.counts[static_cast<std::size_t>(*result.best)];
  out.title = fmt::format("{} on {} x {}", model, with_commas(count.num_gpus), gpu);
  if (result.kind == "serving") {
    out.subtitle =
        fmt::format("requests with {} input and {}, steady state{}", with_commas(*result.input_tokens),
                    counted(*result.output_tokens, "output token"), bounds_words(asked));
    out.front = front_of(count);
    return out;
  }
  const TrainingPlan& best = count.plans->front();
  out.subtitle =
      fmt::format("training, {} of {} per step, {}; fastest plan: {}, {} per step, MFU {}",
                  counted(*result.sequences_per_step, "sequence"), counted(*result.sequence_length, "token"),
                  best.dtype, pipeline_words(best), duration(best.step_us), percent(best.mfu));
  out.memory = memory_of(*count.plans);
  out.timeline = timeline_of(best);
  return out;
}

}  // namespace shapelint::cli
