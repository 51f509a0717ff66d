// Training of a mixture over thousands of GPUs against what its report states. Nothing is fitted to it.
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;

namespace {

// https://huggingface.co/Qwen/Qwen3-30B-A3B
constexpr const char* qwen3_30b_a3b = R"(
[model]
hidden_size = 2048
num_layers = 48
num_attention_heads = 32
num_key_value_heads = 4
head_dim = 128
qk_norm = true
intermediate_size = 6144
mlp_gated = true
vocab_size = 151936
tie_word_embeddings = false
[model.moe]
num_experts = 128
experts_per_token = 8
intermediate_size = 768
)";

}  // namespace

TEST_CASE("DeepSeek-V3 trains as fast as its report says, with its exchange of tokens behind computation") {
  // arXiv 2412.19437, section 1: 180,000 GPU hours of H800 for each 10^12 tokens; section 3.2: DualPipe.
  constexpr double stated_tokens_per_s = 1e12 / (180e3 * 3600);
  model::Setup setup = tests::example("deepseek-v3");
  const auto gpu = gpu::find_gpu("h800");
  REQUIRE(gpu);
  const auto tokens_per_s = [&](model::Overlap overlap) {
    setup.plan.overlap = overlap;
    const cost::StepCost step = cost::price(*gpu, model::lower(setup), setup.plan.dtype);
    return step.tokens_per_s / static_cast<double>(setup.plan.pipeline);
  };
  CHECK(tokens_per_s(model::Overlap::micro_batches) == Approx(stated_tokens_per_s).epsilon(0.1));
  CHECK(tokens_per_s(model::Overlap::none) < 0.7 * stated_tokens_per_s);
}

TEST_CASE("fp8 makes DeepSeek-V3 faster on GB300, as was published", "[cost]") {
  // Megatron-Bridge 25.11: 3848 tokens/s and GPU in bf16, 4357 in fp8, 1.13 times as many.
  model::Setup setup = tests::example("deepseek-v3");
  const auto step_us = [&](DType dtype, Recipe recipe) {
    setup.plan.dtype = dtype;
    setup.plan.recipe = recipe;
    return cost::price(*gpu::find_gpu("gb300"), model::lower(setup), dtype).time_us;
  };
  CHECK(step_us(DType::bf16, Recipe::none) / step_us(DType::fp8, Recipe::mxfp8) ==
        Approx(1.13).epsilon(0.05));
}

TEST_CASE("a mixture whose tokens are exchanged by NCCL trains as slowly as was published", "[cost]") {
  // Megatron-Bridge, docs/performance-summary: Qwen3-30B-A3B, tokens/s and GPU. Release 26.02 was fitted to
  // (and by it, the next release with HybridEP is 1.8 times as fast on H100); 25.11 was not.
  struct Run {
    const char* gpu;
    model::Software software;
    Recipe recipe;
    std::int64_t gpus, pipeline, chunks, micro_batch, global_batch;
    double stated;
  };
  const auto month = [](int year, int of_year) {
    return static_cast<model::Software>(12 * (year - model::first_software_year) + of_year);
  };
  const Run runs[] = {{"b200", month(2026, 2), Recipe::mxfp8, 8, 1, 1, 1, 512, 9691},
                      {"h100", month(2026, 2), Recipe::tensor, 16, 2, 12, 1, 1024, 5113},
                      {"b200", month(2025, 11), Recipe::mxfp8, 8, 1, 1, 1, 512, 9299},
                      {"h100", month(2025, 11), Recipe::tensor, 16, 2, 24, 2, 512, 5275}};
  for (const Run& run : runs) {
    INFO(run.gpu << " " << run.stated);
    model::Setup setup = tests::setup_of(qwen3_30b_a3b);
    model::Plan& plan = setup.plan;
    plan.mode = model::Mode::train;
    plan.dtype = DType::fp8;
    plan.recipe = run.recipe;
    plan.software = run.software;
    plan.micro_batch_size = run.micro_batch;
    plan.pipeline = run.pipeline;
    plan.virtual_pipeline = run.chunks;
    plan.data = run.gpus / run.pipeline;
    plan.expert = 8;
    plan.zero = 1;
    plan.fused_gradient_accumulation = true;
    plan.gradient_accumulation = run.global_batch / run.micro_batch / plan.data;
    const auto tokens_per_s = [&](model::Dispatcher dispatcher) {
      plan.dispatcher = dispatcher;
      const cost::StepCost step = cost::price(*gpu::find_gpu(run.gpu), model::lower(setup), plan.dtype);
      return step.tokens_per_s / static_cast<double>(run.pipeline);
    };
    CHECK(tokens_per_s(model::Dispatcher::all_to_all) == Approx(run.stated).epsilon(0.1));
    CHECK(tokens_per_s(model::Dispatcher::fused) > 1.4 * run.stated);
  }
}

TEST_CASE("a graph of the whole step copies experts' activations out of its buffers", "[cost]") {
  // Megatron-Bridge 26.06 (container of June 2026), docs/performance-summary: Qwen3-30B-A3B in MXFP8 on eight
  // GPUs, tokens/s and GPU. Its recipes set moe_paged_stash with full_iteration; without these copies the
  // predictions are 1.10 and 1.11 of what is stated.
  model::Setup setup = tests::setup_of(qwen3_30b_a3b);
  model::Plan& plan = setup.plan;
  plan.mode = model::Mode::train;
  plan.dtype = DType::fp8;
  plan.recipe = Recipe::mxfp8;
  plan.sequence_length = 4096;
  plan.data = plan.expert = 8;
  plan.zero = 1;
  plan.fused_gradient_accumulation = true;
  plan.overlap = model::Overlap::micro_batches;
  plan.graphs = model::CudaGraphScope::step;
  const auto tokens_per_s = [&](const char* gpu, std::int64_t micro_batch) {
    plan.micro_batch_size = micro_batch;
    plan.gradient_accumulation = 512 / 8 / micro_batch;
    return cost::price(*gpu::find_gpu(gpu), model::lower(setup), plan.dtype).tokens_per_s;
  };
  CHECK(tokens_per_s("gb300", 8) == Approx(45275).epsilon(0.08));
  CHECK(tokens_per_s("gb200", 4) == Approx(40706).epsilon(0.08));
  const auto has_stash = [&] {
    const model::Workload workload = model::lower(setup);
    return tests::find(workload, "layer.moe.stash") != nullptr;
  };
  CHECK(has_stash());
  plan.graphs = model::CudaGraphScope::parts;
  CHECK_FALSE(has_stash());
}
