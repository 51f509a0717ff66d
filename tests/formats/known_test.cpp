// Published models: their table, and the names that stand for them.
#include "formats/dialect/known.hpp"

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

using namespace shapelint;

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
      "*MiniCPM-2B-*|*open-calm-1b|*japanese-gpt-1b|*Ministral-3-3B*|*WizardCoder-1B*|*Qwen3-VL-2B*|Qwen/"
      "Qwen3.5-0.8B|Qwen/"
      "Qwen3.5-4B|Qwen/Qwen3.5-9B|Qwen/"
      "Qwen3.5-27B|Qwen/"
      "Qwen2-Audio-7B|*OLMo-2-0425-1B*|*granite-3.0-2b-*|*granite-3.1-2b-*|*granite-3b-code-*|"
      "*granite-4.1-3b|*ERNIE-4.5-0.3B-*|*OLMoE-1B-7B-*";
  int compared = 0;
  for (const catalog::KnownModel& each : catalog::known_models()) {
    std::smatch said;
    const std::regex size(R"((^|[^0-9A-Za-z.])([0-9]+)([._]([0-9]+))?[bB]($|[^0-9A-Za-z]))");
    if (!std::regex_search(each.name, said, size) || formats::matches_any(others, each.name)) continue;
    const double billions = std::stod(said[2].str() + "." + said[4].str() + "0");
    model::Reading reading;
    for (const auto& [field, value] : each.values) {
      model::set(reading.setup, field, value);
      reading.origins[field].kind = model::Origin::Kind::stated;
    }
    model::set_layers(reading.setup.model, catalog::layers_of(each));
    model::complete(reading);
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
      {"mistralai/Mistral-7B-Instruct-v0.3", "mistralai/Mistral-7B-v0.3"},
      {"deepseek-ai/DeepSeek-V3-0324", "deepseek-ai/DeepSeek-V3"},
      {"moonshotai/Kimi-K2-Instruct-0905", "moonshotai/Kimi-K2-Instruct"},
      {"Qwen/Qwen2.5-72B-Instruct-AWQ", "Qwen/Qwen2.5-72B"},
      {"zai-org/GLM-4.5-Air-FP8", "zai-org/GLM-4.5-Air"},
      {"Qwen3-8B-20250601", "Qwen/Qwen3-8B"},
  };
  for (const auto& [name, base] : variants) {
    CAPTURE(name);
    const catalog::KnownModel* found = formats::find_known_model(name);
    REQUIRE(found != nullptr);
    CHECK(found->name == base);
  }
  CHECK(formats::find_known_model("Qwen/Qwen3-8B-4096") == nullptr);
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
      {"openai/gpt-oss-120b", 128, 18},     {"openai/gpt-oss-20b", 128, 12},
      {"google/gemma-2-9b", 4096, 21},      {"google/gemma-2-27b", 4096, 23},
      {"google/gemma-2-27b-it", 4096, 23},  {"google/gemma-3-1b-it", 512, 22},
      {"google/gemma-3-4b-it", 1024, 29},   {"google/gemma-3-12b-it", 1024, 40},
      {"google/gemma-3-27b-it", 1024, 52},  {"google/gemma-4-31B-it", 1024, 50},
      {"google/gemma-4-26B-A4B", 1024, 25}, {"google/gemma-4-E2B-it", 512, 28},
      {"google/gemma-4-E4B", 512, 35},      {"meta-llama/Llama-4-Scout-17B-16E-Instruct", 8192, 36},
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
}

TEST_CASE("known models have their longest sequences", "[formats]") {
  CHECK(value_of("meta-llama/Llama-3.1-8B-Instruct", model::FieldId::max_positions) == 131'072);
  CHECK(value_of("Qwen/Qwen3-8B", model::FieldId::max_positions) == 40'960);
  CHECK(value_of("Qwen/Qwen3-8B-Base", model::FieldId::max_positions) == 32'768);
  CHECK(value_of("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", model::FieldId::max_positions) == 262'144);
  CHECK(value_of("Qwen/Qwen3-Coder-30B-A3B-Instruct", model::FieldId::max_positions) == 262'144);
  CHECK(value_of("deepseek-ai/DeepSeek-V4-Pro", model::FieldId::max_positions) == 1'048'576);
  CHECK_FALSE(value_of("bigscience/bloom", model::FieldId::max_positions));
}

// Against what the models' cards say, and for the NAS model what its own config.json is read as.
TEST_CASE("models whose layers differ have their published parameters", "[formats]") {
  const auto parameters = [](std::string_view name) {
    const catalog::KnownModel* const each = formats::find_known_model(name);
    REQUIRE(each != nullptr);
    model::Reading reading;
    for (const auto& [field, value] : each->values) {
      model::set(reading.setup, field, value);
      reading.origins[field].kind = model::Origin::Kind::stated;
    }
    model::set_layers(reading.setup.model, catalog::layers_of(*each));
    model::complete(reading);
    return model::parameter_count(reading.setup);
  };
  CHECK(parameters("ai21labs/Jamba-v0.1") == 51'570'315'264);
  CHECK(parameters("nvidia/Llama-3_3-Nemotron-Super-49B-v1") == 49'867'145'216);
  CHECK(parameters("nvidia/Llama-3_1-Nemotron-Ultra-253B-v1") == 253'401'268'224);
  CHECK(parameters("allenai/OLMoE-1B-7B-0924-Instruct") == Approx(6.92e9).epsilon(0.001));
  CHECK(parameters("answerdotai/ModernBERT-base") == Approx(149e6).epsilon(0.005));
  // 295 B, as Tencent says. Qwen3.8's weights in 16 bits take 4,892,388,705,238 bytes, with the layer that
  // predicts a second token: one of attention and experts, and a matrix that joins two hidden states.
  CHECK(parameters("tencent/Hy3") == Approx(295e9).epsilon(0.001));
  const double further = 8192.0 * (34816 + 2 * 8192) + 16384.0 * 8192 + 513 * 3 * 8192.0 * 2048 + 8192 * 513;
  CHECK(static_cast<double>(parameters("Qwen/Qwen3.8-2.4T-A95B")) + further ==
        Approx(4892388705238.0 / 2).epsilon(0.001));
  CHECK(parameters("zai-org/GLM-4.6") == parameters("zai-org/GLM-4.5"));
  CHECK(parameters("Qwen/Qwen3-Coder-Next-FP8") == Approx(79.67e9).epsilon(0.001));
  CHECK(parameters("deepseek-ai/DeepSeek-V2") == Approx(236e9).epsilon(0.005));
  CHECK(parameters("zai-org/GLM-5.3") == parameters("zai-org/GLM-5.2"));
  CHECK(parameters("facebook/opt-13b") == Approx(12.85e9).epsilon(0.005));
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
