// Changes to a plan, to its kernels and of the GPU, each priced.
#include "suggest/serving/remedies.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cost/stages.hpp"
#include "cost/step.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

using cost::Bound;
using model::Mode;

constexpr double least_gain = 0.01;
constexpr double launch_by_host_us = 5;  // assumed: without autograd
// What the host takes for each kernel that is counted of a compiled step, autograd and optimizer included:
// the least of 27 steps of an H200's, the others of which wait for their GPU, too (measured/tables).
constexpr double compiled_host_us = 41;
constexpr int most_doublings = 12;
constexpr double enough = 0.9;  // of the best throughput of any batch
constexpr std::size_t most_gpus_named = 2;
constexpr std::int64_t usual_group = 128;  // GPTQ, AWQ
constexpr std::int64_t usual_draft = 4;
constexpr std::int64_t most_drafted = 8;
constexpr std::int64_t node_gpus = 8;

struct Priced {
  double step_us = 0;
  double tokens_per_s = 0;  // per GPU
  Bound bound = Bound::compute;
};

Priced price(const gpu::Gpu& gpu, const model::Setup& setup, const Draft* draft) {
  const cost::StepCost step = cost::price_step(gpu, setup);
  const double ranks = static_cast<double>(setup.plan.tensor) * static_cast<double>(setup.plan.pipeline) *
                       static_cast<double>(setup.plan.context);
  const bool drafts = draft != nullptr && setup.plan.mode == Mode::decode;
  const double drafting_us = drafts ? draft_us(gpu, setup.plan, *draft) : 0.0;
  const double step_us = step.time_us + drafting_us;
  return {step_us, step.tokens_per_s / ranks * step.time_us / step_us, cost::bound_of(step)};
}

bool fits(const gpu::Gpu& gpu, const model::Setup& setup) {
  return memory_bytes(setup) <= usable_bytes(gpu::memory_gib(gpu), setup);
}

class Trial {
 public:
  Trial(const gpu::Gpu& gpu, const model::Setup& setup, const Draft* draft)
      : gpu_(gpu),
        setup_(setup),
        draft_(draft),
        before_(suggest::price(gpu, setup, draft)),
        needs_(memory_bytes(setup)) {}

  Bound bound() const { return before_.bound; }  // of the step as it is

  void add(std::string_view id, Bound against, std::string change, const Priced& after,
           std::string_view note = {}) {
    Remedy remedy{id, against, std::move(change), after.step_us, 1, 1, note};
    remedy.time_ratio = after.step_us / before_.step_us;
    remedy.throughput_ratio = after.tokens_per_s / before_.tokens_per_s;
    if (remedy.throughput_ratio < 1 + least_gain && remedy.time_ratio > 1 - least_gain) return;
    found_.push_back(std::move(remedy));
  }

  void plan(std::string_view id, Bound against, std::string change,
            const std::function<void(model::Plan&)>& set, std::string_view note = {}) {
    model::Setup changed = setup_;
    set(changed.plan);
    if (!may_run(changed)) return;
    add(id, against, std::move(change), suggest::price(gpu_, changed, draft_), note);
  }

  // The smallest doubling of the batch that comes close to the best that fits.
  void larger_batch(Bound against) {
    std::vector<std::pair<std::int64_t, Priced>> tried;
    double best = before_.tokens_per_s;
    model::Setup changed = setup_;
    for (int i = 0; i < most_doublings; ++i) {
      changed.plan.micro_batch_size *= 2;
      if (!may_run(changed)) break;
      tried.emplace_back(changed.plan.micro_batch_size, suggest::price(gpu_, changed, draft_));
      best = std::max(best, tried.back().second.tokens_per_s);
    }
    if (before_.tokens_per_s >= enough * best && !tried.empty()) tried.resize(1);
    for (const auto& [batch, priced] : tried) {
      if (priced.tokens_per_s < enough * best) continue;
      return add("larger-batch", against,
                 fmt::format("micro_batch_size {} → {}", setup_.plan.micro_batch_size, batch), priced);
    }
  }

  // With a draft as many tokens as pay best; without, as many as usual, drafted for nothing.
  void speculation() {
    model::Plan best = setup_.plan;
    best.speculative_tokens = usual_draft;
    if (draft_ != nullptr) {
      double most = 0;
      model::Setup changed = setup_;
      for (std::int64_t tokens = 1; tokens <= most_drafted; ++tokens) {
        changed.plan.speculative_tokens = tokens;
        const double throughput = suggest::price(gpu_, changed, draft_).tokens_per_s;
        if (throughput > most) best.speculative_tokens = tokens;
        most = std::max(most, throughput);
      }
    }
    const std::int64_t tokens = best.speculative_tokens;
    std::string change = fmt::format("{} per step, {} % accepted", counted(tokens, "speculated token"),
                                     best.speculative_acceptance);
    if (draft_ != nullptr) change += fmt::format(", drafted by {}", draft_->name);
    plan(
        "speculation", Bound::memory, std::move(change),
        [&](model::Plan& p) { p.speculative_tokens = tokens; },
        draft_ == nullptr ? "drafting not counted" : "");
  }

  std::vector<Remedy> take() {
    std::stable_sort(found_.begin(), found_.end(), [](const Remedy& a, const Remedy& b) {
      return a.throughput_ratio > b.throughput_ratio;
    });
    return std::move(found_);
  }

 private:
  bool may_run(const model::Setup& changed) const {
    return memory_allowed(changed, memory_bytes(changed), setup_, needs_,
                          usable_bytes(gpu::memory_gib(gpu_), changed));
  }

  const gpu::Gpu& gpu_;
  const model::Setup& setup_;
  const Draft* draft_;
  Priced before_;
  double needs_;  // bytes, of the setup
  std::vector<Remedy> found_;
};

void serve(Trial& trial, const gpu::Gpu& gpu, const model::Plan& plan) {
  const bool wide = bytes_of(plan.dtype) >= 2;
  if (wide && (plan.weight_bits == 0 || plan.weight_bits > 8)) {
    trial.plan(
        "weights-8-bit", Bound::memory, "8-bit weights (w8a16)", [](model::Plan& p) { p.weight_bits = 8; },
        "accuracy not considered");
  }
  if (wide && (plan.weight_bits == 0 || plan.weight_bits > 4)) {
    trial.plan(
        "weights-4-bit", Bound::memory, fmt::format("4-bit weights, groups of {} (w4a16)", usual_group),
        [](model::Plan& p) {
          p.weight_bits = 4;
          p.weight_group_size = usual_group;
        },
        "accuracy not considered");
  }
  if (wide && gpu::can_multiply(gpu, DType::fp8)) {
    trial.plan(
        "fp8", Bound::compute, "weights and activations in fp8",
        [](model::Plan& p) {
          p.dtype = DType::fp8;
          p.weight_bits = 0;
        },
        "accuracy not considered");
  }
  if (plan.kv_cache_bits == 0 || plan.kv_cache_bits > 8) {
    trial.plan(
        "cache-8-bit", Bound::memory, "8-bit KV cache", [](model::Plan& p) { p.kv_cache_bits = 8; },
        "accuracy not considered");
  }
  if (plan.mode == Mode::decode && plan.speculative_tokens == 0) trial.speculation();
  if (plan.tensor > 1 && plan.sequence_parallel) {
    trial.plan("no-sequence-parallel", Bound::communication, "sequence_parallel → false",
               [](model::Plan& p) { p.sequence_parallel = false; });
  }
}

void train(Trial& trial, const model::Plan& plan) {
  if (plan.recompute != model::Recompute::none) {
    trial.plan("less-recomputation", Bound::compute, "recompute → none",
               [](model::Plan& p) { p.recompute = model::Recompute::none; });
  }
  if (plan.tensor > 1 && !plan.sequence_parallel) {
    trial.plan("sequence-parallel", Bound::memory, "sequence_parallel → true",
               [](model::Plan& p) { p.sequence_parallel = true; });
  }
  if (plan.gradient_accumulation > 1 && !plan.fused_gradient_accumulation) {
    trial.plan("fused-gradients", Bound::memory, "gradient accumulation fused into GEMMs",
               [](model::Plan& p) { p.fused_gradient_accumulation = true; });
  }
  if (plan.pipeline > 1 || plan.data > 1 || plan.gradient_accumulation > 1) {
    trial.plan(
        "more-accumulation", Bound::communication,
        fmt::format("gradient_accumulation {} → {}", plan.gradient_accumulation,
                    2 * plan.gradient_accumulation),
        [](model::Plan& p) { p.gradient_accumulation *= 2; }, "a larger global batch");
  }
}

// Whether the experts' ranks are still there with so many tensor-parallel ones.
bool holds_experts(const model::Setup& setup, std::int64_t tensor) {
  const model::Plan& plan = setup.plan;
  if (setup.model.moe.num_experts <= 0 || plan.expert_tensor == plan.tensor) return true;
  return model::times(plan.expert, plan.expert_tensor) <= model::times(plan.data, tensor, plan.context);
}

}  // namespace

std::vector<Remedy> remedies(const gpu::Gpu& gpu, const model::Setup& setup, std::span<const gpu::Gpu> others,
                             const Draft* draft) {
  const model::Plan& plan = setup.plan;
  Trial trial(gpu, setup, draft);
  trial.larger_batch(plan.mode == Mode::train ? Bound::overhead : Bound::memory);
  if (plan.attention == model::Attention::unfused) {
    trial.plan("fused-attention", Bound::memory, "attention → flash",
               [](model::Plan& p) { p.attention = model::Attention::flash; });
  } else if (plan.attention != model::Attention::flash && plan.attention != model::Attention::cudnn) {
    trial.plan("newer-attention", Bound::compute, fmt::format("attention kernels of {}", gpu.attention.name),
               [](model::Plan& p) { p.attention = model::Attention::flash; });
  }
  const bool network = !setup.model.conv.empty();
  if (plan.fusion != model::Fusion::full) {
    const bool training = plan.mode == Mode::train;
    const std::string_view change = !network   ? "norms fused with residuals, activations with GEMMs"
                                    : training ? "norms, activations and additions fused with each other"
                                               : "norms, activations, additions fused with convolutions";
    trial.plan(
        "fusion", Bound::memory, std::string(change),
        [=](model::Plan& p) { p.fusion = network && training ? model::Fusion::norms : model::Fusion::full; },
        "upper bound: GEMMs not slowed down");
  }
  if (plan.mode == Mode::train) {
    train(trial, plan);
  } else if (!network) {
    serve(trial, gpu, plan);
  }
  if (network && bytes_of(plan.dtype) > 2 && gpu::on_tensor_cores(gpu, DType::fp16)) {
    trial.plan(
        "fp16", Bound::compute, "dtype → fp16", [](model::Plan& p) { p.dtype = DType::fp16; },
        "accuracy not considered");
  }
  const auto with_tensor = [](std::int64_t tensor) {
    return [tensor](model::Plan& p) {
      const bool follows = p.expert_tensor == p.tensor && (p.tensor > 1 || p.expert == 1);
      if (follows) p.expert_tensor = tensor;
      p.tensor = tensor;
    };
  };
  if (plan.tensor > 1 && plan.tensor % 2 == 0 && holds_experts(setup, plan.tensor / 2)) {
    trial.plan("smaller-tensor", Bound::communication,
               fmt::format("tensor {} → {}", plan.tensor, plan.tensor / 2), with_tensor(plan.tensor / 2));
  }
  const bool divides = setup.model.num_attention_heads % (2 * plan.tensor) == 0;
  if (plan.mode != Mode::train && !network && divides && 2 * plan.tensor <= node_gpus) {
    trial.plan("larger-tensor", Bound::memory, fmt::format("tensor {} → {}", plan.tensor, 2 * plan.tensor),
               with_tensor(2 * plan.tensor));
  }

  std::vector<std::pair<const gpu::Gpu*, Priced>> faster;
  for (const gpu::Gpu& other : others) {
    if (other.id == gpu.id || !can_multiply(other, plan.dtype)) continue;
    if (fits(gpu, setup) && !fits(other, setup)) continue;
    faster.emplace_back(&other, price(other, setup, draft));
  }
  std::stable_sort(faster.begin(), faster.end(), [](const auto& a, const auto& b) {
    return a.second.tokens_per_s > b.second.tokens_per_s;
  });
  // The fastest of each architecture, so that the next best is another kind of GPU.
  std::vector<std::string_view> architectures;
  for (const auto& [other, priced] : faster) {
    const std::string_view architecture = other->architecture.id;
    const bool seen =
        std::find(architectures.begin(), architectures.end(), architecture) != architectures.end();
    if (seen || architectures.size() == most_gpus_named) continue;
    architectures.push_back(architecture);
    trial.add("another-gpu", trial.bound(), fmt::format("on {}", other->name), priced);
  }
  return trial.take();
}

Launches launches_of(const model::Setup& setup) {
  Launches out;
  const bool trains = setup.plan.mode == Mode::train;
  const bool is_eager = trains && setup.plan.eager;
  for (const model::Op& op : model::lower(setup).ops)
    out.count += is_eager ? op.count * op.host_us / model::module_launch_us : op.count;
  out.measured = trains && (setup.plan.eager || setup.plan.compiled);
  out.each_us = is_eager ? model::module_launch_us : out.measured ? compiled_host_us : launch_by_host_us;
  out.host_us = out.count * out.each_us;
  return out;
}

}  // namespace shapelint::suggest
