// Roofs, ridges and the points under them: known figures, and what must hold of any model on any GPU.
#include "cost/roofline.hpp"

#include <algorithm>
#include <cmath>

#include "cost/kernels/memory.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using cost::Level;
using cost::Roofline;
using cost::Roofs;
using cost::Work;

namespace {

gpu::Gpu gpu_named(std::string_view name) {
  auto found = gpu::find_gpu(name);
  REQUIRE(found);
  return *std::move(found);
}

double dram_ridge(std::string_view gpu, DType dtype, bool on_tensor_cores) {
  const Roofs roofs = cost::roofs_of(gpu_named(gpu));
  for (const cost::ComputeRoof& roof : roofs.compute) {
    if (roof.dtype == dtype && roof.on_tensor_cores == on_tensor_cores) {
      return cost::ridge(roof.tflops, roofs.memory[0].gb_s);
    }
  }
  return 0;
}

double bytes(const Work& work, Level level) {
  return work.bytes[static_cast<std::size_t>(level)];
}

model::Op gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType dtype = DType::bf16) {
  model::Op op;
  op.m.value = m;
  op.n.value = n;
  op.k.value = k;
  op.dtype = dtype;
  return op;
}

Roofline of_example(std::string_view example, std::string_view gpu) {
  const model::Setup setup =
      tests::native_file("examples/" + std::string(example) + ".toml").readings[0].setup;
  return cost::roofline(gpu_named(gpu), model::lower(setup), setup.plan.dtype);
}

}  // namespace

TEST_CASE("ridge points that others state", "[roofline]") {
  // A10: 125 TFLOP/s / 600 GB/s (NVIDIA A10 datasheet; Baseten, "A guide to LLM inference": 208.3)
  CHECK(dram_ridge("a10", DType::fp16, true) == Approx(208.3).epsilon(1e-3));
  // GTX 1080 Ti: 11.3 TFLOP/s / 484 GB/s
  CHECK(dram_ridge("gtx-1080-ti", DType::fp32, false) == Approx(23.3).epsilon(6e-3));
  // A100 40GB in fp32: 19.5 / 1555 (A100 whitepaper)
  CHECK(dram_ridge("a100-sxm4-40gb", DType::fp32, false) == Approx(12.5).epsilon(5e-3));
  // V100: 138.9 FLOP/B (NVIDIA, GPU Performance Background)
  CHECK(dram_ridge("v100", DType::fp16, true) == Approx(138.9).epsilon(1e-3));
  // A100 80GB in bf16: 312 / 2039
  CHECK(dram_ridge("a100", DType::bf16, true) == Approx(153.0).epsilon(1e-3));
  // TF32 has half the peak, so half the ridge.
  CHECK(2 * dram_ridge("a100", DType::tf32, true) == Approx(dram_ridge("a100", DType::bf16, true)));
}

TEST_CASE("roofs say where they are from", "[roofline]") {
  const Roofs a100 = cost::roofs_of(gpu_named("a100"));
  CHECK(a100.memory[0].gb_s == 2039);
  CHECK(a100.memory[0].achieved_gb_s == 1737);  // RRZE gpu-benches, copy
  CHECK(a100.memory[0].achieved_basis == cost::Basis::profile);
  CHECK(a100.memory[1].achieved_gb_s == 5400);
  CHECK(a100.memory[1].gb_s ==
        Approx(5120 * 1.41).epsilon(1e-3));  // B per clock of the whole GPU (A100 whitepaper)
  CHECK(a100.memory[2].gb_s == Approx(128.0 * 108 * 1.41));
  const auto bf16 = std::find_if(a100.compute.begin(), a100.compute.end(),
                                 [](const cost::ComputeRoof& roof) { return roof.dtype == DType::bf16; });
  REQUIRE(bf16 != a100.compute.end());
  CHECK(bf16->achieved_tflops == 284);
  CHECK(bf16->achieved_basis == cost::Basis::profile);

  // Nobody measured a B200's L2: SMs x bytes per clock of the architecture x clock.
  const gpu::Gpu b200 = gpu_named("b200");
  const Roofs roofs = cost::roofs_of(b200);
  CHECK(roofs.memory[1].basis == cost::Basis::derived);
  CHECK(roofs.memory[1].gb_s == Approx(64.0 * 148 * 1.965).epsilon(1e-3));
}

TEST_CASE("every GPU has a bandwidth for each level, and no level is slower than the one beyond it",
          "[roofline]") {
  for (const std::string_view id : gpu::gpu_ids()) {
    const Roofs roofs = cost::roofs_of(gpu_named(id));
    INFO(id);
    CHECK(roofs.memory[0].gb_s < roofs.memory[1].gb_s);
    CHECK(roofs.memory[1].gb_s <= roofs.memory[2].gb_s);
    CHECK(roofs.memory[0].achieved_gb_s <= roofs.memory[0].gb_s);
    for (const cost::ComputeRoof& roof : roofs.compute) {
      CHECK(roof.tflops > 0);
      CHECK(roof.achieved_tflops >= 0);
    }
  }
}

TEST_CASE("a matrix product's bytes at each level", "[roofline]") {
  const gpu::Gpu a100 = gpu_named("a100");
  const Work work = cost::work_of(a100, gemm(8192, 8192, 8192));
  CHECK(work.flops == 2.0 * 8192 * 8192 * 8192);
  CHECK(work.least_bytes == 3.0 * 8192 * 8192 * 2);
  CHECK(work.flops / work.least_bytes == Approx(2730).epsilon(1e-3));  // NVIDIA's guide, worked example
  CHECK(bytes(work, Level::dram) >= work.least_bytes * 0.99);
  // Tiles of 256 x 128: B once per row of 256, A once per column of 128, C once.
  const double rows = 8192 / 256.0;
  const double columns = 8192 / 128.0;
  const double operand = 8192.0 * 8192 * 2;
  CHECK(bytes(work, Level::l2) == Approx(operand * (rows + columns + 1)));
  // In once, then read by warps of 64 x 64: twice for 128 columns, four times for 256 rows.
  CHECK(bytes(work, Level::shared) == Approx(operand * (columns * (1 + 2) + rows * (1 + 4))));
  // 8192 x 128 x 8192: 124.1 FLOP/B, memory-bound on a V100 (the guide).
  const Work narrow = cost::work_of(gpu_named("v100"), gemm(8192, 128, 8192, DType::fp16));
  CHECK(narrow.flops / narrow.least_bytes == Approx(124.1).epsilon(1e-3));
  // A matrix by a vector: below 1 (the guide).
  const Work vector = cost::work_of(a100, gemm(1, 4096, 4096));
  CHECK(vector.flops / vector.least_bytes < 1);
}

TEST_CASE("packed weights raise the intensity", "[roofline]") {
  const gpu::Gpu a100 = gpu_named("a100");
  model::Op op = gemm(1, 4096, 4096);
  const Work wide = cost::work_of(a100, op);
  op.weight_bytes = 0.5 + 2.0 / 128;
  const Work packed = cost::work_of(a100, op);
  CHECK(packed.flops == wide.flops);
  CHECK(packed.least_bytes == Approx(4096.0 * 4096 * op.weight_bytes + 2 * 2 * 4096));
  CHECK(bytes(packed, Level::dram) < 0.3 * bytes(wide, Level::dram));
}

TEST_CASE("nothing is above its roof in theory, and shares add up", "[roofline]") {
  for (const std::string_view gpu : gpu::gpu_ids()) {
    for (const std::string_view example :
         {"llama-2-7b", "gpt3-2.7b", "mixtral-8x7b", "pythia-1b", "falcon-7b", "resnet-50", "inception-v3"}) {
      const Roofline line = of_example(example, gpu);
      double shares = 0;
      for (const cost::Point& point : line.points) {
        INFO(gpu << " " << example << " op " << point.op);
        CHECK(point.share_of_roof >= 0);
        // The bytes of shared memory are estimates.
        if (point.limit != cost::Limit::shared) {
          CHECK(point.share_of_roof <= 1.001);
          CHECK(point.tflops <= point.roof_tflops * 1.001 + 1e-12);
        }
        if (line.roofs.memory[1].gb_s > 0) {
          CHECK(bytes(point.work, Level::l2) <=
                1.001e3 * line.roofs.memory[1].gb_s * line.step.ops[point.op].time_us);
        }
        CHECK(point.roof_tflops <= point.peak_tflops * 1.001);
        shares += point.share_of_step;
      }
      CHECK(shares <= 1.001);
      const cost::StepCost& s = line.step;
      CHECK(s.time_us ==
            Approx(s.compute_us + s.memory_us + s.communication_us + s.overhead_us + s.bubble_us));
    }
  }
}

// The classic pair, https://zhexiangzhang.github.io/posts/mlsys/other/rooflinemodel: on a GTX 1080 Ti VGG-16
// is compute-bound and MobileNet, at about 3.3 TFLOP/s, memory-bound. Two FLOPs to a multiply-add here, and
// the bytes that each kernel moves.
TEST_CASE("VGG-16 as a whole is compute-bound on a GTX 1080 Ti, MobileNet memory-bound", "[roofline]") {
  const gpu::Gpu gpu = gpu_named("gtx-1080-ti");
  for (const std::int64_t batch : {8, 32, 64}) {
    for (const model::Fusion fusion : {model::Fusion::none, model::Fusion::norms, model::Fusion::full}) {
      INFO("batch " << batch << ", fusion " << static_cast<int>(fusion));
      const auto of = [&](const std::string& name) {
        model::Setup setup = tests::example(name);
        setup.plan.mode = model::Mode::prefill;
        setup.plan.dtype = DType::fp32;
        setup.plan.micro_batch_size = batch;
        setup.plan.fusion = fusion;
        return cost::roofline(gpu, model::lower(setup), DType::fp32);
      };
      const Roofline vgg = of("vgg-16");
      const Roofline mobilenet = of("mobilenet-v1");
      CHECK(vgg.whole.ridge == Approx(23.4).epsilon(0.01));
      CHECK_FALSE(vgg.whole.memory_bound);
      CHECK(vgg.whole.roof_tflops == Approx(11.3).epsilon(0.01));
      CHECK(mobilenet.bound == cost::Bound::memory);  // by predicted times
      // Fused into convolutions, little more than those are moves: at the ridge.
      CHECK(mobilenet.whole.memory_bound == (fusion != model::Fusion::full));
      if (fusion == model::Fusion::full) CHECK(mobilenet.whole.intensity < 1.25 * mobilenet.whole.ridge);
      if (fusion == model::Fusion::none) {
        CHECK(mobilenet.whole.roof_tflops == Approx(4.5).epsilon(0.03));
      } else if (fusion == model::Fusion::full) {
        CHECK(vgg.bound == cost::Bound::compute);  // by predicted times too
      }
    }
  }
}

TEST_CASE("the bound is that of the longest predicted part", "[roofline]") {
  const gpu::Gpu a100 = gpu_named("a100");
  const auto bound = [&](const model::Op& op) { return cost::price(a100, op).bound; };
  CHECK(bound(gemm(8192, 8192, 8192)) == cost::Bound::compute);
  CHECK(bound(gemm(16, 16384, 16384)) == cost::Bound::memory);
  CHECK(bound(gemm(16, 256, 256)) == cost::Bound::overhead);
  // One row of packed weights: unpacking and a main loop that waits for its latency do not outlast the
  // traffic.
  model::Op op = gemm(1, 22016, 4096);
  op.weight_bytes = 0.5;
  CHECK(bound(op) == cost::Bound::memory);
}
