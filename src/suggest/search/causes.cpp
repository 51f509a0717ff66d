// Causes of gains.
#include "suggest/search/causes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cost/uncertainty.hpp"
#include "model/arithmetic.hpp"

namespace shapelint::suggest {

namespace {

using model::real;

// All runs of the ops of one name: shares of the old step, by effect; multiply-adds of products, in the
// same unit of steps; the first of its ops.
struct Spent {
  cost::EffectTimes times{};
  double products = 0;
  const model::Op* first = nullptr;
};

std::map<std::string, Spent> spent(const model::Workload& workload, const cost::StepCost& cost,
                                   double factor) {
  std::map<std::string, Spent> out;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    const model::Op& op = workload.ops[i];
    if (op.overlapped) continue;
    Spent& to = out[std::string(op.name)];
    if (to.first == nullptr) to.first = &op;
    const cost::EffectTimes times = cost::split_by_effect(op, cost.ops[i]);
    for (std::size_t e = 0; e < times.size(); ++e) to.times[e] += factor * op.count * times[e];
    if (op.kind == model::OpKind::gemm) {
      to.products +=
          factor * op.count * real(op.batch.value) * real(op.m.value) * real(op.n.value) * real(op.k.value);
    }
  }
  return out;
}

std::string changed_sizes(const model::Op* before, const model::Op* after) {
  std::string out;
  if (before == nullptr || after == nullptr || before->kind != model::OpKind::gemm ||
      after->kind != model::OpKind::gemm) {
    return out;
  }
  const auto size = [&](std::string_view name, std::int64_t from, std::int64_t to) {
    if (from != to) out += fmt::format("{}{} {} → {}", out.empty() ? "" : ", ", name, from, to);
  };
  size("m", before->m.value, after->m.value);
  size("n", before->n.value, after->n.value);
  size("k", before->k.value, after->k.value);
  size("batch", before->batch.value, after->batch.value);
  return out;
}

void add_causes(const std::string& name, const Spent& before, const Spent& after, std::vector<Cause>& out) {
  const auto add = [&](gpu::Effect effect, bool work, double share) {
    if (std::fabs(share) < least_cause) return;
    Cause cause{name, effect, work, share, {}};
    if (!work) cause.sizes = changed_sizes(before.first, after.first);
    out.push_back(std::move(cause));
  };
  for (std::size_t e = 0; e < before.times.size(); ++e) {
    const auto effect = static_cast<gpu::Effect>(e);
    const double share = before.times[e] - after.times[e];
    if (effect != gpu::Effect::throughput || before.products <= 0 || after.products <= 0) {
      add(effect, effect == gpu::Effect::throughput, share);
      continue;
    }
    // What the difference of work would save at the old rate, and what the new rate saves of the new work.
    const double at_old_rate = before.times[e] * after.products / before.products;
    add(effect, true, before.times[e] - at_old_rate);
    add(effect, false, at_old_rate - after.times[e]);
  }
}

}  // namespace

std::vector<Cause> causes_between(const model::Workload& before, const cost::StepCost& before_cost,
                                  const model::Workload& after, const cost::StepCost& after_cost,
                                  double scale) {
  const std::map<std::string, Spent> old_ops = spent(before, before_cost, 1 / before_cost.time_us);
  const std::map<std::string, Spent> new_ops = spent(after, after_cost, scale / before_cost.time_us);
  std::set<std::string> names;
  for (const auto& [name, times] : old_ops) names.insert(name);
  for (const auto& [name, times] : new_ops) names.insert(name);
  std::vector<Cause> out;
  for (const std::string& name : names) {
    const auto old_op = old_ops.find(name);
    const auto new_op = new_ops.find(name);
    add_causes(name, old_op == old_ops.end() ? Spent{} : old_op->second,
               new_op == new_ops.end() ? Spent{} : new_op->second, out);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Cause& a, const Cause& b) { return std::fabs(a.share) > std::fabs(b.share); });
  return out;
}

std::string_view name(const Cause& cause) {
  return cause.work ? "work" : gpu::name(cause.effect);
}

std::string_view describe(const Cause& cause) {
  if (cause.work) return "work";
  switch (cause.effect) {
    case gpu::Effect::alignment:
      return "misalignment";
    case gpu::Effect::tile:
      return "tile quantization";
    case gpu::Effect::wave:
      return "wave quantization";
    case gpu::Effect::attention:
      return "attention kernel";
    case gpu::Effect::throughput:
      return "GEMM efficiency";
    case gpu::Effect::memory:
      return "DRAM traffic";
    case gpu::Effect::communication:
      return "communication";
  }
  return "";
}

}  // namespace shapelint::suggest
