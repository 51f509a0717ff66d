// The losses of a step are its time, taken apart.
#include "cost/waterfall.hpp"

#include <rapidcheck.h>

#include "gpu/registry.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

double sum(const cost::Waterfall& losses) {
  double all = 0;
  for (const double us : losses.us) all += us;
  return all;
}

// A plain decoder, attention fused; every field that its shape needs is set.
model::Setup setup_of(std::int64_t heads, std::int64_t head_dim, std::int64_t layers,
                      std::int64_t vocabulary) {
  model::Setup setup;
  const auto set = [&](std::string_view name, std::int64_t value) {
    model::set(setup, model::find_field(name), value);
  };
  set("hidden_size", heads * head_dim);
  set("intermediate_size", 4 * heads * head_dim);
  set("num_attention_heads", heads);
  set("num_key_value_heads", heads);
  set("head_dim", head_dim);
  set("value_head_dim", head_dim);
  set("num_layers", layers);
  set("vocab_size", vocabulary);
  set("sequence_length", 2048);
  set("micro_batch_size", 4);
  return setup;
}

}  // namespace

TEST_CASE("the losses of a step add up to its time, and only skipped FLOPs give some back",
          "[cost][property]") {
  CHECK(rc::check([] {
    const std::int64_t heads = *rc::gen::inRange<std::int64_t>(1, 40);
    model::Setup setup =
        setup_of(heads, *rc::gen::inRange<std::int64_t>(8, 160), 4 * *rc::gen::inRange<std::int64_t>(1, 10),
                 *rc::gen::inRange<std::int64_t>(100, 200'000));
    setup.plan.pipeline = *rc::gen::element<std::int64_t>(1, 2, 4);
    setup.plan.data = *rc::gen::element<std::int64_t>(1, 8);
    setup.plan.gradient_accumulation = *rc::gen::element<std::int64_t>(1, 8);
    const gpu::Gpu gpu = *gpu::find_gpu(*rc::gen::element<std::string>("a100", "h100", "rtx-3090"));
    const model::Workload workload = model::lower(setup);
    const cost::StepCost step = cost::price(gpu, workload, setup.plan.dtype);
    const cost::Waterfall losses = cost::waterfall(gpu, workload, step, setup.plan.dtype);
    RC_ASSERT(std::abs(sum(losses) - step.time_us) < 1e-6 * step.time_us);
    for (std::size_t i = 0; i < cost::loss_count; ++i) {
      if (static_cast<cost::Loss>(i) != cost::Loss::extra_flops)
        RC_ASSERT(losses.us[i] > -1e-6 * step.time_us);
    }
    RC_ASSERT(std::abs(losses.us[0] - step.mfu * step.time_us) < 1e-6 * step.time_us);
  }));
}

TEST_CASE("an odd vocabulary is a loss by alignment, and a padded one is not", "[cost]") {
  const gpu::Gpu gpu = *gpu::find_gpu("a100");
  const auto alignment_us = [&](std::int64_t vocabulary) {
    const model::Setup setup = setup_of(20, 128, 32, vocabulary);
    const model::Workload workload = model::lower(setup);
    const cost::StepCost step = cost::price(gpu, workload, setup.plan.dtype);
    return cost::waterfall(gpu, workload, step, setup.plan.dtype)
        .us[static_cast<std::size_t>(cost::Loss::alignment)];
  };
  CHECK(alignment_us(50257) > 1000);
  CHECK(alignment_us(50304) < 1);
}
