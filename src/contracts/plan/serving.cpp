// Replicas, batches, and what they take. In the steady state a rank with b requests of n steps each reads b
// prompts while it makes n steps: each whole between two steps, or in chunks that steps read along
// (2308.16369), which have room for more than one prompt's.
#include "contracts/plan/serving.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/units.hpp"
#include "cost/step.hpp"
#include "model/arithmetic.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "rules/engine/conditions.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::contracts {

namespace {

using model::FieldId;

constexpr std::int64_t most_requests = 4096;  // of a rank and stage
// Tokens of prompts. vLLM's guide wants 2048 for the time between tokens and over 8192 for throughput
// (docs/configuration/optimization.md); what an engine needs for a step beside its kernels is not modelled,
// and smaller chunks would look better than they are.
constexpr std::int64_t least_chunk = 2048;
constexpr std::int64_t most_chunk = 16384;
// Of a pipeline, unless it is asked for: engines keep stages busy only as far as requests come evenly.
constexpr std::int64_t most_stages = 8;
constexpr std::array<std::string_view, 6> binds_names{"memory",
                                                      "the TPOT bound",
                                                      "the TTFT bound",
                                                      "the bound on request latency",
                                                      "throughput, which more of them do not raise",
                                                      "the requested concurrency"};
constexpr std::array chosen_in_serving{FieldId::mode,           FieldId::dtype,
                                       FieldId::recipe,         FieldId::tensor,
                                       FieldId::pipeline,       FieldId::context,
                                       FieldId::data,           FieldId::expert,
                                       FieldId::expert_tensor,  FieldId::micro_batch_size,
                                       FieldId::prefill_tokens, FieldId::sequence_length,
                                       FieldId::context_length, FieldId::longest_sequence};

model::Reading as_served(model::Reading reading, const ServingRequest& request) {
  model::Plan& plan = reading.setup.plan;
  plan.mode = model::Mode::decode;
  plan.gradient_accumulation = 1;
  plan.zero = 0;
  plan.recompute = model::Recompute::none;
  plan.virtual_pipeline = 1;
  plan.sequence_parallel = false;
  plan.prefill_tokens = 0;
  plan.context_length = request.input_tokens + request.output_tokens / 2;
  if (plan.longest_sequence <= 0) plan.longest_sequence = request.input_tokens + request.output_tokens;
  for (const FieldId field : chosen_in_serving)
    reading.origins[field].kind = model::Origin::Kind::command_line;
  return reading;
}

// GPUs that serve `rate` requests a second.
std::int64_t gpus_for(const ServingPlan& replica, double rate) {
  return static_cast<std::int64_t>(std::ceil(rate / replica.requests_per_s)) * replica.replica_gpus;
}

// Of replicas: those whose GPUs divide all, and for a rate powers of two besides.
std::vector<std::int64_t> replica_sizes(std::int64_t gpus, double rate) {
  std::vector<std::int64_t> out = divisors(gpus);
  if (rate <= 0) return out;
  for (std::int64_t size = 1; size <= gpus; size *= 2) out.push_back(size);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool is_more_throughput(const ServingPlan& a, const ServingPlan& b) {
  if (a.tokens_per_s_per_gpu != b.tokens_per_s_per_gpu)
    return a.tokens_per_s_per_gpu > b.tokens_per_s_per_gpu;
  return a.replica_gpus < b.replica_gpus;
}

}  // namespace

std::string_view name(LimitingFactor binds) {
  return binds_names[static_cast<std::size_t>(binds)];
}

std::vector<std::int64_t> batches(std::int64_t most) {
  std::vector<std::int64_t> out;
  for (std::int64_t power = 1; power <= std::min(most, most_requests); power *= 2) {
    out.push_back(power);
    const std::int64_t between = power + power / 2;
    if (power > 1 && between <= std::min(most, most_requests)) out.push_back(between);
  }
  if (most > 0 && most < most_requests && (out.empty() || out.back() != most)) out.push_back(most);
  return out;
}

std::vector<std::int64_t> chunks(const model::ModelSpec& model, std::int64_t input_tokens) {
  std::vector<std::int64_t> out{0};
  if (model.indexer.keys > 0 || model.sparse.blocks > 0 || model::num_mixer_layers(model) > 0) return out;
  for (std::int64_t tokens = least_chunk; tokens <= most_chunk && tokens < input_tokens; tokens *= 2)
    out.push_back(tokens);
  if (input_tokens <= most_chunk) out.push_back(input_tokens);
  return out;
}

struct ServingSearch::Parts {
  Parts(const model::Reading& from, const gpu::Gpu& gpu_of, const rules::RuleBook& rules,
        const PlanStack& asked_stack, ServingRequest asked)
      : request(std::move(asked)),
        reading(as_served(from, request)),
        gpu(gpu_of),
        broken(rules, reading),
        memo(gpu),
        rederived(model::rederived(reading.origins)) {
    if (request.formats.empty())
      request.formats = {Format{reading.setup.plan.dtype, reading.setup.plan.recipe}};
    for (const Format& each : request.formats) {
      model::Reading in_format = reading;
      in_format.setup.plan.dtype = each.dtype;
      in_format.setup.plan.recipe = each.recipe;
      stacks.push_back(on_stack(asked_stack, in_format, gpu));
    }
  }

  bool allows(const Layout& layout) const {
    const model::Setup& own = reading.setup;
    const bool asks_for_stages = std::any_of(request.pins.begin(), request.pins.end(),
                                             [](const Pin& pin) { return pin.field == FieldId::pipeline; });
    if (layout.pipeline > most_stages && !asks_for_stages) return false;
    // Data-parallel attention pays where ranks share the experts out; else a rank is a replica.
    if (layout.data > 1 && (own.model.moe.num_experts <= 0 || layout.expert <= 1)) return false;
    return std::none_of(request.pins.begin(), request.pins.end(), [&](const Pin& pin) {
      model::Setup at;
      apply(layout, at.plan);
      constexpr std::array degrees{FieldId::tensor, FieldId::pipeline, FieldId::data, FieldId::expert};
      const bool is_degree = std::find(degrees.begin(), degrees.end(), pin.field) != degrees.end();
      return is_degree && model::get(at, pin.field) != pin.value;
    });
  }
  std::optional<std::int64_t> pinned(FieldId field) const {
    for (const Pin& pin : request.pins)
      if (pin.field == field) return pin.value;
    return std::nullopt;
  }
  // Requests of a rank and stage that are tried, of which so many have room.
  std::vector<std::int64_t> tried_requests(const Layout& layout, std::int64_t most) const {
    std::optional<std::int64_t> only = pinned(FieldId::micro_batch_size);
    if (request.concurrency > 0)
      only = model::divide_up(request.concurrency, all_gpus / layout.gpus * layout.data * layout.pipeline);
    if (!only) return batches(most);
    return *only <= most ? std::vector{*only} : std::vector<std::int64_t>{};
  }

  // All plans of one replica of so many GPUs.
  const std::vector<ServingPlan>& replicas_of(std::int64_t gpus);
  void add(const Layout& layout, std::size_t format, std::vector<ServingPlan>& plans);
  void price(const suggest::OnStack& stack, ServingPlan& plan);
  void say_what_binds(std::span<ServingPlan> by_requests) const;

  ServingRequest request;
  model::Reading reading;
  const gpu::Gpu& gpu;
  rules::BrokenRules broken;
  std::vector<suggest::OnStack> stacks;  // by format
  cost::PriceMemo memo;
  model::Rederived rederived;
  suggest::Step step;
  std::int64_t all_gpus = 1;                               // that are searched for
  std::map<std::int64_t, std::vector<ServingPlan>> known;  // by GPUs of a replica
  std::map<std::int64_t, SearchCounts> searched;
};

// From the phases of one stage: decoding steps, and prompts between them or read along with them.
void ServingSearch::Parts::price(const suggest::OnStack& stack, ServingPlan& plan) {
  const model::Plan& run = plan.setup.plan;
  const auto real = [](std::int64_t n) { return static_cast<double>(n); };
  const double stages = real(run.pipeline);
  const double requests = real(run.micro_batch_size);
  // The first token comes of the prompt.
  const double steps = real(request.output_tokens - 1) / model::accepted_tokens(run);
  double prompts_us = requests * plan.prompt_us;
  double busy_us = steps * plan.step_us + prompts_us;
  plan.gap_us = stages * (plan.prompt_us + plan.step_us);
  if (run.prefill_tokens > 0) {
    suggest::step_of(&stack, memo, plan.setup, step);
    plan.mixed_us = step.cost.time_us;
    const double mixed = requests * real(request.input_tokens) / real(run.prefill_tokens);
    busy_us = mixed * plan.mixed_us + std::max(0.0, steps - mixed) * plan.step_us;
    prompts_us = busy_us - std::min(busy_us, steps * plan.step_us);
    plan.prompt_us = real(model::divide_up(request.input_tokens, run.prefill_tokens)) * plan.mixed_us;
    plan.gap_us = stages * plan.mixed_us;
  }
  const double cycle_us = stages * busy_us;
  plan.requests_per_rank = run.micro_batch_size * run.pipeline;
  plan.requests = plan.requests_per_rank * run.data;
  plan.tpot_us = request.output_tokens > 1 ? cycle_us / real(request.output_tokens - 1) : 0;
  plan.ttft_us = stages * (plan.prompt_us + (request.output_tokens > 1 ? plan.step_us : 0));
  plan.request_us = plan.ttft_us + plan.tpot_us * real(request.output_tokens - 1);
  plan.requests_per_s = real(plan.requests) / cycle_us * us_per_s;
  plan.output_tokens_per_s = plan.requests_per_s * real(request.output_tokens);
  plan.input_tokens_per_s = plan.requests_per_s * real(request.input_tokens);
  plan.tokens_per_s_per_gpu = plan.output_tokens_per_s / real(plan.replica_gpus);
  plan.tokens_per_s_per_user =
      plan.tpot_us > 0 ? us_per_s / plan.tpot_us : real(request.output_tokens) * us_per_s / plan.ttft_us;
  plan.prompt_share = prompts_us / busy_us;
}

// What the next number of requests would break.
void ServingSearch::Parts::say_what_binds(std::span<ServingPlan> by_requests) const {
  for (std::size_t i = 0; i < by_requests.size(); ++i) {
    ServingPlan& each = by_requests[i];
    if (i + 1 == by_requests.size()) {
      each.binds = request.concurrency > 0                             ? LimitingFactor::concurrency
                   : each.setup.plan.micro_batch_size >= most_requests ? LimitingFactor::throughput
                                                                       : LimitingFactor::memory;
      continue;
    }
    const ServingPlan& next = by_requests[i + 1];
    const bool is_late = request.tpot_us > 0 && next.tpot_us > request.tpot_us;
    const bool is_slow = request.ttft_us > 0 && next.ttft_us > request.ttft_us;
    const bool is_long = request.e2e_us > 0 && next.request_us > request.e2e_us;
    each.binds = is_late   ? LimitingFactor::tpot
                 : is_slow ? LimitingFactor::ttft
                 : is_long ? LimitingFactor::e2e
                           : LimitingFactor::throughput;
  }
}

void ServingSearch::Parts::add(const Layout& layout, std::size_t of_format, std::vector<ServingPlan>& plans) {
  SearchCounts& searched_here = searched[layout.gpus];
  const Format& format = request.formats[of_format];
  const suggest::OnStack& stack = stacks[of_format];
  ServingPlan plan;
  plan.format = format;
  plan.gpus = plan.replica_gpus = layout.gpus;
  plan.setup = reading.setup;
  model::Plan& run = plan.setup.plan;
  apply(layout, run);
  run.dtype = format.dtype;
  run.recipe = format.recipe;
  run.micro_batch_size = 1;
  model::rederive(plan.setup, rederived);
  ++searched_here.all;
  if (!broken.of(plan.setup).empty()) {
    ++searched_here.by_rules;
    return;
  }
  if (std::any_of(stack.constraints.begin(), stack.constraints.end(),
                  [&](const suggest::Constraint& each) { return !each.holds(plan.setup); })) {
    ++searched_here.refused;
    return;
  }
  const model::Setup as_run = stack.run ? stack.run(plan.setup, gpu).setup : plan.setup;
  const suggest::Capacity capacity = suggest::capacity_of(gpu, as_run);
  plan.usable_bytes = suggest::usable_bytes(gpu::memory_gib(gpu), as_run);
  const double weights = model::served_weight_bytes(as_run);
  const auto all_tokens = static_cast<double>(request.input_tokens + request.output_tokens);
  const double each_bytes = model::cache_bytes(as_run, all_tokens);
  double room = plan.usable_bytes - weights;
  if (capacity.is_known) room = std::min(room, capacity.cache_bytes);
  const auto stages = static_cast<double>(layout.pipeline);
  const double fit = each_bytes > 0 ? std::floor(room / each_bytes) : room >= 0 ? 1e9 : 0;
  const auto most = static_cast<std::int64_t>(std::clamp(fit / stages, 0.0, 1e9));
  if (most < 1) {
    ++searched_here.too_large;
    return;
  }
  plan.kv_requests = static_cast<std::int64_t>(std::min(fit, 1e9));
  plan.kv_tokens = static_cast<std::int64_t>(std::min(fit, 1e9) * all_tokens);
  plan.largest = capacity.largest;
  model::Setup prompt = plan.setup;
  prompt.plan.mode = model::Mode::prefill;
  prompt.plan.sequence_length = request.input_tokens;
  prompt.plan.context_length = 0;
  prompt.plan.speculative_tokens = 0;
  suggest::step_of(&stack, memo, prompt, step);
  plan.prompt_us = step.cost.time_us;
  const std::vector<std::int64_t> tried = tried_requests(layout, most);
  const std::optional<std::int64_t> chunk = pinned(FieldId::prefill_tokens);
  const std::vector<std::int64_t> tried_chunks =
      chunk ? std::vector{*chunk} : chunks(plan.setup.model, request.input_tokens);
  searched_here.all += std::ssize(tried) * std::ssize(tried_chunks) - 1;
  std::vector<ServingPlan> decoding;
  for (const std::int64_t requests : tried) {
    run.micro_batch_size = requests;
    suggest::step_of(&stack, memo, plan.setup, step);
    plan.step_us = step.cost.time_us;
    plan.bound = cost::bound_of(step.cost);
    plan.memory_bytes = weights + each_bytes * static_cast<double>(requests) * stages;
    decoding.push_back(plan);
  }
  for (const std::int64_t tokens : tried_chunks) {
    const std::size_t first = plans.size();
    for (const ServingPlan& each : decoding) {
      ServingPlan& added = plans.emplace_back(each);
      added.setup.plan.prefill_tokens = tokens;
      price(stack, added);
      ++searched_here.priced;
    }
    say_what_binds(std::span(plans).subspan(first));
  }
}

const std::vector<ServingPlan>& ServingSearch::Parts::replicas_of(std::int64_t gpus) {
  const auto [entry, is_new] = known.try_emplace(gpus);
  if (!is_new) return entry->second;
  searched[gpus] = {};
  for (const Layout& layout : layouts(reading.setup, gpus, false)) {
    if (!allows(layout)) continue;
    for (std::size_t format = 0; format < request.formats.size(); ++format)
      add(layout, format, entry->second);
  }
  return entry->second;
}

ServingSearch::ServingSearch(const model::Reading& reading, const gpu::Gpu& gpu, const rules::RuleBook& rules,
                             const PlanStack& stack, ServingRequest request)
    : parts_(std::make_unique<Parts>(reading, gpu, rules, stack, std::move(request))) {}
ServingSearch::~ServingSearch() = default;

ServingAnswer ServingSearch::search(std::int64_t gpus) {
  Parts& p = *parts_;
  // What a rank has of them depends on how many replicas there are.
  if (p.request.concurrency > 0) p.known.clear();
  p.all_gpus = gpus;
  ServingAnswer out;
  std::vector<const ServingPlan*> met;
  const double rate = p.request.requests_per_s;
  for (const std::int64_t replica : replica_sizes(gpus, rate)) {
    for (const ServingPlan& each : p.replicas_of(replica))
      if (each.meets(p.request) && (rate <= 0 || gpus_for(each, rate) <= gpus)) met.push_back(&each);
    const SearchCounts& searched_here = p.searched[replica];
    out.searched.all += searched_here.all;
    out.searched.too_large += searched_here.too_large;
    out.searched.by_rules += searched_here.by_rules;
    out.searched.refused += searched_here.refused;
    out.searched.priced += searched_here.priced;
  }
  if (met.empty()) return out;
  const auto over_all = [&](const ServingPlan& one) {
    ServingPlan all = one;
    all.gpus = rate > 0 ? gpus_for(one, rate) : gpus;
    all.replicas = all.gpus / one.replica_gpus;
    all.requests *= all.replicas;
    all.requests_per_s *= static_cast<double>(all.replicas);
    if (rate > 0) all.load = rate / all.requests_per_s;
    all.output_tokens_per_s *= static_cast<double>(all.replicas);
    all.input_tokens_per_s *= static_cast<double>(all.replicas);
    return all;
  };
  const auto best = [&](const auto& is_better) {
    return over_all(
        **std::min_element(met.begin(), met.end(),
                           [&](const ServingPlan* a, const ServingPlan* b) { return is_better(*a, *b); }));
  };
  const auto is_cheaper = [&](const ServingPlan& a, const ServingPlan& b) {
    if (rate > 0 && gpus_for(a, rate) != gpus_for(b, rate)) return gpus_for(a, rate) < gpus_for(b, rate);
    return is_more_throughput(a, b);
  };
  out.cheapest = best(is_cheaper);
  out.fastest = best([&](const ServingPlan& a, const ServingPlan& b) {
    if (a.tokens_per_s_per_user != b.tokens_per_s_per_user)
      return a.tokens_per_s_per_user > b.tokens_per_s_per_user;
    return is_cheaper(a, b);
  });
  out.fewest = best([&](const ServingPlan& a, const ServingPlan& b) {
    if (a.replica_gpus != b.replica_gpus) return a.replica_gpus < b.replica_gpus;
    return is_cheaper(a, b);
  });
  std::stable_sort(met.begin(), met.end(),
                   [](const ServingPlan* a, const ServingPlan* b) { return is_more_throughput(*a, *b); });
  double quickest = 0;
  for (const ServingPlan* each : met) {
    if (each->tokens_per_s_per_user <= quickest) continue;
    quickest = each->tokens_per_s_per_user;
    out.front.push_back(over_all(*each));
  }
  return out;
}

}  // namespace shapelint::contracts
