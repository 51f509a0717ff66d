// The step as a stack runs it.
#include "contracts/price.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cost/stages.hpp"
#include "cost/step.hpp"
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
  out.workload = cost::paced_workload(gpu, out.setup);
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
  out.workload_as_written = cost::paced_workload(gpu, setup);
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
      if (!counts || (each.contract->outcome == Consequence::pads) != pads) continue;
      taken.push_back(each);
      any = true;
    }
    if (!any) return 0.0;
    const double before_us = out.step.time_us;
    out.setup = as_run(setup, taken);
    out.workload = cost::paced_workload(gpu, out.setup);
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

namespace {

// What the closures of one thread share.
struct Shared {
  std::shared_ptr<Checker> checker;
  model::Reading reading;
  std::vector<gpu::Gpu> gpus;
};

bool meets_all(const Shared& shared, std::span<const Contract* const> contracts, const model::Setup& setup) {
  return std::all_of(shared.gpus.begin(), shared.gpus.end(), [&](const gpu::Gpu& gpu) {
    return std::all_of(contracts.begin(), contracts.end(), [&](const Contract* contract) {
      return shared.checker->meets(*contract, shared.reading, setup, gpu);
    });
  });
}

}  // namespace

suggest::OnStack on_stack(const std::shared_ptr<Checker>& checker, const model::Reading& reading,
                          std::span<const gpu::Gpu* const> gpus, Runs runs) {
  const auto shared = std::make_shared<Shared>(Shared{checker, reading, {}});
  for (const gpu::Gpu* each : gpus) shared->gpus.push_back(*each);
  suggest::OnStack out;
  if (runs == Runs::as_stack) {
    out.run = [shared](const model::Setup& setup, const gpu::Gpu& gpu) {
      return stack_run(setup, shared->checker->check(shared->reading, setup, gpu, Words::none), gpu);
    };
  }
  std::vector<std::vector<const Contract*>> groups;
  for (const Contract* each : checker->contracts()) {
    const bool is_asked =
        each->outcome == Consequence::refuses && is_for(*each, reading.setup.plan) &&
        std::any_of(gpus.begin(), gpus.end(), [&](const gpu::Gpu* gpu) { return is_for(*each, *gpu); });
    if (!is_asked) continue;
    if (groups.size() <= max_separate_constraints) groups.emplace_back();
    groups.back().push_back(each);
  }
  for (const std::vector<const Contract*>& group : groups) {
    std::string name = group.size() == 1
                           ? fmt::format("requirement {} ({})", group.front()->id, group.front()->summary)
                           : fmt::format("one of {} further requirements", group.size());
    out.constraints.push_back({std::move(name), [shared, group](const model::Setup& setup) {
                                 return meets_all(*shared, group, setup);
                               }});
  }
  return out;
}

void constrain(suggest::Problem& problem, const Book& book, const Stack& stack, Runs runs) {
  // In the mode that the search is about.
  model::Reading reading = *problem.reading;
  reading.setup = problem.start;
  problem.on_stack = [&book, stack, reading, gpus = problem.gpus, runs] {
    return on_stack(std::make_shared<Checker>(book, stack), reading, gpus, runs);
  };
  problem.constraints = [own = std::move(problem.constraints), make = problem.on_stack] {
    std::vector<suggest::Constraint> out = own ? own() : std::vector<suggest::Constraint>{};
    for (suggest::Constraint& each : make().constraints) out.push_back(std::move(each));
    return out;
  };
  if (runs == Runs::as_stack) problem.stack_note = describe(book, stack);
  Checker checker(book, stack);
  std::vector<std::string_view> refused;
  for (const gpu::Gpu* gpu : problem.gpus) {
    for (const Verdict& each : checker.check(reading, problem.start, *gpu, Words::none)) {
      if (each.meets) continue;
      if (each.contract->outcome == Consequence::refuses &&
          std::find(refused.begin(), refused.end(), each.contract->id) == refused.end()) {
        refused.push_back(each.contract->id);
      }
      if (runs == Runs::as_written || each.contract->outcome != Consequence::pads) continue;
      for (const suggest::Change& change : each.set) problem.padded.push_back(change.field);
    }
  }
  for (const std::string_view id : refused) {
    if (!problem.broken.empty()) problem.broken += ' ';
    problem.broken += id;
  }
}

}  // namespace shapelint::contracts
