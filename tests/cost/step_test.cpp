// How ops add up to a step.
#include "cost/step.hpp"

#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "tests/cost/gpu_support.hpp"

using namespace shapelint;
using namespace shapelint::cost;

namespace {

model::Op stream(double bytes, double count, model::Pass pass = model::Pass::forward) {
  model::Op op;
  op.name = "stream";
  op.kind = model::OpKind::elementwise;
  op.bytes = bytes;
  op.count = count;
  op.pass = pass;
  return op;
}

model::Op gather(double bytes, bool overlapped, model::Pass pass) {
  model::Op op;
  op.name = "gather";
  op.kind = model::OpKind::collective;
  op.collective = model::CollectiveKind::all_gather;
  op.bytes = bytes;
  op.ranks = 8;
  op.overlapped = overlapped;
  op.pass = pass;
  return op;
}

}  // namespace

TEST_CASE("an empty step takes no time") {
  const StepCost step = price(test::plain_gpu(), model::Workload{}, DType::bf16);
  CHECK(step.time_us == 0);
  CHECK(step.mfu == 0);
  CHECK(step.tokens_per_s == 0);
}

TEST_CASE("ops add up by their counts and bounds") {
  const gpu::Gpu gpu = test::plain_gpu();
  model::Workload workload;
  workload.ops = {stream(8e8, 3), gather(1e9, false, model::Pass::forward), stream(64, 10)};
  workload.tokens_per_step = 1000;
  workload.model_flops = 1e12;
  workload.hardware_flops = 2e12;
  const StepCost step = price(gpu, workload, DType::bf16);
  REQUIRE(step.ops.size() == 3);
  CHECK(step.memory_us == Approx(3 * step.ops[0].time_us));
  CHECK(step.communication_us == Approx(step.ops[1].time_us));
  CHECK(step.overhead_us == Approx(10 * step.ops[2].time_us));
  CHECK(step.time_us == Approx(step.memory_us + step.communication_us + step.overhead_us));
  CHECK(step.mfu == Approx(1e12 / (step.time_us * 1e-6) / 100e12));
  CHECK(step.hfu == Approx(2 * step.mfu));
  CHECK(step.tokens_per_s == Approx(1000 / (step.time_us * 1e-6)));
}

TEST_CASE("a collective that overlaps costs what outlasts the computation of its phase") {
  const gpu::Gpu gpu = test::plain_gpu();
  const auto cost = [&](double bytes, model::Pass pass) {
    model::Workload workload;
    workload.ops = {stream(8e8, 2, model::Pass::forward), stream(8e8, 10, model::Pass::backward),
                    gather(bytes, true, pass)};
    return price(gpu, workload, DType::bf16);
  };
  const StepCost hidden = cost(1e8, model::Pass::backward);
  CHECK(hidden.communication_us == 0);
  CHECK(hidden.hidden_us == Approx(hidden.ops[2].time_us));
  const StepCost exposed = cost(1e9, model::Pass::backward);
  CHECK(exposed.communication_us == Approx(exposed.ops[2].time_us - 10 * exposed.ops[1].time_us));
  // Gradients are shared after the last of the micro-batches.
  model::Workload workload;
  workload.ops = {stream(8e8, 8, model::Pass::backward), gather(1e9, true, model::Pass::backward)};
  workload.micro_batches = 8;
  const StepCost last = price(gpu, workload, DType::bf16);
  CHECK(last.hidden_us == Approx(last.ops[0].time_us));
  // Behind the shorter forward pass less can hide.
  CHECK(cost(1e9, model::Pass::forward).communication_us > exposed.communication_us);
}

TEST_CASE("an exchange beside the shared experts costs what outlasts them") {
  const gpu::Gpu gpu = test::plain_gpu();
  model::Workload workload;
  model::Op shared = stream(8e8, 2);
  shared.overlaps_shared_experts = true;
  model::Op exchange = gather(1e9, false, model::Pass::forward);
  exchange.overlaps_shared_experts = true;
  workload.ops = {stream(8e8, 5), shared, exchange};
  workload.pipeline_bubble = 0.5;
  const StepCost step = price(gpu, workload, DType::bf16);
  const double waited_us = step.ops[2].time_us - 2 * step.ops[1].time_us;
  REQUIRE(waited_us > 0);
  CHECK(step.communication_us == Approx(waited_us));
  CHECK(step.hidden_us == Approx(2 * step.ops[1].time_us));
  CHECK(step.bubble_us == Approx(0.5 * (7 * step.ops[0].time_us + waited_us)));
}

TEST_CASE("the pipeline's bubble idles for a share of the micro-batches' time, not of the optimizer's") {
  const gpu::Gpu gpu = test::plain_gpu();
  model::Workload workload;
  workload.ops = {stream(8e8, 3), stream(8e8, 1, model::Pass::update)};
  workload.pipeline_bubble = 0.5;
  const StepCost step = price(gpu, workload, DType::bf16);
  CHECK(step.bubble_us == Approx(0.5 * 3 * step.ops[0].time_us));
  CHECK(step.time_us == Approx(step.memory_us + step.bubble_us));
}

TEST_CASE("prices from memory are the prices") {
  CHECK(rc::check([] {
    const gpu::Gpu gpu = test::plain_gpu();
    PriceMemo memo(gpu);
    const auto ops = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 500));
    for (const std::int64_t size : ops) {
      model::Op op = stream(static_cast<double>(size) * 1e5, 1);
      if (size % 2 == 0) op = gather(static_cast<double>(size) * 1e5, false, model::Pass::forward);
      if (size % 3 == 0) {
        op.kind = model::OpKind::attention;
        op.pass = size % 2 == 0 ? model::Pass::backward : model::Pass::forward;
        op.attention.heads.value = size;
        op.attention.query_length.value = op.attention.key_length.value = 256;
        op.attention.head_dim.value = op.attention.value_head_dim.value = 64;
      }
      RC_ASSERT(memo.price(op).time_us == price(gpu, op).time_us);
    }
    RC_ASSERT(memo.size() <= 500);
  }));
}

TEST_CASE("convolutions that differ in anything have prices of their own") {
  CHECK(rc::check([] {
    const gpu::Gpu gpu = test::plain_gpu();
    PriceMemo memo(gpu);
    for (int i = 0; i < 50; ++i) {
      const auto size = [] { return *rc::gen::element<std::int64_t>(8, 16); };
      model::Op op;
      op.dtype = DType::fp32;
      op.pass = *rc::gen::element(model::Pass::forward, model::Pass::grad_input, model::Pass::grad_weight);
      op.m.value = 4096;
      op.n.value = 64;
      op.k.value = 576;
      op.implicit.a_elements = 1e6;
      op.implicit.b_elements = 4e4;
      op.implicit.c_elements = 3e5;
      op.implicit.run_m = 8;
      op.implicit.run_n = size();
      op.implicit.run_k = size();
      op.implicit.images = 16;
      op.implicit.out_height = size();
      op.implicit.out_width = size();
      RC_ASSERT(memo.price(op).time_us == price(gpu, op).time_us);
    }
  }));
}
