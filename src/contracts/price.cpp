// The step as a stack runs it.
#include "contracts/price.hpp"

#include <algorithm>
#include <array>

#include "cost/longer.hpp"
#include "cost/stages.hpp"
#include "model/lower/lower.hpp"

namespace shapelint::contracts {

namespace {

bool is_any_longer(std::span<const Verdict> verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& each) { return each.factor > 1; });
}

// How many times as long each op takes. Of several contracts about one layer the largest counts.
std::vector<double> times_of(const model::Workload& workload, std::span<const Verdict> verdicts) {
  std::vector<double> out(workload.ops.size(), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const Verdict& each : verdicts) {
      if (is_of(workload.ops[i], each.contract->layer)) out[i] = std::max(out[i], each.factor);
    }
  }
  return out;
}

}  // namespace

bool is_of(const model::Op& op, std::string_view layer) {
  using model::Component;
  const bool is_collective = op.kind == model::OpKind::collective;
  if (layer == "any") return true;
  if (layer == "communication") return is_collective;
  if (is_collective) return false;
  if (layer == "linear") return op.kind == model::OpKind::gemm;
  struct Layer {
    std::string_view name;
    std::array<Component, 3> components;
  };
  constexpr std::array<Layer, 8> layers{{
      {"attention", {Component::attention, Component::attention_core, Component::attention_core}},
      {"attention.kernel", {Component::attention_core, Component::attention_core, Component::attention_core}},
      {"experts", {Component::router, Component::experts, Component::shared_experts}},
      {"experts.kernel", {Component::experts, Component::experts, Component::experts}},
      {"mlp", {Component::mlp, Component::mlp, Component::mlp}},
      {"embedding", {Component::embedding, Component::head, Component::head}},
      {"state-space", {Component::mixer, Component::mixer, Component::mixer}},
      {"optimizer", {Component::optimizer, Component::optimizer, Component::optimizer}},
  }};
  const auto found =
      std::find_if(layers.begin(), layers.end(), [&](const Layer& each) { return each.name == layer; });
  return found != layers.end() && std::find(found->components.begin(), found->components.end(),
                                            op.component) != found->components.end();
}

suggest::StackRun stack_run(const model::Setup& setup, std::span<const Verdict> verdicts,
                            const gpu::Gpu& gpu) {
  suggest::StackRun out;
  out.setup = as_run(setup, verdicts);
  out.workload = model::lower(cost::paced(gpu, out.setup));
  const bool is_padded = std::any_of(verdicts.begin(), verdicts.end(),
                                     [](const Verdict& each) { return !each.meets && !each.set.empty(); });
  if (is_padded) out.workload.model_flops = model::lower(setup).model_flops;
  if (is_any_longer(verdicts)) out.times = times_of(out.workload, verdicts);
  return out;
}

AsRun run(const model::Setup& setup, std::span<const Verdict> verdicts, const gpu::Gpu& gpu) {
  AsRun out;
  const DType dtype = setup.plan.dtype;
  out.setup = setup;
  out.workload_as_written = model::lower(cost::paced(gpu, setup));
  out.step_as_written = cost::price(gpu, out.workload_as_written, dtype);
  out.workload = out.workload_as_written;
  out.step = out.step_as_written;
  out.price.as_written_us = out.step.time_us;
  out.price.tokens_per_step = out.workload.tokens_per_step;
  // First what is padded, then everything.
  std::vector<Verdict> taken;
  const auto take = [&](bool pads) {
    bool any = false;
    for (const Verdict& each : verdicts) {
      const bool counts = !each.meets && (!each.set.empty() || each.factor > 1);
      if (!counts || (each.contract->outcome == Outcome::pads) != pads) continue;
      taken.push_back(each);
      any = true;
    }
    if (!any) return 0.0;
    const double before_us = out.step.time_us;
    out.setup = as_run(setup, taken);
    out.workload = model::lower(cost::paced(gpu, out.setup));
    out.workload.model_flops = out.workload_as_written.model_flops;
    out.step = cost::price(gpu, out.workload, dtype, times_of(out.workload, taken));
    return out.step.time_us - before_us;
  };
  out.price.padding_us = take(true);
  out.price.slower_us = take(false);
  out.price.time_us = out.step.time_us;
  return out;
}

Price price(const model::Setup& setup, std::span<const Verdict> verdicts, const gpu::Gpu& gpu) {
  return run(setup, verdicts, gpu).price;
}

}  // namespace shapelint::contracts
