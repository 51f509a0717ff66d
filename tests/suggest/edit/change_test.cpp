// What follows from a change.
#include "suggest/edit/change.hpp"

#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;

namespace {

const std::string mixture = R"([model]
hidden_size = 4096
num_layers = 94
num_attention_heads = 64
vocab_size = 151936
[model.moe]
num_experts = 128
experts_per_token = 8
intermediate_size = 1536
[run]
mode = "decode"
context_length = 4096
[parallel]
tensor = 8
)";

std::int64_t expert_tensor_at(const std::string& config, std::int64_t tensor) {
  const model::Reading reading = tests::read(config);
  const suggest::Change change{model::FieldId::tensor, reading.setup.plan.tensor, tensor};
  const auto changed = suggest::apply(reading.setup, suggest::links_of(reading), {&change, 1});
  REQUIRE(changed);
  return changed->plan.expert_tensor;
}

}  // namespace

TEST_CASE("experts are split over as many ranks as the rest, where nobody says otherwise", "[suggest]") {
  CHECK(expert_tensor_at(mixture, 4) == 4);
  CHECK(expert_tensor_at(mixture + "expert_tensor = 8\n", 4) == 8);
  CHECK(expert_tensor_at(mixture + "expert = 8\n", 4) == 1);
}

// Megatron-LM takes 4 x hidden_size unless --ffn-hidden-size says otherwise; OpenNMT always 2048.
TEST_CASE("a framework's default that is a multiple of the width follows it", "[suggest]") {
  model::Reading reading;
  reading.setup.model.hidden_size = 2064;
  reading.setup.model.intermediate_size = 8256;
  model::Origin& origin = reading.origins[model::FieldId::intermediate_size];
  origin.kind = model::Origin::Kind::defaulted;
  origin.scales_with_width = true;
  const suggest::Change change{model::FieldId::hidden_size, 2064, 2048};
  auto changed = suggest::apply(reading.setup, suggest::links_of(reading), {&change, 1});
  REQUIRE(changed);
  CHECK(changed->model.intermediate_size == 8192);
  origin.scales_with_width = false;
  changed = suggest::apply(reading.setup, suggest::links_of(reading), {&change, 1});
  REQUIRE(changed);
  CHECK(changed->model.intermediate_size == 8256);
}

// vLLM splits every expert over the ranks of tensor and data parallelism, or shares experts out over them
// (docs/serving/expert_parallel_deployment.md: EP_SIZE = TP_SIZE x DP_SIZE); SGLang has tp_size / ep_size
// ranks for each (server_arguments: ep_size).
TEST_CASE("a server's experts follow the ranks that a change leaves", "[suggest]") {
  const auto changed = [](const std::string& command, std::int64_t tensor) {
    const model::Reading reading = tests::read_text("serve.sh", command + "\n").readings.front();
    const suggest::Change change{model::FieldId::tensor, reading.setup.plan.tensor, tensor};
    const auto out = suggest::apply(reading.setup, suggest::links_of(reading), {&change, 1});
    REQUIRE(out);
    return out->plan;
  };
  const std::string vllm = "vllm serve deepseek-ai/DeepSeek-R1 --tensor-parallel-size 16 ";
  CHECK(changed(vllm, 2).expert_tensor == 2);
  CHECK(changed(vllm + "--data-parallel-size 2", 8).expert_tensor == 16);
  const model::Plan shared = changed(vllm + "--enable-expert-parallel", 8);
  CHECK(shared.expert == 8);
  CHECK(shared.expert_tensor == 1);
  const model::Plan grouped = changed(
      "python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp-size 16 --ep-size 4", 8);
  CHECK(grouped.expert == 4);
  CHECK(grouped.expert_tensor == 2);
}
