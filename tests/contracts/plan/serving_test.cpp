// Plans of a service.
#include "contracts/plan/serving.hpp"

#include <algorithm>
#include <string>

#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/contracts/own_book_support.hpp"

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

}  // namespace

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

TEST_CASE("bounds that nothing meets leave no plan", "[plan]") {
  ServingRequest request;
  request.input_tokens = 4096;
  request.output_tokens = 16;
  request.tpot_us = 1;
  const ServingAnswer answer = serve(llama_3_8b_served, 8, request);
  CHECK(!answer.cheapest);
  CHECK(answer.fates.priced > 0);
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
  CHECK_FALSE(serve(llama_3_8b_served, 16, request).cheapest);
}
