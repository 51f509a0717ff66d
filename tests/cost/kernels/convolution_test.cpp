// Algorithms of convolutions: where Winograd runs, and what a transposition costs.
#include "cost/kernels/convolution.hpp"

#include "cost/kernels/memory.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;
using cost::Algorithm;

namespace {

gpu::Gpu gpu_named(std::string_view name) {
  auto gpu = gpu::find_gpu(name);
  REQUIRE(gpu);
  return *gpu;
}

std::vector<model::Op> products(const std::string& layer, const std::string& dtype,
                                const std::string& run = "") {
  const std::string source =
      "[model]\nin_channels = 64\nimage = 56\n[run]\nmicro_batch_size = 32\ndtype = \"" + dtype + "\"\n" +
      run + "[[conv]]\nout_channels = 256\n[[conv]]\nname = \"it\"\nout_channels = 256\n" + layer;
  std::vector<model::Op> out;
  for (const model::Op& op : model::lower(tests::native(source).readings[0].setup).ops) {
    if (op.name == "it") out.push_back(op);
  }
  REQUIRE(out.size() == 3);
  return out;
}

cost::ProductCost predict(const gpu::Gpu& gpu, const model::Op& op) {
  return cost::predict_product(gpu, cost::gemm_model(gpu, op.dtype), op);
}

}  // namespace

TEST_CASE("Winograd runs 3 x 3 kernels of stride 1 in fp32 on CUDA cores", "[cost]") {
  const gpu::Gpu pascal = gpu_named("gtx-1080-ti");
  for (const model::Op& op : products("kernel = 3\npadding = 1\n", "fp32")) {
    const cost::ProductCost best = predict(pascal, op);
    const cost::OpCost direct = cost::predict_gemm(pascal, cost::gemm_shape(op));
    CHECK(best.algorithm != Algorithm::implicit_gemm);
    CHECK(best.cost.time_us < direct.time_us);
    CHECK(best.cost.time_us > direct.time_us / 4);  // 144 multiplications become 36 at best
    CHECK(best.cost.reduction == (best.algorithm == Algorithm::winograd_2x2 ? 2.25 : 4));
    // cuDNN's gradient of the weights has no fused kernel
    if (op.pass == model::Pass::grad_weight) CHECK(best.algorithm == Algorithm::winograd_4x4);
    const cost::Efficiency& kept = best.cost.efficiency;
    CHECK(kept.alignment * kept.tile * kept.wave * kept.rest ==
          Approx(best.cost.ideal_us / best.cost.time_us));
    CHECK(kept.rest <= 1);
  }
  for (const std::string other :
       {"kernel = 3\npadding = 1\nstride = 2\n", "kernel = 5\npadding = 2\n", "",
        "kernel = 3\npadding = 1\ngroups = 2\n", "kernel = 3\npadding = 2\ndilation = 2\n"}) {
    for (const model::Op& op : products(other, "fp32")) {
      CHECK(predict(pascal, op).algorithm == Algorithm::implicit_gemm);
    }
  }
  const gpu::Gpu volta = gpu_named("v100");
  const gpu::Gpu ampere = gpu_named("a100");
  for (const model::Op& op : products("kernel = 3\npadding = 1\n", "fp16"))
    CHECK(predict(volta, op).algorithm == Algorithm::implicit_gemm);
  for (const model::Op& op : products("kernel = 3\npadding = 1\n", "tf32"))
    CHECK(predict(ampere, op).algorithm == Algorithm::implicit_gemm);
}

TEST_CASE("images in NCHW are transposed around what runs on tensor cores", "[cost]") {
  const gpu::Gpu volta = gpu_named("v100");
  const std::vector<model::Op> last = products("", "fp16");
  const std::vector<model::Op> first = products("", "fp16", "channels_last = false\n");
  const double image = 32.0 * 56 * 56 * 256 * 2;  // bytes; both operands, or operand and result
  const double transposition = cost::price_elementwise(volta, 2 * image, 0).time_us;
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(predict(volta, first[i]).cost.time_us ==
          Approx(predict(volta, last[i]).cost.time_us + 2 * transposition));
    CHECK(predict(volta, first[i]).transform_bytes == Approx(4 * image));
  }
  const gpu::Gpu pascal = gpu_named("gtx-1080-ti");  // CUDA cores take both
  CHECK(predict(pascal, products("", "fp32", "channels_last = false\n")[0]).cost.time_us ==
        predict(pascal, products("", "fp32")[0]).cost.time_us);
}
