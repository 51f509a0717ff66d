// Words of a finding.
#include "rules/engine/describe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "cost/kernels/attention.hpp"
#include "gpu/gpu.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "rules/scope/context.hpp"
#include "rules/scope/launch.hpp"
#include "rules/scope/memory.hpp"
#include "suggest/serving/capacity.hpp"

namespace shapelint::rules {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 30> names{{
    {"layer.attention.qkv", "QKV projection"},
    {"layer.attention.q", "query projection"},
    {"layer.attention.q_down", "query down projection"},
    {"layer.attention.q_up", "query up projection"},
    {"layer.attention.kv_down", "KV down projection"},
    {"layer.attention.qkv_down", "QKV down projections"},
    {"layer.attention.kv_up", "KV up projection"},
    {"layer.attention.output", "attention output projection"},
    {"layer.attention.scores", "QK^T GEMM"},
    {"layer.attention.values", "PV GEMM"},
    {"layer.cross_attention.query", "cross-attention query projection"},
    {"layer.cross_attention.key_value", "cross-attention KV projection"},
    {"layer.cross_attention.output", "cross-attention output projection"},
    {"layer.mlp.up", "MLP up projection"},
    {"layer.mlp.gate_up", "MLP gate and up projection"},
    {"layer.mlp.down", "MLP down projection"},
    {"layer.moe.router", "MoE router"},
    {"layer.moe.up", "expert up projection"},
    {"layer.moe.gate_up", "expert gate and up projection"},
    {"layer.moe.down", "expert down projection"},
    {"layer.moe.shared_up", "shared expert up projection"},
    {"layer.moe.shared_gate_up", "shared expert gate and up projection"},
    {"layer.moe.shared_down", "shared expert down projection"},
    {"head.logits", "LM head"},
    {"optimizer.muon.gram", "Muon Gram matrices"},
    {"optimizer.muon.square", "Muon squared Gram matrices"},
    {"optimizer.muon.apply", "Muon updates"},
    {"optimizer.shampoo.statistics", "Shampoo statistics"},
    {"optimizer.shampoo.apply", "Shampoo updates"},
    {"optimizer.shampoo.root", "Shampoo roots"},
}};

}  // namespace

std::string_view op_display_name(std::string_view op) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == op; });
  if (found != names.end()) return found->second;
  // `layer.mlp.down_lora_up` and the like: the GEMMs of an adapter.
  for (const std::string_view ending : {"_lora_down", "_lora_up"}) {
    if (op.ends_with(ending)) return "LoRA adapters";
  }
  return op;
}

std::string op_display_list(const std::vector<std::string>& ops) {
  constexpr std::size_t most = 3;
  std::vector<std::string> plain;
  for (const std::string& op : ops) {
    std::string name(op_display_name(op));
    // A GEMM without a display name: `layer.gated_delta_net.out`.
    if (name == op) {
      name.erase(0, name.starts_with("layer.") ? std::string_view("layer.").size() : 0);
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == '.' || c == '_'; }, ' ');
    }
    if (constexpr std::string_view last = " out"; name != op && name.ends_with(last))
      name.replace(name.size() - last.size(), last.size(), " output projection");
    if (std::find(plain.begin(), plain.end(), name) == plain.end()) plain.push_back(std::move(name));
  }
  // A label has one line.
  constexpr std::size_t max_characters = 45;
  std::size_t count = 0;
  for (std::size_t characters = 0; count < std::min(plain.size(), most); ++count) {
    characters += plain[count].size();
    if (count > 0 && characters > max_characters) break;
  }
  if (plain.size() <= count) return in_words(plain);
  const std::size_t rest = plain.size() - count;
  plain.resize(count);
  return fmt::format("{} and {} more", fmt::join(plain, ", "), rest);
}

namespace {

// Fields whose assumed values the finding depends on.
std::vector<model::FieldId> assumed_of(const Rule& rule, const Hit& hit) {
  const model::Reading* reading = hit.context.reading;
  std::vector<model::FieldId> out;
  if (reading == nullptr || rule.rests_on_nothing) return out;
  for (const model::FieldId field : model::assumed_fields(*reading)) {
    const std::string_view own = model::info(field).name;
    const bool rests = field == hit.blame.field ||
                       std::find(rule.rests_on.begin(), rule.rests_on.end(), own) != rule.rests_on.end();
    if (rests) out.push_back(field);
  }
  return out;
}

// What of a run's memory does not depend on activations.
std::string held_of(const Context& context) {
  return plan(context).mode == model::Mode::train ? "weights, gradients and optimizer states"
                                                  : "weights and KV cache";
}

// "including 61.5 GiB of weights and KV cache". Where only the launch knows how many ranks share these, the
// sum is that of one.
std::string of_it(const Context& context) {
  if (context.setup == nullptr || context.reading == nullptr) return {};
  const double state = suggest::footprint(*context.setup).state_bytes;
  if (state <= 0) return "all of it activations";
  const bool is_certain = min_footprint(*context.reading, *context.setup).state_bytes >= state;
  const bool trains = plan(context).mode == model::Mode::train;
  const std::int64_t others = trains ? plan(context).colocated_mib : 0;
  return fmt::format("including {} GiB of {}{}{}", gib(state), held_of(context),
                     is_certain || !trains ? "" : " if unsharded",
                     others > 0 ? fmt::format(", with {} GiB of colocated models",
                                              gib(static_cast<double>(others) * bytes_per_mib))
                                : "");
}

std::string verdict_of(const Context& context) {
  if (context.gpu == nullptr || context.setup == nullptr || context.reading == nullptr) return {};
  return is_over_memory(*context.reading, *context.setup, gpu::memory_gib(*context.gpu))
             ? "does not fit"
             : "may run out of memory";
}

// "MLP up projection; also in the MLP down projection": the figures of a text are of the first.
std::string slowest_op(const Hit& hit) {
  if (hit.context.operation.op == nullptr) return op_display_list(hit.ops);
  const std::string first = op_display_list({std::string(hit.context.operation.op->name)});
  std::vector<std::string> others;
  std::copy_if(hit.ops.begin(), hit.ops.end(), std::back_inserter(others),
               [&](const std::string& op) { return op_display_list({op}) != first; });
  return others.empty() ? first : fmt::format("{}; also in the {}", first, op_display_list(others));
}

// "h100 has 79.6 GiB", or what of these an engine may take.
std::string room_of(const Context& context) {
  if (context.gpu == nullptr || context.setup == nullptr || gpu::memory_gib(*context.gpu) <= 0) return {};
  const gpu::Gpu& gpu = *context.gpu;
  const double all = gpu::memory_bytes(gpu);
  const double budget = suggest::budget_bytes(gpu::memory_gib(gpu), context.setup->plan);
  if (budget >= all) return fmt::format("{} has {} GiB", gpu.name, gib(all));
  return fmt::format("the engine may take {} of the {} GiB of {} (memory_percent {})", gib(budget), gib(all),
                     gpu.name, context.setup->plan.memory_percent);
}

// Tokens of one sequence whose KV cache the engine has room for.
std::string sequence_room_of(const Context& context) {
  if (context.gpu == nullptr || context.setup == nullptr) return {};
  const auto largest = [&](const model::Setup& setup) {
    return suggest::capacity_of(*context.gpu, setup).largest;
  };
  const std::int64_t in_8_bits = largest(suggest::with_narrow_cache(*context.setup));
  if (in_8_bits <= 0)
    return fmt::format("weights, activations and buffers leave no KV cache on {}", context.gpu->name);
  return fmt::format("the KV cache of {} holds about {}, {} in 8 bits", context.gpu->name,
                     counted(largest(*context.setup), "token"), with_commas(in_8_bits));
}

// What a step waits for: copies from the host, or the ranks of the degrees above 1.
std::string exposed_of(const Context& context) {
  if (context.setup == nullptr) return {};
  const model::Plan& p = plan(context);
  if (p.offload_weights) return "weights are copied from the host for every micro-batch";
  if (p.offload_optimizer > 0 && p.tensor == 1) return "gradients and optimizer states cross to the host";
  std::string degrees;
  append_degrees(degrees,
                 {{"TP", p.tensor}, {"PP", p.pipeline}, {"DP", p.data}, {"CP", p.context}, {"EP", p.expert}});
  return degrees.empty() ? "one GPU" : degrees;
}

// The parts that the format says are not modeled, and in what.
std::string uncosted_of(const Context& context) {
  std::string_view parts = "such as RNN-T decoders or feature networks";
  if (context.reading != nullptr) {
    for (const model::Extra& each : context.reading->extras) {
      if (each.name == "uncosted_parts" && !each.origin.note.empty()) parts = each.origin.note;
    }
  }
  constexpr double per_billion = 1e9;
  const std::int64_t parameters = context.setup == nullptr ? 0 : context.setup->model.tower_parameters;
  return parameters > 0 ? fmt::format("{} of {:.2f} B parameters, in memory but not in time", parts,
                                      static_cast<double>(parameters) / per_billion)
                        : fmt::format("{}: not in time or memory", parts);
}

// How the file's format applies the fix; `any` means all others, and so does `instead`, which
// leaves nothing for the dialects to add.
std::string how_of(const Rule& rule, const Hit& hit) {
  std::string_view dialect;
  if (hit.context.reading != nullptr) dialect = hit.context.reading->dialect;
  std::string_view out;
  for (const auto& [name, text] : rule.how) {
    if (name == dialect) return std::string(text);
    if (name == "any" || name == "instead") out = text;
  }
  return std::string(out);
}

std::string name_of(model::FieldId field) {
  return field == model::no_field ? std::string{} : std::string(model::info(field).name);
}

std::string value_text_of(model::FieldId field, const Hit& hit) {
  if (field == model::no_field || hit.context.setup == nullptr) return {};
  return model::value_text(field, model::get(*hit.context.setup, field));
}

}  // namespace

Finding describe(CompiledRule& compiled, const Group& group, std::span<const gpu::Gpu> gpus) {
  const Rule& rule = compiled.rule();
  const auto worst = std::max_element(group.hits.begin(), group.hits.end(),
                                      [](const Hit& a, const Hit& b) { return a.share < b.share; });
  const Hit& hit = *worst;
  Finding finding;
  finding.code = rule.code;
  finding.rule = rule.name;
  finding.severity = severity_of(rule);
  finding.certain_to_fail = stops_run(rule);
  finding.confidence = rule.confidence;
  finding.why = std::string(rule.mechanism);
  finding.blamed = hit.blame.field;
  finding.layer_value = layer_value(hit.context, hit.blame.field);
  finding.related = hit.blame.related;
  finding.assumed = assumed_of(rule, hit);
  finding.how = how_of(rule, hit);
  for (const Hit& each : group.hits) {
    for (const std::string& op : each.ops) {
      if (std::find(finding.ops.begin(), finding.ops.end(), op) == finding.ops.end())
        finding.ops.push_back(op);
    }
  }
  if (group.gpus.size() < gpus.size()) {
    for (const std::size_t g : group.gpus) finding.gpu += (finding.gpu.empty() ? "" : ", ") + gpus[g].id;
  }
  const gpu::Gpu& gpu = gpus[group.gpus[static_cast<std::size_t>(worst - group.hits.begin())]];
  const KnownContext& known = hit.context.known;
  const auto kernel = [&] {
    const model::Attention asked =
        hit.context.setup == nullptr ? model::Attention::flash : hit.context.setup->plan.attention;
    const gpu::AttentionKernels& kernels = cost::attention_kernels(gpu, model::library_of(asked));
    const std::int64_t version = model::kernel_version(asked);
    const bool is_older = std::any_of(kernels.older.begin(), kernels.older.end(),
                                      [&](const gpu::OlderKernels& each) { return each.version == version; });
    const std::string name = is_older ? fmt::format("FlashAttention-{}", version) : std::string(kernels.name);
    const bool is_assumed =
        hit.context.reading != nullptr && model::is_assumed(*hit.context.reading, model::FieldId::attention);
    return is_assumed ? fmt::format("the assumed {}", name) : name;
  };
  const Context& context = hit.context;
  const Word words[] = {
      {"gpu", [&] { return std::string(gpu.name); }},
      {"ops", [&] { return op_display_list(hit.ops); }},
      {"slowest_op", [&] { return slowest_op(hit); }},
      {"expression", [&] { return std::string(hit.expression); }},
      {"field", [&] { return name_of(finding.blamed); }},
      {"field_value", [&] { return value_text_of(finding.blamed, hit); }},
      {"known_name", [&] { return known.model != nullptr ? title_of(*known.model) : std::string{}; }},
      {"known_field", [&] { return name_of(known.field); }},
      {"known_as",
       [&] {
         return known.same_width && known.differences > 1 ? "`hidden_size` agrees" : "the other sizes agree";
       }},
      {"kernel", kernel},
      {"held", [&] { return held_of(context); }},
      {"of_it", [&] { return of_it(context); }},
      {"room", [&] { return room_of(context); }},
      {"sequence_room", [&] { return sequence_room_of(context); }},
      {"batch_parts", [&] { return batch_parts(context); }},
      {"exposed", [&] { return exposed_of(context); }},
      {"uncosted", [&] { return uncosted_of(context); }},
      {"verdict", [&] { return verdict_of(context); }},
  };
  finding.message = compiled.message(context, words);
  finding.message_without_time = compiled.message_without_time(context, words);
  finding.label = compiled.label(context, words);
  finding.brief = compiled.brief(context, words);
  info(rule.scope).place(hit.context, rule.blame, finding);
  return finding;
}

}  // namespace shapelint::rules
