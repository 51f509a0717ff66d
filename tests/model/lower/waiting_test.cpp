// What the ranks of a training step wait for each other.
#include "model/lower/lower.hpp"

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

model::Plan training(std::int64_t data, std::int64_t zero) {
  model::Plan plan;
  plan.mode = model::Mode::train;
  plan.data = data;
  plan.zero = zero;
  return plan;
}

}  // namespace

TEST_CASE("ranks of one node wait for none, more wait for the slowest of all", "[model]") {
  struct Row {
    std::int64_t data;
    double once;   // ZeRO 1: they meet once a step
    double layer;  // ZeRO 3: with each layer
  };
  constexpr Row rows[] = {
      {1, 0, 0},
      {8, 0, 0},
      {16, 0.0037858, 0.0252389},
      {64, 0.0101366, 0.0675776},
      {2048, 0.0223883, 0.1492555},
  };
  for (const Row& row : rows) {
    INFO(row.data << " GPUs");
    CHECK(model::straggler_fraction(training(row.data, 1)) == Approx(row.once).margin(1e-6));
    CHECK(model::straggler_fraction(training(row.data, 3)) == Approx(row.layer).margin(1e-6));
  }
}

TEST_CASE("the wait grows with every degree that adds GPUs, and never shrinks", "[model]") {
  for (const std::int64_t zero : {0, 1, 2, 3}) {
    double before = 0;
    for (std::int64_t data = 1; data <= 32768; data *= 2) {
      const double share = model::straggler_fraction(training(data, zero));
      CHECK(share >= before);
      before = share;
    }
  }
  const double of_64 = model::straggler_fraction(training(64, 1));
  for (std::int64_t model::Plan::*degree :
       {&model::Plan::tensor, &model::Plan::pipeline, &model::Plan::context}) {
    model::Plan plan = training(8, 1);
    plan.*degree = 8;
    CHECK(model::straggler_fraction(plan) == of_64);
  }
}

TEST_CASE("requests are served without waiting for other replicas", "[model]") {
  model::Plan plan = training(64, 0);
  plan.mode = model::Mode::decode;
  CHECK(model::straggler_fraction(plan) == 0);
}

TEST_CASE("a step of many GPUs idles for its bubble and for the slowest of them", "[model]") {
  model::Setup setup;
  setup.plan = training(8, 1);
  setup.plan.pipeline = 8;
  setup.plan.gradient_accumulation = 70;
  CHECK(model::lower(setup).pipeline_bubble == Approx(0.1 + 0.0101366).margin(1e-6));
}
