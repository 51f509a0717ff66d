// Model files from their bytes to fields.
#include <cstring>
#include <string>

#include "formats/read.hpp"
#include "model/lower/lower.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;
using model::Origin;

namespace {

template <class T>
std::string bytes(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}
std::string text(const std::string& value) {
  return bytes<std::uint64_t>(value.size()) + value;
}
std::string number(const std::string& key, std::uint32_t value) {
  return text(key) + bytes<std::uint32_t>(4) + bytes(value);
}

std::string llama_gguf() {
  const std::string keys =
      text("general.architecture") + bytes<std::uint32_t>(8) + text("llama") +
      number("llama.embedding_length", 4096) + number("llama.block_count", 32) +
      number("llama.feed_forward_length", 14336) + number("llama.attention.head_count", 32) +
      number("llama.attention.head_count_kv", 8) + number("llama.vocab_size", 128256) +
      number("llama.context_length", 8192) + text("llama.attention.layer_norm_rms_epsilon") +
      bytes<std::uint32_t>(6) + bytes(1e-5F);
  return "GGUF" + bytes<std::uint32_t>(3) + bytes<std::uint64_t>(291) + bytes<std::uint64_t>(9) + keys;
}

std::string tensor(const std::string& name, const std::string& shape) {
  return "\"" + name + "\":{\"dtype\":\"BF16\",\"shape\":[" + shape + "],\"data_offsets\":[0,0]}";
}

std::string qwen_safetensors() {
  std::string json = "{" + tensor("model.embed_tokens.weight", "151936,1024");
  for (const char* layer : {"0", "1"}) {
    const std::string at = std::string("model.layers.") + layer + ".";
    json += "," + tensor(at + "input_layernorm.weight", "1024") + "," +
            tensor(at + "mlp.down_proj.weight", "1024,3072") + "," +
            tensor(at + "mlp.gate_proj.weight", "3072,1024") + "," +
            tensor(at + "mlp.up_proj.weight", "3072,1024") + "," +
            tensor(at + "self_attn.k_proj.weight", "1024,1024") + "," +
            tensor(at + "self_attn.q_norm.weight", "128") + "," +
            tensor(at + "self_attn.q_proj.weight", "2048,1024");
  }
  json += "}";
  return bytes<std::uint64_t>(json.size()) + json;
}

}  // namespace

TEST_CASE("a GGUF header gives the whole shape, and its parameters") {
  text::MemoryFileSystem files;
  files.files["model.gguf"] = llama_gguf();
  const auto read = formats::read_any(files, "model.gguf");
  REQUIRE(read.errors.empty());
  REQUIRE(read.readings.size() == 1);
  const model::Reading& reading = read.readings.front();
  CHECK(read.dialect == "gguf");
  CHECK(reading.complete);
  const model::ModelSpec& spec = reading.setup.model;
  CHECK(spec.hidden_size == 4096);
  CHECK(spec.num_key_value_heads == 8);
  CHECK(spec.mlp_gated);
  CHECK(reading.setup.plan.sequence_length == 8192);
  CHECK(model::parameter_count(reading.setup) == 8030261248);
  // The place is a line of the listing.
  const Origin& origin = reading.origins[model::FieldId::hidden_size];
  CHECK(origin.key_path == "llama.embedding_length");
}

TEST_CASE("shapes of tensors give the shape of the model, as far as they tell") {
  text::MemoryFileSystem files;
  files.files["m/model.safetensors"] = qwen_safetensors();
  const auto alone = formats::read_any(files, "m/model.safetensors");
  REQUIRE(alone.readings.size() == 1);
  const model::ModelSpec& spec = alone.readings.front().setup.model;
  CHECK(alone.readings.front().complete);
  CHECK(spec.hidden_size == 1024);
  CHECK(spec.num_layers == 2);
  CHECK(spec.head_dim == 128);
  CHECK(spec.num_attention_heads == 16);
  CHECK(spec.num_key_value_heads == 8);
  CHECK(spec.intermediate_size == 3072);
  CHECK(spec.mlp_gated);
  CHECK(spec.tie_word_embeddings);

  // The configuration beside it says more, and is read instead.
  files.files["m/config.json"] =
      R"({"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16,
          "num_key_value_heads": 8, "intermediate_size": 3072, "tie_word_embeddings": true})";
  const auto beside = formats::read_any(files, "m/model.safetensors");
  REQUIRE(beside.readings.size() == 1);
  CHECK(beside.readings.front().setup.model.num_layers == 28);
  CHECK(beside.readings.front().path == "m/config.json");
  REQUIRE_FALSE(beside.notes.empty());
  CHECK(beside.notes.front().message == "the model is that of `config.json` in the same folder");
}

TEST_CASE("an index of shards stands for the configuration beside it, and is nothing alone") {
  text::MemoryFileSystem files;
  const std::string index = "m/model.safetensors.index.json";
  files.files[index] =
      R"({"metadata": {"total_size": 1}, "weight_map": {"model.norm.weight": "model-00001-of-00002.safetensors"}})";
  const auto alone = formats::read_any(files, index);
  CHECK(alone.recognised);
  CHECK(alone.readings.empty());
  CHECK(alone.errors.empty());
  files.files["m/config.json"] = R"({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 4})";
  CHECK(formats::read_any(files, index).readings.size() == 1);
}
