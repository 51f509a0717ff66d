// Training of a mixture over thousands of GPUs against what its report states. Nothing is fitted to it.
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;

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
