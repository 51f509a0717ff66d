// How sure a gain is.
#include "cost/uncertainty.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gpu/registry.hpp"
#include "gpu/spread.hpp"
#include "tests/catch.hpp"
#include "tests/cost/gpu_support.hpp"

using namespace shapelint;
using namespace shapelint::cost;

namespace {

model::Op product(std::string_view name, std::int64_t n) {
  model::Op op;
  op.name = name;
  op.kind = model::OpKind::gemm;
  op.m.value = 4096;
  op.n.value = n;
  op.k.value = 1024;
  return op;
}

OpCost lossy(double time_us, double alignment, double tile, double wave) {
  OpCost cost;
  cost.time_us = time_us;
  cost.efficiency = {alignment, tile, wave, 1};
  cost.ideal_us = time_us * alignment * tile * wave;
  return cost;
}

constexpr double ninety_by_mean = 1.6449 / 0.7979;

StepCost step_of(std::vector<OpCost> ops) {
  StepCost step;
  for (const OpCost& op : ops) step.time_us += op.time_us;
  step.ops = std::move(ops);
  return step;
}

}  // namespace

TEST_CASE("a product's time splits into its losses and the rest") {
  const EffectTimes times = split_by_effect(product("p", 64), lossy(100, 0.5, 0.8, 0.75));
  CHECK(times[static_cast<std::size_t>(Effect::alignment)] == Approx(50));
  CHECK(times[static_cast<std::size_t>(Effect::tile)] == Approx(10));
  CHECK(times[static_cast<std::size_t>(Effect::wave)] == Approx(10));
  CHECK(times[static_cast<std::size_t>(Effect::throughput)] == Approx(30));
}

TEST_CASE("a gain from a measured effect is measured, with that effect's error") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.errors[Effect::alignment] = {0.1, true};
  model::Workload before;
  before.ops = {product("body", 1024), product("head", 50257)};
  model::Workload after = before;
  after.ops[1] = product("head", 50304);
  // Alignment lost 50 us of 200; fixed, the step takes 150.
  const StepCost from = step_of({lossy(100, 1, 1, 1), lossy(100, 0.5, 1, 1)});
  const StepCost to = step_of({lossy(100, 1, 1, 1), lossy(50, 1, 1, 1)});
  const Gain gain = gain_between(gpu, before, from, after, to);
  CHECK(gain.share == Approx(0.25));
  CHECK(gain.largest == Effect::alignment);
  CHECK(gain.measured);
  // 90 of 100 normal errors keep to 2.06 times their mean: 10.3 us for 10 % of 50 us. Of the 50 us that the
  // other kernel takes, what is assumed of GPUs that nobody measured: 14 %, for sizes that are almost the
  // same.
  const double effects_us = ninety_by_mean * 5;
  const double apart = std::log2(50304.0 / 50257.0);
  const double spread_us = 50 * std::sqrt(0.14 * 0.14 + apart * (0.18 * 0.18 - 0.14 * 0.14));
  CHECK(gain.half_width == Approx(std::hypot(effects_us, spread_us) / 200));
  CHECK(gain.from_effects == Approx(effects_us / 200));
}

TEST_CASE("a gain from waves is no more certain than waves are") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.errors[Effect::alignment].measured = true;
  model::Workload before;
  before.ops = {product("body", 1032)};
  model::Workload after;
  after.ops = {product("body", 1024)};
  const Gain gain =
      gain_between(gpu, before, step_of({lossy(100, 1, 1, 0.7)}), after, step_of({lossy(70, 1, 1, 1)}));
  CHECK(gain.largest == Effect::wave);
  CHECK_FALSE(gain.measured);
  CHECK(gain.half_width > 0.5 * 0.3);
}

TEST_CASE("nothing changed, nothing to be unsure of") {
  const gpu::Gpu gpu = test::plain_gpu();
  model::Workload workload;
  workload.ops = {product("body", 1024)};
  const StepCost step = step_of({lossy(100, 0.9, 1, 0.7)});
  const Gain gain = gain_between(gpu, workload, step, workload, step);
  CHECK(gain.share == 0);
  CHECK(gain.half_width == 0);
  CHECK_FALSE(gain.measured);
}

TEST_CASE("communication that another computation hides is as uncertain as what is no longer sent") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.errors[Effect::communication] = {0.2, false};
  model::Op exchange;
  exchange.name = "layer.experts.dispatch";
  exchange.kind = model::OpKind::collective;
  model::Workload before;
  before.ops = {product("body", 1024), exchange};
  model::Workload after = before;
  after.ops[1].overlapped = true;
  const StepCost from = step_of({lossy(60, 1, 1, 1), lossy(40, 1, 1, 1)});
  StepCost to = step_of({lossy(60, 1, 1, 1)});
  to.ops.push_back(lossy(40, 1, 1, 1));
  to.hidden_us = 40;
  const Gain gain = gain_between(gpu, before, from, after, to);
  CHECK(gain.share == Approx(0.4));
  CHECK(gain.half_width == Approx(ninety_by_mean * 0.2 * 0.4));
  CHECK(gain.largest == Effect::communication);
}

TEST_CASE("ops that come or go count with their whole time") {
  const gpu::Gpu gpu = test::plain_gpu();
  model::Workload before;
  before.ops = {product("scores", 64), product("body", 64)};
  model::Workload after;
  after.ops = {product("body", 64)};
  const Gain gain = gain_between(gpu, before, step_of({lossy(50, 1, 1, 1), lossy(50, 1, 1, 1)}), after,
                                 step_of({lossy(50, 1, 1, 1)}));
  CHECK(gain.share == Approx(0.5));
  CHECK(gain.half_width == Approx(ninety_by_mean * 0.16 * 50 / 100));
}

TEST_CASE("ops of one name are paired in their order, wherever they stand") {
  gpu::Gpu gpu = test::plain_gpu();
  model::Workload before;
  before.ops = {product("gram", 64), product("gram", 128), product("gram", 256)};
  model::Workload after;
  after.ops = {product("norm", 64), product("gram", 64), product("gram", 128), product("gram", 256)};
  const OpCost same = lossy(50, 1, 1, 1);
  const auto half_width = [&](const model::Workload& from, const model::Workload& to) {
    const std::vector<OpCost> was(from.ops.size(), same);
    const std::vector<OpCost> is(to.ops.size(), same);
    return gain_between(gpu, from, step_of(was), to, step_of(is)).half_width;
  };
  // Only what comes counts: the others are what they were.
  CHECK(half_width(before, after) == Approx(ninety_by_mean * 0.16 * 50 / 150));
  CHECK(half_width(after, before) == Approx(ninety_by_mean * 0.16 * 50 / 200));
  // Of which one goes, those that stay are told by their shapes.
  model::Workload fewer;
  fewer.ops = {product("gram", 128), product("gram", 256)};
  CHECK(half_width(before, fewer) == Approx(ninety_by_mean * 0.16 * 50 / 150));
  CHECK(half_width(fewer, before) == Approx(ninety_by_mean * 0.16 * 50 / 100));
}

TEST_CASE("how many passes a framework makes over memory adds to what is known of bandwidth") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.errors[Effect::memory] = {0.4, true};
  model::Op op;
  op.kind = model::OpKind::elementwise;
  CHECK(error_of(gpu, op, {}, Effect::memory).relative == Approx(0.5));
}

TEST_CASE("an attention bucket that nobody measured is estimated") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.errors[Effect::attention].measured = true;
  gpu.attention.buckets[0].estimated = false;
  model::Op op;
  op.kind = model::OpKind::attention;
  op.attention.query_length.value = 1024;
  op.attention.head_dim.value = op.attention.value_head_dim.value = 64;
  CHECK(error_of(gpu, op, {}, Effect::attention).measured);
  op.attention.head_dim.value = op.attention.value_head_dim.value = 80;
  CHECK_FALSE(error_of(gpu, op, {}, Effect::attention).measured);
}

TEST_CASE("a calibrated GPU's own errors on products left out count for its throughput, by slice") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.calibration.status = "calibrated";
  gpu.calibration.gemm[0].own = true;
  gpu.calibration.gemm[0].errors = {0.07, 0.04, 0.05, 0.08};  // all, train, decode, misaligned
  const auto error = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    model::Op op = product("p", n);
    op.m.value = m;
    op.k.value = k;
    const gpu::EffectError each = error_of(gpu, op, lossy(100, 1, 1, 1), Effect::throughput);
    CHECK(each.measured);
    return each.relative;
  };
  CHECK(error(4096, 1024, 1024) == Approx(0.04));
  CHECK(error(16, 1024, 1024) == Approx(0.05));
  CHECK(error(16, 1024, 512) == Approx(0.07));
  CHECK(error(256, 1024, 1024) == Approx(0.07));
  CHECK(error(4096, 1025, 1024) == Approx(0.08));

  // Beside constants of its own (of other formats) it may have a relative's.
  gpu.calibration.gemm[0].own = false;
  CHECK_FALSE(error_of(gpu, product("p", 1024), lossy(100, 1, 1, 1), Effect::throughput).relative ==
              Approx(0.04));
  gpu.calibration.gemm[0].own = true;

  gpu.calibration.status = "architecture";
  const gpu::EffectError carried = error_of(gpu, product("p", 1024), lossy(100, 1, 1, 1), Effect::throughput);
  CHECK(carried.relative == Approx(0.16));
  CHECK_FALSE(carried.measured);
}

TEST_CASE("measured errors of misaligned products bound the error of what alignment costs") {
  gpu::Gpu gpu = test::plain_gpu();
  gpu.calibration.status = "calibrated";
  gpu.calibration.gemm[0].alignment = "sweep";
  gpu.calibration.gemm[0].own = true;
  gpu.calibration.gemm[0].errors = {0.07, 0.04, 0.05, 0.08};
  model::Workload before;
  before.ops = {product("head", 50257)};
  model::Workload after;
  after.ops = {product("head", 50304)};
  // Alignment loses 40 us of 100; misaligned products are 8 us of 100 off, which is a fifth of the loss.
  const OpCost slow = lossy(100, 0.6, 1, 1);
  CHECK(error_of(gpu, before.ops[0], slow, Effect::alignment).relative == Approx(0.2));
  const Gain gain = gain_between(gpu, before, step_of({slow}), after, step_of({lossy(60, 1, 1, 1)}));
  CHECK(gain.measured);
  CHECK(gain.from_effects == Approx(ninety_by_mean * 8 / 100));

  gpu.calibration.gemm[0].alignment.clear();  // constants that were carried over
  CHECK_FALSE(error_of(gpu, before.ops[0], slow, Effect::alignment).measured);
}

TEST_CASE("waves on Hopper stay an estimate, whatever its calibration says of products") {
  const gpu::Gpu gpu = *gpu::find_gpu("h100");
  const OpCost cost = lossy(100, 1, 1, 0.7);
  CHECK(error_of(gpu, product("p", 1024), cost, Effect::throughput).measured);
  CHECK_FALSE(error_of(gpu, product("p", 1024), cost, Effect::wave).measured);
}

TEST_CASE("the same change of several products is as wrong in each, others are wrong together in part") {
  const gpu::Gpu gpu = test::plain_gpu();
  const auto half_width = [&](std::vector<std::int64_t> from, std::vector<std::int64_t> to) {
    model::Workload before;
    model::Workload after;
    std::vector<OpCost> costs;
    constexpr std::array<std::string_view, 2> names{"p0", "p1"};  // an operation's name is a view
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::string_view name = names.at(i);
      before.ops.push_back(product(name, from[i]));
      after.ops.push_back(product(name, to[i]));
      costs.push_back(lossy(1000, 1, 1, 1));
    }
    return gain_between(gpu, before, step_of(costs), after, step_of(costs)).half_width;
  };
  const double one = half_width({1024}, {1088});
  CHECK(half_width({1024, 1024}, {1088, 1088}) == Approx(one));
  // A tenth of the variance is common to all products where nobody measured how much.
  CHECK(half_width({1024, 2048}, {1088, 2176}) == Approx(one * std::sqrt((0.9 * 2 + 0.1 * 4) / 4)));
  // Sizes further apart say less of each other, up to three doublings.
  CHECK(half_width({1024}, {2048}) > one);
  CHECK(half_width({1024}, {1024 * 16}) == Approx(half_width({1024}, {1024 * 8})));
}

TEST_CASE("a product's ratios spread as was measured on its GPU, by slice") {
  const auto half_width = [](std::string_view name, std::int64_t m, double time_us) {
    const gpu::Gpu gpu = *gpu::find_gpu(name);
    model::Workload before;
    before.ops = {product("p", 1024)};
    model::Workload after;
    after.ops = {product("p", 1025)};  // misaligned, which an H100's spread does not tell apart
    before.ops[0].m.value = after.ops[0].m.value = m;
    const StepCost cost = step_of({lossy(time_us, 1, 1, 1)});
    return gain_between(gpu, before, cost, after, cost).half_width;
  };
  const auto near = gpu::spread_of(*gpu::find_gpu("h100"), gpu::ConstantSet::half).near;
  REQUIRE(near.misaligned == 0);
  CHECK(half_width("h100", 16, 10) == Approx(near.decode).epsilon(0.01));
  CHECK(half_width("h100", 4096, 100) == Approx(near.small).epsilon(0.01));
  CHECK(half_width("h100", 4096, 1000) == Approx(near.large).epsilon(0.01));
}
