// Plans of a service.
#include "contracts/plan/serving.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/sanitizer.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/contracts/own_book_support.hpp"
#include "tests/replaced.hpp"

using namespace shapelint;
using contracts::ServingAnswer;
using contracts::ServingPlan;
using contracts::ServingRequest;

namespace {

ServingAnswer serve(const std::string& config, std::int64_t gpus, const ServingRequest& request) {
  const model::Reading reading = test::read_config(config);
  const auto gpu = gpu::find_gpu("h100");
  REQUIRE(gpu);
  return contracts::ServingSearch(reading, *gpu, rules::builtin_rules(), {}, request).search(gpus);
}

const std::string llama_3_8b_served = R"([model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
num_key_value_heads = 8
intermediate_size = 14336
mlp_gated = true
vocab_size = 128256
tie_word_embeddings = false
[run]
sequence_length = 1024
)";

// A small model, dense or a mixture, and a request with bounds or a rate.
struct RandomProblem {
  std::string config;
  bool is_mixture = false;
  std::int64_t gpus = 1;
  ServingRequest request;
};
RandomProblem random_problem(std::mt19937& random) {
  const auto any = [&](auto... values) {
    const std::int64_t all[] = {values...};
    return all[random() % (sizeof...(values))];
  };
  RandomProblem out;
  const std::int64_t heads = any(8, 16, 32);
  out.config = fmt::format(
      "[model]\nhidden_size = {}\nnum_layers = {}\nnum_attention_heads = {}\nnum_key_value_heads = {}\n"
      "intermediate_size = {}\nmlp_gated = true\nvocab_size = {}\n",
      heads * 128, any(4, 8, 12), heads, any(2, 4, 8), heads * any(256, 384, 512), any(32000, 128256));
  out.is_mixture = any(0, 1) == 1;
  if (out.is_mixture)
    out.config +=
        fmt::format("[model.moe]\nnum_experts = {}\nexperts_per_token = 2\nintermediate_size = {}\n",
                    any(8, 16, 24), heads * any(64, 256));
  out.config += "[run]\nsequence_length = 1024\n";
  out.gpus = any(1, 2, 3, 4, 6, 8);
  out.request.input_tokens = any(128, 1000, 4000);
  out.request.output_tokens = any(1, 100, 500);
  if (any(0, 1) == 1) out.request.tpot_us = static_cast<double>(any(3000, 10000, 30000));
  if (any(0, 1, 2) == 0) out.request.ttft_us = static_cast<double>(any(20000, 100000));
  return out;
}

// All degrees one by one, each as the only one that is allowed, on replicas of every size.
std::vector<ServingPlan> enumerated(const RandomProblem& problem) {
  std::vector<ServingPlan> out;
  const auto add = [&](std::int64_t tensor, std::int64_t pipeline, std::int64_t data, std::int64_t expert) {
    ServingRequest one = problem.request;
    one.pins = {{model::FieldId::tensor, tensor},
                {model::FieldId::pipeline, pipeline},
                {model::FieldId::data, data},
                {model::FieldId::expert, expert}};
    const ServingAnswer answer = serve(problem.config, tensor * pipeline * data, one);
    out.insert(out.end(), answer.front.begin(), answer.front.end());
  };
  for (std::int64_t tensor = 1; tensor <= problem.gpus; ++tensor)
    for (std::int64_t pipeline = 1; tensor * pipeline <= problem.gpus; ++pipeline)
      for (std::int64_t data = 1; tensor * pipeline * data <= problem.gpus; ++data) {
        if (problem.gpus % (tensor * pipeline * data) != 0) continue;
        if (data == 1) add(tensor, pipeline, 1, 1);
        if (problem.is_mixture && tensor * data > 1) add(tensor, pipeline, data, tensor * data);
      }
  return out;
}

}  // namespace

TEST_CASE("the search for a served plan finds what looking at every layout alone finds", "[plan]") {
  std::mt19937 random(20261127);
  int with_plan = 0;
  constexpr int models = has_address_sanitizer ? 40 : 200;
  for (int i = 0; i < models; ++i) {
    const RandomProblem problem = random_problem(random);
    INFO(problem.config << problem.gpus << " GPUs");
    const ServingAnswer answer = serve(problem.config, problem.gpus, problem.request);
    const std::vector<ServingPlan> all = enumerated(problem);
    REQUIRE(answer.cheapest.has_value() == !all.empty());
    if (all.empty()) continue;
    ++with_plan;
    const auto most = [&](double ServingPlan::*rate) {
      double out = 0;
      for (const ServingPlan& each : all) out = std::max(out, each.*rate);
      return out;
    };
    CHECK(answer.cheapest->tokens_per_s_per_gpu == most(&ServingPlan::tokens_per_s_per_gpu));
    CHECK(answer.fastest->tokens_per_s_per_user == most(&ServingPlan::tokens_per_s_per_user));
    std::int64_t fewest = problem.gpus;
    for (const ServingPlan& each : all) fewest = std::min(fewest, each.replica_gpus);
    CHECK(answer.fewest->replica_gpus == fewest);
    // Nothing is better than the front in both.
    for (const ServingPlan& each : all) {
      const auto is_as_good = [&](const ServingPlan& other) {
        return other.tokens_per_s_per_gpu >= each.tokens_per_s_per_gpu &&
               other.tokens_per_s_per_user >= each.tokens_per_s_per_user;
      };
      CHECK(std::any_of(answer.front.begin(), answer.front.end(), is_as_good));
    }
  }
  CHECK(with_plan > models / 2);
}

TEST_CASE("batches are powers of two, the halves between them, and the most that fit", "[plan]") {
  CHECK(contracts::batches(0).empty());
  CHECK(contracts::batches(1) == std::vector<std::int64_t>{1});
  CHECK(contracts::batches(11) == std::vector<std::int64_t>{1, 2, 3, 4, 6, 8, 11});
  CHECK(contracts::batches(8) == std::vector<std::int64_t>{1, 2, 3, 4, 6, 8});
}

TEST_CASE("served plans meet the bounds, fit, and their front is one", "[plan]") {
  ServingRequest request;
  request.input_tokens = 1024;
  request.output_tokens = 256;
  request.ttft_us = 200e3;
  request.tpot_us = 20e3;
  const ServingAnswer answer = serve(llama_3_8b_served, 8, request);
  REQUIRE(answer.cheapest);
  REQUIRE(answer.fastest);
  REQUIRE(answer.fewest);
  for (const ServingPlan& each : answer.front) {
    CHECK(each.ttft_us <= request.ttft_us);
    CHECK(each.tpot_us <= request.tpot_us);
    CHECK(each.memory_bytes <= each.usable_bytes);
    CHECK(each.gpus == 8);
    CHECK(each.replicas * each.replica_gpus == 8);
  }
  for (std::size_t i = 1; i < answer.front.size(); ++i) {
    CHECK(answer.front[i].tokens_per_s_per_gpu < answer.front[i - 1].tokens_per_s_per_gpu);
    CHECK(answer.front[i].tokens_per_s_per_user > answer.front[i - 1].tokens_per_s_per_user);
  }
  CHECK(answer.front.front().tokens_per_s_per_gpu == answer.cheapest->tokens_per_s_per_gpu);
  CHECK(answer.front.back().tokens_per_s_per_user == answer.fastest->tokens_per_s_per_user);
  CHECK(answer.fewest->replica_gpus == 1);
  // 2 x 32 layers x 8 heads x 128 x 2 bytes a token, beside 16 GB of weights on 80 GB
  CHECK(answer.fewest->kv_tokens > 400'000);
  CHECK(answer.fewest->kv_tokens < 500'000);
}

TEST_CASE("Little's law holds of a served plan", "[plan]") {
  ServingRequest request;
  request.input_tokens = 512;
  request.output_tokens = 128;
  const ServingAnswer answer = serve(llama_3_8b_served, 4, request);
  REQUIRE(answer.cheapest);
  // Requests in flight are the rate times the time that each takes between its first token and its last; the
  // time to the first is part of the others' steps.
  const ServingPlan& plan = *answer.cheapest;
  const double rate = plan.output_tokens_per_s / 128 / 1e6;
  const double cycle_us = plan.tpot_us * 127;
  CHECK(rate * cycle_us == Approx(static_cast<double>(plan.requests)).epsilon(1e-9));
}

// Sarathi-Serve (2403.02310): a prompt that is read in chunks stalls no decoding request for its whole
// length.
TEST_CASE("chunks of prompts bound the gap between two tokens", "[plan]") {
  ServingRequest request;
  request.input_tokens = 4096;
  request.output_tokens = 256;
  const auto with_chunks = [&](std::int64_t tokens) {
    request.pins = {{model::FieldId::prefill_tokens, tokens}, {model::FieldId::micro_batch_size, 16}};
    const ServingAnswer answer = serve(llama_3_8b_served, 1, request);
    REQUIRE(answer.cheapest);
    return *answer.cheapest;
  };
  const ServingPlan whole = with_chunks(0);
  CHECK(whole.setup.plan.prefill_tokens == 0);
  CHECK(whole.gap_us == whole.prompt_us + whole.step_us);
  const ServingPlan in_one = with_chunks(4096);
  double gap_us = in_one.gap_us;
  double ttft_us = in_one.ttft_us;
  for (const std::int64_t tokens : {2048, 1024, 512}) {
    const ServingPlan plan = with_chunks(tokens);
    CHECK(plan.setup.plan.prefill_tokens == tokens);
    CHECK(plan.gap_us == plan.mixed_us);
    CHECK(plan.gap_us < gap_us);
    CHECK(plan.ttft_us > ttft_us);
    // 16 prompts of 4096 tokens while 255 steps are made, of which 64 * 1024 / chunk read one.
    const double mixed = 16 * 4096.0 / static_cast<double>(tokens);
    CHECK(plan.tpot_us * 255 == Approx(mixed * plan.mixed_us + (255 - mixed) * plan.step_us));
    gap_us = plan.gap_us;
    ttft_us = plan.ttft_us;
  }
  // What is searched has the best of them.
  request.pins = {{model::FieldId::micro_batch_size, 16}};
  const ServingAnswer best = serve(llama_3_8b_served, 1, request);
  for (const std::int64_t tokens : contracts::chunks({}, request.input_tokens))
    CHECK(best.cheapest->tokens_per_s_per_gpu >= with_chunks(tokens).tokens_per_s_per_gpu);
}

TEST_CASE("prompts beside decoding are tried where they are modelled", "[plan]") {
  model::ModelSpec model;
  CHECK(contracts::chunks(model, 512) == std::vector<std::int64_t>{0, 512, 2048, 4096, 8192, 16384});
  CHECK(contracts::chunks(model, 4096) == std::vector<std::int64_t>{0, 2048, 4096, 8192, 16384});
  CHECK(contracts::chunks(model, 40000) == std::vector<std::int64_t>{0, 2048, 4096, 8192, 16384});
  model.indexer.keys = 2048;
  CHECK(contracts::chunks(model, 4096) == std::vector<std::int64_t>{0});
}

// vLLM's scheduler goes on to the next waiting request while its budget has tokens left
// (vllm/v1/core/sched/scheduler.py, `while self.waiting and token_budget > 0`).
TEST_CASE("a step reads as many short prompts as its tokens hold, and no more than there are", "[plan]") {
  ServingRequest request;
  request.input_tokens = 128;
  request.output_tokens = 64;
  const auto with = [&](std::int64_t tokens, std::int64_t requests) {
    request.pins = {{model::FieldId::prefill_tokens, tokens}, {model::FieldId::micro_batch_size, requests}};
    const ServingAnswer answer = serve(llama_3_8b_served, 1, request);
    REQUIRE(answer.cheapest);
    return *answer.cheapest;
  };
  const ServingPlan one = with(128, 512);
  const ServingPlan several = with(2048, 512);
  // 512 prompts of 128 tokens while 63 steps are made: more steps that read one, or 32 that read 16.
  CHECK(one.tpot_us * 63 == Approx(512 * one.mixed_us));
  CHECK(several.tpot_us * 63 == Approx(32 * several.mixed_us + 31 * several.step_us));
  CHECK(several.tokens_per_s_per_gpu > 1.1 * one.tokens_per_s_per_gpu);
  CHECK(several.gap_us > one.gap_us);
  // Eight requests have no more than eight prompts.
  CHECK(with(2048, 8).mixed_us == with(1024, 8).mixed_us);
  // Whole prompts between steps come together, too.
  const ServingPlan whole = with(0, 512);
  CHECK(whole.prompts > 1);
  const double passes = 512.0 / static_cast<double>(whole.prompts);
  CHECK(whole.tpot_us * 63 == Approx(passes * whole.prompt_us + 63 * whole.step_us));
  request.pins.clear();
  const ServingAnswer best = serve(llama_3_8b_served, 1, request);
  CHECK(best.cheapest->setup.plan.prefill_tokens != 128);
}

// 1 + a + a^2 + … tokens per step (2211.17192, equation 1); DeepSeek-V3 accepts 85 to 90 % of the second
// token (2412.19437, section 5.4.3).
TEST_CASE("tokens that a model's own layer drafts are searched where their acceptance is stated", "[plan]") {
  ServingRequest request;
  request.input_tokens = 1024;
  request.output_tokens = 256;
  request.pins = {{model::FieldId::micro_batch_size, 4}};
  const std::string with_layer =
      fmt::format("{}speculative_acceptance = 85\n",
                  tests::replaced(llama_3_8b_served, "[run]", "mtp_layers = 1\n[run]"));
  const ServingAnswer plain = serve(llama_3_8b_served, 1, request);
  const ServingAnswer drafted = serve(with_layer, 1, request);
  REQUIRE(plain.cheapest);
  REQUIRE(drafted.cheapest);
  CHECK(plain.cheapest->setup.plan.speculative_tokens == 0);
  CHECK(drafted.cheapest->setup.plan.speculative_tokens > 0);
  CHECK(drafted.cheapest->tpot_us < 0.8 * plain.cheapest->tpot_us);
  // The layer has weights and a cache of its own: 218 M parameters, and 33.6 M of its projection.
  CHECK(drafted.cheapest->memory_bytes - plain.cheapest->memory_bytes > 2 * 251.6e6);
  CHECK(drafted.cheapest->kv_requests < plain.cheapest->kv_requests);
  // Not stated: not searched.
  const ServingAnswer silent =
      serve(tests::replaced(with_layer, "speculative_acceptance = 85\n", ""), 1, request);
  CHECK(silent.cheapest->setup.plan.speculative_tokens == 0);
  // Nothing that is drafted is right: it only costs.
  const ServingAnswer wrong =
      serve(tests::replaced(with_layer, "acceptance = 85", "acceptance = 0"), 1, request);
  CHECK(wrong.cheapest->setup.plan.speculative_tokens == 0);
}

TEST_CASE("as many requests as fit a bound are found between the numbers that are tried", "[plan]") {
  ServingRequest request;
  request.input_tokens = 1024;
  request.output_tokens = 256;
  request.tpot_us = 20e3;
  request.pins = {{model::FieldId::prefill_tokens, 2048}};
  const ServingAnswer answer = serve(llama_3_8b_served, 1, request);
  REQUIRE(answer.cheapest);
  const std::int64_t requests = answer.cheapest->setup.plan.micro_batch_size;
  request.tpot_us = 0;
  request.pins.push_back({model::FieldId::micro_batch_size, requests + 1 + requests / 16});
  CHECK(serve(llama_3_8b_served, 1, request).cheapest->tpot_us > 20e3);
}

TEST_CASE("a concurrency is shared out over the replicas", "[plan]") {
  ServingRequest request;
  request.input_tokens = 1024;
  request.output_tokens = 256;
  for (const std::int64_t concurrency : {1, 10, 64}) {
    request.concurrency = concurrency;
    for (const std::int64_t gpus : {8, 4}) {
      const ServingAnswer answer = serve(llama_3_8b_served, gpus, request);
      REQUIRE(answer.cheapest);
      for (const ServingPlan& each : answer.front) {
        CHECK(each.requests == concurrency);
        // Little's law: no more come out than are under way.
        CHECK(each.requests_per_s / 1e6 * each.tpot_us * 255 == Approx(static_cast<double>(concurrency)));
        CHECK(name(each.binds) == "the requested concurrency");
      }
    }
  }
}

TEST_CASE("a bound on a request's time is on its first token and all that follow", "[plan]") {
  ServingRequest request;
  request.input_tokens = 1024;
  request.output_tokens = 256;
  const ServingAnswer free = serve(llama_3_8b_served, 8, request);
  REQUIRE(free.cheapest);
  request.e2e_us = free.cheapest->request_us / 2;
  const ServingAnswer bound = serve(llama_3_8b_served, 8, request);
  REQUIRE(bound.cheapest);
  CHECK(bound.cheapest->request_us <= request.e2e_us);
  CHECK(bound.cheapest->request_us == Approx(bound.cheapest->ttft_us + 255 * bound.cheapest->tpot_us));
  CHECK(name(bound.cheapest->binds) == "the bound on request latency");
  CHECK(bound.cheapest->tokens_per_s_per_gpu < free.cheapest->tokens_per_s_per_gpu);
}

TEST_CASE("bounds that nothing meets leave no plan", "[plan]") {
  ServingRequest request;
  request.input_tokens = 4096;
  request.output_tokens = 16;
  request.tpot_us = 1;
  const ServingAnswer answer = serve(llama_3_8b_served, 8, request);
  CHECK(!answer.cheapest);
  CHECK(answer.searched.priced > 0);
  // How near they come is said.
  request.tpot_us = 0;
  CHECK(answer.nearest.tpot_us == serve(llama_3_8b_served, 8, request).fastest->tpot_us);
}

TEST_CASE("for a rate of requests the fewest GPUs serve it, and no fewer do", "[plan]") {
  ServingRequest request;
  request.input_tokens = 1024;
  request.output_tokens = 256;
  request.tpot_us = 20e3;
  for (const double rate : {0.5, 20.0, 45.0}) {
    CAPTURE(rate);
    request.requests_per_s = rate;
    const ServingAnswer answer = serve(llama_3_8b_served, 16, request);
    REQUIRE(answer.cheapest);
    const ServingPlan& best = *answer.cheapest;
    CHECK(best.requests_per_s >= rate);
    CHECK(best.load == rate / best.requests_per_s);
    CHECK(best.replicas * best.replica_gpus == best.gpus);
    for (const ServingPlan& each : answer.front) CHECK(each.gpus >= best.gpus);
    for (std::int64_t fewer = 1; fewer < best.gpus; ++fewer)
      CHECK_FALSE(serve(llama_3_8b_served, fewer, request).cheapest);
    // Without a rate as many GPUs take as much, at least.
    ServingRequest any = request;
    any.requests_per_s = 0;
    CHECK(serve(llama_3_8b_served, best.gpus, any).cheapest->requests_per_s >= best.requests_per_s);
  }
  request.requests_per_s = 1e6;
  const ServingAnswer too_many = serve(llama_3_8b_served, 16, request);
  CHECK_FALSE(too_many.cheapest);
  request.requests_per_s = 0;
  CHECK(too_many.nearest.requests_per_s ==
        Approx(serve(llama_3_8b_served, 16, request).cheapest->requests_per_s));
}
