// The page of operations is what the lowering emits.
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"
#include "model/op.hpp"
#include "model/training_bytes.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/formats/read_text.hpp"
#include "tests/golden.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;

namespace {

// Ops of the pass by name, each once.
std::vector<const Op*> distinct(const Workload& workload, OpKind kind, Pass pass = Pass::forward) {
  std::vector<const Op*> out;
  std::set<std::string_view> seen;
  for (const Op& op : workload.ops)
    if (op.kind == kind && op.pass == pass && seen.insert(op.name).second) out.push_back(&op);
  return out;
}

std::string dimension(const Dim& dim) {
  return dim.expression.empty() ? std::to_string(dim.value) : fmt::format("`{}`", dim.expression);
}

std::string gemms(const Workload& workload) {
  std::string out = "\n| GEMM | batch | M | N | K |\n|---|---|---|---|---|\n";
  for (const Op* op : distinct(workload, OpKind::gemm))
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", op->name, dimension(op->batch), dimension(op->m),
                       dimension(op->n), dimension(op->k));
  return out;
}

std::string collectives(const Workload& workload) {
  std::string out = "\n| collective | pass | kind | ranks | MB | runs |\n|---|---|---|--:|--:|--:|\n";
  for (const Op& op : workload.ops)
    if (op.kind == OpKind::collective)
      out += fmt::format("| `{}` | {} | {}{} | {} | {} | {} |\n", op.name, name(op.pass), name(op.collective),
                         op.overlapped ? ", overlapped" : "", op.ranks, fixed(op.bytes / 1e6, 1),
                         exact(op.count));
  return out;
}

std::string memory_bound(const Workload& workload) {
  std::string out = "\n| memory-bound | MB forward | MB backward |\n|---|--:|--:|\n";
  const auto mb = [](const Op* op) { return op == nullptr ? std::string() : fixed(op->bytes / 1e6, 1); };
  for (const Op* op : distinct(workload, OpKind::elementwise))
    out += fmt::format("| `{}` | {} | {} |\n", op->name, mb(op),
                       mb(tests::find(workload, op->name, Pass::backward)));
  return out;
}

struct Case {
  std::string_view title;
  Setup setup;
};

Setup with(Setup setup, void (*change)(Setup&)) {
  change(setup);
  return setup;
}

// Fused attention, nothing recomputed.
Setup with_plain_memory(Setup setup) {
  setup.plan.recompute = Recompute::none;
  setup.plan.attention = Attention::flash;
  return setup;
}

// The three GEMMs of one linear layer.
std::string training_gemms() {
  const Workload workload = lower(tests::example("llama-3-8b"));
  struct Row {
    Pass pass;
    std::string_view computes;
  };
  const std::array rows = {Row{Pass::forward, "y = x W^T"}, Row{Pass::grad_input, "dx = dy W"},
                           Row{Pass::grad_weight, "dW = dy^T x"}};
  const auto contiguous = [](Layout layout) -> std::string_view {
    switch (layout) {
      case Layout::tn:
        return "K, K";
      case Layout::nn:
        return "K, N";
      case Layout::nt:
        return "M, N";
      case Layout::tt:
        return "M, K";
    }
    return "";
  };
  std::string out = "| pass | GEMM | M | N | K | contiguous in A, B |\n|---|---|---|---|---|---|\n";
  for (const Row& row : rows) {
    const Op* op = tests::find(workload, "layer.mlp.down", row.pass);
    REQUIRE(op != nullptr);
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} (`{}`) |\n", name(row.pass), row.computes,
                       dimension(op->m), dimension(op->n), dimension(op->k), contiguous(op->layout),
                       name(op->layout));
  }
  return out;
}

// What the classes of diffusers set of `[model.diffusion]` and of its kind, without further keys.
std::string diffusion_transformers() {
  std::string out =
      "| class of diffusers | `joint_layers` | `text_joined` | `cross_attention` | `modulation` | "
      "`parallel_block` |\n|---|---|---|---|---|---|\n";
  for (const std::string_view type :
       {"DiTTransformer2DModel", "PixArtTransformer2DModel", "WanTransformer3DModel",
        "CogVideoXTransformer3DModel", "SD3Transformer2DModel", "FluxTransformer2DModel",
        "Flux2Transformer2DModel", "QwenImageTransformer2DModel"}) {
    const ModelSpec model =
        tests::one_setup("config.json", fmt::format("{{\"_class_name\": \"{}\"}}", type)).model;
    const auto yes = [](bool value) { return value ? "yes" : ""; };
    const Diffusion& diffusion = model.diffusion;
    const std::string joint = diffusion.joint_layers <= 0 ? ""
                              : diffusion.joint_layers == model.num_layers
                                  ? "all"
                                  : fmt::format("{} of {}", diffusion.joint_layers, model.num_layers);
    out += fmt::format("| `{}` | {} | {} | {} | {}{} | {} |\n", type, joint, yes(diffusion.text_joined),
                       yes(model.cross_attention), diffusion.modulation,
                       diffusion.modulation_shared ? ", shared" : "", yes(model.parallel_block));
  }
  return out;
}

std::string operations() {
  const std::array<Case, 5> cases = {{
      {"Dense decoder, training: `examples/llama-3-8b.toml`, TP 2 with sequence parallelism",
       with(tests::example("llama-3-8b"),
            [](Setup& setup) {
              setup.plan.tensor = 2;
              setup.plan.sequence_parallel = true;
              setup.plan.data = 64;
            })},
      {"Unfused attention: `examples/gpt3-2.7b.toml`", tests::example("gpt3-2.7b")},
      {"MoE, training with EP 8: `examples/mixtral-8x7b.toml`", tests::example("mixtral-8x7b")},
      {"MLA and MoE, training: `examples/deepseek-v3.toml`", tests::example("deepseek-v3")},
      {"MLA and MoE, decode: DeepSeek-V3, TP 8, EP 8, 64 sequences", tests::decoding_deepseek_v3()},
  }};
  std::string out;
  for (const auto& [title, setup] : cases) {
    const Workload workload = lower(setup);
    out += fmt::format("\n### {}\n{}{}{}", title, gemms(workload), memory_bound(workload),
                       collectives(workload));
  }
  return out;
}

std::string columns_of(const MixerColumns& columns) {
  std::string out;
  const auto add = [&](std::int64_t times, std::string_view what) {
    if (times <= 0) return;
    if (!out.empty()) out += " + ";
    out += times == 1 ? std::string(what) : fmt::format("{} {}", times, what);
  };
  add(columns.keys, "K");
  add(columns.values, "V");
  add(columns.heads, "heads");
  return out;
}

std::string gates_of(const MixerTraits& mixer) {
  std::vector<std::string> parts;
  if (mixer.head_gates > 0) parts.push_back(fmt::format("{} per value head", mixer.head_gates));
  switch (mixer.gate) {
    case GateForm::none:
      break;
    case GateForm::keys:
      parts.emplace_back("low-rank, K");
      break;
    case GateForm::keys_and_values:
      parts.emplace_back("low-rank, K and V");
      break;
    case GateForm::values:
      parts.emplace_back("low-rank, V");
      break;
    case GateForm::time_step:
      parts.emplace_back("time step, low-rank");
      break;
  }
  if (mixer.block_gates > 0) parts.push_back(fmt::format("{} within heads", mixer.block_gates));
  if (mixer.gates_mlp) parts.emplace_back("receptance of the MLP");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string mixers() {
  std::string out =
      "| kind | input projection, N | convolved | gates | recurrence |\n|---|---|---|---|---|\n";
  for (std::size_t i = 1; i < mixer_kinds; ++i) {
    const MixerTraits& mixer = form_of(static_cast<MixerKind>(i));
    const std::string_view recurrence = mixer.is_long      ? "FFT convolution"
                                        : !mixer.has_state ? ""
                                        : mixer.is_delta   ? "delta rule, matrix state"
                                        : mixer.is_matrix  ? "matrix state"
                                                           : "vector state";
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", mixer.name, columns_of(mixer.in),
                       columns_of(mixer.convolved), gates_of(mixer), recurrence);
  }
  return out;
}

// Bytes of PyTorch's modules for each element, forward and backward, with activations in 16 bits.
std::string eager_kernels() {
  constexpr double activation = 2;
  struct Row {
    std::string_view what;
    Modules bf16;
    Modules autocast;
  };
  const std::array rows = {
      Row{"RMSNorm", rmsnorm_modules, rmsnorm_autocast},
      Row{"RMSNorm of Q and K", rmsnorm_modules, qk_norm_autocast},
      Row{"layer norm", layernorm_modules, layernorm_autocast},
      Row{"rotary embedding", rotary_modules, rotary_autocast},
      Row{"gated activation, per gate element", gated_modules, gated_modules},
      Row{"input of 3 projections (Q, K, V)", inputs_modules(3, false), inputs_modules(3, true)},
      Row{"softmax of unfused attention, per score", softmax_modules, softmax_modules},
      Row{"loss, per logit", loss_modules, loss_modules},
  };
  const auto bytes = [&](double activations, double fp32) {
    return exact(activation * activations + fp32_bytes * fp32);
  };
  const auto cells = [&](const Modules& each) {
    return fmt::format("{} + {} | {}", bytes(each.forward, each.forward_fp32),
                       bytes(each.backward, each.backward_fp32),
                       exact(each.forward_kernels + each.backward_kernels));
  };
  std::string out =
      "| per element | 16-bit weights: bytes | kernels | autocast: bytes | kernels |\n"
      "|---|--:|--:|--:|--:|\n";
  for (const Row& row : rows)
    out += fmt::format("| {} | {} | {} |\n", row.what, cells(row.bf16), cells(row.autocast));
  return out;
}

std::string parameters() {
  std::string out =
      "| `weight_precision` | weight | FP32 copy | gradient | Adam states |\n|---|--:|--:|--:|--:|\n";
  for (const auto& [label, kept] : {std::pair{"mixed", WeightPrecision::mixed},
                                    {"single", WeightPrecision::fp32},
                                    {"half", WeightPrecision::half}}) {
    Plan plan;
    plan.weight_precision = kept;
    const ParameterBytes bytes = parameter_bytes(plan);
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", label, exact(bytes.weight), exact(bytes.master),
                       exact(bytes.gradient), exact(bytes.states));
  }
  return out;
}

struct Kept {
  std::string_view what;
  void (*change)(Setup&);
};

std::string activations() {
  const std::array models = {
      Case{"GPT-3 2.7B", with_plain_memory(tests::example("gpt3-2.7b"))},
      Case{"Llama 3 8B", with_plain_memory(tests::example("llama-3-8b"))},
      Case{"Mixtral 8x7B", with_plain_memory(tests::example("mixtral-8x7b"))},
      Case{"DeepSeek-V3", with_plain_memory(tests::replica("deepseek-v3"))},
  };
  const std::array rows = {
      Kept{"FlashAttention", [](Setup&) {}},
      Kept{"unfused attention", [](Setup& setup) { setup.plan.attention = Attention::unfused; }},
      Kept{"TP 2", [](Setup& setup) { setup.plan.tensor = 2; }},
      Kept{"TP 2, `sequence_parallel`",
           [](Setup& setup) {
             setup.plan.tensor = 2;
             setup.plan.sequence_parallel = true;
           }},
      Kept{"`eager`", [](Setup& setup) { setup.plan.eager = true; }},
      Kept{"`eager` under autocast",
           [](Setup& setup) {
             setup.plan.eager = true;
             setup.plan.weight_precision = WeightPrecision::fp32;
             setup.plan.zero = 0;
           }},
      Kept{"`recompute_norms`", [](Setup& setup) { setup.plan.recompute_norms = true; }},
      Kept{"`recompute_up_projections`", [](Setup& setup) { setup.plan.recompute_up_projections = true; }},
      Kept{"`recompute_mlp`", [](Setup& setup) { setup.plan.recompute_mlp = true; }},
      Kept{"`recompute_expert_activations`",
           [](Setup& setup) { setup.plan.recompute_expert_activations = true; }},
      Kept{"`recompute_shared_experts`", [](Setup& setup) { setup.plan.recompute_shared_experts = true; }},
      Kept{"`recompute_experts`", [](Setup& setup) { setup.plan.recompute_experts = true; }},
      Kept{"`recompute = \"operations\"`",
           [](Setup& setup) { setup.plan.recompute = Recompute::operations; }},
      Kept{"`recompute = \"elementwise\"`",
           [](Setup& setup) { setup.plan.recompute = Recompute::elementwise; }},
      Kept{"`recompute = \"full\"`", [](Setup& setup) { setup.plan.recompute = Recompute::full; }},
  };
  std::string out = "| KB per token and layer |";
  for (const Case& model : models) out += fmt::format(" {} |", model.title);
  out += "\n|---|--:|--:|--:|--:|\n";
  for (const Kept& row : rows) {
    out += fmt::format("| {} |", row.what);
    for (const Case& model : models) {
      const Setup setup = with(model.setup, row.change);
      const LayerActivations layer = layer_activations(setup);
      const auto tokens = static_cast<double>(setup.plan.micro_batch_size * setup.plan.sequence_length);
      out += fmt::format(" {} |", fixed((layer.kept + layer.scores) / tokens / 1e3, 1));
    }
    out += "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("the page of operations is what the lowering emits", "[model][docs]") {
  const std::string page = fmt::format(R"(# Operations of a step

<!-- Generated from the lowering by the tests (UPDATE_GOLDEN=1); do not edit. -->

The operations of one rank, with the fields that each size comes from, and what training keeps in memory.
[From a model to operations](../explanation/lowering.md) has the reasons and sources. In expressions `/` rounds up.

## GEMMs of a training step

C[M,N] = A[M,K] B[K,N] of `layer.mlp.down`; only alignment of contiguous dimensions counts.

{}
## Operations by model

Forward pass; training adds `grad_input` and `grad_weight` for each GEMM.
{}
## Diffusion transformers

As read without further keys.

{}
## Linear attention and SSMs

K is `num_key_heads` x `key_head_dim`, V `num_value_heads` x `value_head_dim`.

{}
## PyTorch modules in eager mode

Bytes read and written, forward + backward.

{}
## Memory per trained parameter

Bytes, before ZeRO shards any.

{}
## Activations

Kept until the backward pass, in 16 bits, or as the example's `recipe` stores GEMM inputs.

{})",
                                       training_gemms(), operations(), diffusion_transformers(), mixers(),
                                       eager_kernels(), parameters(), activations());
  CHECK(tests::compare_with_file("docs/reference/operations.md", page) == "");
}
