// Changes and what follows from them; the search near a model.
#include "suggest/search/neighbourhood.hpp"

#include <algorithm>

#include <rapidcheck.h>

#include "model/lower/lower.hpp"
#include "rules/engine/constraints.hpp"
#include "suggest/edit/footprint.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using namespace shapelint::suggest;
using tests::read;

namespace {

constexpr const char* llama = R"(
[model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
num_key_value_heads = 8
intermediate_size = 14336
mlp_gated = true
vocab_size = 128256
[run]
micro_batch_size = 1
sequence_length = 4096
)";

Change change(const char* field, std::int64_t from, std::int64_t to) {
  return {model::find_field(field), from, to};
}

std::vector<std::int64_t> near(const model::Reading& reading, const char* field, double reach) {
  return neighbourhood(reading, model::find_field(field), reach).values;
}

}  // namespace

TEST_CASE("linked fields follow a change") {
  const model::Reading reading = read(llama);
  const FieldDependencies links = links_of(reading);
  CHECK(links.head_dim_from_hidden);
  CHECK_FALSE(links.key_value_heads);

  const Change heads[] = {change("num_attention_heads", 32, 64)};
  const auto narrow = apply(reading.setup, links, heads);
  REQUIRE(narrow);
  CHECK(narrow->model.head_dim == 64);
  CHECK(narrow->model.value_head_dim == 64);
  CHECK(narrow->model.num_key_value_heads == 8);

  const Change odd[] = {change("num_attention_heads", 32, 33)};  // does not divide hidden_size
  CHECK_FALSE(apply(reading.setup, links, odd));
  const Change none[] = {change("num_attention_heads", 32, 0)};  // outside the field's bounds
  CHECK_FALSE(apply(reading.setup, links, none));

  const Change wide[] = {change("head_dim", 128, 256)};
  CHECK(apply(reading.setup, links, wide)->model.num_attention_heads == 16);
}

TEST_CASE("a width derived from hidden_size keeps its ratio") {
  const model::Reading reading = read(
      "[model]\nhidden_size = 1024\nnum_layers = 4\nnum_attention_heads = 8\nvocab_size = 32000\n"
      "[run]\nsequence_length = 128\n");
  const Change wider[] = {change("hidden_size", 1024, 1088)};
  const auto setup = apply(reading.setup, links_of(reading), wider);
  REQUIRE(setup);
  CHECK(setup->model.intermediate_size == 4352);
  CHECK(setup->model.head_dim == 136);
}

TEST_CASE("neighbourhoods are aligned, on both sides, and contain the present value") {
  const model::Reading reading = read(llama);
  CHECK(near(reading, "num_attention_heads", 0.02) == std::vector<std::int64_t>{32, 64});
  CHECK(near(reading, "vocab_size", 0) == std::vector<std::int64_t>{128256, 128320, 128384, 128512});
  CHECK(near(reading, "intermediate_size", 0.005) ==
        std::vector<std::int64_t>{13824, 14080, 14208, 14272, 14336, 14400, 14464, 14592, 14848});
  CHECK(near(reading, "sequence_length", 0) ==
        std::vector<std::int64_t>{3584, 3840, 3968, 4032, 4096, 4160, 4224, 4352, 4608});
  CHECK(near(reading, "dtype", 0.02) == std::vector<std::int64_t>{static_cast<std::int64_t>(DType::bf16)});
}

TEST_CASE("gain does not count what a smaller model saves by being smaller") {
  const Evaluation start{.time_us = 100, .gpu_us_per_unit = 1.0, .flops_per_unit = 100};
  CHECK(gain(start, {.gpu_us_per_unit = 0.9, .flops_per_unit = 100}) == Approx(0.1));
  CHECK(gain(start, {.gpu_us_per_unit = 0.9, .flops_per_unit = 90}) == Approx(0.0));
  CHECK(gain(start, {.gpu_us_per_unit = 0.9, .flops_per_unit = 110}) == Approx(0.1));
  CHECK(gain(start, {.gpu_us_per_unit = 1.05, .flops_per_unit = 110}) == Approx(-0.05));
}

TEST_CASE("memory of a training step") {
  // GPT-3 175B over 8 x 12 ranks with full recomputation: 16 bytes for each of 1.82 billion parameters and
  // what the first stage's embedding is more than its share, and of each of 8 layers the input alone, 2 bytes
  // x 2048 x 12288, for 12 micro-batches in flight; of one layer all, while it is computed again. The logits
  // are on another stage, with one micro-batch in flight.
  const model::Reading reading = read(
      "[model]\nhidden_size = 12288\nnum_layers = 96\nnum_attention_heads = 96\nvocab_size = 51200\n"
      "[run]\nsequence_length = 2048\nrecompute = \"full\"\ngradient_accumulation = 64\n"
      "[parallel]\ntensor = 8\npipeline = 12\n");
  const double parameters = static_cast<double>(model::parameter_count(reading.setup)) / 96;
  const double activations = 8.0 * 12 * 2 * 2048 * 12288;
  const double again = 2048.0 * 12288 * (10 + 24.0 / 8);
  const double table = 51200.0 * 12288 / 8 * (1 - 1.0 / 12);
  CHECK(memory_bytes(reading.setup) == Approx(16 * (parameters + table) + activations + again));
}

TEST_CASE("what is slower without the bubble that the search counts is no candidate") {
  const model::Reading reading = read(
      "[model]\nhidden_size = 2400\nnum_layers = 13\nnum_attention_heads = 40\nnum_key_value_heads = 4\n"
      "vocab_size = 50304\nintermediate_size = 9600\nmlp_gated = true\n"
      "[run]\nmicro_batch_size = 1\nsequence_length = 512\nattention = \"flash\"\n"
      "[parallel]\ntensor = 3\npipeline = 5\n");
  const rules::HardRules hard(rules::builtin_rules(), reading);
  const std::vector<model::FieldId> fields{model::FieldId::hidden_size, model::FieldId::num_attention_heads,
                                           model::FieldId::vocab_size};
  const auto gpus = tests::gpus({"a100"});
  Evaluator evaluator(gpus[0]);
  Evaluator* const evaluators[] = {&evaluator};
  NearLimits limits;
  limits.parameters = 0.02;
  limits.keep = 5;
  const auto binding_rules = binding(hard.constraints(), reading.setup);
  for (const Candidate& each :
       search_near(reading, links_of(reading), fields, binding_rules, evaluators, limits))
    CHECK(each.gain > 0);
}

TEST_CASE("a search keeps its promises on random models") {
  const auto all = tests::gpus({"a100"});
  CHECK(rc::check("constraints, parameters, order, determinism", [&] {
    const model::Reading reading = read(tests::random_config());
    const rules::HardRules hard(rules::builtin_rules(), reading);
    std::vector<model::FieldId> fields;
    for (const char* name : {"hidden_size", "num_attention_heads", "vocab_size"}) {
      fields.push_back(model::find_field(name));
    }
    const FieldDependencies links = links_of(reading);
    const std::vector<Constraint> binding_rules = binding(hard.constraints(), reading.setup);
    NearLimits limits;
    limits.parameters = 0.02;
    limits.keep = 5;
    Evaluator first(all[0]);
    Evaluator* const once[] = {&first};
    const std::vector<Candidate> best = search_near(reading, links, fields, binding_rules, once, limits);
    Evaluator second(all[0]);
    Evaluator* const twice[] = {&second};
    const std::vector<Candidate> again = search_near(reading, links, fields, binding_rules, twice, limits);
    RC_ASSERT(best.size() == again.size());
    RC_ASSERT(best.size() <= limits.keep);

    const auto parameters = model::parameter_count(reading.setup);
    for (std::size_t i = 0; i < best.size(); ++i) {
      const Candidate& candidate = best[i];
      RC_ASSERT(candidate.changes == again[i].changes);
      RC_ASSERT(candidate.gain > 0);
      // Values that no prediction can tell apart are ranked by other things.
      if (i > 0) RC_ASSERT(candidate.gain <= best[i - 1].gain + 1e-3);
      const double change = std::fabs(static_cast<double>(candidate.parameters - parameters));
      RC_ASSERT(change <= limits.parameters * static_cast<double>(parameters));
      for (const Constraint& constraint : binding_rules) {
        RC_ASSERT(constraint.holds(candidate.setup));
      }
    }
  }));
}
