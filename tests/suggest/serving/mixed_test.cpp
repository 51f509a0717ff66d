// Serving beyond plain decoding: fused kernels, prompts beside decodes, drafts.
#include "cost/step.hpp"
#include "model/lower/lower.hpp"
#include "suggest/serving/curve.hpp"
#include "suggest/serving/remedies.hpp"
#include "suggest/serving/serving.hpp"
#include "tests/catch.hpp"
#include "tests/suggest/serving/serving_support.hpp"

using namespace shapelint;
using tests::gpu_named;
using tests::llama2;
using tests::llama2_7b_decoding;

TEST_CASE("sequence parallelism of a training file is told to hurt decoding", "[serving]") {
  const gpu::Gpu h100 = gpu_named("h100");
  model::Setup setup = llama2(true);
  setup.plan.context_length = 1024;
  setup.plan.tensor = 8;
  setup.plan.sequence_parallel = true;
  bool saw = false;
  for (const suggest::Remedy& remedy : suggest::remedies(h100, setup, {})) {
    if (remedy.id != "no-sequence-parallel") continue;
    saw = true;
    CHECK(remedy.time_ratio < 1);
    CHECK(remedy.against == cost::Bound::communication);
  }
  CHECK(saw);
  setup.plan.sequence_parallel = false;
  for (const suggest::Remedy& remedy : suggest::remedies(h100, setup, {}))
    CHECK(remedy.id != "no-sequence-parallel");
}

TEST_CASE("fused kernels: fewer launches, never slower; only what is elementwise goes away", "[serving]") {
  const gpu::Gpu a100 = gpu_named("a100");
  model::Setup setup = llama2_7b_decoding(512);
  const auto step_of = [&] { return cost::price(a100, model::lower(setup), setup.plan.dtype); };
  const double apart = step_of().time_us;
  const double flops = model::lower(setup).hardware_flops;
  const double launches = suggest::launches_of(setup).count;
  setup.plan.fusion = model::Fusion::norms;
  const double norms = step_of().time_us;
  // Two norms a layer join the additions before them.
  CHECK(suggest::launches_of(setup).count == launches - 2 * 32);
  CHECK(norms < apart);
  setup.plan.fusion = model::Fusion::full;
  CHECK(suggest::launches_of(setup).count == launches - 3 * 32);
  CHECK(step_of().time_us < norms);
  CHECK(model::lower(setup).hardware_flops == flops);
  // As gpt-fast ran it, compiled: 9.5 ms.
  CHECK(step_of().time_us == Approx(9533).epsilon(0.07));
}

TEST_CASE("a prompt read beside decodes: cheap where they are memory-bound, dear beyond the ridge",
          "[serving]") {
  const gpu::Gpu a100 = gpu_named("a100");
  model::Setup setup = llama2_7b_decoding(2048);
  setup.plan.micro_batch_size = 8;
  const suggest::Serving alone = suggest::serving_of(a100, setup);
  CHECK(alone.mixed_first_token_us == 0);
  setup.plan.prefill_tokens = 64;
  const suggest::Serving some = suggest::serving_of(a100, setup);
  CHECK(some.token_alone_us == Approx(alone.token_us).epsilon(1e-9));
  CHECK(some.token_us > alone.token_us);
  // Sarathi (arXiv 2308.16369, section 4.2): decodes ride along almost for nothing, since the weights are
  // read anyway; 64 tokens stay below the ridge.
  CHECK(some.token_us < 1.2 * alone.token_us);
  CHECK(some.mixed_first_token_us == Approx(2048.0 / 64 * some.token_us).epsilon(1e-9));
  setup.plan.prefill_tokens = 2048;
  const suggest::Serving all = suggest::serving_of(a100, setup);
  CHECK(all.token_us > 5 * alone.token_us);
  CHECK(all.mixed_first_token_us < some.mixed_first_token_us);
  // At most the prompt and the decodes one after the other.
  CHECK(all.token_us < 1.1 * (all.first_token_us + alone.token_us));

  const std::vector<std::int64_t> budgets{0, 32, 64, 128, 256, 512, 1024};
  const suggest::Curve curve = suggest::curve_of(a100, budgets, [&](std::int64_t budget) {
    model::Setup at = setup;
    at.plan.prefill_tokens = budget;
    return at;
  });
  // 153 FLOP/B, less the 8 tokens that decode, and some more for activations.
  REQUIRE(curve.beyond_ridge);
  CHECK(*curve.beyond_ridge > 140);
  CHECK(*curve.beyond_ridge < 180);
  REQUIRE(curve.compute_bound);
  CHECK(*curve.compute_bound < 256);
  CHECK(some.prompt_compute_bound_from == curve.compute_bound);
}

TEST_CASE("a draft's own steps count", "[serving]") {
  const gpu::Gpu h100 = gpu_named("h100");
  model::Setup setup = llama2_7b_decoding(1024);
  suggest::Draft draft{"small", setup};
  draft.setup.model.num_layers = 4;
  setup.plan.speculative_tokens = 4;
  const suggest::Serving free = suggest::serving_of(h100, setup);
  const suggest::Serving drafted = suggest::serving_of(h100, setup, 0, &draft);
  model::Setup one = draft.setup;
  one.plan.context_length = 1024;
  const double step_us = cost::price(h100, model::lower(one), one.plan.dtype).time_us;
  CHECK(drafted.draft_us == Approx(4 * step_us).epsilon(1e-9));
  CHECK(drafted.token_us == Approx(free.token_us + 4 * step_us / free.accepted_tokens).epsilon(1e-9));
  CHECK(drafted.tokens_per_s == Approx(1e6 / drafted.token_us).epsilon(1e-9));
  // Of a whole batch too: 127 tokens after the first, some of them in each step.
  const double drafting_us = suggest::generation_of(h100, setup, 1024, 128, &draft).total_us -
                             suggest::generation_of(h100, setup, 1024, 128).total_us;
  CHECK(drafting_us == Approx(127 / free.accepted_tokens * 4 * step_us).epsilon(0.02));
  // A draft as large as the model never pays.
  setup.plan.speculative_tokens = 0;
  const suggest::Draft same{"same", setup};
  for (const suggest::Remedy& remedy : suggest::remedies(h100, setup, {}, &same))
    CHECK(remedy.id != "speculation");
  bool saw = false;
  for (const suggest::Remedy& remedy : suggest::remedies(h100, setup, {}, &draft)) {
    if (remedy.id != "speculation") continue;
    saw = true;
    CHECK(remedy.change.find("drafted by small") != std::string::npos);
    CHECK(remedy.note.empty());
  }
  CHECK(saw);
}

TEST_CASE("training: what helps names the gradients' own pass and older attention, where they cost something",
          "[serving]") {
  const gpu::Gpu h100 = gpu_named("h100");
  model::Setup setup = llama2_7b_decoding(0);
  setup.plan.mode = model::Mode::train;
  setup.plan.sequence_length = 4096;
  setup.plan.data = 8;
  setup.plan.zero = 1;
  setup.plan.gradient_accumulation = 1;
  const auto helps = [&](std::string_view id) {
    const auto found = suggest::remedies(h100, setup, {});
    return std::any_of(found.begin(), found.end(),
                       [&](const suggest::Remedy& each) { return each.id == id; });
  };
  CHECK_FALSE(helps("fused-gradients"));  // one micro-batch: nothing is summed
  setup.plan.gradient_accumulation = 16;
  CHECK(helps("fused-gradients"));
  setup.plan.fused_gradient_accumulation = true;
  CHECK_FALSE(helps("fused-gradients"));
  CHECK_FALSE(helps("newer-attention"));
  setup.plan.attention = model::Attention::flash2;
  CHECK(helps("newer-attention"));
}
