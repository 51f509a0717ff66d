// Models known from copies of their config.json have their published parameters.
#include <cstdint>
#include <string>

#include "formats/dialect/known.hpp"
#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;

namespace {

// Of a served model, with what it has beside its layers.
double served_parameters(const std::string& name) {
  const auto result = tests::read_text("serve.sh", "vllm serve " + name + "\n");
  CAPTURE(name);
  REQUIRE(result.readings.size() == 1);
  return static_cast<double>(model::parameter_count(result.readings.front().setup));
}

}  // namespace

// Of safetensors' headers as the Hub counts them, in data/hf/ of
// https://github.com/BrendanJamesLynskey/llm-architectures-explained. Layers of multi-token prediction, which
// a server loads if it drafts with them: attention, experts, and a product that joins two hidden states.
TEST_CASE("transcribed: parameters are those of the checkpoint", "[formats]") {
  constexpr double tolerance = 0.001;
  CHECK(served_parameters("poolside/Laguna-S-2.1") == Approx(117'561'977'600).epsilon(tolerance));
  CHECK(served_parameters("sarvamai/sarvam-30b") == Approx(32'152'650'368).epsilon(tolerance));
  CHECK(served_parameters("sarvamai/sarvam-105b") == Approx(106'031'767'424).epsilon(tolerance));
  CHECK(served_parameters("MiniMaxAI/MiniMax-Text-01") == Approx(456'089'655'296).epsilon(tolerance));
  const double ling_attention =
      8192. * (1536 + 512 + 64) + 1536. * 64 * 192 + 512. * 64 * 256 + 64. * 128 * 8192;
  const double ling_further = ling_attention + 257. * 3 * 8192 * 2048 + 2. * 8192 * 8192;
  CHECK(served_parameters("inclusionAI/Ling-2.6-1T") + ling_further ==
        Approx(1'025'414'425'344).epsilon(tolerance));
  const double glm_attention = 4096. * (1536 + 512) + 1536. * 64 * 256 + 512. * 64 * 512 + 64. * 256 * 4096;
  const double glm_further = glm_attention + 289. * 3 * 4096 * 2048 + 2. * 4096 * 4096;
  CHECK(served_parameters("zai-org/GLM-5.3-Flash") + glm_further ==
        Approx(321'323'031'390).epsilon(tolerance));
}

TEST_CASE("transcribed: parameters are those of the card", "[formats]") {
  constexpr double tolerance = 0.01;  // cards round
  CHECK(served_parameters("xai-org/grok-2") == Approx(270e9).epsilon(tolerance));
  CHECK(served_parameters("meituan-longcat/LongCat-Flash-Lite") == Approx(68.5e9).epsilon(tolerance));
  CHECK(served_parameters("meituan-longcat/LongCat-Flash-Chat") == Approx(560e9).epsilon(tolerance));
  CHECK(served_parameters("LGAI-EXAONE/K-EXAONE-236B-A23B") == Approx(236e9).epsilon(tolerance));
  CHECK(served_parameters("XiaomiMiMo/MiMo-V2-Flash") == Approx(309e9).epsilon(tolerance));
  CHECK(served_parameters("Qwen/Qwen3.8-Flash-Next") == Approx(125e9 + 51e9).epsilon(tolerance));
  CHECK(served_parameters("ibm-research/PowerMoE-3b") == Approx(3.3e9).epsilon(tolerance));
  CHECK(served_parameters("ibm-granite/granite-3.1-1b-a400m-base") == Approx(1.33e9).epsilon(tolerance));
  CHECK(served_parameters("ibm-granite/granite-3.1-3b-a800m-base") == Approx(3.3e9).epsilon(tolerance));
  CHECK(served_parameters("tiiuae/falcon-mamba-7b") == Approx(7.27e9).epsilon(tolerance));
  CHECK(served_parameters("ibm-ai-platform/Bamba-9B-v1") == Approx(9.78e9).epsilon(tolerance));
  CHECK(served_parameters("microsoft/bitnet-b1.58-2B-4T") == Approx(2.4e9).epsilon(tolerance));
  CHECK(served_parameters("LiquidAI/LFM2-24B-A2B") == Approx(23.8e9).epsilon(tolerance));
  CHECK(served_parameters("RWKV/rwkv-4-169m-pile") == Approx(169e6).epsilon(tolerance));
  CHECK(served_parameters("FacebookAI/xlm-roberta-base") == Approx(278e6).epsilon(tolerance));
  CHECK(served_parameters("distilbert/distilbert-base-uncased") == Approx(66e6).epsilon(tolerance));
}

// arXiv 2509.01322, section 2: about 27 B of 560 B are active, since zero experts compute nothing.
TEST_CASE("transcribed: zero experts are not among those that compute", "[formats]") {
  const auto result = tests::read_text("serve.sh", "vllm serve meituan-longcat/LongCat-Flash-Chat\n");
  REQUIRE(result.readings.size() == 1);
  CHECK(static_cast<double>(model::active_parameter_count(result.readings.front().setup)) ==
        Approx(27e9).epsilon(0.04));
}
