// Published models: their table, and the names that stand for them.
#include "formats/dialect/known.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "formats/dialect/dialect.hpp"
#include "model/derive.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "tests/formats/read_text.hpp"

using namespace shapelint;

namespace {

// As a file that states what the table does.
model::Reading reading_of(const catalog::KnownModel& known) {
  model::Reading reading;
  for (const auto& [field, value] : known.values) {
    model::set(reading.setup, field, value);
    reading.origins[field].kind = model::Origin::Kind::stated;
  }
  model::set_layers(reading, catalog::layers_of(known));
  model::complete(reading);
  return reading;
}

model::Reading reading_of(std::string_view name) {
  const catalog::KnownModel* const known = formats::find_known_model(name);
  REQUIRE(known != nullptr);
  return reading_of(*known);
}

}  // namespace

TEST_CASE("the table of known models is free of mistakes", "[formats]") {
  std::vector<Error> errors;
  std::vector<catalog::KnownModel> models;
  for (const text::Document& document : catalog::builtin("formats/models")) {
    catalog::load_known_models(document, models, errors);
    INFO(document.path());
    const text::NodeRef root = document.root();
    for (const text::NodeRef entry : root["model"]) {
      CHECK(((entry["source"] && !entry["source"].as_string()->empty()) || root["source"].as_string()));
    }
    for (const text::NodeRef entry : root["config"])
      CHECK_FALSE(entry["source"].as_string().value_or("").empty());
    for (const text::NodeRef source : root["sources"]) CHECK_FALSE(source.as_string()->empty());
  }
  for (const text::Document& document : catalog::builtin("formats/models")) {
    for (const text::NodeRef entry : document.root()["alias"]) {
      CAPTURE(std::string(entry["model"].as_string().value_or("")));
      CHECK_FALSE(entry["source"].as_string().value_or("").empty());
      CHECK(std::any_of(models.begin(), models.end(),
                        [&](const auto& each) { return each.name == entry["model"].as_string(); }));
      CHECK(entry["names"].size() > 0);
    }
  }
  for (const Error& error : errors) FAIL_CHECK(error.path << ": " << error.message << "; " << error.hint);
  CHECK(models.size() > 400);
  for (const catalog::KnownModel& each : models) {
    CAPTURE(each.name);
    CHECK(formats::find_known_model(each.name) != nullptr);
  }
  const auto name = [](std::string_view written) {
    const catalog::KnownModel* found = formats::find_known_model(written);
    return found == nullptr ? std::string() : found->name;
  };
  CHECK(name("meta-llama/Llama-2-7b-hf") == "meta-llama/Llama-2-7b-hf");
  CHECK(name("./models/meta-llama/Llama-3.1-8B-Instruct") == "meta-llama/Llama-3.1-8B");
  CHECK(name("/models/Llama-3.1-8B-Instruct/") == "meta-llama/Llama-3.1-8B");
  CHECK(name("models--Qwen--Qwen3-8B/snapshots/0123abcd") == "Qwen/Qwen3-8B");
  CHECK(name("Qwen/Qwen3-8B@main") == "Qwen/Qwen3-8B");
  // Another organisation, another spelling, and endings that change no size.
  CHECK(name("someone/qwen2.5-7b-instruct") == "Qwen/Qwen2.5-7B");
  CHECK(name("unsloth/Meta-Llama-3.1-8B-bnb-4bit") == "meta-llama/Llama-3.1-8B");
  CHECK(name("llama3_1-8b") == "meta-llama/Llama-3.1-8B");
  CHECK(name("Qwen/Qwen3-14B-FP8") == "Qwen/Qwen3-14B");
  CHECK(name("torchtune/torchtune.models.qwen2_5.lora_qwen2_5_7b_base") == "Qwen/Qwen2.5-7B");
  CHECK(name("internlm/internlm-chat-7b") == "internlm/internlm-7b");
  CHECK(name("internlm2_5-chat-7b") == "internlm/internlm2_5-7b");
  CHECK(name("bigscience/bloomz-7b1-mt") == "bigscience/bloom-7b1");
  CHECK(name("google/gemma-3-270m-it") == "google/gemma-3-270m");
  CHECK(name("crfm/mistral-medium") == "openai-community/gpt2-medium");
  CHECK(name("Qwen-chat-large").empty());
  CHECK(name("torchtitan/llama3/8B") == "meta-llama/Meta-Llama-3-8B");
  // The models of one base name that differ: Mistral 7B has 32,000 words, and 32,768 from v0.3 on.
  CHECK(name("mistralai/Mistral-7B-v0.1") == "mistralai/Mistral-7B-v0.1");
  CHECK(name("mistralai/Mistral-7B-v0.3") == "mistralai/Mistral-7B-v0.3");
  CHECK(name("mistral-7b").empty());
  for (const std::string_view other : {"Qwen/Qwen2.5-VL-9B",
                                       "meta-llama/Llama-3.1-8B-Vision",
                                       "Llama-3.1-8B-2layers",
                                       "my-Llama-3.1-8B",
                                       "8B",
                                       "Qwen2.5-7B-MoE",
                                       "Qwen2.5-Omni-7B",
                                       "tiny-random-LlamaForCausalLM",
                                       "someone/else",
                                       "Instruct",
                                       "-hf",
                                       "",
                                       "/",
                                       "Llama-3.1-8",
                                       "Llama-3.18B",
                                       "gpt2-tiny",
                                       "Llama",
                                       "checkpoint-500",
                                       "Qwen/Qwen2.5-7B/checkpoint-12",
                                       "torchtune/torchtune.models.llama3_1.llama3_1_9b"}) {
    CAPTURE(other);
    CHECK(name(other).empty());
  }
}

TEST_CASE("published models have the parameters that their names state", "[formats]") {
  // Names that state something else: they round down, leave out the embedding, count the active ones, …
  constexpr std::string_view others =
      "*gemma-2b*|*gemma-7b*|*gemma-2-2b*|*Llama-3.2-1B*|*Llama-4-*|*internlm2*-7b|*R1-Distill-Qwen-1.5B|"
      "*stablelm-*-alpha-*|*Falcon3-1B*|*open_llama_3b*|*OLMo-1B-hf|*salamandra*|Qwen/Qwen-7B|Qwen/"
      "Qwen1.5-7B|"
      "*granite-3.1-1b-a400m-*|*bitnet-b1.58-2B-*|*recurrentgemma-2b|*InternVL2_5-4B|*MiniCPM-2B-*|*open-"
      "calm-1b|*japanese-gpt-1b|*Ministral-3-3B*|*"
      "WizardCoder-1B*|*Qwen3-VL-2B*|Qwen/"
      "Qwen3.5-0.8B|Qwen/"
      "Qwen3.5-4B|Qwen/Qwen3.5-9B|Qwen/"
      "Qwen3.5-27B|Qwen/"
      "Qwen2-Audio-7B|*OLMo-2-0425-1B*|*granite-3.0-2b-*|*granite-3.1-2b-*|*granite-3b-code-*|"
      "*granite-4.1-3b|*ERNIE-4.5-0.3B-*|*OLMoE-1B-7B-*|*Nemotron-H-4B-*|*ZAYA1-8B|*InternVL3-38B|*InternVL3_"
      "5-1B|*InternVL3_5-4B|*InternVL2-"
      "26B|*InternVL2_5-1B|*InternVL2_5-38B|*"
      "DeepScaleR-1.5B-*|*Llama-3.2-11B-Vision|*paligemma-3b-*|*granite-4.0-h-1b|*SmolVLM2-2.2B-*|*granite-3."
      "3-2b-*|*internlm3-8b-*";
  int compared = 0;
  for (const catalog::KnownModel& each : catalog::known_models()) {
    std::smatch said;
    const std::regex size(R"((^|[^0-9A-Za-z.])([0-9]+)([._]([0-9]+))?[bB]($|[^0-9A-Za-z]))");
    if (!std::regex_search(each.name, said, size) || formats::matches_any(others, each.name)) continue;
    const double billions = std::stod(said[2].str() + "." + said[4].str() + "0");
    const model::Reading reading = reading_of(each);
    CAPTURE(each.name);
    CHECK(static_cast<double>(model::parameter_count(reading.setup)) == Approx(billions * 1e9).epsilon(0.1));
    ++compared;
  }
  CHECK(compared > 300);
}

namespace {

std::optional<std::int64_t> value_of(std::string_view name, model::FieldId field) {
  const auto found = formats::find_checkpoint(name);
  return found ? catalog::stated(found->model, field) : std::nullopt;
}

}  // namespace

TEST_CASE("names of variants stand for the model that they are of", "[formats]") {
  const std::pair<const char*, const char*> variants[] = {
      {"Qwen/Qwen3-30B-A3B-Instruct-2507", "Qwen/Qwen3-30B-A3B"},
      {"/app/Qwen3-30B-A3B-Instruct-2507-mcore", "Qwen/Qwen3-30B-A3B"},
      {"/ckpt/Qwen3-4B_torch_dist", "Qwen/Qwen3-4B"},
      {"Qwen3-8B-Base_hf", "Qwen/Qwen3-8B"},
      {"google/gemma-4-31B-it-qat-w4a16-ct", "google/gemma-4-31B-it"},
      {"nvidia/Gemma-4-31B-IT-NVFP4", "google/gemma-4-31B-it"},
      {"google/gemma-3-27b-it-qat-q4_0-gguf", "google/gemma-3-27b-it"},
      {"openai/gpt-oss-120b", "openai/gpt-oss-120b"},
      {"unsloth/gpt-oss-20b-BF16", "openai/gpt-oss-20b"},
      {"p-e-w/gpt-oss-20b-heretic", "openai/gpt-oss-20b"},
      {"JonathanColetti/Qwen3.8-27B-Uncensored-GGUF", "Qwen/Qwen3.8-27B"},
      {"mistralai/Mistral-7B-Instruct-v0.3", "mistralai/Mistral-7B-v0.3"},
      {"deepseek-ai/DeepSeek-V3-0324", "deepseek-ai/DeepSeek-V3"},
      {"moonshotai/Kimi-K2-Instruct-0905", "moonshotai/Kimi-K2-Instruct"},
      {"Qwen/Qwen2.5-72B-Instruct-AWQ", "Qwen/Qwen2.5-72B"},
      {"zai-org/GLM-4.5-Air-FP8", "zai-org/GLM-4.5-Air"},
      {"Qwen3-8B-20250601", "Qwen/Qwen3-8B"},
      {"mistralai/Mistral-Large-3-675B-Instruct-2512-NVFP4", "mistralai/Mistral-Large-3-675B-Instruct-2512"},
      {"google/gemma-3n-E4B", "google/gemma-3n-E4B-it"},
      {"Zyphra/ZAYA1-base", "Zyphra/ZAYA1-8B"},
      {"deepseek-ai/DeepSeek-Coder-V2-Instruct", "deepseek-ai/DeepSeek-V2"},
      {"deepseek-ai/DeepSeek-V2.5-1210", "deepseek-ai/DeepSeek-V2"},
      {"MiniMaxAI/MiniMax-M3-MXFP8", "MiniMaxAI/MiniMax-M3"},
      {"inclusionAI/Ring-1T-FP8", "inclusionAI/Ring-1T"},
      {"lmstudio-community/GLM-4.7-Flash-MLX-6bit", "zai-org/GLM-4.7-Flash"},
      {"lmstudio-community/Qwen3-Coder-30B-A3B-Instruct-MLX-5bit", "Qwen/Qwen3-30B-A3B"},
      {"meta-llama/Llama-Guard-3-8B", "meta-llama/Llama-3.1-8B"},
      {"google/gemma-1.1-2b-it", "google/gemma-2b"},
  };
  for (const auto& [name, base] : variants) {
    CAPTURE(name);
    const catalog::KnownModel* found = formats::find_known_model(name);
    REQUIRE(found != nullptr);
    CHECK(found->name == base);
  }
  CHECK(formats::find_known_model("Qwen/Qwen3-8B-4096") == nullptr);
  // A draft of few layers, and a model that has little in common with V4.
  CHECK(formats::find_known_model("mistralai/Mistral-Large-3-675B-Instruct-2512-Eagle") == nullptr);
  CHECK(formats::find_known_model("deepseek-ai/DeepSeek-V4.1-Flash") == nullptr);
}

// config.json of each repository; https://github.com/google-deepmind/gemma, gemma/gm/nn/_gemma.py and
// gemma4/_gemma4.py.
TEST_CASE("known models have their windows", "[formats]") {
  struct Known {
    const char* name;
    std::int64_t size;
    std::int64_t layers;
  };
  constexpr Known known[] = {
      {"openai/gpt-oss-120b", 128, 18},
      {"openai/gpt-oss-20b", 128, 12},
      {"google/gemma-2-9b", 4096, 21},
      {"google/gemma-2-27b", 4096, 23},
      {"google/gemma-2-27b-it", 4096, 23},
      {"google/gemma-3-1b-it", 512, 22},
      {"google/gemma-3-4b-it", 1024, 29},
      {"google/gemma-3-12b-it", 1024, 40},
      {"google/gemma-3-27b-it", 1024, 52},
      {"google/gemma-4-31B-it", 1024, 50},
      {"google/gemma-4-26B-A4B", 1024, 25},
      {"google/gemma-4-E2B-it", 512, 28},
      {"google/gemma-4-E4B", 512, 35},
      {"meta-llama/Llama-4-Scout-17B-16E-Instruct", 8192, 36},
      {"google/gemma-3n-E2B-it", 512, 24},
      {"google/gemma-3n-E4B-it", 512, 28},
      {"facebook/cwm", 8192, 48},
      {"meta-models/Muse-Glimmer-30B", 2048, 39},
      {"allenai/Olmo-3-7B-Instruct", 4096, 24},
      {"allenai/Olmo-3.1-32B-Instruct", 4096, 48},
      {"google/gemma-4-12B", 1024, 40},
      {"poolside/Laguna-XS-2.1", 512, 30},
      // TensorRT-LLM, tests/unittest/_torch/modeling/test_modeling_exaone4.py: sliding_window_pattern 4
      {"LGAI-EXAONE/EXAONE-4.0-32B", 4096, 48},
      // TensorRT-LLM, examples/models/core/commandr: three of four layers see 4096
      {"CohereLabs/c4ai-command-a-03-2025", 4096, 48},
      {"CohereLabs/c4ai-command-r7b-12-2024", 4096, 24},
  };
  for (const Known& each : known) {
    CAPTURE(each.name);
    CHECK(value_of(each.name, model::FieldId::window_size) == each.size);
    CHECK(value_of(each.name, model::FieldId::window_layers) == each.layers);
  }
  CHECK(value_of("mistralai/Mistral-7B-v0.1", model::FieldId::window_size) == 4096);
  CHECK(value_of("mistralai/Mistral-7B-Instruct-v0.1", model::FieldId::window_size) == 4096);
  CHECK_FALSE(value_of("mistralai/Mistral-7B-Instruct-v0.2", model::FieldId::window_size));
  CHECK_FALSE(value_of("mistralai/Mistral-7B-v0.3", model::FieldId::window_size));
  // https://huggingface.co/microsoft/Phi-3-mini-4k-instruct, config.json: sliding_window
  CHECK(value_of("microsoft/Phi-3-mini-4k-instruct", model::FieldId::window_size) == 2047);
  CHECK(value_of("microsoft/Phi-3-medium-4k-instruct", model::FieldId::window_size) == 2047);
  CHECK_FALSE(value_of("microsoft/Phi-3-mini-128k-instruct", model::FieldId::window_size));
}

// https://huggingface.co/Qwen/Qwen2.5-VL-7B-Instruct: 8.29 B, of which the language model has 7.62 B.
TEST_CASE("what a published model has beside its language model is told", "[formats]") {
  struct Told {
    std::string what;
    std::int64_t parameters = 0;
    bool operator==(const Told&) const = default;
  };
  const auto told = [](const std::string& name) {
    const auto result = tests::read_text("serve.sh", "vllm serve " + name + " --max-model-len 8192\n");
    const model::Reading& reading = result.readings.front();
    Told out{{}, reading.setup.model.tower_parameters};
    for (const model::Extra& each : reading.extras) {
      if (each.name == "uncosted_parts") out.what = each.origin.note;
    }
    return out;
  };
  CHECK((told("Qwen/Qwen2.5-VL-7B-Instruct") == Told{"vision tower", 676'550'144}));
  CHECK((told("Qwen/Qwen2.5-VL-72B-Instruct-AWQ") == Told{"vision tower", 700'147'712}));
  // https://huggingface.co/OpenGVLab/InternVL2_5-78B: 78,408,318,336, as its config.json is read.
  CHECK((told("OpenGVLab/InternVL3-78B") == Told{"vision tower", 5'708'504'448}));
  CHECK((told("google/gemma-3-27b-it") == Told{"vision tower", 423'060'336}));
  CHECK((told("Qwen/Qwen2.5-7B-Instruct") == Told{}));
  CHECK((told("google/gemma-3-1b-it") == Told{}));
}

TEST_CASE("known models have their longest sequences", "[formats]") {
  CHECK(value_of("meta-llama/Llama-3.1-8B-Instruct", model::FieldId::max_positions) == 131'072);
  CHECK(value_of("Qwen/Qwen3-8B", model::FieldId::max_positions) == 40'960);
  CHECK(value_of("Qwen/Qwen3-8B-Base", model::FieldId::max_positions) == 32'768);
  CHECK(value_of("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", model::FieldId::max_positions) == 262'144);
  CHECK(value_of("Qwen/Qwen3-Coder-30B-A3B-Instruct", model::FieldId::max_positions) == 262'144);
  CHECK(value_of("deepseek-ai/DeepSeek-V4-Pro", model::FieldId::max_positions) == 1'048'576);
  CHECK(value_of("ByteDance-Seed/Seed-OSS-36B-Base", model::FieldId::max_positions) == 524'288);
  CHECK_FALSE(value_of("bigscience/bloom", model::FieldId::max_positions));
  // What vLLM says at its start: QwenLM/Qwen3 issues 16 and 295, Graph-COM/SubgraphRAG issue 19
  CHECK(value_of("Qwen/Qwen1.5-7B-Chat-GPTQ-Int4", model::FieldId::max_positions) == 32'768);
  CHECK(value_of("Qwen/Qwen1.5-7B-Chat", model::FieldId::max_positions) == 32'768);
  // A base model is made for more than what it was trained on to answer with.
  CHECK(value_of("Qwen/Qwen2-7B", model::FieldId::max_positions) == 131'072);
  CHECK(value_of("Qwen/Qwen2-7B-Instruct", model::FieldId::max_positions) == 32'768);
  CHECK(value_of("Qwen/Qwen2-VL-2B-Instruct", model::FieldId::max_positions) == 32'768);
  CHECK(value_of("EleutherAI/pythia-12b-deduped", model::FieldId::max_positions) == 2048);
  // vllm-project/aibrix, samples/kvcache/vineyard/deployment-tp.yaml, serves it with 17,000: vLLM multiplies
  // what a linear rope is stretched by.
  CHECK(value_of("deepseek-ai/deepseek-coder-33b-instruct", model::FieldId::max_positions) == 65'536);
  CHECK(value_of("LGAI-EXAONE/EXAONE-4.0-32B", model::FieldId::max_positions) == 131'072);
}

// Against what the models' cards say, and for the NAS model what its own config.json is read as.
TEST_CASE("models whose layers differ have their published parameters", "[formats]") {
  const auto parameters = [](std::string_view name) {
    return model::parameter_count(reading_of(name).setup);
  };
  CHECK(parameters("ai21labs/Jamba-v0.1") == 51'570'315'264);
  CHECK(parameters("nvidia/Llama-3_3-Nemotron-Super-49B-v1") == 49'867'145'216);
  CHECK(parameters("nvidia/Llama-3_1-Nemotron-Ultra-253B-v1") == 253'401'268'224);
  CHECK(parameters("allenai/OLMoE-1B-7B-0924-Instruct") == Approx(6.92e9).epsilon(0.001));
  CHECK(parameters("answerdotai/ModernBERT-base") == Approx(149e6).epsilon(0.005));
  CHECK(parameters("JetBrains/Mellum2-12B-A2.5B-Thinking") == Approx(12e9).epsilon(0.015));
  CHECK(parameters("arcee-ai/Trinity-Nano-Preview") == 6'120'003'328);  // as the Hub counts them
  CHECK(parameters("arcee-ai/Trinity-Mini") == Approx(26.1e9).epsilon(0.002));
  // 124.4 B by its recipe, with two gates of 2,560 by 4,096 in each of 35 layers.
  CHECK(static_cast<double>(parameters("inclusionAI/Ling-3.0-flash")) + 2. * 35 * 2560 * 4096 ==
        Approx(124.4e9).epsilon(0.0005));
  // 295 B, as Tencent says. Qwen3.8's weights in 16 bits take 4,892,388,705,238 bytes, with the layer that
  // predicts a second token: one of attention and experts, and a matrix that joins two hidden states.
  CHECK(parameters("tencent/Hy3") == Approx(295e9).epsilon(0.001));
  const double further = 8192.0 * (34816 + 2 * 8192) + 16384.0 * 8192 + 513 * 3 * 8192.0 * 2048 + 8192 * 513;
  CHECK(static_cast<double>(parameters("Qwen/Qwen3.8-2.4T-A95B")) + further ==
        Approx(4892388705238.0 / 2).epsilon(0.001));
  // Cards: 111 B, 104 B, 132 B, 142 B, 70 B, 41.9 B, 314 B, 16.4 B.
  CHECK(parameters("CohereLabs/c4ai-command-a-03-2025") == Approx(111e9).epsilon(0.001));
  CHECK(parameters("CohereForAI/c4ai-command-r-plus") == Approx(104e9).epsilon(0.003));
  CHECK(parameters("databricks/dbrx-base") == Approx(132e9).epsilon(0.005));
  CHECK(parameters("rednote-hilab/dots.llm1.inst") == Approx(142e9).epsilon(0.01));
  CHECK(parameters("swiss-ai/Apertus-70B-2509") == Approx(70e9).epsilon(0.01));
  CHECK(parameters("microsoft/Phi-3.5-MoE-instruct") == Approx(41.9e9).epsilon(0.001));
  CHECK(parameters("xai-org/grok-1") == Approx(314e9).epsilon(0.01));
  CHECK(parameters("deepseek-ai/deepseek-moe-16b-base") == Approx(16.4e9).epsilon(0.002));
  CHECK(parameters("zai-org/GLM-4-32B-0414") == Approx(32.6e9).epsilon(0.002));
  CHECK(parameters("zai-org/GLM-4.6") == parameters("zai-org/GLM-4.5"));
  CHECK(parameters("Qwen/Qwen3-Coder-Next-FP8") == Approx(79.67e9).epsilon(0.001));
  CHECK(parameters("deepseek-ai/DeepSeek-V2") == Approx(236e9).epsilon(0.005));
  CHECK(parameters("zai-org/GLM-5.3") == parameters("zai-org/GLM-5.2"));
  CHECK(parameters("facebook/opt-13b") == Approx(12.85e9).epsilon(0.005));
  // Cards: 675 B with a tower of images of 2.5 B, 119 B, 36 B, 102.6 B, 1 T, 80 B, 8.3 B, 57.4 B, 1.96 B, 395
  // M.
  CHECK(parameters("mistralai/Mistral-Large-3-675B-Base-2512") == Approx(673e9).epsilon(0.001));
  CHECK(parameters("mistralai/Mistral-Small-4-119B-2603") == Approx(119e9).epsilon(0.001));
  CHECK(parameters("ByteDance-Seed/Seed-OSS-36B-Base") == Approx(36.15e9).epsilon(0.001));
  CHECK(parameters("upstage/Solar-Open-100B") == Approx(102.6e9).epsilon(0.001));
  CHECK(parameters("inclusionAI/Ling-1T") == Approx(1e12).epsilon(0.001));
  CHECK(parameters("tencent/Hunyuan-A13B-Instruct") == Approx(80e9).epsilon(0.01));
  CHECK(parameters("LiquidAI/LFM2-8B-A1B") == Approx(8.34e9).epsilon(0.001));
  CHECK(parameters("Qwen/Qwen2-57B-A14B-Instruct") == Approx(57.41e9).epsilon(0.001));
  CHECK(parameters("tencent/Youtu-LLM-2B") == Approx(1.96e9).epsilon(0.002));
  CHECK(parameters("answerdotai/ModernBERT-large") == Approx(395e6).epsilon(0.001));
  CHECK(parameters("ibm-granite/granite-4.0-h-tiny") == 6'939'037'248);
  CHECK(parameters("tiiuae/Falcon-H1-1.5B-Base") == 1'554'863'488);
  CHECK(parameters("LiquidAI/LFM2-1.2B") == 1'170'340'608);
  CHECK(parameters("tencent/Hunyuan-7B-Instruct") == Approx(7.5e9).epsilon(0.001));
  CHECK(parameters("openbmb/MiniCPM3-4B") == Approx(4.07e9).epsilon(0.001));
  CHECK(parameters("poolside/Laguna-XS.2") == Approx(33.4e9).epsilon(0.002));
  CHECK(parameters("google/gemma-4-12B-it") == Approx(11.96e9).epsilon(0.005));
  // With an embedding for each layer, as llama.cpp and Ollama count them (ollama/ollama#11286), Gemma 3n's
  // AltUp and LAuReL, too.
  CHECK(parameters("google/gemma-4-E2B-it") == Approx(4.65e9).epsilon(0.01));
  CHECK(parameters("google/gemma-4-E4B-it") == Approx(7.52e9).epsilon(0.01));
  CHECK(parameters("google/gemma-3n-E2B-it") == Approx(4.46e9).epsilon(0.001));
  CHECK(parameters("google/gemma-3n-E4B-it") == Approx(6.87e9).epsilon(0.001));
  CHECK(parameters("Zyphra/ZAYA1-8B") - 262'272 * 2'048 == Approx(8.3e9).epsilon(0.005));
  // arXiv 2504.03624, and https://github.com/state-spaces/mamba, README.md.
  CHECK(parameters("nvidia/Nemotron-H-8B-Base-8K") == Approx(8.1e9).epsilon(0.001));
  CHECK(parameters("nvidia/NVIDIA-Nemotron-3-Nano-4B-FP8") == Approx(7.40 * 1.0737e9 / 2).epsilon(0.002));
  CHECK(parameters("nvidia/Nemotron-H-47B-Base-8K") == Approx(46.8e9).epsilon(0.001));
  CHECK(parameters("state-spaces/mamba-2.8b-hf") == Approx(2.8e9).epsilon(0.02));
  // Cards: 2.68 B, 3.8 B, 300 B, 256 M and 507 M with a tower and a projector of 93.5 M and 98.2 M; arXiv
  // 2404.07839, table 1: 8.6 B.
  CHECK(parameters("google/recurrentgemma-2b-it") == Approx(2.683e9).epsilon(0.001));
  CHECK(parameters("google/recurrentgemma-9b") == Approx(8.58e9).epsilon(0.001));
  CHECK(parameters("microsoft/Phi-4-mini-flash-reasoning") == Approx(3.8e9).epsilon(0.02));
  CHECK(parameters("baidu/ERNIE-4.5-300B-A47B-Base-PT") == Approx(300e9).epsilon(0.002));
  CHECK(parameters("HuggingFaceTB/SmolVLM-256M-Instruct") == Approx(256.5e6 - 93.5e6).epsilon(0.002));
  CHECK(parameters("HuggingFaceTB/SmolVLM2-500M-Video-Instruct") == Approx(507.5e6 - 98.2e6).epsilon(0.002));
}

// block_types of google/recurrentgemma-2b; of Nemotron-H 8B the pattern in NVIDIA/NeMo,
// nemo/collections/llm/gpt/model/ssm.py: M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-
TEST_CASE("published hybrids have their layers in order", "[formats]") {
  const auto layers = [](std::string_view name) { return model::layers_text(reading_of(name).setup.model); };
  const std::string scans = "2 x [rg_lru 1/10 heads + MLP 7680]";
  CHECK(layers("google/recurrentgemma-2b") ==
        "26 layers = 8 x (" + scans +
            ", 1 x [attention 10/1 heads, head_dim 256, window 2048 + MLP 7680]), " + scans);
  const std::string scan = "1 x [mamba2 8/128 heads]";
  const std::string mlp = "1 x [MLP 21504]";
  CHECK(layers("nvidia/Nemotron-H-8B-Base-8K") == "52 layers = 4 x (3 x (" + scan + ", " + mlp + "), " +
                                                      scan + ", 1 x [attention 32/8 heads, head_dim 128], " +
                                                      mlp + ", " + scan + ", " + mlp + "), 4 x (" + scan +
                                                      ", " + mlp + ")");
}

// A base model has one row: a second one of the same sizes would be another description of the same fact.
TEST_CASE("no two rows are of one model", "[formats]") {
  std::map<std::string, std::string> rows;
  for (const catalog::KnownModel& each : catalog::known_models()) {
    std::string key = formats::base_of(each.name);
    for (const model::FieldId field :
         {model::FieldId::hidden_size, model::FieldId::num_layers, model::FieldId::num_attention_heads,
          model::FieldId::intermediate_size, model::FieldId::vocab_size, model::FieldId::moe_num_experts})
      key += " " + std::to_string(catalog::stated(each, field).value_or(0));
    const auto [at, is_new] = rows.emplace(key, each.name);
    INFO(each.name << " and " << at->second);
    CHECK(is_new);
  }
}
