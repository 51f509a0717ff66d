// Setups to comparable costs.
#include "suggest/edit/evaluate.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "model/cnn/cnn.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"

namespace shapelint::suggest {

double gain(const Evaluation& before, const Evaluation& after) {
  if (before.gpu_us_per_token <= 0) return 0;
  const double time_ratio = after.gpu_us_per_token / before.gpu_us_per_token;
  const double work_ratio = after.flops_per_token > 0 ? before.flops_per_token / after.flops_per_token : 1;
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
  const auto [entry, inserted] = known_.try_emplace(std::move(key));
  if (!inserted) return entry->second;
  const model::Workload workload = model::lower(setup);
  memo_.price(workload, setup.plan.dtype, scratch_);
  Evaluation& out = entry->second;
  out.time_us = scratch_.time_us;
  out.mfu = scratch_.mfu;
  out.parameters = model::parameter_count(setup);
  out.flops_per_token = model::forward_flops_per_token(setup);
  const model::Plan& plan = setup.plan;
  const double ranks = static_cast<double>(plan.tensor) * static_cast<double>(plan.pipeline) *
                       static_cast<double>(plan.context);
  out.gpu_us_per_token =
      workload.tokens_per_step > 0 ? scratch_.time_us * ranks / workload.tokens_per_step : scratch_.time_us;
  return out;
}

cost::StepCost Evaluator::step(const model::Workload& workload, DType dtype) {
  cost::StepCost out;
  memo_.price(workload, dtype, out);
  return out;
}

cost::Gain Evaluator::uncertainty(const model::Setup& before, const model::Setup& after) {
  const model::Workload old_work = model::lower(before);
  const model::Workload new_work = model::lower(after);
  cost::Gain out = cost::gain_between(gpu(), old_work, step(old_work, before.plan.dtype), new_work,
                                      step(new_work, after.plan.dtype));
  // The cost model compares steps; gains are per token and GPU, so the error of a step with more tokens
  // counts for each of them less.
  const Evaluation& a = evaluate(before);
  const Evaluation& b = evaluate(after);
  if (a.time_us > 0 && b.time_us > 0 && a.gpu_us_per_token > 0) {
    out.half_width *= (b.gpu_us_per_token / b.time_us) / (a.gpu_us_per_token / a.time_us);
    out.share = 1 - b.gpu_us_per_token / a.gpu_us_per_token;
  }
  return out;
}

}  // namespace shapelint::suggest
