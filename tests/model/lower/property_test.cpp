// Whatever a setup within the bounds of the fields says, lowering gives ops whose dimensions are positive,
// finite, and exactly what their expressions say.
#include <cmath>

#include <rapidcheck.h>

#include "model/arithmetic.hpp"
#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "model/stages.hpp"
#include "tests/catch.hpp"
#include "tests/model/expression_support.hpp"

using namespace shapelint;
using namespace shapelint::model;

namespace {

// Any value within the bounds, small ones and the bounds themselves more often than chance would have them.
std::int64_t pick(const FieldInfo& field) {
  const auto largest = field.maximum;
  const int kind = *rc::gen::inRange(0, 4);
  if (kind == 0) return field.minimum;
  if (kind == 1)
    return *rc::gen::inRange<std::int64_t>(field.minimum, std::min<std::int64_t>(largest, 300) + 1);
  if (kind == 2) return largest;
  return *rc::gen::inRange<std::int64_t>(field.minimum, largest + 1);
}

Setup any_setup() {
  Setup setup;
  for (const FieldInfo& field : fields()) field.set(setup, pick(field));
  return setup;
}

// A setup of ordinary size, where nothing is held at a bound.
Setup ordinary_setup() {
  Setup setup;
  for (const FieldInfo& field : fields()) {
    const std::int64_t most = std::min<std::int64_t>(field.maximum, 500);
    field.set(setup, *rc::gen::inRange<std::int64_t>(field.minimum, most + 1));
  }
  return setup;
}

void check_dim(const Dim& dim, const Setup& setup) {
  RC_ASSERT(dim.value >= 1);
  RC_ASSERT(dim.value <= count_limit);
  RC_ASSERT(!dim.expression.empty());
  RC_LOG() << dim.expression << "\n";
  RC_ASSERT(dim.value == std::max<std::int64_t>(1, tests::evaluate(dim.expression, setup)));
}

void check_workload(const Setup& setup) {
  const Workload workload = lower(setup);
  RC_ASSERT(!workload.ops.empty());
  for (const Op& op : workload.ops) {
    RC_ASSERT(!op.name.empty());
    RC_ASSERT(std::isfinite(op.count));
    RC_ASSERT(op.count > 0);
    switch (op.kind) {
      case OpKind::gemm:
        for (const Dim& dim : {op.batch, op.m, op.n, op.k}) check_dim(dim, setup);
        break;
      case OpKind::scan:
        RC_ASSERT(op.mixer != MixerKind::none);
        [[fallthrough]];
      case OpKind::attention: {
        const AttentionShape& a = op.attention;
        for (const Dim& dim : {a.sequences, a.heads, a.key_value_heads, a.query_length, a.key_length,
                               a.head_dim, a.value_head_dim}) {
          check_dim(dim, setup);
        }
        break;
      }
      case OpKind::elementwise:
      case OpKind::collective:
        RC_ASSERT(std::isfinite(op.bytes));
        RC_ASSERT(op.bytes > 0);
        break;
    }
    if (op.kind == OpKind::collective) RC_ASSERT(op.ranks >= 2 || op.collective == CollectiveKind::host_copy);
  }
  for (const double total : {workload.tokens_per_step, workload.model_flops, workload.hardware_flops,
                             workload.pipeline_bubble, forward_flops_per_token(setup)}) {
    RC_ASSERT(std::isfinite(total));
    RC_ASSERT(total >= 0);
  }
  RC_ASSERT(parameter_count(setup) >= 1);
  RC_ASSERT(parameter_count(setup) <= count_limit);
  RC_ASSERT(active_parameter_count(setup) <= parameter_count(setup));
  RC_ASSERT(expert_parameter_count(setup) <= parameter_count(setup));
}

}  // namespace

TEST_CASE("any setup within the bounds can be lowered, and every expression equals its value", "[model]") {
  CHECK(rc::check("any setup", [] { check_workload(any_setup()); }));
  CHECK(rc::check("ordinary setups", [] { check_workload(ordinary_setup()); }));
}

TEST_CASE("the smallest setup can be lowered", "[model]") {
  CHECK(rc::check("smallest", [] { check_workload(tests::smallest_setup()); }));
}

TEST_CASE("what was filled in stays within the bounds of its field", "[model]") {
  CHECK(rc::check("complete", [] {
    Reading reading;
    reading.setup = any_setup();
    for (Origin& origin : reading.origins) {
      if (*rc::gen::arbitrary<bool>()) origin.kind = Origin::Kind::stated;
    }
    complete(reading);
    for (const FieldInfo& field : fields()) {
      RC_ASSERT(field.get(reading.setup) >= field.minimum);
      RC_ASSERT(field.get(reading.setup) <= field.maximum);
    }
    const Setup before = reading.setup;
    rederive(reading.setup, reading.origins);
    for (const FieldInfo& field : fields()) RC_ASSERT(field.get(reading.setup) == field.get(before));
  }));
}

TEST_CASE("without recomputation and padding, the ops do exactly the model's arithmetic", "[model]") {
  CHECK(rc::check("hardware FLOPs equal model FLOPs", [] {
    Setup setup = tests::smallest_setup();
    const std::int64_t tensor = std::int64_t{1} << *rc::gen::inRange(0, 3);
    const std::int64_t pipeline = std::int64_t{1} << *rc::gen::inRange(0, 3);
    setup.plan.tensor = tensor;
    setup.plan.pipeline = pipeline;
    setup.plan.micro_batch_size = *rc::gen::inRange<std::int64_t>(1, 5);
    setup.plan.sequence_length = 8 * *rc::gen::inRange<std::int64_t>(1, 64);
    setup.plan.gradient_accumulation = *rc::gen::inRange<std::int64_t>(1, 5);
    setup.plan.attention = Attention::unfused;
    setup.model.num_layers = pipeline * *rc::gen::inRange<std::int64_t>(1, 9);
    setup.model.num_attention_heads = 8 * *rc::gen::inRange<std::int64_t>(1, 9);
    setup.model.num_key_value_heads = *rc::gen::element<std::int64_t>(8, setup.model.num_attention_heads);
    setup.model.head_dim = *rc::gen::inRange<std::int64_t>(1, 200);
    setup.model.value_head_dim = *rc::gen::inRange<std::int64_t>(1, 200);
    setup.model.hidden_size = *rc::gen::inRange<std::int64_t>(1, 5000);
    setup.model.intermediate_size = 8 * *rc::gen::inRange<std::int64_t>(1, 2000);
    setup.model.vocab_size = 8 * *rc::gen::inRange<std::int64_t>(1, 9000);
    setup.model.mlp_gated = *rc::gen::arbitrary<bool>();
    setup.model.lm_head = true;
    setup.plan.mode = *rc::gen::element(Mode::train, Mode::prefill);
    const Workload workload = lower(setup);
    // Of the slowest stage; the others do the rest.
    const double all = workload.hardware_flops * (1 + slowest_stage(setup).others);
    RC_ASSERT(std::abs(all / workload.model_flops / static_cast<double>(pipeline) - 1) < 1e-12);
    RC_ASSERT(workload.hardware_flops >= workload.model_flops * (1 - 1e-12));
  }));
}
