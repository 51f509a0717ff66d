// Steps by the kernels of engines while serving: experts, attention, collectives. The host that a mixture
// waits for in training.
#include "cost/engines/kernels.hpp"
#include "cost/step.hpp"
#include "gpu/engines.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;

namespace {

model::Setup decoding(std::int64_t sequences) {
  model::Setup setup = tests::replica("mixtral-8x7b");
  setup.plan.mode = model::Mode::decode;
  setup.plan.context_length = 1000;
  setup.plan.micro_batch_size = sequences;
  setup.plan.expert = 1;
  return setup;
}

cost::ExpertLayer mixtral() {
  cost::ExpertLayer layer;
  layer.hidden = 4096;
  layer.intermediate = 14336;
  layer.top_k = 2;
  layer.experts = 8;
  return layer;
}

double experts_us(const gpu::Gpu& gpu, const model::Setup& setup) {
  double sum = 0;
  const model::Workload workload = model::lower(setup);
  const cost::StepCost step = cost::price(gpu, workload, setup.plan.dtype);
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    if (workload.ops[i].experts.part != model::ExpertPart::none) sum += step.ops[i].time_us;
  }
  return sum;
}

double step_us(const gpu::Gpu& gpu, const model::Setup& setup) {
  return cost::price(gpu, model::lower(setup), setup.plan.dtype).time_us;
}

}  // namespace

TEST_CASE("experts of a step on AMD's GPUs cost what aiter's kernels cost", "[cost][moe]") {
  const auto gpu = gpu::find_gpu("mi355x");
  REQUIRE(gpu);
  cost::ExpertLayer layer = mixtral();
  layer.tokens = 16;
  const gpu::MoeKernel* kernel = gpu::moe_kernel_of("cdna4", "mxfp4", "", "", {});
  REQUIRE(kernel != nullptr);
  CHECK(kernel->engine == "aiter");
  model::Setup setup = decoding(16);
  setup.plan.dtype = DType::fp4;
  layer.dtype = DType::fp4;
  const cost::OpCost whole =
      cost::price_moe_kernel(*gpu, *kernel, layer, cost::expert_loads(layer, 0), 0.53125);
  CHECK(experts_us(*gpu, setup) == Approx(whole.time_us).epsilon(0.25));
}

TEST_CASE("experts of a step cost what an engine's kernel costs", "[cost]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  // `shapelint kernels moe` says 308 us for 16 tokens of Mixtral with TensorRT-LLM's kernels
  cost::ExpertLayer layer = mixtral();
  layer.tokens = 16;
  const gpu::MoeKernel* kernel = gpu::moe_kernel_of("hopper", "bf16", "trtllm", "", {});
  REQUIRE(kernel != nullptr);
  CHECK(kernel->engine == "trtllm");
  const cost::OpCost whole = cost::price_moe_kernel(*gpu, *kernel, layer, cost::expert_loads(layer, 0), 2);
  CHECK(experts_us(*gpu, decoding(16)) == Approx(whole.time_us).epsilon(0.1));
}

TEST_CASE("sizes that Triton's tiles were searched for run on kernels of their own", "[cost]") {
  const auto of = [](const gpu::ExpertShape& shape) {
    return gpu::moe_kernel_of("hopper", "bf16", "sglang", "", shape)->efficiency;
  };
  CHECK(of({8, 3584}) > 1.5 * of({8, 3600}));
  // A step knows them, too: Mixtral cut over 4 GPUs against experts that are a little wider, and slower for
  // all that.
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  model::Setup setup = decoding(4096);
  setup.plan.engine = model::ServingEngine::sglang;
  setup.plan.tensor = setup.plan.expert_tensor = 4;
  const double tuned = experts_us(*gpu, setup);
  setup.model.moe.intermediate_size += 4 * 16;
  CHECK(experts_us(*gpu, setup) > 1.3 * tuned);
}

TEST_CASE("an engine, or a family of kernels, chooses the kernel", "[cost]") {
  CHECK(gpu::moe_kernel_of("hopper", "bf16", "sglang", "", {})->kernel == "sglang_fused_moe_triton");
  CHECK(gpu::moe_kernel_of("hopper", "fp8_block", "vllm", "triton", {})->kernel ==
        "vllm_fp8moe_triton_tritonexperts");
  CHECK(gpu::moe_kernel_of("hopper", "fp8_block", "vllm", "", {})->kernel ==
        "vllm_fp8moe_flashinfer_cutlass_flashinferexperts");
  // Triton's only where there is nothing else
  CHECK(gpu::moe_kernel_of("blackwell", "fp8_block", "trtllm", "", {})->kernel.find("triton") ==
        std::string::npos);
  CHECK(gpu::moe_kernel_of("volta", "bf16", "vllm", "", {}) == nullptr);

  const auto gpu = gpu::find_gpu("h100");
  model::Setup setup = decoding(4096);
  const double fastest_us = step_us(*gpu, setup);
  setup.plan.engine = model::ServingEngine::sglang;
  CHECK(step_us(*gpu, setup) > 1.2 * fastest_us);
  // No kernel of a V100 was timed: the general model, whatever the engine.
  const auto volta = gpu::find_gpu("v100");
  setup.plan.dtype = DType::fp16;
  const double volta_us = step_us(*volta, setup);
  setup.plan.engine = model::ServingEngine::fastest;
  CHECK(step_us(*volta, setup) == volta_us);
}

TEST_CASE("SGLang's Triton kernels compute a shared expert as one more of the routed", "[cost]") {
  const auto gpu = gpu::find_gpu("h200");
  REQUIRE(gpu);
  model::Setup setup = decoding(64);
  const std::int64_t width = setup.model.moe.intermediate_size;
  struct Case {
    model::ServingEngine engine;
    std::int64_t shared_width;
    std::int64_t ranks_of_experts;
    bool is_biased;
    bool is_within;
  };
  for (const Case& c : {
           Case{model::ServingEngine::sglang, width, 1, true, true},
           Case{model::ServingEngine::vllm, width, 1, true, false},
           Case{model::ServingEngine::fastest, width, 1, true, false},
           Case{model::ServingEngine::sglang, width, 2, true, false},
           Case{model::ServingEngine::sglang, 2 * width, 1, true, false},
           Case{model::ServingEngine::sglang, width, 1, false, false},
       }) {
    CAPTURE(static_cast<int>(c.engine), c.shared_width, c.ranks_of_experts, c.is_biased);
    setup.model.moe.router_bias = c.is_biased;
    setup.plan.engine = c.engine;
    setup.plan.tensor = c.ranks_of_experts;
    setup.plan.expert = c.ranks_of_experts;
    setup.model.moe.shared_intermediate_size = c.shared_width;
    const model::Workload workload = model::lower(setup);
    const cost::StepCost step = cost::price(*gpu, workload, setup.plan.dtype);
    std::size_t found = 0;
    for (std::size_t i = 0; i < workload.ops.size(); ++i) {
      if (!workload.ops[i].name.starts_with("layer.moe.shared_")) continue;
      ++found;
      CHECK((step.ops[i].time_us == step.ops[i].ideal_us) == c.is_within);
    }
    CHECK(found == 3);
  }
}

TEST_CASE("uneven routing makes the experts' kernels slower", "[cost]") {
  const auto gpu = gpu::find_gpu("h100");
  model::Setup setup = decoding(4096);
  const double even_us = experts_us(*gpu, setup);
  setup.plan.routing = model::Routing::power_law_1_2;
  CHECK(experts_us(*gpu, setup) > even_us);
}

TEST_CASE("software before 2026-06 waits for its host in every mixture layer on Blackwell", "[cost]") {
  model::Setup setup = tests::replica("mixtral-8x7b");
  const auto b200 = gpu::find_gpu("b200");
  const double newest_us = step_us(*b200, setup);
  const auto month = [](int year, int number) {
    return static_cast<model::Software>(12 * (year - model::first_software_year) + number);
  };
  CHECK(model::value_text(model::FieldId::software, static_cast<std::int64_t>(month(2026, 5))) == "2026-05");
  setup.plan.software = month(2026, 5);
  // 32 layers, 3.3 ms each
  CHECK(step_us(*b200, setup) == Approx(newest_us + 32 * 3300));
  setup.plan.software = month(2026, 6);
  CHECK(step_us(*b200, setup) == newest_us);

  // On Hopper no release changed that.
  const auto h100 = gpu::find_gpu("h100");
  CHECK(step_us(*h100, setup) > 32 * 3300);
  setup.plan.mode = model::Mode::prefill;
  setup.plan.software = month(2025, 1);
  const double early_us = step_us(*h100, setup);
  setup.plan.software = model::Software::newest;
  CHECK(step_us(*h100, setup) == early_us);
}

TEST_CASE("a graph of the whole step frees a mixture from its host, one of its parts does not", "[cost]") {
  model::Setup setup = tests::replica("mixtral-8x7b");
  const auto b200 = gpu::find_gpu("b200");
  const auto h100 = gpu::find_gpu("h100");
  const double newest_us = step_us(*b200, setup);
  const double waiting_us = step_us(*h100, setup);
  setup.plan.graphs = model::CudaGraphScope::step;
  // But for the copies out of its buffers.
  const auto without_copies_us = [&](const gpu::Gpu& gpu) {
    model::Workload workload = model::lower(setup);
    const auto is_copy = [](const model::Op& op) { return op.name == "layer.moe.stash"; };
    CHECK(std::erase_if(workload.ops, is_copy) == 2);  // there and back
    return cost::price(gpu, workload, setup.plan.dtype).time_us;
  };
  CHECK(without_copies_us(*b200) == newest_us);
  CHECK(without_copies_us(*h100) == Approx(waiting_us - 32 * 3300));
  CHECK(step_us(*b200, setup) > newest_us);
  setup.plan.graphs = model::CudaGraphScope::parts;
  CHECK(step_us(*b200, setup) == Approx(newest_us + 32 * 3300));
  CHECK(step_us(*h100, setup) == waiting_us);
}

TEST_CASE("recomputed experts run their products and their exchange again, and nothing else does",
          "[model]") {
  model::Setup setup = tests::replica("mixtral-8x7b");
  setup.plan.recompute_experts = true;
  std::size_t again = 0;
  for (const model::Op& op : model::lower(setup).ops) {
    if (op.pass != model::Pass::recompute) continue;
    ++again;
    CHECK(op.name.starts_with("layer.moe."));
  }
  CHECK(again > 0);
  setup.plan.recompute_experts = false;
  for (const model::Op& op : model::lower(setup).ops) CHECK(op.pass != model::Pass::recompute);
}

TEST_CASE("quantizing costs what engines' kernels take for it", "[cost]") {
  const auto gpu = gpu::find_gpu("h100");
  model::Op op;
  op.kind = model::OpKind::elementwise;
  op.quantizes = true;
  op.bytes = 4e9;
  const auto narrow = cost::price_quantizing(*gpu, op);
  REQUIRE(narrow);
  // 4 GB at 0.91 of 3350 GB/s
  CHECK(narrow->time_us == Approx(4e9 / (0.9119 * 3350e3)).epsilon(0.02));
  op.bytes = 6e9;
  op.scanned_bytes = 2e9;
  // and a scan at 0.39 of it
  CHECK(cost::price_quantizing(*gpu, op)->time_us - narrow->time_us ==
        Approx(2e9 / (0.3933 * 3350e3)).epsilon(0.05));
  CHECK_FALSE(cost::price_quantizing(*gpu::find_gpu("a100"), op));
}

namespace {

const model::Op& op_named(const model::Workload& workload, std::string_view name) {
  for (const model::Op& op : workload.ops) {
    if (op.name == name) return op;
  }
  FAIL("no op is called " << name);
  return workload.ops.front();
}

double op_us(const gpu::Gpu& gpu, const model::Setup& setup, std::string_view name) {
  const model::Workload workload = model::lower(setup);
  return cost::price(gpu, op_named(workload, name)).time_us;
}

}  // namespace

TEST_CASE("attention of a step that serves is that of the plan's engine", "[cost]") {
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  model::Setup setup = decoding(64);
  const double general_us = op_us(*gpu, setup, "layer.attention.flash");
  setup.plan.engine = model::ServingEngine::trtllm;
  // `shapelint kernels attention-decode` says 104 us for the wrapper and its helpers
  cost::KernelAttention shape;
  shape.sequences = 64;
  shape.cached = 1000;
  shape.heads = 32;
  shape.key_value_heads = 8;
  const auto kernels = gpu::decode_kernels("attention-decode");
  const auto* kernel = gpu::closest(kernels, "hopper", {"trtllm", {}, "bf16", "bf16", {}});
  REQUIRE(kernel != nullptr);
  const double alone_us = cost::price_decode(*gpu, *kernel, shape).time_us;
  const double engine_us = op_us(*gpu, setup, "layer.attention.flash");
  CHECK(engine_us == Approx(alone_us).epsilon(0.15));
  CHECK(engine_us != general_us);

  // A cache in fp8 has kernels of its own.
  setup.plan.kv_cache_bits = 8;
  CHECK(op_us(*gpu, setup, "layer.attention.flash") < 0.8 * engine_us);

  // No kernel of a V100 was timed.
  const auto volta = gpu::find_gpu("v100");
  setup = decoding(64);
  setup.plan.dtype = DType::fp16;
  const double volta_us = op_us(*volta, setup, "layer.attention.flash");
  setup.plan.engine = model::ServingEngine::vllm;
  CHECK(op_us(*volta, setup, "layer.attention.flash") == volta_us);
}

TEST_CASE("latent attention of a step that serves is that of the plan's engine", "[cost]") {
  const auto gpu = gpu::find_gpu("b200");
  model::Setup setup = tests::replica("deepseek-v3");
  setup.plan.mode = model::Mode::decode;
  setup.plan.context_length = 8000;
  setup.plan.micro_batch_size = 32;
  setup.plan.tensor = 8;
  const double general_us = op_us(*gpu, setup, "layer.attention.flash");
  setup.plan.engine = model::ServingEngine::sglang;
  const double decode_us = op_us(*gpu, setup, "layer.attention.flash");
  CHECK(decode_us != general_us);
  setup.plan.mode = model::Mode::prefill;
  setup.plan.micro_batch_size = 1;
  setup.plan.sequence_length = 8000;
  const double prompt_us = op_us(*gpu, setup, "layer.attention.flash");
  setup.plan.engine = model::ServingEngine::fastest;
  CHECK(op_us(*gpu, setup, "layer.attention.flash") != prompt_us);
}

TEST_CASE("short all-reduces of a step that serves are the engine's own", "[cost]") {
  const auto gpu = gpu::find_gpu("b200");
  model::Setup setup = decoding(8);
  setup.plan.tensor = 8;
  setup.plan.expert_tensor = 8;
  const double nccl_us = op_us(*gpu, setup, "layer.attention.reduce");
  setup.plan.engine = model::ServingEngine::trtllm;
  // 64 kB over eight GPUs: 6 us as TensorRT-LLM's kernel was timed, 10 us and more by NCCL's table
  CHECK(op_us(*gpu, setup, "layer.attention.reduce") < 0.7 * nccl_us);
  // Beyond a node it is NCCL's.
  setup.plan.tensor = 16;
  setup.plan.expert_tensor = 16;
  const double far_us = op_us(*gpu, setup, "layer.attention.reduce");
  setup.plan.engine = model::ServingEngine::fastest;
  CHECK(op_us(*gpu, setup, "layer.attention.reduce") == far_us);
}

// alibaba/InferSim, README.md: tokens per second and GPU of Qwen3-30B-A3B in bf16, measured with SGLang on
// four H20 that share out experts and attend for themselves: 16,594 of prompts of 4,096 tokens, 2,749 of 100
// requests at half of an answer of 2,048. Triton's experts, timed on H100, reach 0.27 of its peak; an H20 has
// a quarter of it.
TEST_CASE("an H20's experts reach more of its throttled peak", "[cost][moe]") {
  const auto gpu = gpu::find_gpu("h20");
  REQUIRE(gpu);
  model::Setup setup = decoding(100);
  model::ModelSpec& model = setup.model;
  model.hidden_size = 2048;
  model.num_layers = 48;
  model.num_key_value_heads = 4;
  model.head_dim = model.value_head_dim = 128;
  model.vocab_size = 151936;
  model.moe = {.num_experts = 128, .experts_per_token = 8, .intermediate_size = 768};
  setup.plan.engine = model::ServingEngine::sglang;
  setup.plan.data = setup.plan.expert = 4;
  setup.plan.context_length = 4096 + 1024;
  CHECK(100 / (step_us(*gpu, setup) * 1e-6) == Approx(2749).epsilon(0.12));
  setup.plan.mode = model::Mode::prefill;
  setup.plan.micro_batch_size = 4;
  setup.plan.sequence_length = 4096;
  setup.plan.context_length = 0;
  CHECK(4 * 4096 / (step_us(*gpu, setup) * 1e-6) == Approx(16594).epsilon(0.12));
  // Whole parts run as they were timed.
  const gpu::MoeKernel* kernel = gpu::moe_kernel_of("hopper", "bf16", "sglang", "", {});
  REQUIRE(kernel != nullptr);
  CHECK(cost::share_of_peak(*gpu::find_gpu("h800"), kernel->full_rate, kernel->efficiency) ==
        kernel->efficiency);
  CHECK(cost::share_of_peak(*gpu, kernel->full_rate, 0.1) == Approx(0.4));
  CHECK(cost::share_of_peak(*gpu, kernel->full_rate, 0.5) == cost::most_of_lower_peak);
}
