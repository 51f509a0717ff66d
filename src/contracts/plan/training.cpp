// Branch and bound over training plans: a branch is a layout with its micro-batch, ZeRO stage and counted
// embeddings; its plans differ in schedule, chunks, recomputation and offloading, none of which is faster
// than none of them without a bubble. Branches are looked at by their bounds, the least first: a sum of
// layers that are priced already, then memory and the step without a bubble, then each plan.
#include "contracts/plan/training.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/units.hpp"
#include "contracts/plan/branches.hpp"
#include "contracts/plan/recompute.hpp"
#include "contracts/plan/step_bound.hpp"
#include "contracts/plan/step_prices.hpp"
#include "cost/step.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "model/stages.hpp"
#include "rules/engine/conditions.hpp"
#include "rules/scope/launch.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::contracts {

namespace {

using model::FieldId;

constexpr std::int64_t all_percent = 100;
constexpr std::int64_t largest_micro_batch = 256;

struct Priced {
  Branch branch;
  Leaf leaf;
  double step_us = 0;
};

// A leaf, and what the slowest stage of its plan waits for (model::waiting_share()).
struct Waiting {
  Leaf leaf;
  double share = 0;
};

// The simplest of equally fast plans.
auto rank(const Priced& each) {
  const Layout& layout = each.branch.layout;
  return std::tuple(each.step_us, layout.tensor * layout.pipeline * layout.context, layout.tensor,
                    layout.context, layout.expert, layout.expert_tensor, each.branch.zero, each.leaf.schedule,
                    each.leaf.chunks, each.leaf.recompute.level, each.leaf.recompute.parts, each.leaf.offload,
                    each.branch.embedding_stages, each.branch.stage_layers, each.branch.overlap,
                    each.branch.micro_batch);
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

// What follows from the fields that plans choose; the rest stands in the reading.
model::Rederived rederived_of(const model::Reading& reading) {
  model::PerField<bool> moved = moving();
  return model::rederived(reading.origins, reading.setup, moved);
}

}  // namespace

suggest::OnStack on_stack(const PlanStack& stack, const model::Reading& reading, const gpu::Gpu& gpu) {
  if (stack.stack.empty() || stack.book == nullptr) return {};
  const gpu::Gpu* const one = &gpu;
  return on_stack(std::make_shared<Checker>(*stack.book, stack.stack), reading, {&one, 1}, stack.runs);
}

struct TrainingSearch::Parts {
  Parts(const model::Reading& from, const gpu::Gpu& gpu_of, const rules::RuleBook& rules,
        const PlanStack& asked, CanSet can, std::shared_ptr<KnownBytes> bytes)
      : reading(as_stated(from)),
        gpu(gpu_of),
        broken(rules, reading, moving()),
        can_set(std::move(can)),
        memo(gpu),
        step_bound(memo),
        prices(gpu, memo, stack, reading.setup),
        rederived(rederived_of(reading)),
        setup(reading.setup),
        usable_bytes(suggest::usable_bytes(gpu::memory_gib(gpu), reading.setup)),
        known_bytes(std::move(bytes)) {
    stack = on_stack(asked, reading, gpu);
    parameters = model::model_parameters(setup);
  }

  bool allows(const TrainingRequest& request, FieldId field, std::int64_t value) const {
    for (const Pin& pin : request.pins)
      if (pin.field == field) return value == pin.value;
    return value == model::get(reading.setup, field) || is_left_out(field, value) || !can_set ||
           can_set(field, value);
  }
  // A framework may work it out of the batch, and have no key for it.
  bool accumulates(const TrainingRequest& request, std::int64_t micro_batches) const {
    const bool follows =
        !is_pinned(request, FieldId::gradient_accumulation) &&
        (model::extra(reading, "fixes_batch") > 0 || model::extra(reading, "shared_batch") > 0);
    return follows || allows(request, FieldId::gradient_accumulation, micro_batches);
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
  double memory_bytes(const model::Setup& of) const {
    return suggest::memory_bytes(of, model::parameters_per_rank(of.plan, parameters));
  }
  bool is_refused() const {
    return std::any_of(stack.constraints.begin(), stack.constraints.end(),
                       [&](const suggest::Constraint& each) { return !each.holds(setup); });
  }

  std::vector<std::int64_t> chunks(const TrainingRequest& request, const Branch& branch,
                                   model::PipelineSchedule schedule) const;
  Leaves leaves(const TrainingRequest& request, const Branch& branch) const;
  std::vector<Split> splits(const TrainingRequest& request, std::int64_t pipeline) const;
  std::vector<std::int64_t> expert_overlaps() const;
  std::vector<Branch> branches(const TrainingRequest& request) const;
  std::vector<Waiting> by_waiting(const Branch& branch, const Leaves& leaves);
  double least_bytes(Branch branch, const Leaves& leaves, std::span<const RecomputeChoice> choices);
  double least_bytes(const Branch& branch, Leaf leaf, std::span<const RecomputeChoice> choices);
  double min_us(const Branch& branch, const Leaves& leaves);
  double min_us(const Branch& branch, const Leaves& leaves, double waiting);
  double bound_us(const Branch& branch, const Leaves& leaves);
  TrainingPlan plan_of(const model::Setup& of);

  model::Reading reading;
  const gpu::Gpu& gpu;
  rules::BrokenRules broken;
  CanSet can_set;
  suggest::OnStack stack;
  cost::PriceMemo memo;
  StepBound step_bound;
  StepPrices prices;
  model::Rederived rederived;
  model::Setup setup;  // the plan that is looked at
  double usable_bytes = 0;
  model::ModelParameters parameters;
  // Searches without a choice ask again.
  std::unordered_map<PlanKey, double, PlanKeyHash> bounds;
  std::shared_ptr<KnownBytes> known_bytes;
};

// Any number that divides a stage's layers; two of each stage where the second half of the layers comes back
// over the stages (ZB-V, DualPipeV), one otherwise.
std::vector<std::int64_t> TrainingSearch::Parts::chunks(const TrainingRequest& request, const Branch& branch,
                                                        model::PipelineSchedule schedule) const {
  const std::int64_t pipeline = branch.layout.pipeline;
  const std::int64_t layers = reading.setup.model.num_layers + branch.embedding_stages;
  std::vector<std::int64_t> out{1};
  const bool is_even = branch.stage_layers == 0 && layers % pipeline == 0;
  if (pipeline <= 1 || model::has_free_chunks(schedule)) {
    if (pipeline > 1 && is_even) out = divisors(layers / pipeline);
    // PyTorch's ZB-H1 is interleaved (ScheduleInterleavedZeroBubble), by two stages of each rank where the
    // file does not say (torchtitan, distributed/pipeline_parallel.py).
    const bool must_interleave =
        schedule == model::PipelineSchedule::zero_bubble && model::extra(reading, "pipelines_by_torch") > 0;
    if (!must_interleave) return values(request, FieldId::virtual_pipeline, out);
    std::vector<std::int64_t> of = values(request, FieldId::virtual_pipeline, out);
    std::erase(of, 1);
    constexpr std::int64_t usual = 2;
    const bool may_be_usual = !is_pinned(request, FieldId::virtual_pipeline) &&
                              std::find(out.begin(), out.end(), usual) != out.end();
    if (of.empty() && may_be_usual) of.push_back(usual);
    return of;
  }
  if (model::comes_back(schedule)) {
    const bool may_be_uneven = model::extra(reading, "states_split") > 0;
    if (branch.stage_layers > 0 || !(may_be_uneven || (is_even && layers / pipeline % 2 == 0))) return {};
    out = {2};
  }
  return values(request, FieldId::virtual_pipeline, out) == out ? out : std::vector<std::int64_t>();
}

// GPipe keeps more than 1F1B and is no faster.
Leaves TrainingSearch::Parts::leaves(const TrainingRequest& request, const Branch& branch) const {
  using enum model::PipelineSchedule;
  std::vector<std::int64_t> schedules{static_cast<std::int64_t>(reading.setup.plan.pipeline_schedule)};
  if (branch.layout.pipeline > 1) {
    for (const model::PipelineSchedule each :
         {zero_bubble_v, zero_bubble, dualpipe_v, dualpipe, one_forward_one_backward}) {
      if (const auto value = static_cast<std::int64_t>(each); value != schedules.front())
        schedules.push_back(value);
    }
    schedules = values(request, FieldId::pipeline_schedule, schedules);
  }
  const std::vector<RecomputeChoice> choices = recompute_choices(
      reading.setup, [&](FieldId field, std::int64_t value) { return allows(request, field, value); });
  Leaves out;
  for (const std::int64_t value : schedules) {
    const auto schedule = static_cast<model::PipelineSchedule>(value);
    const std::vector<std::int64_t> of = chunks(request, branch, schedule);
    if (!of.empty()) out.schedules.emplace_back(schedule, *std::max_element(of.begin(), of.end()));
    for (const std::int64_t offload :
         values(request, FieldId::offload_optimizer, {reading.setup.plan.offload_optimizer})) {
      for (const RecomputeChoice& choice : choices)
        for (const std::int64_t chunk : of) out.all.push_back({chunk, schedule, choice, offload});
    }
  }
  const bool is_lightest = std::all_of(out.schedules.begin(), out.schedules.end(), [&](const auto& each) {
    return is_as_light(out.lightest, each.first);
  });
  if (!is_lightest) out.lightest = dualpipe;
  const bool all_layers = reading.setup.plan.recompute_layers <= 0;
  out.min_memory = max_recomputed(choices, all_layers);
  std::vector<RecomputeChoice> in_part = choices;
  std::erase_if(in_part, [](const RecomputeChoice& each) { return each.level == model::Recompute::full; });
  out.min_memory_in_part = max_recomputed(in_part, all_layers);
  return out;
}

// Even stages; embedding and head counted as a layer each where that makes them even; and where the file
// does not say itself which stage holds what, one layer more on all but the last, which has the head.
std::vector<Split> TrainingSearch::Parts::splits(const TrainingRequest& request,
                                                 std::int64_t pipeline) const {
  constexpr std::int64_t both_ends = 2;
  const std::int64_t layers = reading.setup.model.num_layers;
  std::vector<std::int64_t> counted{0};
  std::vector<std::int64_t> sizes{0};
  if (pipeline > 1 && layers % pipeline != 0 && (layers + both_ends) % pipeline == 0)
    counted.push_back(both_ends);
  if (pipeline > 1 && model::extra(reading, "states_split") <= 0) {
    const std::int64_t size = (layers + pipeline - 1) / pipeline + 1;
    if (layers - (pipeline - 1) * size >= 1) sizes.push_back(size);
  }
  std::vector<Split> out;
  for (const std::int64_t ends : values(request, FieldId::embedding_stages, counted)) {
    for (const std::int64_t size : values(request, FieldId::stage_layers, sizes)) {
      if (size == 0 || ends == 0) out.push_back({ends, size});
    }
  }
  return out;
}

// What an MoE all-to-all may overlap with: nothing, another micro-batch, and what the file says.
std::vector<std::int64_t> TrainingSearch::Parts::expert_overlaps() const {
  std::vector<std::int64_t> out{0, static_cast<std::int64_t>(model::Overlap::micro_batches)};
  const auto own = static_cast<std::int64_t>(reading.setup.plan.overlap);
  if (std::find(out.begin(), out.end(), own) == out.end()) out.push_back(own);
  return out;
}

std::vector<Branch> TrainingSearch::Parts::branches(const TrainingRequest& request) const {
  std::vector<Branch> out;
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
    const std::vector<Split> cuts = splits(request, layout.pipeline);
    const std::vector<std::int64_t> overlaps = values(
        request, FieldId::overlap, layout.expert > 1 ? expert_overlaps() : std::vector<std::int64_t>{0});
    const std::vector<std::int64_t> allowed_zeros = values(request, FieldId::zero, zeros);
    // Norms and residuals over the ranks of tensor parallelism cost no more than on each of them.
    const std::vector<std::int64_t> sequence =
        layout.tensor > 1 ? values(request, FieldId::sequence_parallel, {1}) : std::vector<std::int64_t>{0};
    std::vector<std::int64_t> micro_batches = divisors(request.sequences / layout.data);
    std::erase_if(micro_batches, [&](std::int64_t size) {
      return size > largest_micro_batch || !allows(request, FieldId::micro_batch_size, size);
    });
    for (const std::int64_t sharded : sequence) {
      each.sequence_parallel = sharded != 0;
      for (const Split& cut : cuts) {
        each.embedding_stages = cut.embedding_stages;
        each.stage_layers = cut.stage_layers;
        for (const std::int64_t overlap : overlaps) {
          each.overlap = overlap;
          for (const std::int64_t micro_batch : micro_batches) {
            each.micro_batch = micro_batch;
            each.accumulation = request.sequences / layout.data / micro_batch;
            if (!accumulates(request, each.accumulation)) continue;
            for (const std::int64_t zero : allowed_zeros) {
              each.zero = zero;
              out.push_back(each);
            }
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
  out.gpus = rules::gpus_of_plan(plan);
  suggest::Step step;
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
                               const rules::RuleBook& rules, const PlanStack& stack, CanSet can_set,
                               std::shared_ptr<KnownBytes> bytes)
    : parts_(std::make_unique<Parts>(reading, gpu, rules, stack, std::move(can_set), std::move(bytes))) {}
TrainingSearch::~TrainingSearch() = default;

TrainingAnswer TrainingSearch::search(const TrainingRequest& request) {
  TrainingAnswer out = search_without_fallback(request);
  if (!out.best.empty() || !request.may_offload || is_pinned(request, FieldId::offload_optimizer) ||
      !parts_->allows(request, FieldId::offload_optimizer, all_percent))
    return out;
  TrainingRequest offloaded = request;
  offloaded.pins.push_back({FieldId::offload_optimizer, all_percent});
  return search_without_fallback(offloaded);
}

// What waits least stands first.
std::vector<Waiting> TrainingSearch::Parts::by_waiting(const Branch& branch, const Leaves& leaves) {
  std::vector<Waiting> out;
  for (const Leaf& leaf : leaves.all) {
    apply(branch, leaf, setup.plan);
    const bool waits = branch.layout.pipeline > 1;
    out.push_back({leaf, waits ? model::waiting_share(setup.plan, model::at_least_one(leaf.chunks)) : 0});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Waiting& a, const Waiting& b) { return a.share < b.share; });
  return out;
}

// No plan with the leaf's schedule that computes no more again than one of these needs less.
double TrainingSearch::Parts::least_bytes(const Branch& branch, Leaf leaf,
                                          std::span<const RecomputeChoice> choices) {
  double least = std::numeric_limits<double>::infinity();
  for (const RecomputeChoice& choice : choices) {
    leaf.recompute = choice;
    least = std::min(least, memory_bytes(set(branch, leaf)));
  }
  return least;
}

// No plan of the branch that computes no more again than one of these, and none of those with larger
// micro-batches, needs less: one micro-batch in flight with the most that is offloaded.
double TrainingSearch::Parts::least_bytes(Branch branch, const Leaves& leaves,
                                          std::span<const RecomputeChoice> choices) {
  branch.accumulation = 1;
  double least = 0;
  for (const RecomputeChoice& choice : choices) {
    const Leaf leaf{1, {}, choice, leaves.all.back().offload};
    const double needed =
        known_bytes->get(key_of(branch, leaf), [&] { return memory_bytes(set(branch, leaf)); });
    if (least <= 0 || needed < least) least = needed;
  }
  return least;
}

// No plan of the branch is faster than this, which takes no lowering.
double TrainingSearch::Parts::min_us(const Branch& branch, const Leaves& leaves) {
  apply(branch, {}, setup.plan);
  double waiting = 1;
  for (const auto& [schedule, chunks] : leaves.schedules) {
    setup.plan.pipeline_schedule = schedule;
    waiting = std::min(waiting, model::waiting_share(setup.plan, model::at_least_one(chunks)));
  }
  return min_us(branch, leaves, waiting);
}

// None of those that wait as long. A stack may run other sizes, and a CNN has no such layers: 0.
double TrainingSearch::Parts::min_us(const Branch& branch, const Leaves& leaves, double waiting) {
  if (stack.run || !setup.model.conv.empty()) return 0;
  apply(branch, {}, setup.plan);
  return step_bound.min_us(setup.plan, waiting, [&]() -> const model::Setup& {
    return set(branch, {1, leaves.lightest, {}, 0});
  });
}

// No plan of the branch that fits is faster than this: none recomputes, offloads or waits less. Where none
// but those with full recomputation fit, that is what all have.
double TrainingSearch::Parts::bound_us(const Branch& branch, const Leaves& leaves) {
  Leaf lightest{1, leaves.lightest, {}, 0};
  const auto& in_part = leaves.min_memory_in_part;
  if (in_part.empty() || least_bytes(branch, leaves, in_part) > usable_bytes)
    lightest.recompute.level = model::Recompute::full;
  const auto [entry, is_new] = bounds.try_emplace(key_of(branch, lightest), 0.0);
  if (!is_new) return entry->second;
  const StepPrices::Time time = prices.price(set(branch, lightest));
  return entry->second = time.time_us - time.bubble_us;
}

TrainingAnswer TrainingSearch::search_without_fallback(const TrainingRequest& request) {
  Parts& p = *parts_;
  TrainingAnswer out;
  SearchCounts& counts = out.searched;
  // Branches that differ in their micro-batch alone, the least first: those from one on that does not fit
  // do not either.
  struct Group {
    double least_bytes = 0;
    std::int64_t too_large = std::numeric_limits<std::int64_t>::max();
  };
  struct Open {
    Branch branch;
    const Leaves* leaves = nullptr;
    std::size_t group = 0;
    bool is_priced = false;  // its bound is
  };
  std::vector<Open> open;
  std::vector<Group> groups;
  // The least bound first, of equal ones in their order.
  using Next = std::pair<double, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::map<std::array<std::int64_t, 3>, Leaves> known_leaves;
  std::map<std::int64_t, std::size_t> group_of;  // by ZeRO's stage
  const Branch* before = nullptr;
  const model::PerField<bool> layout_fields = fields_of_layouts();
  bool is_broken = false;
  const std::vector<Branch> branches = p.branches(request);
  for (const Branch& branch : branches) {
    const auto [entry, is_new] = known_leaves.try_emplace(
        std::array{branch.layout.pipeline, branch.embedding_stages, branch.stage_layers});
    if (is_new) entry->second = p.leaves(request, branch);
    if (entry->second.all.empty()) continue;
    counts.all += std::ssize(entry->second.all);
    if (before == nullptr || !differs_in_zero_or_batch(*before, branch)) {
      group_of.clear();
      is_broken =
          request.prune && !p.broken.of(p.set(branch, {})).empty() && p.broken.are_broken_by(layout_fields);
    }
    before = &branch;
    if (is_broken) {
      counts.by_rules += std::ssize(entry->second.all);
      p.broken.add_codes(out.violated);
      continue;
    }
    const auto [place, is_first] = group_of.try_emplace(branch.zero, groups.size());
    if (is_first) groups.push_back({p.least_bytes(branch, entry->second, entry->second.min_memory)});
    const Group& group = groups[place->second];
    if (out.least_bytes <= 0 || group.least_bytes < out.least_bytes) out.least_bytes = group.least_bytes;
    if (request.prune && group.least_bytes > p.usable_bytes) {
      counts.too_large += std::ssize(entry->second.all);
      continue;
    }
    next.emplace(request.prune ? p.min_us(branch, entry->second) : 0, open.size());
    open.push_back({branch, &entry->second, place->second});
  }
  const auto is_too_large = [&](const Branch& branch, const Leaves& leaves, Group& group) {
    const bool is_known = branch.micro_batch >= group.too_large;
    if (!is_known && p.least_bytes(branch, leaves, leaves.min_memory) <= p.usable_bytes) return false;
    group.too_large = std::min(group.too_large, branch.micro_batch);
    return true;
  };
  std::vector<Priced> best;
  // Of the branch:
  std::vector<Waiting> priced;
  std::map<std::array<std::int64_t, 4>, bool> fitting;  // by level and schedule, with the most recomputation
  const auto may_fit = [&](const Open& each, const Leaf& leaf) {
    const bool is_full = leaf.recompute.level == model::Recompute::full;
    const auto [entry, is_new] = fitting.try_emplace(
        {is_full ? 1 : 0, static_cast<std::int64_t>(leaf.schedule), leaf.chunks, leaf.offload});
    const auto& choices = is_full ? each.leaves->min_memory : each.leaves->min_memory_in_part;
    if (is_new) entry->second = p.least_bytes(each.branch, leaf, choices) <= p.usable_bytes;
    return entry->second;
  };
  while (!next.empty()) {
    if (request.ended != nullptr && *request.ended) return {};
    const auto [bound_us, place] = next.top();
    if (request.prune && best.size() >= request.keep && bound_us > best.back().step_us) break;
    next.pop();
    Open& each = open[place];
    if (request.prune && !each.is_priced) {
      if (is_too_large(each.branch, *each.leaves, groups[each.group])) {
        counts.too_large += std::ssize(each.leaves->all);
        continue;
      }
      each.is_priced = true;
      next.emplace(std::max(bound_us, p.bound_us(each.branch, *each.leaves)), place);
      continue;
    }
    priced.clear();
    fitting.clear();
    for (const Waiting& waiting : p.by_waiting(each.branch, *each.leaves)) {
      const Leaf& leaf = waiting.leaf;
      // Those behind it wait as long, or longer.
      const bool is_full = request.prune && best.size() >= request.keep;
      if (is_full && p.min_us(each.branch, *each.leaves, waiting.share) > best.back().step_us) break;
      // It waits no longer, as it stands before this one.
      const auto computes_less = [&](const Waiting& other) {
        return other.leaf.chunks == leaf.chunks && other.leaf.offload == leaf.offload &&
               is_as_light(other.leaf.schedule, leaf.schedule) &&
               is_within(other.leaf.recompute, leaf.recompute);
      };
      if (request.prune && std::any_of(priced.begin(), priced.end(), computes_less)) {
        ++counts.needless;
        continue;
      }
      if (request.prune && !may_fit(each, leaf)) {
        ++counts.too_large;
        continue;
      }
      const model::Setup& setup = p.set(each.branch, leaf);
      if (p.memory_bytes(setup) > p.usable_bytes) {
        ++counts.too_large;
        continue;
      }
      if (!p.broken.of(setup).empty()) {
        ++counts.by_rules;
        p.broken.add_codes(out.violated);
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
      ++counts.priced;
      priced.push_back(waiting);
      const Priced plan{each.branch, leaf, p.prices.price(setup).time_us};
      best.insert(std::upper_bound(best.begin(), best.end(), plan, is_before), plan);
      if (best.size() > request.keep) best.pop_back();
    }
  }
  // Each that is left had a bound above the last of the best.
  counts.bounded =
      counts.all - counts.too_large - counts.by_rules - counts.refused - counts.needless - counts.priced;
  for (const Priced& each : best) out.best.push_back(p.plan_of(p.set(each.branch, each.leaf)));
  return out;
}

bool TrainingSearch::allows(const TrainingRequest& request, const Pin& pin) const {
  return parts_->allows(request, pin.field, pin.value);
}

Ablation TrainingSearch::without(const TrainingRequest& request, const Pin& pin) {
  TrainingRequest asked = request;
  asked.keep = 1;
  asked.pins.push_back(pin);
  TrainingAnswer answer = search(asked);
  Ablation out{pin, std::nullopt};
  if (!answer.best.empty()) out.plan = std::move(answer.best.front());
  return out;
}

TrainingPlan TrainingSearch::own() {
  return parts_->plan_of(parts_->reading.setup);
}

}  // namespace shapelint::contracts
