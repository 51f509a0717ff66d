// The lowering of mixtures of experts and of latent attention.
#include "model/lower/lower.hpp"

#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::example;
using tests::find;
using tests::replica;
using tests::table;

TEST_CASE("Mixtral on eight expert-parallel ranks: one expert each", "[model]") {
  const Workload workload = lower(replica("mixtral-8x7b"));
  // 4096 tokens * 2 experts * 8 ranks / 8 experts = 8192 tokens for each
  const Op& up = *find(workload, "layer.moe.gate_up");
  CHECK(up.batch.value == 1);
  CHECK(up.m.value == 8192);
  CHECK(up.n.value == 2 * 14336);
  CHECK(up.k.value == 4096);
  CHECK(up.count == 32);
  CHECK(find(workload, "layer.moe.router")->n.value == 8);
  CHECK(find(workload, "layer.mlp.gate_up") == nullptr);
  const Op& exchange = *find(workload, "layer.moe.all_to_all");
  CHECK(exchange.bytes == 4096.0 * 2 * 4096 * 2);
  CHECK(exchange.ranks == 8);
  CHECK(exchange.count == 64);  // there and back

  Setup alone = replica("mixtral-8x7b");
  alone.plan.expert = 1;
  const Workload local = lower(alone);
  CHECK(find(local, "layer.moe.gate_up")->batch.value == 8);
  CHECK(find(local, "layer.moe.gate_up")->m.value == 1024);
  CHECK(find(local, "layer.moe.all_to_all") == nullptr);
}

// Megatron-LM, core/transformer/moe/experts.py, TEGroupedMLP._apply_bias: t + b * p of each expert, with p in
// fp32.
TEST_CASE("Megatron adds the bias of experts' second products apart", "[model]") {
  Setup setup = replica("mixtral-8x7b");
  setup.plan.fused_gradient_accumulation = true;
  CHECK(find(lower(setup), "layer.moe.bias") == nullptr);
  setup.model.mlp_bias = true;
  const Workload workload = lower(setup);
  const Op& forward = *find(workload, "layer.moe.bias");
  CHECK(forward.bytes == 8192.0 * 4096 * 28);
  CHECK(forward.count == 32);
  setup.plan.graphs = CudaGraphScope::step;
  CHECK(find(lower(setup), "layer.moe.bias") == nullptr);
}

TEST_CASE("few decoded tokens do not reach every expert", "[model]") {
  Setup setup = replica("mixtral-8x7b");
  setup.plan.mode = Mode::decode;
  setup.plan.context_length = 1000;
  setup.plan.expert = 1;
  setup.plan.micro_batch_size = 2;
  // two tokens meet at one expert once in a while: 8 (1 - (1 - 2/8)^2) = 3.5 have work
  CHECK(find(lower(setup), "layer.moe.gate_up")->batch.value == 4);
  CHECK(find(lower(setup), "layer.moe.gate_up")->m.value == 1);
  setup.plan.micro_batch_size = 4;
  CHECK(find(lower(setup), "layer.moe.gate_up")->batch.value == 5);  // 5.47, and 8 choices
  CHECK(find(lower(setup), "layer.moe.gate_up")->m.value == 2);
  setup.plan.micro_batch_size = 64;
  CHECK(find(lower(setup), "layer.moe.gate_up")->batch.value == 8);
  CHECK(find(lower(setup), "layer.moe.gate_up")->m.value == 16);
}

TEST_CASE("engines gather all tokens on every rank of a node with attention data parallelism",
          "[model][moe]") {
  Setup setup = replica("deepseek-v3");
  setup.plan.mode = Mode::decode;
  setup.plan.context_length = 1000;
  setup.plan.micro_batch_size = 16;
  setup.plan.tensor = 1;
  setup.plan.expert = setup.plan.data = 8;
  setup.plan.sequence_parallel = false;
  CHECK(find(lower(setup), "layer.moe.all_to_all") != nullptr);
  setup.plan.engine = ServingEngine::vllm;
  const Workload workload = lower(setup);
  CHECK(find(workload, "layer.moe.all_to_all") == nullptr);
  const Op* gather = find(workload, "layer.moe.token_gather");
  REQUIRE(gather != nullptr);
  CHECK(gather->ranks == 8);
  CHECK(gather->collective == CollectiveKind::all_gather);
  CHECK(gather->bytes == 8.0 * 16 * 7168 * 2);
  const Op* scatter = find(workload, "layer.moe.token_scatter");
  REQUIRE(scatter != nullptr);
  CHECK(scatter->collective == CollectiveKind::reduce_scatter);
  CHECK(scatter->bytes == gather->bytes);
  setup.plan.dispatch_bits = 8;
  CHECK(find(lower(setup), "layer.moe.token_gather")->bytes == gather->bytes / 2);
  setup.plan.dispatch_bits = 0;
  setup.plan.expert = setup.plan.data = 32;  // beyond a node tokens are exchanged
  CHECK(find(lower(setup), "layer.moe.all_to_all") != nullptr);
}

TEST_CASE("a short prompt does not reach every expert either", "[model]") {
  Setup setup = replica("mixtral-8x7b");
  setup.plan.mode = Mode::prefill;
  setup.plan.expert = 1;
  setup.plan.data = 1;
  setup.plan.sequence_length = 1;
  CHECK(find(lower(setup), "layer.moe.gate_up")->batch.value == 2);
  CHECK(find(lower(setup), "layer.moe.gate_up")->m.value == 1);
  setup.plan.sequence_length = 1000;
  CHECK(find(lower(setup), "layer.moe.gate_up")->batch.value == 8);
  CHECK(find(lower(setup), "layer.moe.gate_up")->m.value == 250);
}

TEST_CASE("DeepSeek-V3: latent attention, dense layers first, a shared expert", "[model]") {
  Setup setup = example("deepseek-v3");
  setup.plan.mode = Mode::prefill;
  setup.plan.pipeline = 1;
  // experts: 256 / 64 = 4 on this rank, 4096 * 8 * 64 / 256 = 8192 tokens for each
  CHECK(table(lower(setup), OpKind::gemm) == R"(
layer.attention.q_down  forward  1 x 4096 x 1536 x 7168  tn  *61
layer.attention.q_up  forward  1 x 4096 x 24576 x 1536  tn  *61
layer.attention.kv_down  forward  1 x 4096 x 576 x 7168  tn  *61
layer.attention.kv_up  forward  1 x 4096 x 32768 x 512  tn  *61
layer.attention.output  forward  1 x 4096 x 7168 x 16384  tn  *61
layer.mlp.gate_up  forward  1 x 4096 x 36864 x 7168  tn  *3
layer.mlp.down  forward  1 x 4096 x 7168 x 18432  tn  *3
layer.moe.router  forward  1 x 4096 x 256 x 7168  tn  *58
layer.moe.gate_up  forward  4 x 8192 x 4096 x 7168  tn  *58
layer.moe.down  forward  4 x 8192 x 7168 x 2048  tn  *58
layer.moe.shared_gate_up  forward  1 x 4096 x 4096 x 7168  tn  *58
layer.moe.shared_down  forward  1 x 4096 x 7168 x 2048  tn  *58
head.logits  forward  1 x 1 x 129280 x 7168  tn  *1
)");
  CHECK(table(lower(setup), OpKind::attention) == R"(
layer.attention.flash  forward  1, 128/128, 4096/4096, 192/128 causal  *61
)");
  CHECK(find(lower(setup), "layer.attention.q_down")->dtype == DType::fp8);
  CHECK(find(lower(setup), "layer.moe.router")->dtype == DType::bf16);
  CHECK(find(lower(setup), "layer.attention.flash")->dtype == DType::bf16);
}

TEST_CASE("DeepSeek-V3 decodes over the compressed cache, as one key-value head", "[model]") {
  Setup setup = example("deepseek-v3");
  setup.plan.mode = Mode::decode;
  setup.plan.pipeline = 1;
  setup.plan.micro_batch_size = 32;
  setup.plan.context_length = 4095;
  const Workload workload = lower(setup);
  CHECK(table(workload, OpKind::attention) == R"(
layer.attention.flash  forward  32, 128/1, 1/4096, 576/512  *61
)");
  const Op& query = *find(workload, "layer.attention.absorb_q");
  CHECK(query.batch.value == 128);
  CHECK(query.m.value == 32);
  CHECK(query.n.value == 512);
  CHECK(query.k.value == 128);
  CHECK(find(workload, "layer.attention.absorb_v")->n.value == 128);
  CHECK(find(workload, "layer.attention.kv_up") == nullptr);
}

TEST_CASE("a mixture's experts are shared by fewer data-parallel ranks", "[model]") {
  const Setup setup = example("deepseek-v3");  // data 128, experts over 64, pipeline 16
  const Workload workload = lower(setup);
  CHECK(find(workload, "gradients.reduce", Pass::backward)->ranks == 128);
  CHECK(find(workload, "gradients.expert_reduce", Pass::backward)->ranks == 2);
  CHECK(find(workload, "gradients.expert_reduce", Pass::backward)->bytes ==
        Approx(0.8 * 4.0 * static_cast<double>(expert_parameter_count(setup)) / 16 / 64));
}

TEST_CASE("mixtures and latent attention run exactly the model's arithmetic", "[model]") {
  for (const char* name : {"mixtral-8x7b", "deepseek-v3"}) {
    for (const Mode mode : {Mode::train, Mode::prefill, Mode::decode}) {
      Setup setup = replica(name);
      setup.plan.mode = mode;
      setup.plan.attention = Attention::unfused;
      setup.plan.pipeline = 1;
      setup.plan.micro_batch_size = 32;
      setup.plan.context_length = 1000;
      const Workload workload = lower(setup);
      INFO(name << " mode " << static_cast<int>(mode));
      CHECK(workload.hardware_flops == Approx(workload.model_flops).epsilon(1e-12));
    }
  }
}

TEST_CASE("a router in fp32 multiplies outside of tensor cores, with the weights that it has",
          "[model][moe]") {
  Setup setup = replica("mixtral-8x7b");
  const Workload narrow = lower(setup);
  setup.model.moe.router_fp32 = true;
  const Workload whole = lower(setup);
  CHECK(find(narrow, "layer.moe.router")->dtype == DType::bf16);
  CHECK(find(whole, "layer.moe.router")->dtype == DType::fp32);
  CHECK(find(whole, "layer.moe.router")->m.value == find(narrow, "layer.moe.router")->m.value);
  CHECK(find(whole, "layer.moe.gate_up")->dtype == find(narrow, "layer.moe.gate_up")->dtype);
  CHECK(whole.ops.size() == narrow.ops.size());
}
