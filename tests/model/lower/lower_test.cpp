// The lowering as tables: what one rank runs for a dense model.
#include "model/lower/lower.hpp"

#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::example;
using tests::find;
using tests::replica;
using tests::table;

TEST_CASE("Llama-3-8B on two tensor-parallel ranks: matrix products", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.tensor = 2;
  // queries, keys and values: (32 + 2 * 8) * 128 / 2 = 3072 columns; MLP: 2 * 14336 / 2; vocabulary: 128256 /
  // 2
  CHECK(table(lower(setup), OpKind::gemm) == R"(
layer.attention.qkv  forward  1 x 8192 x 3072 x 4096  tn  *32
layer.attention.qkv  grad_input  1 x 8192 x 4096 x 3072  nn  *32
layer.attention.qkv  grad_weight  1 x 3072 x 4096 x 8192  nt  *32
layer.attention.output  forward  1 x 8192 x 4096 x 2048  tn  *32
layer.attention.output  grad_input  1 x 8192 x 2048 x 4096  nn  *32
layer.attention.output  grad_weight  1 x 4096 x 2048 x 8192  nt  *32
layer.mlp.gate_up  forward  1 x 8192 x 14336 x 4096  tn  *32
layer.mlp.gate_up  grad_input  1 x 8192 x 4096 x 14336  nn  *32
layer.mlp.gate_up  grad_weight  1 x 14336 x 4096 x 8192  nt  *32
layer.mlp.down  forward  1 x 8192 x 4096 x 7168  tn  *32
layer.mlp.down  grad_input  1 x 8192 x 7168 x 4096  nn  *32
layer.mlp.down  grad_weight  1 x 4096 x 7168 x 8192  nt  *32
head.logits  forward  1 x 8192 x 64128 x 4096  tn  *1
head.logits  grad_input  1 x 8192 x 4096 x 64128  nn  *1
head.logits  grad_weight  1 x 64128 x 4096 x 8192  nt  *1
)");
}

TEST_CASE("Llama-3-8B on two tensor-parallel ranks: attention and collectives", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.tensor = 2;
  CHECK(table(lower(setup), OpKind::attention) == R"(
layer.attention.flash  forward  1, 16/4, 8192/8192, 128/128 causal  *32
layer.attention.flash  backward  1, 16/4, 8192/8192, 128/128 causal  *32
)");
  // 8192 tokens * 4096 * 2 bytes after attention and MLP, and of the gradient before them
  CHECK(table(lower(setup), OpKind::collective) == R"(
embedding.reduce  forward  all_reduce  67108864  2  *1
layer.attention.gather  backward  all_reduce  67108864  2  *32
layer.attention.reduce  forward  all_reduce  67108864  2  *32
layer.mlp.gather  backward  all_reduce  67108864  2  *32
layer.mlp.reduce  forward  all_reduce  67108864  2  *32
head.gather  backward  all_reduce  67108864  2  *1
head.loss_reduce  forward  all_reduce  32768  2  *3
)");
  setup.plan.sequence_parallel = true;
  CHECK(table(lower(setup), OpKind::collective) == R"(
embedding.reduce  forward  reduce_scatter  67108864  2  *1
embedding.reduce  backward  all_gather  67108864  2  *1
layer.attention.gather  forward  all_gather  67108864  2  *32
layer.attention.gather  backward  reduce_scatter  67108864  2  *32
layer.attention.reduce  forward  reduce_scatter  67108864  2  *32
layer.attention.reduce  backward  all_gather  67108864  2  *32
layer.mlp.gather  forward  all_gather  67108864  2  *32
layer.mlp.gather  backward  reduce_scatter  67108864  2  *32
layer.mlp.reduce  forward  reduce_scatter  67108864  2  *32
layer.mlp.reduce  backward  all_gather  67108864  2  *32
head.gather  forward  all_gather  67108864  2  *1
head.gather  backward  reduce_scatter  67108864  2  *1
head.loss_reduce  forward  all_reduce  32768  2  *3
)");
}

TEST_CASE("weights beside adapters that learn have no gradients", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.adapters = true;
  setup.plan.data = 8;
  setup.plan.gradient_accumulation = 4;
  setup.plan.zero = 1;
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.mlp.down", Pass::forward) != nullptr);
  CHECK(find(workload, "layer.mlp.down", Pass::grad_input) != nullptr);
  CHECK(find(workload, "layer.mlp.down", Pass::grad_weight) == nullptr);
  CHECK(find(workload, "layer.attention.flash", Pass::backward) != nullptr);
  CHECK(find(workload, "head.logits", Pass::grad_weight) == nullptr);
  CHECK(find(workload, "optimizer.adam", Pass::update) == nullptr);
  CHECK(find(workload, "gradients.reduce", Pass::backward) == nullptr);
  CHECK(find(workload, "parameters.gather", Pass::update) == nullptr);
  setup.plan.zero = 3;  // what is shared is gathered for each use
  CHECK(find(lower(setup), "parameters.gather", Pass::forward) != nullptr);
}

TEST_CASE("the embedding and the head may count as layers of a pipeline", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.model.num_layers = 94;
  setup.plan.embedding_stages = 2;
  CHECK(layer_runs(setup).all == 94);
  // The head is more than the layer that it stands for: the last stage is the slowest.
  setup.plan.pipeline = 4;
  CHECK(layer_runs(setup).all == 23);
  setup.plan.pipeline = 8;
  CHECK(layer_runs(setup).all == 11);
  setup.model.vocab_size = 32000;
  setup.plan.pipeline = 4;
  CHECK(layer_runs(setup).all == 24);
  setup.plan.pipeline = 8;
  CHECK(layer_runs(setup).all == 12);
}

TEST_CASE("GPT-3 2.7B with attention not fused: batched products and passes over the scores", "[model]") {
  const Workload workload = lower(replica("gpt3-2.7b"));
  CHECK(table(workload, OpKind::gemm) == R"(
layer.attention.qkv  forward  1 x 8192 x 7680 x 2560  tn  *32
layer.attention.qkv  grad_input  1 x 8192 x 2560 x 7680  nn  *32
layer.attention.qkv  grad_weight  1 x 7680 x 2560 x 8192  nt  *32
layer.attention.scores  forward  128 x 2048 x 2048 x 80  tn  *32
layer.attention.scores  grad_input  128 x 2048 x 80 x 2048  nn  *32
layer.attention.scores  grad_weight  128 x 2048 x 80 x 2048  nt  *32
layer.attention.values  forward  128 x 2048 x 80 x 2048  nn  *32
layer.attention.values  grad_input  128 x 2048 x 2048 x 80  tn  *32
layer.attention.values  grad_weight  128 x 2048 x 80 x 2048  nt  *32
layer.attention.output  forward  1 x 8192 x 2560 x 2560  tn  *32
layer.attention.output  grad_input  1 x 8192 x 2560 x 2560  nn  *32
layer.attention.output  grad_weight  1 x 2560 x 2560 x 8192  nt  *32
layer.mlp.up  forward  1 x 8192 x 10240 x 2560  tn  *32
layer.mlp.up  grad_input  1 x 8192 x 2560 x 10240  nn  *32
layer.mlp.up  grad_weight  1 x 10240 x 2560 x 8192  nt  *32
layer.mlp.down  forward  1 x 8192 x 2560 x 10240  tn  *32
layer.mlp.down  grad_input  1 x 8192 x 10240 x 2560  nn  *32
layer.mlp.down  grad_weight  1 x 2560 x 10240 x 8192  nt  *32
head.logits  forward  1 x 8192 x 50257 x 2560  tn  *1
head.logits  grad_input  1 x 8192 x 2560 x 50257  nn  *1
head.logits  grad_weight  1 x 50257 x 2560 x 8192  nt  *1
)");
  // residual stream: 8192 * 2560 * 2 = 41943040 bytes; scores: 128 * 2048^2 * 2 = 1073741824;
  // MLP: 8192 * 10240 * 2 = 167772160; loss: 8192 * 50257 logits * 14 and 6 bytes;
  // gradients and Adam: 2651553280 parameters * 4 and 30 bytes
  CHECK(table(workload, OpKind::elementwise) == R"(
embedding.lookup  forward  83886080  *1
embedding.lookup  backward  125829120  *1
layer.norm  forward  83886080  *64
layer.norm  backward  125829120  *64
layer.attention.mask  forward  2147483648  *32
layer.attention.mask  backward  2147483648  *32
layer.attention.softmax  forward  2147483648  *32
layer.attention.softmax  backward  3221225472  *32
layer.attention.residual  forward  125829120  *32
layer.attention.residual  backward  125829120  *32
layer.mlp.activation  forward  335544320  *32
layer.mlp.activation  backward  503316480  *32
layer.mlp.residual  forward  125829120  *32
layer.mlp.residual  backward  125829120  *32
head.norm  forward  83886080  *1
head.norm  backward  125829120  *1
head.loss  forward  5763874816  *1
head.loss  backward  2470232064  *1
optimizer.gradient_norm  update  10606213120  *1
optimizer.adam  update  79546598400  *1
)");
}

TEST_CASE("every dimension says which fields it came from", "[model]") {
  Setup setup = replica("llama-3-8b");
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.attention.qkv")->n.expression ==
        "(num_attention_heads / tensor + 2 * (num_key_value_heads / tensor)) * head_dim");
  CHECK(find(workload, "layer.mlp.gate_up")->n.expression == "2 * (intermediate_size / tensor)");
  CHECK(find(workload, "layer.mlp.down", Pass::grad_weight)->n.expression == "intermediate_size / tensor");
  CHECK(find(workload, "head.logits")->m.expression == "micro_batch_size * sequence_length / context");
  CHECK(find(workload, "head.logits")->n.expression == "vocab_size / tensor");
  setup.model.vocab_padding_multiple = 128;
  CHECK(find(lower(setup), "head.logits")->n.expression ==
        "ceil_to(vocab_size, vocab_padding_multiple * tensor) / tensor");
}

TEST_CASE("decoding runs one token per sequence over the cache", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.mode = Mode::decode;
  setup.plan.micro_batch_size = 16;
  setup.plan.context_length = 2047;
  const Workload workload = lower(setup);
  CHECK(table(workload, OpKind::gemm) == R"(
layer.attention.qkv  forward  1 x 16 x 6144 x 4096  tn  *32
layer.attention.output  forward  1 x 16 x 4096 x 4096  tn  *32
layer.mlp.gate_up  forward  1 x 16 x 28672 x 4096  tn  *32
layer.mlp.down  forward  1 x 16 x 4096 x 14336  tn  *32
head.logits  forward  1 x 16 x 128256 x 4096  tn  *1
)");
  CHECK(table(workload, OpKind::attention) == R"(
layer.attention.flash  forward  16, 32/8, 1/2048, 128/128  *32
)");
  CHECK(workload.tokens_per_step == 16);
}

TEST_CASE("prefill computes the logits of the last token only", "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.mode = Mode::prefill;
  setup.plan.micro_batch_size = 4;
  const Workload workload = lower(setup);
  CHECK(find(workload, "head.logits")->m.value == 4);
  CHECK(find(workload, "layer.mlp.down")->m.value == 4 * 8192);
  CHECK(find(workload, "optimizer.adam", Pass::update) == nullptr);
  CHECK(workload.tokens_per_step == 4 * 8192);
}

TEST_CASE("recomputation runs a layer, or its attention, again", "[model]") {
  Setup setup = replica("gpt3-2.7b");
  setup.plan.recompute = Recompute::selective;
  Workload workload = lower(setup);
  CHECK(find(workload, "layer.attention.scores", Pass::recompute) != nullptr);
  CHECK(find(workload, "layer.attention.softmax", Pass::recompute) != nullptr);
  CHECK(find(workload, "layer.mlp.up", Pass::recompute) == nullptr);
  setup.plan.recompute = Recompute::full;
  workload = lower(setup);
  CHECK(find(workload, "layer.attention.scores", Pass::recompute) != nullptr);
  CHECK(find(workload, "layer.mlp.up", Pass::recompute)->layout == Layout::tn);
  CHECK(find(workload, "head.logits", Pass::recompute) == nullptr);
}

TEST_CASE("BERT's head is a dense layer, a norm and the vocabulary", "[model]") {
  const Workload workload = lower(example("bert-large"));
  CHECK(find(workload, "head.transform")->n.value == 1024);
  CHECK(find(workload, "head.logits")->n.value == 30522);
  CHECK_FALSE(find(workload, "layer.attention.flash")->attention.causal);
  CHECK(find(workload, "head.norm") == nullptr);
}

TEST_CASE("ranks that share heads add up the sums of a norm over all of them", "[model]") {
  Setup setup = tests::replica("llama-3-8b");
  setup.model.qk_norm = true;
  const std::int64_t by_head = parameter_count(setup);
  setup.plan.tensor = 4;
  CHECK(find(lower(setup), "layer.attention.qk_norm_reduce") == nullptr);
  setup.model.qk_norm_whole = true;
  // scales of 32 query heads and of 8 key heads in place of one each
  CHECK(parameter_count(setup) - by_head == 32 * (31 + 7) * 128);
  const Workload workload = lower(setup);
  const Op& sums = *find(workload, "layer.attention.qk_norm_reduce");
  CHECK(sums.collective == CollectiveKind::all_reduce);
  CHECK(sums.ranks == 4);
  const double tokens = static_cast<double>(find(workload, "layer.attention.qkv")->m.value);
  CHECK(sums.bytes == tokens * 2 * 4);
  // 8 + 2 heads of this rank in 16 bits, read for the sums and then once more
  CHECK(find(workload, "layer.attention.qk_norm_sums")->bytes == tokens * (8 + 2) * 128 * 2);
  CHECK(find(workload, "layer.attention.qk_norm")->bytes == tokens * (8 + 2) * 128 * 2 * 2);
  setup.plan.tensor = 1;
  CHECK(find(lower(setup), "layer.attention.qk_norm_sums") == nullptr);
}

TEST_CASE("in eager mode RMSNorm, rotary embedding, a gated activation and the loss are several kernels",
          "[model]") {
  Setup setup = replica("llama-3-8b");
  setup.plan.loss = Loss::unfused;
  const auto moved = [&](std::string_view name, Pass pass) {
    const Workload work = lower(setup);
    const Op& op = *find(work, name, pass);
    return std::pair(op.count, op.count * op.bytes);
  };
  // All layers, once: 8192 tokens in bf16; fp32 where the module widens (LlamaRMSNorm, cross entropy).
  const double stream = 8192.0 * 4096;
  const double fused = moved("layer.norm", Pass::forward).second;
  CHECK(fused == 32 * 2 * stream * 2 * 2);
  const double loss = moved("head.loss", Pass::backward).second;
  setup.plan.eager = true;
  CHECK(moved("layer.norm", Pass::forward).second == Approx(32 * 2 * stream * (4 * 2 + 7 * 4)));
  CHECK(moved("layer.norm", Pass::backward).second == Approx(32 * 2 * stream * (8 * 2 + 15 * 4)));
  CHECK(moved("layer.norm", Pass::forward).first == 32 * 2 * 8);
  CHECK(moved("layer.mlp.activation", Pass::forward).second == Approx(32 * 8192.0 * 14336 * 5 * 2));
  // Queries and keys, 32 and 8 heads of 128.
  CHECK(moved("layer.attention.rotary", Pass::forward).second == Approx(32 * 8192.0 * 40 * 128 * 10 * 2));
  // 22 B of each logit where 6 do.
  CHECK(moved("head.loss", Pass::backward).second / loss == Approx(22.0 / 6));
  // A layer norm is one kernel of PyTorch.
  setup.model.norm = Norm::layernorm;
  CHECK(moved("layer.norm", Pass::forward).second == fused);
}
