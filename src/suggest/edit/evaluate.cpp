// Setups to comparable costs.
#include "suggest/edit/evaluate.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "cost/stages.hpp"
#include "cost/step.hpp"
#include "model/cnn/cnn.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"
#include "suggest/edit/on_stack.hpp"

namespace shapelint::suggest {

void step_of(const OnStack* stack, cost::PriceMemo& memo, const model::Setup& setup, Step& out) {
  const DType dtype = setup.plan.dtype;
  out.longer_us = 0;
  if (stack == nullptr || !stack->run) {
    out.workload = cost::paced_workload(memo, setup);
    memo.price(out.workload, dtype, out.cost);
    return;
  }
  StackRun run = stack->run(setup, memo.gpu());
  out.workload = std::move(run.workload);
  memo.price(out.workload, dtype, out.cost);
  if (run.times.empty()) return;
  for (std::size_t i = 0; i < run.times.size(); ++i) {
    const double each_us = out.workload.ops[i].count * out.cost.ops[i].time_us;
    out.longer_us += (run.times[i] - 1) * each_us;
  }
  cost::apply_slowdown(memo.gpu(), out.workload, dtype, run.times, out.cost);
}

double memory_bytes_of(const OnStack* stack, const gpu::Gpu& gpu, const model::Setup& setup) {
  return memory_bytes(stack == nullptr || !stack->run ? setup : stack->run(setup, gpu).setup);
}

namespace {

// Tokens of a useful unit.
double tokens_per_unit(const model::Setup& setup) {
  const bool whole_sequences = setup.model.conv.empty() && setup.model.input != model::Input::vocabulary &&
                               setup.plan.mode != model::Mode::decode;
  return whole_sequences ? static_cast<double>(setup.plan.sequence_length) : 1;
}

void leave_out_bubble(Step& step) {
  step.workload.pipeline_bubble = 0;
  step.cost.time_us -= step.cost.bubble_us;
  step.cost.bubble_us = 0;
}

}  // namespace

double gain(const Evaluation& before, const Evaluation& after) {
  if (before.gpu_us_per_unit <= 0) return 0;
  const double time_ratio = after.gpu_us_per_unit / before.gpu_us_per_unit;
  const double work_ratio = after.flops_per_unit > 0 ? before.flops_per_unit / after.flops_per_unit : 1;
  return 1 - time_ratio * std::max(1.0, work_ratio);
}

std::size_t Evaluator::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0;
  for (const std::int64_t value : key.values) hash = hashed(hash, static_cast<std::uint64_t>(value));
  return static_cast<std::size_t>(hash);
}

const Evaluation& Evaluator::evaluate(const model::Setup& setup) {
  Key key;
  const auto fields = model::fields();
  key.values.reserve(fields.size());
  for (const model::FieldInfo& field : fields) key.values.push_back(field.get(setup));
  if (!setup.model.conv.empty()) model::append_sizes(setup.model, key.values);
  for (const model::LayerGroup& group : setup.model.layers) {
    key.values.push_back(group.count);
    for (const model::LayerKey& each : model::layer_keys()) key.values.push_back(group.layer.*each.member);
  }
  const auto [entry, inserted] = known_.try_emplace(std::move(key));
  if (!inserted) return entry->second;
  step_of(stack_, memo_, setup, scratch_);
  if (!counts_bubble_) leave_out_bubble(scratch_);
  Evaluation& out = entry->second;
  out.time_us = scratch_.cost.time_us;
  out.mfu = scratch_.cost.mfu;
  out.parameters = model::parameter_count(setup);
  const double unit = tokens_per_unit(setup);
  out.flops_per_unit = unit * model::forward_flops_per_token(setup);
  const model::Plan& plan = setup.plan;
  const double ranks = static_cast<double>(plan.tensor) * static_cast<double>(plan.pipeline) *
                       static_cast<double>(plan.context);
  const double tokens = scratch_.workload.tokens_per_step;
  out.gpu_us_per_unit = tokens > 0 ? unit * out.time_us * ranks / tokens : out.time_us;
  return out;
}

Step Evaluator::step(const model::Setup& setup) {
  Step out;
  step_of(stack_, memo_, setup, out);
  return out;
}

double Evaluator::whole_step_us(const model::Setup& setup) {
  return counts_bubble_ ? evaluate(setup).time_us : step(setup).cost.time_us;
}

Step Evaluator::compared(const model::Setup& setup) {
  Step out = step(setup);
  if (!counts_bubble_) leave_out_bubble(out);
  return out;
}

cost::Gain Evaluator::uncertainty(const model::Setup& before, const model::Setup& after) {
  const Step from = compared(before);
  const Step to = compared(after);
  cost::Gain out = cost::gain_between(gpu(), from.workload, from.cost, to.workload, to.cost);
  // The cost model compares steps; gains are per token and GPU, so the error of a step with more tokens
  // counts for each of them less.
  const Evaluation& a = evaluate(before);
  const Evaluation& b = evaluate(after);
  if (a.time_us > 0 && b.time_us > 0 && a.gpu_us_per_unit > 0) {
    out.half_width *= (b.gpu_us_per_unit / b.time_us) / (a.gpu_us_per_unit / a.time_us);
    out.share = 1 - b.gpu_us_per_unit / a.gpu_us_per_unit;
  }
  return out;
}

}  // namespace shapelint::suggest
