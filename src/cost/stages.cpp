// Which stage of a pipeline is the slowest.
#include "cost/stages.hpp"

#include <algorithm>
#include <utility>

#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "model/stages.hpp"

namespace shapelint::cost {

namespace {

struct Stage {
  model::Workload workload;
  StageSums sums;
};
struct TwoStages {
  Stage first;
  Stage last;
};

Stage stage_of(PriceMemo& memo, model::Setup& setup, model::Pace pace) {
  setup.plan.pace = pace;
  setup.plan.other_stages = 0;
  model::Workload workload = model::lower(setup);
  StepCost step;
  StepSums sums;
  double embedding_us = 0;
  for (const model::Op& op : workload.ops) {
    const OpCost& cost = memo.price(op);
    const double time_us = op.count * cost.time_us;
    add(sums, traits_of(op, workload.micro_batches), cost.bound, time_us);
    if (op.component == model::Component::embedding && op.pass != model::Pass::update)
      embedding_us += time_us;
  }
  set_totals(memo.gpu(), workload, setup.plan.dtype, sums, step);
  const StageSums all =
      stage_sums(step, sums, workload.micro_batches, embedding_us, model::slowest_stage(setup).layers);
  return {std::move(workload), all};
}

TwoStages both_of(PriceMemo& memo, model::Setup setup) {
  return {stage_of(memo, setup, model::Pace::first), stage_of(memo, setup, model::Pace::last)};
}

bool has_stages(const model::Setup& setup) {
  return setup.plan.pipeline > 1 && setup.model.conv.empty() && setup.plan.pace == model::Pace::by_arithmetic;
}

model::Setup paced(const TwoStages& both, const model::Setup& setup) {
  model::Setup out = setup;
  const Paced chosen = pace_of(setup, both.first.sums, both.last.sums);
  const StageTimes times = times_of(setup.plan, both.first.sums, both.last.sums);
  const double each_us = times.middle_us / model::at_least_one(model::layers_of_stage(setup));
  out.plan.pace = model::Pace::last;
  const double layers = model::slowest_stage(out).layers;
  out.plan.end_layers = each_us > 0 ? std::max(0.0, times.last_us / each_us - layers) : 0;
  out.plan.pace = chosen.pace;
  out.plan.other_stages = chosen.other_stages;
  return out;
}

}  // namespace

StageSums stage_sums(const StepCost& step, const StepSums& sums, double micro_batches, double embedding_us,
                     double layers) {
  return {step.compute_us + step.memory_us + step.communication_us + step.overhead_us,
          per_micro_batch_us(sums, micro_batches), embedding_us, layers};
}

StageTimes times_of(const model::Plan& plan, const StageSums& first, const StageSums& last) {
  const double micro_batches =
      plan.mode == model::Mode::train ? model::at_least_one(plan.gradient_accumulation) : 1.0;
  return {first.each_us / micro_batches, (first.each_us - first.embedding_us) / micro_batches,
          last.each_us / micro_batches};
}

Paced pace_of(const model::Setup& setup, const StageSums& first, const StageSums& last) {
  const model::Plan& plan = setup.plan;
  const StageTimes times = times_of(plan, first, last);
  // What the two leave is on the stages between them, be they as full as the first or not.
  const double rest = std::max(0.0, model::real(setup.model.num_layers) - first.layers - last.layers);
  const double all_us =
      times.first_us + times.last_us + (first.layers > 0 ? rest / first.layers * times.middle_us : 0.0);
  const auto others = [&](double own_us) {
    return own_us > 0 ? std::max(0.0, all_us - own_us) / own_us : model::real(plan.pipeline - 1);
  };
  const auto step_us = [&](const StageSums& stage, double own_us) {
    model::SlowestStage slowest;
    slowest.others = others(own_us);
    return stage.time_us + model::pipeline_bubble(plan, slowest) * stage.each_us;
  };
  const bool is_last = step_us(last, times.last_us) >= step_us(first, times.first_us);
  return {is_last ? model::Pace::last : model::Pace::first, others(is_last ? times.last_us : times.first_us)};
}

model::Setup paced(PriceMemo& memo, const model::Setup& setup) {
  return has_stages(setup) ? paced(both_of(memo, setup), setup) : setup;
}

model::Setup paced(const gpu::Gpu& gpu, const model::Setup& setup) {
  PriceMemo memo(gpu);
  return paced(memo, setup);
}

model::Workload paced_workload(PriceMemo& memo, const model::Setup& setup) {
  if (!has_stages(setup)) return model::lower(setup);
  TwoStages both = both_of(memo, setup);
  const model::Setup chosen = paced(both, setup);
  Stage& stage = chosen.plan.pace == model::Pace::last ? both.last : both.first;
  // What the other stages take is all that they do not know of.
  stage.workload.end_layers = chosen.plan.end_layers;
  stage.workload.pipeline_bubble = model::step_bubble(chosen);
  return std::move(stage.workload);
}

model::Workload paced_workload(const gpu::Gpu& gpu, const model::Setup& setup) {
  return model::lower(paced(gpu, setup));
}

void price_step(PriceMemo& memo, const model::Setup& setup, StepCost& step) {
  memo.price(paced_workload(memo, setup), setup.plan.dtype, step);
}

StepCost price_step(const gpu::Gpu& gpu, const model::Setup& setup) {
  return price(gpu, paced_workload(gpu, setup), setup.plan.dtype);
}

}  // namespace shapelint::cost
