// Stages of a pipeline as they are priced.
#include "cost/stages.hpp"

#include <rapidcheck.h>

#include "cost/grid.hpp"
#include "model/lower/lower.hpp"
#include "model/stages.hpp"
#include "tests/catch.hpp"
#include "tests/cost/gpu_support.hpp"
#include "tests/model/workload_support.hpp"

using namespace shapelint;
using namespace shapelint::cost;

namespace {

const std::string decoder =
    "hidden_size = 2048\nnum_layers = 24\nnum_attention_heads = 16\nintermediate_size = 8192\n"
    "mlp_gated = true\n";

model::Setup with(std::int64_t vocabulary, std::int64_t stages) {
  model::Setup out = tests::model_setup(decoder + "vocab_size = " + std::to_string(vocabulary) + "\n",
                                        "sequence_length = 2048\ngradient_accumulation = 16\n");
  out.plan.pipeline = stages;
  return out;
}

// The step with that stage as its pace.
StepCost step_of(const gpu::Gpu& gpu, model::Setup setup, model::Pace pace) {
  setup.plan.pace = pace;
  return price(gpu, model::lower(setup), setup.plan.dtype);
}

}  // namespace

TEST_CASE("the stage that takes longest sets the pace", "[cost]") {
  const gpu::Gpu gpu = test::plain_gpu();
  CHECK(paced(gpu, with(262144, 4)).plan.pace == model::Pace::last);
  CHECK(paced(gpu, with(1024, 4)).plan.pace == model::Pace::last);  // as many layers, and a small head
  model::Setup uneven = with(1024, 4);
  uneven.plan.stage_layers = 7;  // 7, 7, 7 and 3
  CHECK(paced(gpu, uneven).plan.pace == model::Pace::first);
  CHECK(paced(gpu, with(262144, 1)).plan.pace == model::Pace::by_arithmetic);
}

TEST_CASE("a pipeline's step is all its stages once, and the slowest for each other micro-batch", "[cost]") {
  const gpu::Gpu gpu = test::plain_gpu();
  const model::Setup setup = paced(gpu, with(262144, 4));
  const StepCost step = price(gpu, model::lower(setup), setup.plan.dtype);
  // GPipe, 1811.06965: of 16 micro-batches the first passes three stages before the last one, which the rest
  // wait for. Stages 2 and 3 are the first without the embedding.
  const auto each_us = [&](model::Pace pace) {
    const StepCost of = step_of(gpu, with(262144, 4), pace);
    return (of.compute_us + of.memory_us + of.overhead_us + of.communication_us) / 16;
  };
  const double first = each_us(model::Pace::first);
  const double last = each_us(model::Pace::last);
  CHECK(last > first);
  CHECK(step.bubble_us < 3 * first);
  CHECK(step.bubble_us > 2.5 * first);
}

TEST_CASE("more stages leave the slowest no more to do", "[cost]") {
  const gpu::Gpu gpu = test::plain_gpu();
  CHECK(rc::check([&] {
    const auto vocabulary = *rc::gen::element<std::int64_t>(1024, 32000, 262144);
    const auto stages = *rc::gen::element<std::int64_t>(2, 3, 4, 6, 12);
    const auto slowest = [&](std::int64_t number) {
      const model::Setup setup = paced(gpu, with(vocabulary, number));
      const StepCost step = price(gpu, model::lower(setup), setup.plan.dtype);
      return step.time_us - step.bubble_us;
    };
    RC_ASSERT(slowest(stages) <= slowest(1) * (1 + 1e-9));
  }));
}

TEST_CASE("what stands behind the layers is as many layers as take its time", "[cost]") {
  const gpu::Gpu gpu = test::plain_gpu();
  const auto end_layers = [&](std::int64_t vocabulary, std::int64_t stages) {
    return paced(gpu, with(vocabulary, stages)).plan.end_layers;
  };
  const double large = end_layers(262144, 4);
  const double small = end_layers(1024, 4);
  CHECK(small > 0);
  CHECK(small < 0.5);
  // By arithmetic: 262144 x 2048 against 4 x 2048^2 + 3 x 2048 x 8192 and attention.
  CHECK(large > 5);
  CHECK(large < 14);
  CHECK(end_layers(262144, 1) == 0);
}
