// What learns beside or instead of weights, and how: adapters, optimizers of whole matrices, documents of a
// packed sequence.
#include <cmath>

#include "model/lower/learning/learning.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::find;
using tests::replica;
using tests::table;

namespace {

// Llama-7B: 32 layers of width 4096, 32 heads, an MLP of 11008.
Setup llama_7b() {
  Setup setup = replica("llama-3-8b");
  setup.model.num_key_value_heads = 32;
  setup.model.intermediate_size = 11008;
  setup.model.vocab_size = 32000;
  setup.plan.sequence_length = 2048;
  return setup;
}

Setup adapted(Setup setup, std::int64_t rank, LoraTargets which) {
  setup.plan.adapters = true;
  setup.plan.adapter_rank = rank;
  setup.plan.adapted = which;
  return setup;
}

// Arithmetic of the ops whose name begins so, in a step.
double flops_of(const Workload& workload, std::string_view begin) {
  double sum = 0;
  for (const Op& op : workload.ops) {
    if (op.name.starts_with(begin)) sum += op.count * op_flops(op);
  }
  return sum;
}

// Elements of the gradients of adapters' matrices: of all layers of the rank.
double learned_elements(const Workload& workload) {
  double sum = 0;
  for (const Op& op : workload.ops) {
    if (op.pass == Pass::grad_weight && op.name.find("_lora_") != std::string_view::npos)
      sum += op.count * static_cast<double>(op.batch.value * op.m.value * op.n.value);
  }
  return sum;
}

}  // namespace

TEST_CASE("adapters have the parameters that PEFT prints", "[model]") {
  const auto count = [](const Setup& setup) { return adapter_size(setup).dense; };
  // alpaca-lora: Llama-7B, r = 8 of q_proj and v_proj: "trainable params: 4194304"
  CHECK(count(adapted(llama_7b(), 8, LoraTargets::query_value)) == 4'194'304);
  // r = 16 of q, k, v and o: 16,777,216 (alpaca-lora's second release)
  CHECK(count(adapted(llama_7b(), 16, LoraTargets::attention)) == 16'777'216);
  // all linear layers, r = 64: 159,907,840 (QLoRA's 7B, 2305.14314)
  CHECK(count(adapted(llama_7b(), 64, LoraTargets::all)) == 159'907'840);
  // Llama-3-8B, r = 16 of all: 41,943,040 (Unsloth's notebooks)
  CHECK(count(adapted(replica("llama-3-8b"), 16, LoraTargets::all)) == 41'943'040);
  CHECK(count(adapted(replica("llama-3-8b"), 0, LoraTargets::all)) == 0);
}

TEST_CASE("an adapter is two narrow products beside each that it adapts, with gradients of both", "[model]") {
  const Setup setup = adapted(replica("llama-3-8b"), 16, LoraTargets::query_value);
  const Workload workload = lower(setup);
  Workload adapters;
  for (const Op& op : workload.ops) {
    if (op.name.find("_lora_") != std::string_view::npos) adapters.ops.push_back(op);
  }
  CHECK(table(adapters, OpKind::gemm) == R"(
layer.attention.query_lora_down  forward  1 x 8192 x 16 x 4096  tn  *32
layer.attention.query_lora_down  grad_input  1 x 8192 x 4096 x 16  nn  *32
layer.attention.query_lora_down  grad_weight  1 x 16 x 4096 x 8192  nt  *32
layer.attention.query_lora_up  forward  1 x 8192 x 4096 x 16  tn  *32
layer.attention.query_lora_up  grad_input  1 x 8192 x 16 x 4096  nn  *32
layer.attention.query_lora_up  grad_weight  1 x 4096 x 16 x 8192  nt  *32
layer.attention.value_lora_down  forward  1 x 8192 x 16 x 4096  tn  *32
layer.attention.value_lora_down  grad_input  1 x 8192 x 4096 x 16  nn  *32
layer.attention.value_lora_down  grad_weight  1 x 16 x 4096 x 8192  nt  *32
layer.attention.value_lora_up  forward  1 x 8192 x 1024 x 16  tn  *32
layer.attention.value_lora_up  grad_input  1 x 8192 x 16 x 1024  nn  *32
layer.attention.value_lora_up  grad_weight  1 x 1024 x 16 x 8192  nt  *32
)");
  // outputs 8192 * 4096 * 2 bytes = 67108864, of values a fourth: scaled and added, five passes; back the
  // gradient is scaled, and that of the input (67108864) added, three
  CHECK(table(adapters, OpKind::elementwise) == R"(
layer.attention.query_lora_add  forward  335544320  *32
layer.attention.query_lora_add  backward  335544320  *32
layer.attention.value_lora_add  forward  83886080  *32
layer.attention.value_lora_add  backward  234881024  *32
)");
  CHECK(find(workload, "layer.attention.qkv", Pass::grad_weight) == nullptr);
  // fp32 gradient read, three states read and written, the 16-bit weight written
  const double parameters = 32 * 16 * (2.0 * 4096 + 4096 + 1024);
  CHECK(find(workload, "optimizer.adam", Pass::update)->bytes == 30 * parameters);
}

TEST_CASE("keys and values, gate and up have adapters of their own", "[model]") {
  const Workload workload = lower(adapted(replica("llama-3-8b"), 16, LoraTargets::all));
  CHECK(find(workload, "layer.attention.key_value_lora_up")->n.value == 1024);
  CHECK(find(workload, "layer.attention.key_value_lora_up")->count == 64);
  CHECK(find(workload, "layer.mlp.gate_up_lora_up")->n.value == 14336);
  CHECK(find(workload, "layer.mlp.gate_up_lora_up")->count == 64);
  CHECK(find(workload, "layer.mlp.down_lora_down")->k.value == 14336);
}

TEST_CASE("the gradients of adapters' matrices are as large as these, experts' and hybrids' too", "[model]") {
  for (const char* name : {"llama-3-8b", "gpt3-2.7b", "mixtral-8x7b"}) {
    INFO(name);
    const Setup setup = adapted(replica(name), 8, LoraTargets::all);
    const AdapterSize size = adapter_size(setup);
    const double expert_ranks = static_cast<double>(setup.plan.expert * setup.plan.expert_tensor);
    if (setup.plan.tensor > 1) continue;
    CHECK(learned_elements(lower(setup)) ==
          Approx(static_cast<double>(size.dense) + static_cast<double>(size.expert) / expert_ranks));
  }
}

TEST_CASE("tensor parallelism divides the rank beside products split along their outputs", "[model]") {
  Setup setup = adapted(replica("llama-3-8b"), 16, LoraTargets::attention);
  setup.plan.tensor = 4;
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.attention.query_lora_down")->n.value == 4);
  CHECK(find(workload, "layer.attention.query_lora_down")->n.expression == "adapter_rank / tensor");
  CHECK(find(workload, "layer.attention.query_lora_up")->n.value == 1024);
  CHECK(find(workload, "layer.attention.query_lora_up")->k.value == 16);
  CHECK(find(workload, "layer.attention.output_lora_down")->n.value == 16);
  CHECK(find(workload, "layer.attention.output_lora_down")->k.value == 1024);
  CHECK(find(workload, "layer.attention.output_lora_up")->n.value == 1024);
  CHECK(find(workload, "layer.attention.query_lora_gather")->bytes == 8192 * 16 * 2);
  CHECK(find(workload, "layer.attention.output_lora_gather")->collective == CollectiveKind::all_reduce);
  CHECK(find(workload, "layer.attention.query_lora_reduce", Pass::backward)->bytes == 8192.0 * 4096 * 2);
  CHECK(find(workload, "layer.attention.key_value_lora_reduce", Pass::backward) == nullptr);
}

TEST_CASE("Muon makes the update of each matrix by five steps of three products", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.optimizer = Optimizer::muon;
  const Workload workload = lower(setup);
  Workload muon;
  for (const Op& op : workload.ops) {
    if (op.name.starts_with("optimizer.")) muon.ops.push_back(op);
  }
  // queries; keys and values; output; gate and up; down: 5 steps of 32 layers each
  CHECK(table(muon, OpKind::gemm) == R"(
optimizer.muon.gram  update  1 x 4096 x 4096 x 4096  tn  *160
optimizer.muon.square  update  1 x 4096 x 4096 x 4096  nn  *160
optimizer.muon.apply  update  1 x 4096 x 4096 x 4096  nn  *160
optimizer.muon.gram  update  1 x 1024 x 1024 x 4096  tn  *320
optimizer.muon.square  update  1 x 1024 x 1024 x 1024  nn  *320
optimizer.muon.apply  update  1 x 1024 x 4096 x 1024  nn  *320
optimizer.muon.gram  update  1 x 4096 x 4096 x 4096  tn  *160
optimizer.muon.square  update  1 x 4096 x 4096 x 4096  nn  *160
optimizer.muon.apply  update  1 x 4096 x 4096 x 4096  nn  *160
optimizer.muon.gram  update  1 x 4096 x 4096 x 14336  tn  *320
optimizer.muon.square  update  1 x 4096 x 4096 x 4096  nn  *320
optimizer.muon.apply  update  1 x 4096 x 14336 x 4096  nn  *320
optimizer.muon.gram  update  1 x 4096 x 4096 x 14336  tn  *160
optimizer.muon.square  update  1 x 4096 x 4096 x 4096  nn  *160
optimizer.muon.apply  update  1 x 4096 x 14336 x 4096  nn  *160
)");
}

TEST_CASE("Muon's overhead is T m / B of the layers' arithmetic, at most", "[model]") {
  // Jordan 2024 (kellerjordan.github.io/posts/muon, "Runtime analysis"): Newton-Schulz of an n x m matrix, m
  // the smaller side, is T (4 n m^2 + 2 m^3) <= 6 T n m^2 operations, its training 6 n m B: an overhead of at
  // most T m / B with B tokens. GPT-2's width of 768 and B = 524,288 tokens: 0.7 %.
  Setup setup = replica("gpt3-2.7b");
  setup.model.num_layers = 1;
  setup.model.hidden_size = 768;
  setup.model.num_attention_heads = setup.model.num_key_value_heads = 12;
  setup.model.head_dim = setup.model.value_head_dim = 64;
  setup.model.intermediate_size = 768;
  setup.plan.micro_batch_size = 524'288 / setup.plan.sequence_length;
  setup.plan.optimizer = Optimizer::muon;
  const Workload workload = lower(setup);
  const double layers = flops_of(workload, "layer.attention.qkv") +
                        flops_of(workload, "layer.attention.output") + flops_of(workload, "layer.mlp.");
  const double overhead = flops_of(workload, "optimizer.muon") / layers;
  CHECK(overhead == Approx(5 * 768.0 / 524'288).epsilon(1e-9));  // all matrices square: the bound itself
  CHECK(overhead == Approx(0.007).epsilon(0.05));
}

TEST_CASE("ranks that hold the same parameters share Muon's matrices, tensor-parallel ones gather them",
          "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.optimizer = Optimizer::muon;
  const double alone = flops_of(lower(setup), "optimizer.muon");
  setup.plan.data = 8;
  CHECK(flops_of(lower(setup), "optimizer.muon") == Approx(alone));
  setup.plan.zero = 1;
  CHECK(flops_of(lower(setup), "optimizer.muon") == Approx(alone / 8));
  // Moonlight (2502.16982, section 2.3): at most 1.25 of distributed AdamW's: 4 bytes of each gradient, 4 of
  // each weight in fp32 there, and 2 more of the momentum
  const Workload shared = lower(setup);
  double gathered = 0;
  for (const Op& op : shared.ops) {
    if (op.name == "optimizer.gather") gathered += op.count * op.bytes;
  }
  const double matrices = static_cast<double>(parameter_count(setup)) - 2.0 * 128256 * 4096 - 65 * 4096.0;
  CHECK(gathered == Approx(2 * matrices));
  // The whole matrices again, whatever part of them a rank has.
  setup.plan.tensor = 2;
  CHECK(flops_of(lower(setup), "optimizer.muon") == Approx(alone / 8));
  CHECK(find(lower(setup), "optimizer.tensor_gather", Pass::update)->bytes == 4.0 * 4096 * 4096);
}

TEST_CASE("Muon's products do not depend on micro-batches, its matrices of experts are all of a rank's",
          "[model]") {
  Setup setup = replica("mixtral-8x7b");
  setup.plan.optimizer = Optimizer::muon;
  const double once = flops_of(lower(setup), "optimizer.muon");
  setup.plan.gradient_accumulation = 8;
  setup.plan.sequence_length = 1;  // one token visits two of the experts
  CHECK(flops_of(lower(setup), "optimizer.muon") == Approx(once));
}

TEST_CASE("Shampoo keeps statistics of both sides in blocks of at most 8192", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.optimizer = Optimizer::shampoo;
  const Workload workload = lower(setup);
  Workload down;
  for (const Op& op : workload.ops) {
    if (op.name == "optimizer.shampoo.root" && op.batch.value > 1) down.ops.push_back(op);
  }
  // 14336 is two blocks of 7168; 5.5 products every 50 steps, of 32 layers: gate and up, then down
  CHECK(table(down, OpKind::gemm) == R"(
optimizer.shampoo.root  update  2 x 7168 x 7168 x 7168  nn  *7.04
optimizer.shampoo.root  update  2 x 4096 x 4096 x 4096  nn  *7.04
optimizer.shampoo.root  update  2 x 4096 x 4096 x 4096  nn  *3.52
optimizer.shampoo.root  update  2 x 7168 x 7168 x 7168  nn  *3.52
)");
}

TEST_CASE("attention of a packed sequence runs over each document alone", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.document_length = 1024;
  CHECK(table(lower(setup), OpKind::attention) == R"(
layer.attention.flash  forward  8, 32/8, 1024/1024, 128/128 causal  *32
layer.attention.flash  backward  8, 32/8, 1024/1024, 128/128 causal  *32
)");
  // Of 2 * heads * 2 * head_dim * keys operations for each token and layer, keys are an eighth.
  Setup whole = setup;
  whole.plan.document_length = 0;
  const double spared = 32.0 * 2 * 32 * 256 * (8192 - 1024);
  CHECK(forward_flops_per_token(whole) - forward_flops_per_token(setup) == Approx(spared));
  setup.plan.document_length = 1000;  // the last document is shorter, and counts as one
  CHECK(find(lower(setup), "layer.attention.flash")->attention.sequences.value == 9);
  setup.plan.attention = Attention::unfused;  // a mask hides what is computed
  CHECK(find(lower(setup), "layer.attention.scores")->n.value == 8192);
  setup.plan.mode = Mode::prefill;
  setup.plan.attention = Attention::flash;
  CHECK(find(lower(setup), "layer.attention.flash")->attention.key_length.value == 8192);
}
