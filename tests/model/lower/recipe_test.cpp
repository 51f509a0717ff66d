// Products of a byte or less: who scales their operands, and how they lie in memory.
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::model;
using tests::find;

namespace {

Setup llama(DType dtype, Recipe recipe = Recipe::none) {
  Setup setup = tests::replica("llama-3-8b");
  setup.plan.dtype = dtype;
  setup.plan.recipe = recipe;
  return setup;
}

}  // namespace

TEST_CASE("training in fp8 scales what products read by passes of their own", "[model]") {
  const Workload workload = lower(llama(DType::fp8));
  const Op& gate_up = *find(workload, "layer.mlp.gate_up");
  CHECK(gate_up.recipe == Recipe::tensor);
  const double tokens = static_cast<double>(gate_up.m.value);
  // inputs of both products, 4096 and 14336 wide: read for the maximum, read, and written both ways
  const Op& forward = *find(workload, "layer.mlp.quantize");
  CHECK(forward.quantizes);
  CHECK(forward.bytes == tokens * (4096 + 14336) * (2 + 2 + 1 + 1));
  CHECK(forward.scanned_bytes == Approx(tokens * (4096 + 14336) * 2));
  // gradients of their results
  CHECK(find(workload, "layer.mlp.quantize", Pass::backward)->bytes ==
        tokens * (2 * 14336 + 4096) * (2 + 2 + 1 + 1));
  // and so every pass reads along its sum
  for (const Pass pass : {Pass::forward, Pass::grad_input, Pass::grad_weight}) {
    CHECK(find(workload, "layer.mlp.down", pass)->layout == Layout::tn);
  }
  // Attention, router and head stay in 16 bits.
  CHECK(find(workload, "head.logits")->recipe == Recipe::none);
}

TEST_CASE("a scale of 32 elements needs no look at the whole tensor", "[model]") {
  const Workload workload = lower(llama(DType::fp8, Recipe::mxfp8));
  const Op& forward = *find(workload, "layer.attention.quantize");
  const double elements = static_cast<double>(find(workload, "layer.attention.qkv")->m.value) * (4096 + 4096);
  CHECK(forward.bytes == Approx(elements * (2 + 2 * (1 + 1.0 / 32))));
  CHECK(forward.scanned_bytes == 0);
}

TEST_CASE("16-bit products have no recipe, whatever is asked for, and fp4 its own", "[model]") {
  CHECK(find(lower(llama(DType::bf16, Recipe::tensor)), "layer.mlp.quantize") == nullptr);
  CHECK(find(lower(llama(DType::bf16, Recipe::tensor)), "layer.mlp.down")->recipe == Recipe::none);
  CHECK(find(lower(llama(DType::fp4)), "layer.mlp.down")->recipe == Recipe::nvfp4);
  CHECK(find(lower(llama(DType::fp4, Recipe::mxfp4)), "layer.mlp.down")->recipe == Recipe::mxfp4);
}

TEST_CASE("serving scales where a recipe is asked for, and inside norms where those are fused", "[model]") {
  Setup setup = llama(DType::fp8);
  setup.plan.mode = Mode::decode;
  setup.plan.context_length = 1000;
  CHECK(find(lower(setup), "layer.mlp.quantize") == nullptr);  // as the profile was measured
  setup.plan.recipe = Recipe::block128;
  // written once, with a 4-byte scale for each 128
  CHECK(find(lower(setup), "layer.mlp.quantize")->bytes == Approx((4096 + 14336) * (2 + 1 + 4.0 / 128)));
  setup.plan.fusion = Fusion::norms;
  CHECK(find(lower(setup), "layer.mlp.quantize") == nullptr);
  // except for engines with a kernel before each product
  setup.plan.engine = ServingEngine::sglang;
  const Workload apart = lower(setup);
  CHECK(find(apart, "layer.mlp.quantize")->count == 2.0 * 32);
  CHECK(find(apart, "layer.mlp.quantize")->bytes == Approx((4096 + 14336) / 2.0 * (2 + 1 + 4.0 / 128)));
  CHECK(find(apart, "layer.attention.quantize")->count == 2.0 * 32);
  setup.plan.engine = ServingEngine::trtllm;
  CHECK(find(lower(setup), "layer.mlp.quantize")->count == 2.0 * 32);
  setup.plan.engine = ServingEngine::vllm;
  CHECK(find(lower(setup), "layer.mlp.quantize")->count == 2.0 * 32);
  setup.plan.recipe = Recipe::row;
  CHECK(find(lower(setup), "layer.mlp.quantize") == nullptr);
}

TEST_CASE("a mixture's tokens are scaled once, before they are copied", "[model]") {
  Setup setup = tests::replica("mixtral-8x7b");
  setup.plan.dtype = DType::fp8;
  setup.plan.recipe = Recipe::mxfp8;
  const Workload workload = lower(setup);
  const double tokens = static_cast<double>(find(workload, "layer.moe.router")->m.value);
  CHECK(find(workload, "layer.moe.quantize")->bytes == Approx(tokens * 4096 * (2 + 2 * (1 + 1.0 / 32))));
  setup.plan.mode = Mode::prefill;  // engines' kernels do it
  CHECK(find(lower(setup), "layer.moe.quantize") == nullptr);
}

TEST_CASE("tensor parallelism's collectives run beside products where they are told to", "[model]") {
  Setup setup = tests::replica("llama-3-8b");
  setup.plan.tensor = 8;
  setup.plan.sequence_parallel = true;
  CHECK_FALSE(find(lower(setup), "layer.mlp.gather")->overlapped);
  setup.plan.tensor_overlap = true;
  CHECK(find(lower(setup), "layer.mlp.gather")->overlapped);
  CHECK(find(lower(setup), "layer.mlp.reduce", Pass::backward)->overlapped);
  setup.plan.mode = Mode::prefill;
  CHECK_FALSE(find(lower(setup), "layer.mlp.gather")->overlapped);
}

TEST_CASE("layers that are left out of a narrow format are in 16 bits, each part's share of them",
          "[model]") {
  Setup setup = llama(DType::fp4);
  setup.model.num_layers = 32;
  const Workload all = lower(setup);
  setup.plan.wide_layers = 4;
  const Workload some = lower(setup);
  const auto products = [](const Workload& workload, std::string_view name, DType dtype) {
    double count = 0;
    for (const Op& op : workload.ops) {
      if (op.name == name && op.kind == OpKind::gemm && op.pass == Pass::forward && op.dtype == dtype)
        count += op.count;
    }
    return count;
  };
  const double layers = products(all, "layer.mlp.down", DType::fp4);
  CHECK(products(all, "layer.mlp.down", DType::bf16) == 0);
  for (const char* name : {"layer.mlp.down", "layer.attention.qkv", "layer.attention.output"}) {
    CHECK(products(some, name, DType::bf16) == Approx(layers * 4 / 32));
    CHECK(products(some, name, DType::fp4) == Approx(layers * 28 / 32));
  }
  CHECK(some.model_flops == all.model_flops);
  CHECK(some.hardware_flops == Approx(all.hardware_flops));
  // All of them: what the model takes in 16 bits.
  setup.plan.wide_layers = 100;
  const Workload wide = lower(setup);
  CHECK(products(wide, "layer.mlp.down", DType::fp4) == 0);
  CHECK(find(wide, "layer.mlp.quantize") == nullptr);
  setup.plan.wide_layers = 4;
  setup.plan.dtype = DType::bf16;
  CHECK(lower(setup).ops.size() == lower(llama(DType::bf16)).ops.size());
}

TEST_CASE("where attention stays in 16 bits, its products are, and what it holds", "[model]") {
  Setup setup = tests::decoding_deepseek_v3();
  setup.plan.dtype = DType::fp4;
  const Workload all = lower(setup);
  const double narrow_bytes = served_weight_bytes(setup);
  setup.plan.wide_attention = true;
  const Workload some = lower(setup);
  for (const char* name : {"layer.attention.q_up", "layer.attention.output"}) {
    CHECK(find(all, name)->dtype == DType::fp4);
    CHECK(find(some, name)->dtype == DType::bf16);
    CHECK(find(some, name)->count == find(all, name)->count);
  }
  CHECK(find(some, "layer.moe.gate_up")->dtype == DType::fp4);
  CHECK(some.model_flops == all.model_flops);
  // 187.1 million weights of attention in each of 61 layers, over 8 ranks: in 2 bytes, not in a half.
  CHECK(served_weight_bytes(setup) - narrow_bytes == Approx(61 * 187.1e6 * 1.5 / 8).epsilon(1e-3));

  // Weights alone in 4 bits.
  setup.plan.dtype = DType::bf16;
  setup.plan.weight_bits = 4;
  setup.plan.weight_group_size = 32;
  CHECK(find(lower(setup), "layer.attention.output")->weight_bytes == 0);
  CHECK(find(lower(setup), "layer.moe.gate_up")->weight_bytes == Approx(0.5 + 2.0 / 32));
  setup.plan.wide_attention = false;
  CHECK(find(lower(setup), "layer.attention.output")->weight_bytes == Approx(0.5 + 2.0 / 32));
}
