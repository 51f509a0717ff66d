// From findings to the kernels that they depend on.
#include "prove/plan.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/dtype.hpp"
#include "base/hash.hpp"
#include "base/recipe.hpp"
#include "cost/step.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "model/op.hpp"
#include "prove/result.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::prove {

namespace {

using text::NodeRef;

// Reads a size into `dim`; false where it is none.
bool read_size(NodeRef node, model::Dim& dim) {
  const auto value = node.as_integer();
  if (!value || *value < 1 || *value > 1'000'000'000'000) return false;
  dim.value = *value;
  return true;
}

std::optional<model::Op> product_of(NodeRef kernel) {
  model::Op op;
  const auto dtype = parse_dtype(kernel["dtype"].as_string().value_or(""));
  const auto layout = model::parse_layout(kernel["layout"].as_string().value_or(""));
  const auto recipe = parse_recipe(kernel["recipe"].as_string().value_or("none"));
  if (!dtype || !layout || !recipe) return std::nullopt;
  op.dtype = *dtype;
  op.layout = *layout;
  op.recipe = *recipe;
  if (!goes_with(op.recipe, op.dtype)) return std::nullopt;
  if (!read_size(kernel["batch"], op.batch) || !read_size(kernel["m"], op.m) ||
      !read_size(kernel["n"], op.n) || !read_size(kernel["k"], op.k))
    return std::nullopt;
  return op;
}

std::optional<model::Op> attention_of(NodeRef kernel) {
  model::Op op;
  op.kind = model::OpKind::attention;
  const auto dtype = parse_dtype(kernel["dtype"].as_string().value_or(""));
  if (!dtype) return std::nullopt;
  op.dtype = *dtype;
  op.pass = kernel["pass"].as_string() == "backward" ? model::Pass::backward : model::Pass::forward;
  model::AttentionShape& a = op.attention;
  a.causal = kernel["causal"].as_boolean().value_or(true);
  a.window = kernel["window"].as_integer().value_or(0);
  const bool good = read_size(kernel["sequences"], a.sequences) && read_size(kernel["heads"], a.heads) &&
                    read_size(kernel["key_value_heads"], a.key_value_heads) &&
                    read_size(kernel["query_length"], a.query_length) &&
                    read_size(kernel["key_length"], a.key_length) &&
                    read_size(kernel["head_dim"], a.head_dim) &&
                    read_size(kernel["value_head_dim"], a.value_head_dim) && a.window >= 0;
  return good ? std::optional(op) : std::nullopt;
}

}  // namespace

std::string text_of(NodeRef node) {
  return std::string(node.as_string().value_or(""));
}

bool is_grouped(const model::Op& op) {
  return op.kind == model::OpKind::gemm && op.batch.value > 1 && op.name.starts_with("layer.moe.");
}

std::string key_of(const model::Op& op) {
  switch (op.kind) {
    case model::OpKind::gemm:
      return fmt::format("{} {} {} {} {} {} {} {}", is_grouped(op) ? "grouped" : "gemm", name(op.dtype),
                         name(op.recipe), name(op.layout), op.batch.value, op.m.value, op.n.value,
                         op.k.value);
    case model::OpKind::attention: {
      const model::AttentionShape& a = op.attention;
      return fmt::format("attention {} {} {} {} {} {} {} {} {} {} {}", name(op.dtype), name(op.pass),
                         a.sequences.value, a.heads.value, a.key_value_heads.value, a.query_length.value,
                         a.key_length.value, a.head_dim.value, a.value_head_dim.value, a.causal, a.window);
    }
    default:
      return fmt::format("memory {:.0f}", op.bytes);
  }
}

std::optional<model::Op> op_of(NodeRef kernel) {
  const auto kind = kernel["kind"].as_string();
  if (kind == "gemm") return product_of(kernel);
  if (kind == "attention") return attention_of(kernel);
  const auto bytes = kernel["bytes"].as_number();
  if (kind != "memory" || !bytes || !(*bytes > 0) || *bytes > 1e15) return std::nullopt;
  model::Op op;
  op.kind = model::OpKind::elementwise;
  op.bytes = *bytes;
  return op;
}

std::optional<std::string> product_row(text::NodeRef kernel, double time_us) {
  if (kernel["kind"].as_string() != "gemm") return std::nullopt;
  const auto op = op_of(kernel);
  // Without a recipe, a product of bytes is predicted with the pass that quantizes, which was not timed.
  if (!op || (bytes_of(op->dtype) < 2 && op->recipe == Recipe::none)) return std::nullopt;
  return fmt::format("{},{},{},{},{},{},{},{:.4g}", name(op->dtype), name(op->recipe),
                     model::name(op->layout), op->batch.value, op->m.value, op->n.value, op->k.value,
                     time_us);
}

namespace {

// Share of the time of an unchanged operation: it only says how much of the step the change is.
constexpr double weight_of_unchanged = 0.01;

// Why an operation stays as predicted; empty: it can be measured.
std::string_view left_out(const model::Op& op) {
  switch (op.kind) {
    case model::OpKind::gemm:
      if (op.implicit.a_elements > 0) return "a convolution";
      if (op.weight_bytes > 0) return "weights dequantized in the kernel";
      if (op.experts.part != model::ExpertPart::none && !op.experts.is_training && !op.experts.is_even)
        return "imbalanced experts";
      return {};
    case model::OpKind::attention:
      return op.attention.cache_bytes > 0 ? std::string_view{"a KV cache of another dtype"}
                                          : std::string_view{};
    case model::OpKind::scan:
      return "recurrent layers: PyTorch has no kernels for them";
    case model::OpKind::elementwise:
      return op.bytes > 0 ? std::string_view{} : std::string_view{"nothing that moves bytes"};
    case model::OpKind::collective:
      break;
  }
  return "communication between GPUs";
}

class Planner {
 public:
  Planner(const gpu::Gpu& gpu, MeasurementPlan& plan) : gpu_(gpu), plan_(plan) {}

  void add(const model::Reading& reading, const rules::Finding& finding, const rules::GpuGain& gain) {
    const rules::Proposal& proposal = finding.proposals.front();
    const auto candidate = suggest::make_candidate(reading, suggest::links_of(reading), proposal.changes, {});
    if (!candidate) return;
    Case out;
    out.code = finding.code;
    out.rule = finding.rule;
    out.changes = proposal.changes;
    out.gain = gain.gain;
    out.gain_error = gain.error;
    suggest::Evaluator evaluator(gpu_);
    const suggest::Evaluation& from = evaluator.evaluate(reading.setup);
    const suggest::Evaluation& to = evaluator.evaluate(candidate->setup);
    if (!(from.time_us > 0) || !(to.time_us > 0)) return;
    out.factor = (1 - suggest::gain(from, to)) * from.time_us / to.time_us;
    const suggest::Step before = evaluator.step(reading.setup);
    const suggest::Step after = evaluator.step(candidate->setup);
    out.before_us = before.cost.time_us;
    out.after_us = after.cost.time_us;
    out.before_bubble = before.workload.pipeline_bubble;
    out.after_bubble = after.workload.pipeline_bubble;
    add_items(before.workload, before.cost, after.workload, after.cost, out);
    out.before = whole(out.items, &Pair::before, &Item::before_count);
    out.after = whole(out.items, &Pair::after, &Item::after_count);
    plan_.cases.push_back(std::move(out));
  }

 private:
  // A layer is what the layer's rarest operation runs once with.
  StepItems whole(const std::vector<Item>& items, std::int32_t Pair::*side, double Item::*count) const {
    const auto is_of_layer = [](const Item& item) { return item.op.starts_with("layer."); };
    const auto kernel_of = [&](const Item& item) {
      return item.pair == none || !(item.*count > 0) ? none
                                                     : plan_.pairs[static_cast<std::size_t>(item.pair)].*side;
    };
    double layers = 0;
    for (const Item& item : items) {
      if (is_of_layer(item) && kernel_of(item) != none)
        layers = layers > 0 ? std::min(layers, item.*count) : item.*count;
    }
    StepItems out;
    out.layers = std::max<std::int64_t>(1, std::llround(layers));
    for (const Item& item : items) {
      const std::int32_t kernel = kernel_of(item);
      if (kernel == none) continue;
      const double runs = is_of_layer(item) ? item.*count / static_cast<double>(out.layers) : item.*count;
      (is_of_layer(item) ? out.layer : out.rest)
          .push_back({kernel, std::max<std::int64_t>(1, std::llround(runs))});
    }
    return out;
  }

  void add_items(const model::Workload& before, const cost::StepCost& before_cost,
                 const model::Workload& after, const cost::StepCost& after_cost, Case& out) {
    std::vector<bool> taken(after.ops.size(), false);
    for (std::size_t i = 0; i < before.ops.size(); ++i) {
      const model::Op& op = before.ops[i];
      if (op.overlapped) continue;
      std::size_t partner = after.ops.size();
      for (std::size_t j = 0; j < after.ops.size() && partner == after.ops.size(); ++j) {
        if (!taken[j] && after.ops[j].name == op.name && after.ops[j].pass == op.pass) partner = j;
      }
      const bool found = partner < after.ops.size();
      if (found) taken[partner] = true;
      out.items.push_back(item(&op, &before_cost.ops[i], found ? &after.ops[partner] : nullptr,
                               found ? &after_cost.ops[partner] : nullptr));
    }
    for (std::size_t j = 0; j < after.ops.size(); ++j) {
      if (taken[j] || after.ops[j].overlapped) continue;
      out.items.push_back(item(nullptr, nullptr, &after.ops[j], &after_cost.ops[j]));
    }
  }

  Item item(const model::Op* before, const cost::OpCost* before_cost, const model::Op* after,
            const cost::OpCost* after_cost) {
    Item out;
    const model::Op& either = before != nullptr ? *before : *after;
    out.op = either.name;
    out.pass = model::name(either.pass);
    if (before != nullptr) {
      out.before_count = before->count;
      out.before_us = before_cost->time_us;
      out.left_out = left_out(*before);
    }
    if (after != nullptr) {
      out.after_count = after->count;
      out.after_us = after_cost->time_us;
      if (out.left_out.empty()) out.left_out = left_out(*after);
    }
    if (!out.left_out.empty()) return out;
    const std::int32_t from = before != nullptr ? kernel(*before, before_cost->time_us) : none;
    const std::int32_t to = after != nullptr ? kernel(*after, after_cost->time_us) : none;
    const double change_us = std::fabs(out.after_count * out.after_us - out.before_count * out.before_us);
    const double unchanged_us = from == to ? weight_of_unchanged * out.before_count * out.before_us : 0;
    out.pair = pair(from, to, std::max(change_us, unchanged_us));
    return out;
  }

  std::int32_t kernel(const model::Op& op, double predicted_us) {
    const auto [entry, is_new] =
        kernels_.try_emplace(key_of(op), static_cast<std::int32_t>(plan_.kernels.size()));
    if (is_new) plan_.kernels.push_back({op, predicted_us});
    return entry->second;
  }

  std::int32_t pair(std::int32_t before, std::int32_t after, double weight_us) {
    const auto [entry, is_new] =
        pairs_.try_emplace({before, after}, static_cast<std::int32_t>(plan_.pairs.size()));
    if (is_new) plan_.pairs.push_back({before, after, 0});
    plan_.pairs[static_cast<std::size_t>(entry->second)].weight_us += weight_us;
    return entry->second;
  }

  const gpu::Gpu& gpu_;
  MeasurementPlan& plan_;
  std::map<std::string, std::int32_t> kernels_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> pairs_;
};

}  // namespace

Sizes sizes_of(const model::Setup& setup) {
  static const model::Setup unknown;
  Sizes sizes;
  for (const model::FieldInfo& field : model::fields()) {
    const std::int64_t value = field.get(setup);
    if (value != field.get(unknown))
      sizes.emplace(std::string(field.name), model::value_text(field.id, value));
  }
  return sizes;
}

std::string checksum_of(const Sizes& sizes) {
  Checksum checksum;
  for (const auto& [field, value] : sizes) checksum.add(fmt::format("{}={}\n", field, value));
  return checksum.hex();
}

std::string difference(const Sizes& then, const model::Reading& reading) {
  const Sizes now = sizes_of(reading.setup);
  const auto value = [](const Sizes& sizes, const std::string& field) {
    const auto found = sizes.find(field);
    return found == sizes.end() ? std::string("not given") : found->second;
  };
  const auto told = [&](const std::string& field) {
    return fmt::format("{} was {} and is {}", field, value(then, field), value(now, field));
  };
  for (const auto& [field, ignored] : then) {
    if (value(then, field) != value(now, field)) return told(field);
  }
  for (const auto& [field, ignored] : now) {
    if (!then.contains(field) && model::is_stated(reading, model::find_field(field))) return told(field);
  }
  return {};
}

bool is_part_of(const Sizes& then, const Sizes& now) {
  return std::includes(now.begin(), now.end(), then.begin(), then.end());
}

MeasurementPlan plan_of(const model::Reading& reading, const gpu::Gpu& gpu,
                        std::span<const rules::Finding> findings) {
  MeasurementPlan plan;
  plan.gpu = gpu;
  plan.sizes = sizes_of(reading.setup);
  Planner planner(gpu, plan);
  for (const rules::Finding& finding : findings) {
    if (finding.certain_to_fail || finding.proposals.empty()) continue;
    for (const rules::GpuGain& gain : finding.gains) {
      if (gain.gpu == gpu.id && gain.gain > 0) planner.add(reading, finding, gain);
    }
  }
  return plan;
}

}  // namespace shapelint::prove
