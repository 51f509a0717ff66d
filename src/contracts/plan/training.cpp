// Branch and bound over training plans: a branch is a layout with its micro-batch, ZeRO stage and counted
// embeddings; its plans differ in chunks, recomputation and offloading, none of which is faster than none of
// them without a bubble.
#include "contracts/plan/training.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/units.hpp"
#include "contracts/plan/recompute.hpp"
#include "cost/step.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "rules/engine/conditions.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::contracts {

namespace {

using model::FieldId;
using model::Recompute;

constexpr std::int64_t all_percent = 100;
constexpr std::int64_t largest_micro_batch = 256;

bool is_among(std::span<const FieldId> fields, FieldId field) {
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

struct Branch {
  Layout layout;
  std::int64_t zero = 0;
  std::int64_t micro_batch = 1;
  std::int64_t accumulation = 1;
  std::int64_t embedding_stages = 0;
  bool sequence_parallel = false;
};
struct Leaf {
  std::int64_t chunks = 1;
  RecomputeChoice recompute;
  std::int64_t offload = 0;  // percent of the optimizer's states
};
struct Priced {
  Branch branch;
  Leaf leaf;
  double step_us = 0;
};

void apply(const Branch& branch, const Leaf& leaf, model::Plan& plan) {
  apply(branch.layout, plan);
  plan.zero = branch.zero;
  plan.micro_batch_size = branch.micro_batch;
  plan.gradient_accumulation = branch.accumulation;
  plan.embedding_stages = branch.embedding_stages;
  plan.sequence_parallel = branch.sequence_parallel;
  plan.virtual_pipeline = leaf.chunks;
  apply(leaf.recompute, plan);
  plan.offload_optimizer = leaf.offload;
}

// A framework's default of a field. ZeRO's stage is not among these: FSDP has one.
bool is_left_out(FieldId field, std::int64_t value) {
  constexpr std::array degrees{FieldId::tensor, FieldId::pipeline,      FieldId::context,
                               FieldId::expert, FieldId::expert_tensor, FieldId::virtual_pipeline};
  constexpr std::array switches{FieldId::sequence_parallel, FieldId::recompute, FieldId::embedding_stages,
                                FieldId::offload_optimizer};
  if (is_among(degrees, field)) return value == 1;
  return value == 0 && (is_among(switches, field) || is_among(recomputed_parts, field));
}

bool differs_in_batch_alone(const Branch& a, const Branch& b) {
  const auto rest = [](const Branch& each) {
    const Layout& layout = each.layout;
    return std::tuple(layout.tensor, layout.pipeline, layout.context, layout.expert, layout.expert_tensor,
                      each.zero, each.embedding_stages, each.sequence_parallel);
  };
  return rest(a) == rest(b);
}

// Of equally fast plans the one with the least machinery.
auto rank(const Priced& each) {
  const Layout& layout = each.branch.layout;
  return std::tuple(each.step_us, layout.tensor * layout.pipeline * layout.context, layout.tensor,
                    layout.context, layout.expert, layout.expert_tensor, each.branch.zero, each.leaf.chunks,
                    each.leaf.recompute.level, each.leaf.recompute.parts, each.leaf.offload,
                    each.branch.embedding_stages, each.branch.micro_batch);
}
bool is_before(const Priced& a, const Priced& b) {
  return rank(a) < rank(b);
}

// Reads as if the command line said what a plan chooses: no rule takes it for the file's or for assumed.
model::Reading as_stated(model::Reading reading) {
  for (const FieldId field : chosen_in_training())
    reading.origins[field].kind = model::Origin::Kind::command_line;
  return reading;
}

model::PerField<bool> moving() {
  model::PerField<bool> out;
  for (const model::FieldInfo& each : model::fields()) out[each.id] = false;
  for (const FieldId field : chosen_in_training()) out[field] = true;
  return out;
}

}  // namespace

std::vector<model::FieldId> chosen_in_training() {
  std::vector<FieldId> out{FieldId::tensor,
                           FieldId::pipeline,
                           FieldId::context,
                           FieldId::data,
                           FieldId::expert,
                           FieldId::expert_tensor,
                           FieldId::sequence_parallel,
                           FieldId::zero,
                           FieldId::micro_batch_size,
                           FieldId::gradient_accumulation,
                           FieldId::embedding_stages,
                           FieldId::virtual_pipeline,
                           FieldId::recompute,
                           FieldId::offload_optimizer};
  out.insert(out.end(), recomputed_parts.begin(), recomputed_parts.end());
  return out;
}

suggest::OnStack on_stack(const PlanStack& stack, const model::Reading& reading, const gpu::Gpu& gpu) {
  if (stack.stack.empty() || stack.book == nullptr) return {};
  const gpu::Gpu* const one = &gpu;
  return on_stack(std::make_shared<Checker>(*stack.book, stack.stack), reading, {&one, 1}, stack.runs);
}

struct TrainingSearch::Parts {
  Parts(const model::Reading& from, const gpu::Gpu& gpu_of, const rules::RuleBook& rules,
        const PlanStack& asked, CanSet can)
      : reading(as_stated(from)),
        gpu(gpu_of),
        broken(rules, reading, moving()),
        can_set(std::move(can)),
        memo(gpu),
        rederived(model::rederived(reading.origins)),
        setup(reading.setup),
        usable_bytes(suggest::usable_bytes(gpu::memory_gib(gpu), reading.setup)) {
    stack = on_stack(asked, reading, gpu);
  }

  bool allows(const TrainingRequest& request, FieldId field, std::int64_t value) const {
    for (const Pin& pin : request.pins)
      if (pin.field == field) return value == pin.value;
    return value == model::get(reading.setup, field) || is_left_out(field, value) || !can_set ||
           can_set(field, value);
  }
  std::vector<std::int64_t> values(const TrainingRequest& request, FieldId field,
                                   std::vector<std::int64_t> of) const {
    const std::int64_t own = model::get(reading.setup, field);
    for (const Pin& pin : request.pins)
      if (pin.field == field) return {pin.value};
    std::erase_if(of, [&](std::int64_t value) { return !allows(request, field, value); });
    if (of.empty()) of.push_back(own);
    return of;
  }
  const model::Setup& set(const Branch& branch, const Leaf& leaf) {
    apply(branch, leaf, setup.plan);
    if (setup.model.moe.num_experts <= 0) setup.plan.expert_tensor = reading.setup.plan.expert_tensor;
    model::rederive(setup, rederived);
    return setup;
  }
  bool is_refused() const {
    return std::any_of(stack.constraints.begin(), stack.constraints.end(),
                       [&](const suggest::Constraint& each) { return !each.holds(setup); });
  }

  std::vector<Leaf> leaves(const TrainingRequest& request, std::int64_t pipeline,
                           std::int64_t embedding_stages) const;
  std::vector<Branch> branches(const TrainingRequest& request) const;
  double least_bytes(Branch branch, const std::vector<Leaf>& leaves);
  double bound_us(const Branch& branch);
  TrainingPlan plan_of(const model::Setup& of);

  model::Reading reading;
  const gpu::Gpu& gpu;
  rules::BrokenRules broken;
  CanSet can_set;
  suggest::OnStack stack;
  cost::PriceMemo memo;
  model::Rederived rederived;
  model::Setup setup;  // the plan that is looked at
  suggest::Step step;
  double usable_bytes = 0;
  std::map<std::array<std::int64_t, 11>, double> bounds;  // by branch: searches without a choice ask again
};

// What computes less again stands first.
std::vector<Leaf> TrainingSearch::Parts::leaves(const TrainingRequest& request, std::int64_t pipeline,
                                                std::int64_t embedding_stages) const {
  std::vector<std::int64_t> chunks{1};
  const std::int64_t layers = reading.setup.model.num_layers + embedding_stages;
  if (pipeline > 1 && layers % pipeline == 0) chunks = divisors(layers / pipeline);
  const std::vector<RecomputeChoice> choices = recompute_choices(
      reading.setup, [&](FieldId field, std::int64_t value) { return allows(request, field, value); });
  std::vector<Leaf> out;
  for (const std::int64_t offload :
       values(request, FieldId::offload_optimizer, {reading.setup.plan.offload_optimizer})) {
    for (const RecomputeChoice& choice : choices) {
      for (const std::int64_t chunk : values(request, FieldId::virtual_pipeline, chunks))
        out.push_back({chunk, choice, offload});
    }
  }
  return out;
}

std::vector<Branch> TrainingSearch::Parts::branches(const TrainingRequest& request) const {
  std::vector<Branch> out;
  const std::int64_t layers = reading.setup.model.num_layers;
  for (const Layout& layout : layouts(reading.setup, request.gpus, true)) {
    const bool is_allowed = allows(request, FieldId::tensor, layout.tensor) &&
                            allows(request, FieldId::pipeline, layout.pipeline) &&
                            allows(request, FieldId::context, layout.context) &&
                            allows(request, FieldId::expert, layout.expert) &&
                            allows(request, FieldId::expert_tensor, layout.expert_tensor);
    const bool is_pinned = std::any_of(request.pins.begin(), request.pins.end(), [&](const Pin& pin) {
      return pin.field == FieldId::data && pin.value != layout.data;
    });
    if (!is_allowed || is_pinned || request.sequences % layout.data != 0) continue;
    Branch each;
    each.layout = layout;
    std::vector<std::int64_t> zeros{0};
    if (layout.data * layout.context > 1) zeros = {0, 1, 2, 3};
    std::vector<std::int64_t> counted{0};
    constexpr std::int64_t both_ends = 2;
    if (layout.pipeline > 1 && layers % layout.pipeline != 0 && (layers + both_ends) % layout.pipeline == 0)
      counted.push_back(both_ends);
    // Norms and residuals over the ranks of tensor parallelism cost no more than on each of them.
    const std::vector<std::int64_t> sequence =
        layout.tensor > 1 ? values(request, FieldId::sequence_parallel, {1}) : std::vector<std::int64_t>{0};
    for (const std::int64_t sharded : sequence) {
      each.sequence_parallel = sharded != 0;
      for (const std::int64_t zero : values(request, FieldId::zero, zeros)) {
        each.zero = zero;
        for (const std::int64_t ends : values(request, FieldId::embedding_stages, counted)) {
          each.embedding_stages = ends;
          for (const std::int64_t micro_batch : divisors(request.sequences / layout.data)) {
            if (micro_batch > largest_micro_batch) break;
            each.micro_batch = micro_batch;
            each.accumulation = request.sequences / layout.data / micro_batch;
            if (allows(request, FieldId::micro_batch_size, micro_batch) &&
                allows(request, FieldId::gradient_accumulation, each.accumulation))
              out.push_back(each);
          }
        }
      }
    }
  }
  return out;
}

TrainingPlan TrainingSearch::Parts::plan_of(const model::Setup& of) {
  TrainingPlan out;
  out.setup = of;
  const model::Plan& plan = of.plan;
  out.gpus = plan.tensor * plan.pipeline * plan.context * plan.data;
  suggest::step_of(&stack, memo, of, step);
  const cost::StepCost& cost = step.cost;
  out.step_us = cost.time_us;
  out.mfu = cost.mfu;
  out.tokens_per_s = step.workload.tokens_per_step / cost.time_us * us_per_s * static_cast<double>(plan.data);
  // The rest of the step's idle time is waiting for the slowest rank (docs/explanation/gpu-model.md).
  const double waiting = step.workload.pipeline_bubble;
  const double stages = std::max(0.0, waiting - model::straggler_fraction(plan));
  out.bubble_us = waiting > 0 ? cost.bubble_us * stages / waiting : 0;
  out.exposed_us = cost.communication_us;
  const model::Setup run = stack.run ? stack.run(of, gpu).setup : of;
  out.memory = model::training_memory(run, static_cast<double>(plan.data), model::parameters_per_rank(run));
  out.memory_bytes =
      out.memory.weights + out.memory.gradients + out.memory.optimizer + out.memory.activations;
  out.usable_bytes = usable_bytes;
  return out;
}

TrainingSearch::TrainingSearch(const model::Reading& reading, const gpu::Gpu& gpu,
                               const rules::RuleBook& rules, const PlanStack& stack, CanSet can_set)
    : parts_(std::make_unique<Parts>(reading, gpu, rules, stack, std::move(can_set))) {}
TrainingSearch::~TrainingSearch() = default;

TrainingAnswer TrainingSearch::search(const TrainingRequest& request) {
  TrainingAnswer out = search_without_fallback(request);
  const bool is_pinned = std::any_of(request.pins.begin(), request.pins.end(),
                                     [](const Pin& pin) { return pin.field == FieldId::offload_optimizer; });
  if (!out.best.empty() || !request.may_offload || is_pinned ||
      !parts_->allows(request, FieldId::offload_optimizer, all_percent))
    return out;
  TrainingRequest offloaded = request;
  offloaded.pins.push_back({FieldId::offload_optimizer, all_percent});
  return search_without_fallback(offloaded);
}

// No plan of the branch, and none of those with larger micro-batches, needs less: one micro-batch in flight
// with the most that is computed again and offloaded.
double TrainingSearch::Parts::least_bytes(Branch branch, const std::vector<Leaf>& leaves) {
  branch.accumulation = 1;
  std::vector<RecomputeChoice> choices;
  for (const Leaf& leaf : leaves) choices.push_back(leaf.recompute);
  double least = 0;
  for (const RecomputeChoice& choice : most_recomputed(choices, setup.plan.recompute_layers <= 0)) {
    const double needed = suggest::memory_bytes(set(branch, {1, choice, leaves.back().offload}));
    if (least <= 0 || needed < least) least = needed;
  }
  return least;
}

// No plan of the branch is faster than this: none recomputes, offloads or waits less.
double TrainingSearch::Parts::bound_us(const Branch& branch) {
  const Layout& layout = branch.layout;
  const auto [entry, is_new] = bounds.try_emplace(
      std::array{layout.tensor, layout.pipeline, layout.context, layout.data, layout.expert,
                 layout.expert_tensor, branch.zero, branch.micro_batch, branch.accumulation,
                 branch.embedding_stages, std::int64_t{branch.sequence_parallel}},
      0.0);
  if (!is_new) return entry->second;
  suggest::step_of(&stack, memo, set(branch, {}), step);
  return entry->second = step.cost.time_us - step.cost.bubble_us;
}

TrainingAnswer TrainingSearch::search_without_fallback(const TrainingRequest& request) {
  Parts& p = *parts_;
  TrainingAnswer out;
  SearchCounts& counts = out.searched;
  struct Open {
    Branch branch;
    const std::vector<Leaf>* leaves = nullptr;
    double bound_us = 0;
  };
  std::vector<Open> open;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Leaf>> known_leaves;
  std::optional<Branch> too_large;  // whatever its micro-batch
  for (const Branch& branch : p.branches(request)) {
    const std::pair key(branch.layout.pipeline, branch.embedding_stages);
    const auto [entry, is_new] = known_leaves.try_emplace(key);
    if (is_new) entry->second = p.leaves(request, key.first, key.second);
    const std::vector<Leaf>& leaves = entry->second;
    counts.all += std::ssize(leaves);
    if (too_large && differs_in_batch_alone(*too_large, branch)) {
      counts.too_large += std::ssize(leaves);
      continue;
    }
    Open each{branch, &leaves, 0};
    if (request.prune) {
      const double needed = p.least_bytes(branch, leaves);
      if (out.least_bytes <= 0 || needed < out.least_bytes) out.least_bytes = needed;
      if (needed > p.usable_bytes) {
        too_large = branch;
        counts.too_large += std::ssize(leaves);
        continue;
      }
      each.bound_us = p.bound_us(branch);
    }
    open.push_back(each);
  }
  std::stable_sort(open.begin(), open.end(),
                   [](const Open& a, const Open& b) { return a.bound_us < b.bound_us; });
  std::vector<Priced> best;
  std::vector<Leaf> priced_leaves;  // of the branch
  for (const Open& each : open) {
    if (request.prune && best.size() >= request.keep && each.bound_us > best.back().step_us) {
      counts.bounded += std::ssize(*each.leaves);
      continue;
    }
    priced_leaves.clear();
    for (const Leaf& leaf : *each.leaves) {
      const auto computes_less = [&](const Leaf& other) {
        return other.chunks == leaf.chunks && other.offload == leaf.offload &&
               is_within(other.recompute, leaf.recompute);
      };
      if (request.prune && std::any_of(priced_leaves.begin(), priced_leaves.end(), computes_less)) {
        ++counts.needless;
        continue;
      }
      const model::Setup& setup = p.set(each.branch, leaf);
      if (suggest::memory_bytes(setup) > p.usable_bytes) {
        ++counts.too_large;
        continue;
      }
      if (!p.broken.of(setup).empty()) {
        ++counts.by_rules;
        continue;
      }
      if (p.is_refused()) {
        ++counts.refused;
        continue;
      }
      if (p.stack.run && suggest::memory_bytes_of(&p.stack, p.gpu, setup) > p.usable_bytes) {
        ++counts.too_large;
        continue;
      }
      suggest::step_of(&p.stack, p.memo, setup, p.step);
      ++counts.priced;
      priced_leaves.push_back(leaf);
      const Priced priced{each.branch, leaf, p.step.cost.time_us};
      best.insert(std::upper_bound(best.begin(), best.end(), priced, is_before), priced);
      if (best.size() > request.keep) best.pop_back();
    }
  }
  for (const Priced& each : best) out.best.push_back(p.plan_of(p.set(each.branch, each.leaf)));
  return out;
}

void TrainingSearch::bound(const TrainingRequest& request, std::size_t part, std::size_t parts,
                           const std::atomic<bool>& stop) {
  Parts& p = *parts_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Leaf>> known_leaves;
  std::optional<Branch> too_large;
  std::size_t place = 0;
  for (const Branch& branch : p.branches(request)) {
    if (stop) return;
    // Neighbours differ in their micro-batch: those behind one that is too large are, too.
    if (too_large && differs_in_batch_alone(*too_large, branch)) continue;
    const std::pair key(branch.layout.pipeline, branch.embedding_stages);
    const auto [entry, is_new] = known_leaves.try_emplace(key);
    if (is_new) entry->second = p.leaves(request, key.first, key.second);
    if (p.least_bytes(branch, entry->second) > p.usable_bytes) {
      too_large = branch;
    } else if (place++ % parts == part) {
      p.bound_us(branch);
    }
  }
}

void TrainingSearch::take_bounds(TrainingSearch& other) {
  parts_->bounds.merge(other.parts_->bounds);
}

std::vector<Ablation> TrainingSearch::ablations(const TrainingRequest& request, const TrainingPlan& best) {
  std::vector<Pin> neutral{{FieldId::tensor, 1},
                           {FieldId::sequence_parallel, 0},
                           {FieldId::pipeline, 1},
                           {FieldId::virtual_pipeline, 1},
                           {FieldId::context, 1},
                           {FieldId::expert, 1},
                           {FieldId::zero, 0},
                           {FieldId::micro_batch_size, 1},
                           {FieldId::recompute, static_cast<std::int64_t>(Recompute::none)}};
  for (const FieldId part : recomputed_parts) neutral.push_back({part, 0});
  neutral.push_back({FieldId::offload_optimizer, 0});
  neutral.push_back({FieldId::embedding_stages, 0});
  std::vector<Ablation> out;
  for (const Pin& each : neutral) {
    const bool is_pinned = std::any_of(request.pins.begin(), request.pins.end(),
                                       [&](const Pin& pin) { return pin.field == each.field; });
    if (is_pinned || model::get(best.setup, each.field) == each.value) continue;
    TrainingRequest without = request;
    without.keep = 1;
    without.pins.push_back(each);
    TrainingAnswer answer = search(without);
    Ablation& added = out.emplace_back(Ablation{without.pins.back(), std::nullopt});
    if (!answer.best.empty()) added.plan = std::move(answer.best.front());
  }
  return out;
}

TrainingPlan TrainingSearch::own() {
  return parts_->plan_of(parts_->reading.setup);
}

std::int64_t sequences_per_step(const model::Plan& plan) {
  return plan.micro_batch_size * plan.gradient_accumulation * plan.data;
}

}  // namespace shapelint::contracts
