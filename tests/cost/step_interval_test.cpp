// The interval of a step: whose kernels a plan names, how wide it is, and that it is told.
#include "cost/step_interval.hpp"

#include <string>

#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using cost::Stack;

namespace {

model::Setup setup_of(const std::string& run) {
  return tests::read(
             "[model]\nhidden_size = 1024\nnum_layers = 4\nnum_attention_heads = 16\nintermediate_size = "
             "4096\nvocab_size = 50304\n[run]\nsequence_length = 1024\n" +
             run)
      .setup;
}

}  // namespace

TEST_CASE("a plan says whose kernels its step runs", "[interval]") {
  const auto stack = [](const std::string& run) { return cost::stack_of(setup_of(run).plan); };
  CHECK(stack("") == Stack::other);
  CHECK(stack("eager = true\n") == Stack::eager);
  CHECK(stack("compiled = true\n") == Stack::compiled);
  CHECK(stack("fused_gradient_accumulation = true\n") == Stack::fused);
  CHECK(stack("mode = \"decode\"\ncontext_length = 64\nengine = \"vllm\"\n") == Stack::engine);
  CHECK(stack("mode = \"decode\"\ncontext_length = 64\n") == Stack::other);
}

TEST_CASE("a measured run narrows the interval of the others", "[interval]") {
  for (const char* run : {"", "eager = true\n", "fused_gradient_accumulation = true\n"}) {
    const model::Setup setup = setup_of(run);
    for (const std::string_view id : gpu::gpu_ids()) {
      const auto gpu = gpu::find_gpu(std::string(id));
      REQUIRE(gpu);
      const cost::Spread before = cost::step_spread(*gpu, setup);
      const cost::Spread after = cost::anchored_spread(*gpu, setup);
      CHECK(after.high / after.low <= before.high / before.low + 1e-12);
      CHECK(after.low * after.high == Approx(1));
    }
  }
}

TEST_CASE("the interval holds the prediction, and is wider where nothing was measured", "[interval]") {
  for (const char* run :
       {"", "eager = true\n", "compiled = true\n", "fused_gradient_accumulation = true\n"}) {
    const model::Setup setup = setup_of(run);
    for (const std::string_view id : gpu::gpu_ids()) {
      const cost::Spread spread = cost::step_spread(*gpu::find_gpu(id), setup);
      INFO(run << id);
      CHECK(spread.low > 0);
      CHECK(spread.low <= 1);
      CHECK(spread.high >= 1);
      CHECK(spread.low < spread.high);
    }
  }
  const model::Setup setup = setup_of("eager = true\n");
  gpu::Gpu gpu = *gpu::find_gpu("h100");
  const cost::Spread known = cost::step_spread(gpu, setup);
  gpu.calibration.status = "uncalibrated";
  const cost::Spread unknown = cost::step_spread(gpu, setup);
  CHECK(unknown.low < known.low);
  CHECK(unknown.high > known.high);
}

TEST_CASE("a step carries its interval in microseconds", "[interval]") {
  const model::Setup setup = setup_of("eager = true\n");
  const gpu::Gpu gpu = *gpu::find_gpu("h100");
  const cost::StepCost step = cost::price(gpu, model::lower(setup), setup.plan.dtype);
  const cost::StepInterval interval = cost::step_interval(gpu, setup, step.time_us);
  const cost::Spread spread = cost::step_spread(gpu, setup);
  CHECK(interval.low_us == Approx(spread.low * step.time_us));
  CHECK(interval.high_us == Approx(spread.high * step.time_us));
}
