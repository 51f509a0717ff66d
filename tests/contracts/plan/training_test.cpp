// Plans of a training step.
#include "contracts/plan/training.hpp"
#include "rules/scope/launch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/sanitizer.hpp"
#include "contracts/plan/branches.hpp"
#include "contracts/plan/recompute.hpp"
#include "gpu/registry.hpp"
#include "model/stages.hpp"
#include "tests/catch.hpp"
#include "tests/contracts/own_book_support.hpp"

using namespace shapelint;
using contracts::TrainingAnswer;
using contracts::TrainingRequest;
using contracts::TrainingSearch;

namespace {

gpu::Gpu gpu_called(const std::string& name) {
  const auto found = gpu::find_gpu(name);
  REQUIRE(found);
  return *found;
}

TrainingAnswer search(const std::string& config, const std::string& gpu_name,
                      const TrainingRequest& request) {
  const model::Reading reading = test::read_config(config);
  const gpu::Gpu gpu = gpu_called(gpu_name);
  return TrainingSearch(reading, gpu, rules::builtin_rules(), {}, {}).search(request);
}

const std::string llama_3_8b = R"([model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
num_key_value_heads = 8
intermediate_size = 14336
mlp_gated = true
vocab_size = 128256
tie_word_embeddings = false
[run]
sequence_length = 8192
)";

// A small model of any kind whose states fill the GPU more or less.
std::string random_model(std::mt19937& random) {
  const auto any = [&](auto... values) {
    const std::int64_t all[] = {values...};
    return all[random() % (sizeof...(values))];
  };
  const std::int64_t heads = any(8, 16, 24, 32);
  const std::int64_t layers = any(4, 6, 8, 12, 14);
  std::string out = fmt::format(
      "[model]\nhidden_size = {}\nnum_layers = {}\nnum_attention_heads = {}\nnum_key_value_heads = {}\n"
      "intermediate_size = {}\nmlp_gated = true\nvocab_size = {}\n",
      heads * 128, layers, heads, any(4, 8), heads * any(256, 384, 512), any(32000, 50257, 128256));
  if (any(0, 1, 2) == 0) {
    out += fmt::format("[model.moe]\nnum_experts = {}\nexperts_per_token = 2\nintermediate_size = {}\n",
                       any(4, 8, 16), heads * any(64, 256));
  }
  return out + fmt::format("[run]\nsequence_length = {}\n", any(1024, 2048, 8192));
}

}  // namespace

// Those of `all` that neither compute more again nor wait longer than another one that differs in nothing
// else.
std::vector<contracts::TrainingPlan> without_need(const std::vector<contracts::TrainingPlan>& all) {
  const auto rest = [](const contracts::TrainingPlan& each) {
    model::Plan plan = each.setup.plan;
    return std::tuple(plan.tensor, plan.pipeline, plan.context, plan.data, plan.expert, plan.expert_tensor,
                      plan.zero, plan.micro_batch_size, plan.embedding_stages, plan.stage_layers,
                      plan.virtual_pipeline, plan.overlap, plan.offload_optimizer);
  };
  const auto waiting = [](const model::Plan& plan) {
    return plan.pipeline > 1 ? model::waiting_share(plan, static_cast<double>(plan.virtual_pipeline)) : 0;
  };
  std::map<decltype(rest(all.front())), std::vector<model::Plan>> alike;
  for (const contracts::TrainingPlan& each : all) alike[rest(each)].push_back(each.setup.plan);
  std::vector<contracts::TrainingPlan> out;
  for (const contracts::TrainingPlan& each : all) {
    const model::Plan& own = each.setup.plan;
    const contracts::RecomputeChoice again = contracts::recompute_of(own);
    const std::vector<model::Plan>& others = alike[rest(each)];
    if (std::none_of(others.begin(), others.end(), [&](const model::Plan& other) {
          const contracts::RecomputeChoice less = contracts::recompute_of(other);
          return contracts::is_within(less, again) && waiting(other) <= waiting(own) &&
                 contracts::is_as_light(other.pipeline_schedule, own.pipeline_schedule) &&
                 (!contracts::is_within(again, less) || waiting(other) < waiting(own));
        }))
      out.push_back(each);
  }
  return out;
}

std::int64_t sum_of(const contracts::SearchCounts& counts) {
  return counts.too_large + counts.by_rules + counts.refused + counts.needless + counts.bounded +
         counts.priced;
}

TEST_CASE("the search for a training plan finds what looking at every plan finds", "[plan]") {
  std::mt19937 random(20261126);
  std::int64_t bounded = 0;
  std::int64_t without = 0;
  std::int64_t parts = 0;
  constexpr int models = has_address_sanitizer ? 40 : 200;
  for (int i = 0; i < models; ++i) {
    const std::string config = random_model(random);
    TrainingRequest request;
    constexpr std::int64_t counts[] = {1, 2, 3, 4, 6, 8};
    constexpr std::int64_t batches[] = {12, 16, 24};
    request.gpus = counts[random() % std::size(counts)];
    request.sequences = batches[random() % std::size(batches)];
    request.keep = 3;
    // Uneven stages and hidden exchanges are many more plans to look at: of every third model.
    if (i % 3 != 0) request.pins = {{model::FieldId::stage_layers, 0}, {model::FieldId::overlap, 0}};
    const std::string gpu = random() % 2 == 0 ? "h100" : "a100-sxm4-40gb";
    const TrainingAnswer fast = search(config, gpu, request);
    request.prune = false;
    request.keep = 1'000'000;
    const TrainingAnswer all = search(config, gpu, request);
    const std::vector<contracts::TrainingPlan> expected = without_need(all.best);
    INFO(config << request.gpus << " GPUs, " << request.sequences << " sequences");
    REQUIRE(fast.best.size() == std::min<std::size_t>(3, expected.size()));
    for (std::size_t k = 0; k < fast.best.size(); ++k) CHECK(fast.best[k].step_us == expected[k].step_us);
    // What is left out as needless is none that is faster.
    if (!all.best.empty()) CHECK(fast.best.front().step_us == all.best.front().step_us);
    CHECK(fast.searched.all == all.searched.all);
    CHECK(sum_of(fast.searched) == fast.searched.all);
    CHECK(sum_of(all.searched) == all.searched.all);
    bounded += fast.searched.bounded;
    parts += !fast.best.empty() && contracts::recompute_of(fast.best.front().setup.plan).parts != 0 ? 1 : 0;
    without += all.best.empty() ? 1 : 0;
  }
  CHECK(bounded > 0);
  CHECK(parts > 0);
  CHECK(without < models / 2);
}

TEST_CASE("a training plan keeps the global batch and its GPUs, and fits", "[plan]") {
  for (const std::int64_t gpus : {8, 24, 64}) {
    TrainingRequest request;
    request.gpus = gpus;
    request.sequences = 192;
    request.keep = 5;
    const TrainingAnswer answer = search(llama_3_8b, "h100", request);
    REQUIRE(answer.best.size() == 5);
    for (const contracts::TrainingPlan& each : answer.best) {
      const model::Plan& plan = each.setup.plan;
      CHECK(rules::global_batch(plan) == request.sequences);
      CHECK(plan.tensor * plan.pipeline * plan.context * plan.data == gpus);
      CHECK(each.memory_bytes <= each.usable_bytes);
    }
  }
}

TEST_CASE("layers that do not go back over the stages are no plan of ZB-V", "[plan]") {
  std::string odd = llama_3_8b;
  odd.replace(odd.find("= 32"), 4, "= 31");
  TrainingRequest request;
  request.gpus = 8;
  request.sequences = 64;
  request.pins = {
      {model::FieldId::pipeline_schedule, static_cast<std::int64_t>(model::PipelineSchedule::zero_bubble_v)}};
  const TrainingAnswer answer = search(odd, "h100", request);
  REQUIRE(!answer.best.empty());
  for (const contracts::TrainingPlan& each : answer.best) CHECK(each.setup.plan.pipeline == 1);
}

// accelerate's device_map: each GPU has one run of layers (SL516).
TEST_CASE("layers that compute in turn are one chunk on each stage", "[plan]") {
  TrainingRequest request;
  request.gpus = 4;
  request.sequences = 16;
  request.pins = {
      {model::FieldId::pipeline, 4},
      {model::FieldId::data, 1},
      {model::FieldId::pipeline_schedule, static_cast<std::int64_t>(model::PipelineSchedule::in_turn)}};
  const TrainingAnswer answer = search(llama_3_8b, "b200", request);
  REQUIRE(!answer.best.empty());
  for (const contracts::TrainingPlan& each : answer.best) CHECK(each.setup.plan.virtual_pipeline == 1);
}

namespace {

const std::string small_mixture = R"([model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
num_key_value_heads = 8
intermediate_size = 14336
mlp_gated = true
vocab_size = 32000
[model.moe]
num_experts = 64
experts_per_token = 8
intermediate_size = 1024
[run]
sequence_length = 4096
)";

}  // namespace

TEST_CASE("an exchange of tokens beside another micro-batch is a choice of the plan", "[plan]") {
  TrainingRequest request;
  request.gpus = 64;
  request.sequences = 512;
  const TrainingAnswer free = search(small_mixture, "h100", request);
  request.pins = {{model::FieldId::overlap, 0}};
  const TrainingAnswer without = search(small_mixture, "h100", request);
  REQUIRE(!free.best.empty());
  REQUIRE(!without.best.empty());
  CHECK(free.best.front().step_us <= without.best.front().step_us);
  CHECK(without.best.front().setup.plan.overlap == model::Overlap::none);
  request.pins = {{model::FieldId::expert, 64}};
  const TrainingAnswer exchanged = search(small_mixture, "h100", request);
  REQUIRE(!exchanged.best.empty());
  CHECK(exchanged.best.front().setup.plan.overlap == model::Overlap::micro_batches);
}

// As wide and deep as Gemma 3 12B, whose head is as much work as three layers: the last stage gets fewer, as
// rule SL513 proposes.
TEST_CASE("fewer layers beside a large head are a choice of the plan", "[plan]") {
  const std::string gemma = R"([model]
hidden_size = 3840
num_layers = 48
num_attention_heads = 16
num_key_value_heads = 8
head_dim = 256
intermediate_size = 15360
mlp_gated = true
vocab_size = 262144
tie_word_embeddings = true
[run]
sequence_length = 4096
)";
  TrainingRequest request;
  request.gpus = 8;
  request.sequences = 256;
  request.pins = {{model::FieldId::pipeline, 4}, {model::FieldId::virtual_pipeline, 1}};
  const TrainingAnswer free = search(gemma, "h100", request);
  request.pins.push_back({model::FieldId::stage_layers, 0});
  const TrainingAnswer even = search(gemma, "h100", request);
  REQUIRE(!free.best.empty());
  REQUIRE(!even.best.empty());
  CHECK(free.best.front().setup.plan.stage_layers == 13);
  CHECK(free.best.front().step_us < 0.97 * even.best.front().step_us);
}
