// Replicas, batches, and what they take. In the steady state a rank with b requests of n steps each reads b
// prompts while it makes n steps: whole ones between two steps, or in chunks that steps read along
// (2308.16369), of one prompt or of several.
#include "contracts/plan/serving.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/units.hpp"
#include "cost/step.hpp"
#include "model/arithmetic.hpp"
#include "model/derive.hpp"
#include "model/layer_list.hpp"
#include "model/lower/lower.hpp"
#include "rules/engine/conditions.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::contracts {

namespace {

using model::FieldId;

constexpr std::int64_t max_requests = 4096;  // of a rank and stage
constexpr std::int64_t finest_batch = 32;    // a bound is met to this part of the requests
// Tokens: of DeepSeek's models in SGLang's and TensorRT-LLM's guides.
constexpr std::int64_t most_drafted = 3;
// Tokens of prompts. vLLM's guide wants 2048 for the time between tokens and over 8192 for throughput
// (docs/configuration/optimization.md); what an engine needs for a step except its kernels is not modeled,
// and smaller chunks would look better than they are.
constexpr std::int64_t min_chunk = 2048;
constexpr std::int64_t max_chunk = 16384;
// Penalty of a pipeline, unless it is asked for: engines keep stages busy only as far as requests come
// evenly.
constexpr std::int64_t max_stages = 8;
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

// Sizes of replicas: those whose GPUs divide all, and for a rate also powers of two.
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
  for (std::int64_t power = 1; power <= std::min(most, max_requests); power *= 2) {
    out.push_back(power);
    const std::int64_t between = power + power / 2;
    if (power > 1 && between <= std::min(most, max_requests)) out.push_back(between);
  }
  if (most > 0 && most < max_requests && (out.empty() || out.back() != most)) out.push_back(most);
  return out;
}

std::vector<std::int64_t> chunks(const model::ModelSpec& model, std::int64_t input_tokens) {
  std::vector<std::int64_t> out{0};
  if (model.indexer.keys > 0 || model.sparse.blocks > 0 || model::num_mixer_layers(model) > 0) return out;
  for (std::int64_t tokens = min_chunk; tokens <= max_chunk; tokens *= 2) out.push_back(tokens);
  if (input_tokens <= max_chunk) out.push_back(input_tokens);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::int64_t drafting_layers(const model::Reading& reading) {
  const model::ModelSpec& model = reading.setup.model;
  const bool is_modelled = model.layers.empty() && !model.layers_differ &&
                           model::num_mixer_layers(model) == 0 && model.num_layers > 1;
  if (!is_modelled) return 0;
  return std::max(model.mtp_layers, static_cast<std::int64_t>(model::extra(reading, "drafting_layers")));
}

bool searches_drafts(const model::Reading& reading) {
  return drafting_layers(reading) > 0 && model::is_stated(reading, FieldId::speculative_acceptance);
}

namespace {

// How prompts are read: so many tokens along with a decoding step, or so many whole ones between steps.
struct Pass {
  std::int64_t tokens = 0;
  std::int64_t prompts = 1;
};

// What the plans of a layout and of so many drafted tokens have in common.
struct Replica {
  const suggest::OnStack& stack;
  double weight_bytes = 0;
  double request_bytes = 0;  // of a rank's cache
  std::vector<std::int64_t> tried;
};

// A drafted token is a decoding step of one more layer like the last one, with the head (DeepSeek-V3,
// 2412.19437, section 2.2).
model::Setup drafting(const model::Setup& setup) {
  model::Setup out{model::layer_model(setup.model, {}), setup.plan};
  out.plan.pipeline = 1;
  out.plan.speculative_tokens = 0;
  out.plan.prefill_tokens = 0;
  return out;
}

// What one more layer like the last takes on a rank.
template <class Amount>
double of_last_layer(model::Setup setup, const Amount& amount) {
  setup.plan.pipeline = 1;
  const double all = amount(setup);
  --setup.model.num_layers;
  return all - amount(setup);
}

// Hidden state and embedding side by side become one again; engines leave this weight whole.
model::Op drafting_projection(const model::Setup& setup) {
  model::Op out;
  out.name = "mtp.projection";
  out.batch = {1, "1"};
  out.m = {setup.plan.micro_batch_size, "micro_batch_size"};
  out.n = {setup.model.hidden_size, "hidden_size"};
  out.k = {2 * setup.model.hidden_size, "2 * hidden_size"};
  return out;
}

}  // namespace

struct ServingSearch::Parts {
  Parts(const model::Reading& from, const gpu::Gpu& gpu_of, const rules::RuleBook& rules,
        const PlanStack& asked_stack, ServingRequest asked)
      : request(std::move(asked)),
        reading(as_served(from, request)),
        gpu(gpu_of),
        broken(rules, reading),
        memo(gpu),
        rederived(model::rederived(reading.origins)),
        drafts(drafting_layers(from) > 0),
        may_draft(searches_drafts(from)) {
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
    if (layout.pipeline > max_stages && !asks_for_stages) return false;
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
  // All GPUs have as many requests as are under way; the others of a rank's are not there.
  double share_of_requests(const ServingPlan& plan) const {
    if (request.concurrency <= 0) return 1;
    const double all = model::real(plan.requests * (all_gpus / plan.replica_gpus));
    return std::min(1.0, model::real(request.concurrency) / all);
  }
  std::vector<std::int64_t> tried_drafts(const Layout& layout) const {
    const std::int64_t own = reading.setup.plan.speculative_tokens;
    // SGLang's pipelines refuse speculation (server_args.py).
    if (!may_draft || layout.pipeline > 1 || model::is_stated(reading, FieldId::speculative_tokens))
      return {own};
    std::vector<std::int64_t> out;
    for (std::int64_t tokens = 0; tokens <= most_drafted; ++tokens) out.push_back(tokens);
    return out;
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
  void add_batches(const Replica& replica, ServingPlan plan, std::vector<ServingPlan>& plans);
  std::vector<Pass> passes() const;
  double pass_us(const suggest::OnStack& stack, const model::Setup& setup, std::int64_t prompts);
  double drafted_us(const model::Setup& setup);
  void price(const suggest::OnStack& stack, ServingPlan& plan);
  void say_what_binds(std::span<ServingPlan> by_requests) const;
  Nearest nearest(std::int64_t gpus);

  ServingRequest request;
  model::Reading reading;
  const gpu::Gpu& gpu;
  rules::BrokenRules broken;
  std::vector<suggest::OnStack> stacks;  // by format
  cost::PriceMemo memo;
  model::Rederived rederived;
  bool drafts = false;     // the checkpoint has a layer for it
  bool may_draft = false;  // and how often that is right is stated
  suggest::Step step;
  std::int64_t all_gpus = 1;                               // that are searched for
  std::map<std::int64_t, std::vector<ServingPlan>> known;  // by GPUs of a replica
  std::map<std::int64_t, SearchCounts> searched;
};

// Nothing where no layer for it is known: another model drafts, of which nothing is known either.
double ServingSearch::Parts::drafted_us(const model::Setup& setup) {
  if (!drafts || setup.plan.speculative_tokens <= 0) return 0;
  const model::Setup one = drafting(setup);
  suggest::step_of(nullptr, memo, one, step);
  const double layer_us = step.cost.time_us;
  return model::real(setup.plan.speculative_tokens) *
         (layer_us + memo.price(drafting_projection(one)).time_us);
}

double ServingSearch::Parts::pass_us(const suggest::OnStack& stack, const model::Setup& setup,
                                     std::int64_t prompts) {
  model::Setup prompt = setup;
  prompt.plan.mode = model::Mode::prefill;
  prompt.plan.micro_batch_size = prompts;
  prompt.plan.sequence_length = request.input_tokens;
  prompt.plan.context_length = 0;
  prompt.plan.speculative_tokens = 0;
  prompt.plan.prefill_tokens = 0;
  suggest::step_of(&stack, memo, prompt, step);
  return step.cost.time_us;
}

std::vector<Pass> ServingSearch::Parts::passes() const {
  const std::optional<std::int64_t> chunk = pinned(FieldId::prefill_tokens);
  std::vector<Pass> out;
  for (const std::int64_t tokens :
       chunk ? std::vector{*chunk} : chunks(reading.setup.model, request.input_tokens)) {
    out.push_back({tokens, 1});
    if (tokens > 0) continue;
    // An engine without chunks reads as many whole prompts as a step has room for.
    for (std::int64_t room = min_chunk; room <= max_chunk; room *= 2)
      if (const std::int64_t prompts = room / request.input_tokens; prompts > out.back().prompts)
        out.push_back({0, prompts});
  }
  return out;
}

// From the phases of one stage: decoding steps, and prompts between them or read along with them.
void ServingSearch::Parts::price(const suggest::OnStack& stack, ServingPlan& plan) {
  const model::Plan& run = plan.setup.plan;
  using model::real;
  const double stages = real(run.pipeline);
  const double requests = real(run.micro_batch_size);
  // The first token comes of the prompt.
  const double steps = real(request.output_tokens - 1) / model::accepted_tokens(run);
  double prompts_us = requests / real(plan.prompts) * plan.prompt_us;
  double busy_us = steps * plan.step_us + prompts_us;
  plan.gap_us = stages * (plan.prompt_us + plan.step_us);
  if (run.prefill_tokens > 0) {
    suggest::step_of(&stack, memo, plan.setup, step);
    plan.mixed_us = step.cost.time_us + drafted_us(plan.setup);
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
  plan.requests_per_s = real(plan.requests) * share_of_requests(plan) / cycle_us * us_per_s;
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
      each.binds = request.concurrency > 0                            ? LimitingFactor::concurrency
                   : each.setup.plan.micro_batch_size >= max_requests ? LimitingFactor::throughput
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
  plan.largest = capacity.largest;
  const auto all_tokens = static_cast<double>(request.input_tokens + request.output_tokens);
  const auto stages = static_cast<double>(layout.pipeline);
  const auto cached = [&](const model::Setup& of) { return model::cache_bytes(of, all_tokens); };
  const std::size_t before = plans.size();
  for (const std::int64_t drafted : tried_drafts(layout)) {
    run.speculative_tokens = drafted;
    Replica replica{stack, model::served_weight_bytes(as_run), cached(as_run), {}};
    double room = plan.usable_bytes - replica.weight_bytes;
    if (capacity.is_known) room = std::min(room, capacity.cache_bytes);
    if (drafts && drafted > 0) {
      const auto weights = [](const model::Setup& of) { return model::served_weight_bytes(of); };
      constexpr double projection_bytes = 2;
      const double width = model::real(as_run.model.hidden_size);
      const double layer = of_last_layer(as_run, weights) + 2 * width * width * projection_bytes;
      room -= layer;
      replica.weight_bytes += layer;
      replica.request_bytes += of_last_layer(as_run, cached);
    }
    const double fit = replica.request_bytes > 0 ? std::floor(room / replica.request_bytes)
                       : room >= 0               ? 1e9
                                                 : 0;
    const auto most = static_cast<std::int64_t>(std::clamp(fit / stages, 0.0, 1e9));
    if (most < 1) continue;
    plan.kv_requests = static_cast<std::int64_t>(std::min(fit, 1e9));
    plan.kv_tokens = static_cast<std::int64_t>(std::min(fit, 1e9) * all_tokens);
    replica.tried = tried_requests(layout, most);
    add_batches(replica, plan, plans);
  }
  const auto added = static_cast<std::int64_t>(plans.size() - before);
  searched_here.priced += added;
  searched_here.all += added > 0 ? added - 1 : 0;
  searched_here.too_large += added > 0 ? 0 : 1;
}

// Each number of requests with each way to read prompts; and where a bound lies between two of them, numbers
// between these.
void ServingSearch::Parts::add_batches(const Replica& replica, ServingPlan plan,
                                       std::vector<ServingPlan>& plans) {
  model::Plan& run = plan.setup.plan;
  std::map<std::int64_t, ServingPlan> decoding;  // by requests
  const auto decoded = [&](std::int64_t requests) -> const ServingPlan& {
    const auto [entry, is_new] = decoding.try_emplace(requests);
    if (!is_new) return entry->second;
    run.micro_batch_size = requests;
    suggest::step_of(&replica.stack, memo, plan.setup, step);
    plan.step_us = step.cost.time_us;
    plan.bound = cost::bound_of(step.cost);
    plan.step_us += drafted_us(plan.setup);
    plan.memory_bytes =
        replica.weight_bytes + replica.request_bytes * model::real(requests) * model::real(run.pipeline);
    return entry->second = plan;
  };
  const bool is_pinned = pinned(FieldId::prefill_tokens).has_value();
  std::int64_t before = 0;  // tokens of the chunk before this one
  for (const Pass& pass : passes()) {
    plan.prompts = pass.prompts;
    const double prompt_us = pass.tokens > 0 ? 0 : pass_us(replica.stack, plan.setup, pass.prompts);
    const auto priced = [&](std::int64_t requests) {
      ServingPlan out = decoded(requests);
      out.prompts = pass.prompts;
      out.prompt_us = prompt_us;
      // No more prompts are there than requests.
      out.setup.plan.prefill_tokens = std::min(pass.tokens, requests * request.input_tokens);
      price(replica.stack, out);
      if (is_pinned) out.setup.plan.prefill_tokens = pass.tokens;
      return out;
    };
    std::vector<ServingPlan> by_requests;
    for (const std::int64_t requests : replica.tried) {
      const bool is_as_before = pass.tokens > before && before >= requests * request.input_tokens;
      if (requests >= pass.prompts && !is_as_before) by_requests.push_back(priced(requests));
    }
    before = pass.tokens;
    for (std::size_t i = 0; i + 1 < by_requests.size();) {
      const auto number = [&](std::size_t at) { return by_requests[at].setup.plan.micro_batch_size; };
      const std::int64_t middle = number(i) + (number(i + 1) - number(i)) / 2;
      const bool is_at_bound = by_requests[i].meets(request) && !by_requests[i + 1].meets(request);
      if (is_at_bound && middle - number(i) > number(i) / finest_batch)
        by_requests.insert(by_requests.begin() + static_cast<std::ptrdiff_t>(i) + 1, priced(middle));
      else
        ++i;
    }
    say_what_binds(by_requests);
    plans.insert(plans.end(), by_requests.begin(), by_requests.end());
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

Nearest ServingSearch::Parts::nearest(std::int64_t gpus) {
  Nearest out;
  const auto keep_less = [](double& least, double value) {
    if (value > 0 && (least <= 0 || value < least)) least = value;
  };
  for (const std::int64_t size : replica_sizes(gpus, request.requests_per_s)) {
    for (const ServingPlan& each : replicas_of(size)) {
      keep_less(out.ttft_us, each.ttft_us);
      keep_less(out.tpot_us, each.tpot_us);
      keep_less(out.request_us, each.request_us);
      if (request.requests_per_s > 0 && each.meets(request))
        out.requests_per_s =
            std::max(out.requests_per_s, each.requests_per_s * model::real(gpus / each.replica_gpus));
    }
  }
  return out;
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
    out.searched += p.searched[replica];
  }
  if (met.empty()) {
    out.nearest = p.nearest(gpus);
    return out;
  }
  const auto over_all = [&](const ServingPlan& one) {
    ServingPlan all = one;
    all.gpus = rate > 0 ? gpus_for(one, rate) : gpus;
    all.replicas = all.gpus / one.replica_gpus;
    all.requests *= all.replicas;
    if (p.request.concurrency > 0) all.requests = std::min(all.requests, p.request.concurrency);
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
