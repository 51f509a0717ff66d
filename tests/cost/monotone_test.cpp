// A better GPU is never slower, and more of the same work never faster: whatever the GPU and the model.
#include <functional>
#include <string>

#include <fmt/format.h>
#include <rapidcheck.h>

#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;

namespace {

// What a GPU that waits less may lose: kernels that take less time are ramped up and throttled otherwise.
constexpr double most_lost = 1e-3;

std::int64_t some(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(least, most + 1);
}
bool maybe() {
  return *rc::gen::arbitrary<bool>();
}

gpu::Gpu any_gpu() {
  const auto ids = gpu::gpu_ids();
  for (;;) {
    const gpu::Gpu gpu = *gpu::find_gpu(ids[static_cast<std::size_t>(some(0, std::ssize(ids) - 1))]);
    if (gpu::can_multiply(gpu, DType::fp16)) return gpu;
  }
}

// A model of ordinary size, dense or a mixture, trained or served, on one GPU or some.
model::Setup any_step() {
  const std::int64_t heads = some(1, 32);
  const std::int64_t tensor = maybe() ? 1 : std::int64_t{1} << some(1, 3);
  std::string model = fmt::format(
      "hidden_size = {}\nnum_layers = {}\nnum_attention_heads = {}\nnum_key_value_heads = {}\nhead_dim = {}\n"
      "intermediate_size = {}\nvocab_size = {}\nmlp_gated = {}\n",
      64 * some(1, 100), some(1, 48), 8 * heads, 8, 32 * some(1, 4), 64 * some(1, 200), 8 * some(100, 10'000),
      maybe());
  if (maybe()) {
    model += fmt::format("moe = {{ num_experts = {}, experts_per_token = {}, intermediate_size = {} }}\n",
                         8 * some(1, 16), some(1, 8), 64 * some(1, 40));
  }
  const std::string mode = *rc::gen::element<std::string>("train", "prefill", "decode");
  std::string run =
      fmt::format("mode = \"{}\"\ndtype = \"fp16\"\nmicro_batch_size = {}\n", mode, some(1, 64));
  run += mode == "decode" ? fmt::format("context_length = {}\n", some(1, 32'768))
                          : fmt::format("sequence_length = {}\n", 8 * some(1, 512));
  run += fmt::format("[parallel]\ntensor = {}\n", tensor);
  if (mode == "train")
    run += fmt::format("data = {}\nzero = {}\n", std::int64_t{1} << some(0, 4), some(0, 3));
  RC_LOG() << model << run;
  return tests::model_setup(model, run);
}

double time_of_step(const gpu::Gpu& gpu, const model::Setup& setup) {
  return cost::price(gpu, model::lower(setup), DType::fp16).time_us;
}

// A step of each kind on every profile: what random ones may miss.
void check_every_gpu(const std::function<void(gpu::Gpu&, double)>& grow) {
  constexpr double factor = 1.3;
  const std::string model =
      "hidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
      "intermediate_size = 14336\nmlp_gated = true\nvocab_size = 32000\n";
  for (const std::string run : {"mode = \"train\"\nsequence_length = 4096\n[parallel]\ndata = 8\n",
                                "mode = \"prefill\"\nsequence_length = 2048\n",
                                "mode = \"decode\"\nmicro_batch_size = 64\ncontext_length = 2048\n"}) {
    const model::Setup setup = tests::model_setup(model, "dtype = \"fp16\"\n" + run);
    for (const std::string_view id : gpu::gpu_ids()) {
      const gpu::Gpu gpu = *gpu::find_gpu(id);
      gpu::Gpu better = gpu;
      grow(better, factor);
      INFO(id << " " << run);
      CHECK(time_of_step(better, setup) <= time_of_step(gpu, setup) * (1 + most_lost));
    }
  }
}

// The step on GPUs that have more of something.
void check_more_of(const std::function<void(gpu::Gpu&, double)>& grow) {
  check_every_gpu(grow);
  CHECK(rc::check([&] {
    const gpu::Gpu gpu = any_gpu();
    const model::Setup setup = any_step();
    gpu::Gpu better = gpu;
    const double factor = static_cast<double>(some(101, 400)) / 100;
    grow(better, factor);
    const double before = time_of_step(gpu, setup);
    const double after = time_of_step(better, setup);
    RC_LOG() << gpu.id << " times " << factor << ": " << before << " us, then " << after << " us\n";
    RC_ASSERT(after <= before * (1 + most_lost));
  }));
}

}  // namespace

TEST_CASE("a GPU with more bandwidth to its memory is never slower", "[cost][monotone]") {
  check_more_of([](gpu::Gpu& gpu, double factor) {
    for (double* each : {&gpu.dram_bandwidth_gb_s, &gpu.dram_measured_gb_s, &gpu.measured.dram_read_gb_s,
                         &gpu.measured.dram_copy_gb_s, &gpu.measured.dram_triad_gb_s, &gpu.l2_bandwidth_gb_s})
      *each *= factor;
  });
}

TEST_CASE("a GPU with more memory is never slower", "[cost][monotone]") {
  check_more_of([](gpu::Gpu& gpu, double factor) {
    gpu.dram_size_gb *= factor;
    gpu.memory_mib *= factor;
  });
}

TEST_CASE("a GPU with higher peaks is never slower", "[cost][monotone]") {
  check_more_of([](gpu::Gpu& gpu, double factor) {
    for (double& each : gpu.peak_tflops) each *= factor;
    for (double& each : gpu.tensor_tflops) each *= factor;
    gpu.peak_fp32_cuda_tflops *= factor;
    gpu.peak_fp16_cuda_tflops *= factor;
  });
}

TEST_CASE("a GPU with faster links is never slower", "[cost][monotone]") {
  check_more_of([](gpu::Gpu& gpu, double factor) {
    for (double* each : {&gpu.link_gb_s, &gpu.pcie_gb_s, &gpu.host_link_gb_s, &gpu.network_gb_s})
      *each *= factor;
  });
}

TEST_CASE("twice the layers are not faster", "[cost][monotone]") {
  CHECK(rc::check([] {
    const gpu::Gpu gpu = any_gpu();
    model::Setup setup = any_step();
    const double before = time_of_step(gpu, setup);
    setup.model.num_layers *= 2;
    RC_ASSERT(time_of_step(gpu, setup) >= before);
  }));
}
