// What lies beside a configuration, the local cache of models, and what is never read.
#include <set>
#include <string>

#include "formats/read.hpp"
#include "model/fields.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;
using model::Origin;

namespace {

const char* const llama =
    R"({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256})";

const Origin& origin_of(const model::Reading& reading, std::string_view field) {
  return reading.origins[model::find_field(field)];
}

// Remembers what was opened.
class Watched final : public text::FileSystem {
 public:
  text::MemoryFileSystem inside;
  mutable std::set<std::string> opened;
  std::string working_directory() const override { return inside.working_directory(); }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
    opened.insert(path);
    return inside.read(path, max_bytes);
  }
  Result<bool> write(const std::string& path, std::string_view content) const override {
    return inside.write(path, content);
  }
  bool is_directory(const std::string& path) const override { return inside.is_directory(path); }
  bool exists(const std::string& path) const override { return inside.exists(path); }
  Result<std::vector<std::string>> list(const std::string& path) const override { return inside.list(path); }
};

}  // namespace

TEST_CASE("DeepSpeed's JSON says how the model beside it is run", "[formats]") {
  text::MemoryFileSystem files;
  files.files["m/ds_config.json"] =
      R"({"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8, "zero_optimization": {"stage": 3},
          "fp16": {"enabled": true}})";
  const auto alone = formats::read_any(files, "m/ds_config.json");
  CHECK(alone.dialect == "deepspeed");
  REQUIRE(alone.readings.size() == 1);
  CHECK_FALSE(alone.readings.front().complete);

  files.files["m/config.json"] = llama;
  const auto read = formats::read_any(files, "m/ds_config.json");
  REQUIRE(read.readings.size() == 1);
  const model::Reading& reading = read.readings.front();
  CHECK(reading.complete);
  CHECK(reading.setup.model.hidden_size == 2048);
  CHECK(origin_of(reading, "hidden_size").path == "m/config.json");
  CHECK(reading.setup.plan.micro_batch_size == 4);
  CHECK(origin_of(reading, "micro_batch_size").path == "m/ds_config.json");
  CHECK(reading.setup.plan.zero == 3);
  CHECK(reading.setup.plan.dtype == DType::fp16);

  // A model that is called like the neighbour of itself.
  files.files["d/config.json"] = files.files["m/ds_config.json"];
  CHECK_FALSE(formats::read_any(files, "d/config.json").readings.front().complete);
}

TEST_CASE("a launch script takes the batch of its DeepSpeed file", "[formats]") {
  text::MemoryFileSystem files;
  files.files["m/run.sh"] =
      "deepspeed pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length "
      "1024 "
      "--deepspeed_config ds.json\n";
  files.files["m/ds.json"] =
      R"({"train_micro_batch_size_per_gpu": 16, "zero_optimization": {"stage": 1}, "bf16": {"enabled": true}})";
  const auto read = formats::read_any(files, "m/run.sh");
  REQUIRE(read.readings.size() == 1);
  CHECK(read.readings.front().setup.plan.micro_batch_size == 16);
  CHECK(origin_of(read.readings.front(), "micro_batch_size").path == "m/ds.json");
  CHECK(read.readings.front().setup.plan.zero == 1);
}

TEST_CASE("a base model is looked for in the local cache before the table of known models", "[formats]") {
  text::MemoryFileSystem files;
  const std::string hub = "home/.cache/huggingface/hub";
  const std::string folder = hub + "/models--someone--their-model/";
  files.files[folder + "refs/main"] = "0123abcd";
  files.files[folder + "snapshots/0123abcd/config.json"] = llama;
  files.files[folder + "snapshots/ffff/config.json"] = "{}";
  files.files["lora.yml"] =
      "base_model: someone/their-model\ndatasets: [{path: x}]\nsequence_len: 4096\nmicro_batch_size: 2\n";
  formats::ReadOptions options;
  CHECK_FALSE(formats::read_any(files, "lora.yml", options).readings.front().complete);
  options.model_cache = hub;
  const auto read = formats::read_any(files, "lora.yml", options);
  REQUIRE(read.readings.size() == 1);
  const model::Reading& reading = read.readings.front();
  CHECK(reading.complete);
  CHECK(reading.setup.model.hidden_size == 2048);
  CHECK(reading.setup.model.num_key_value_heads == 8);
  CHECK(reading.setup.plan.sequence_length == 4096);
  CHECK(origin_of(reading, "hidden_size").kind == Origin::Kind::defaulted);
  CHECK(origin_of(reading, "hidden_size").note == "shape of someone/their-model in the local cache");

  // Names that would leave the cache are not looked for.
  for (const char* name : {"../../etc", "..", "a/../b", "/etc/passwd", "a/b/c", "a/.."}) {
    Watched watched;
    watched.inside.files = files.files;
    watched.inside.files["lora.yml"] = std::string("base_model: ") + name +
                                       "\ndatasets: [{path: x}]\nsequence_len: 4096\nmicro_batch_size: 2\n";
    formats::read_any(watched, "lora.yml", options);
    CAPTURE(name);
    CHECK(watched.opened == std::set<std::string>{"lora.yml"});
  }
}

TEST_CASE("a model that is named by a folder of the repository is the one of its config.json", "[formats]") {
  const auto named = [](const std::string& name) {
    Watched files;
    files.inside.files["repo/.git/HEAD"] = "";
    files.inside.files["repo/models/own/config.json"] = llama;
    files.inside.files["repo/gpt2/config.json"] = llama;
    files.inside.files["outside/config.json"] = llama;
    files.inside.files["repo/conf/lora.yml"] =
        "base_model: " + name + "\ndatasets: [{path: x}]\nsequence_len: 4096\nmicro_batch_size: 2\n";
    const auto read = formats::read_any(files, "repo/conf/lora.yml");
    REQUIRE(read.readings.size() == 1);
    CHECK_FALSE(files.opened.contains("outside/config.json"));
    return origin_of(read.readings.front(), "hidden_size").note;
  };
  const std::string own = "shape of repo/models/own/config.json";
  CHECK(named("../models/own") == own);
  CHECK(named("models/own") == own);           // where the program is started
  CHECK(named("/srv/run/models/own") == own);  // in somebody's container
  // A folder goes before the published model of its name, as for transformers.
  CHECK(named("gpt2") == "shape of repo/gpt2/config.json");
  CHECK(named("gpt2-xl") == "shape of openai-community/gpt2-xl");
  for (const char* name : {"../../outside", "/outside", "models", "models/none", "$MODELS/own"}) {
    CAPTURE(name);
    CHECK_FALSE(named(name).starts_with("shape of"));
  }
}

TEST_CASE("a folder's model that names itself as its base ends", "[formats]") {
  text::MemoryFileSystem files;
  files.files["m/config.json"] =
      R"({"base_model_name_or_path": ".", "peft_type": "LORA", "r": 8, "target_modules": ["q_proj"]})";
  files.files["m/adapter_config.json"] = files.files["m/config.json"];
  CHECK(formats::read_any(files, "m/adapter_config.json").recognised);
}

TEST_CASE("nothing outside the repository of the named file is opened", "[formats]") {
  Watched files;
  files.inside.files["outside/base.yaml"] = "ffn_hidden_size: 1\n";
  files.inside.files["outside/.git/HEAD"] = "";
  files.inside.files["repo/.git/HEAD"] = "";
  const std::string sizes = "num_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\nseq_length: 8\n";
  files.inside.files["repo/conf/a.yaml"] = "extends: [../../outside/base.yaml]\n" + sizes;
  files.inside.files["repo/conf/b.yaml"] = "extends: [/outside/base.yaml]\n" + sizes;
  files.inside.files["repo/conf/c.yaml"] =
      "extends: [a.yaml]\n" + sizes + "more: !include ../../outside/base.yaml\n";
  files.inside.files["repo/conf/d.yaml"] = "defaults:\n- ../../outside/base\n" + sizes;
  for (const char* name : {"a", "b", "c", "d"}) {
    formats::read_any(files, std::string("repo/conf/") + name + ".yaml");
  }
  CHECK_FALSE(files.opened.empty());
  for (const std::string& path : files.opened) {
    CAPTURE(path);
    CHECK(path.starts_with("repo/"));
  }
}

TEST_CASE("an endless chain of files ends with a note", "[formats]") {
  text::MemoryFileSystem files;
  files.files["repo/.git/HEAD"] = "";
  for (int i = 0; i < 40; ++i) {
    files.files["repo/" + std::to_string(i) + ".yaml"] =
        "extends: [" + std::to_string(i + 1) +
        ".yaml]\nnum_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\n";
  }
  const auto read = formats::read_any(files, "repo/0.yaml");
  REQUIRE(read.readings.size() == 1);
  REQUIRE_FALSE(read.readings.front().notes.empty());
  bool said = false;
  for (const model::Note& note : read.readings.front().notes) {
    said = said || note.message.find("levels of inheritance") != std::string::npos;
  }
  CHECK(said);
}

TEST_CASE("hybrids: attention and MLPs are counted by layer, the other layers are told", "[formats]") {
  text::MemoryFileSystem files;
  const auto read = [&](const std::string& path, const std::string& text) {
    files.files[path] = text;
    const auto result = formats::read_any(files, path);
    REQUIRE(result.readings.size() == 1);
    return result.readings.front();
  };
  const model::Reading nemotron = read(
      "config.json",
      R"({"model_type": "nemotron_h", "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 8,
          "num_attention_heads": 32, "num_key_value_heads": 8, "hybrid_override_pattern": "M-M-M*M-"})");
  CHECK(nemotron.complete);
  CHECK(nemotron.setup.model.layers_without_attention == 7);
  CHECK(nemotron.setup.model.layers_without_mlp == 5);
  CHECK(nemotron.setup.model.mixers[0].kind == model::MixerKind::mamba2);
  CHECK(nemotron.setup.model.mixers[0].layers == 4);

  const model::Reading jamba =
      read("config.json", R"({"model_type": "jamba", "hidden_size": 4096, "num_hidden_layers": 32,
                         "attn_layer_period": 8, "attn_layer_offset": 4})");
  CHECK(jamba.setup.model.layers_without_attention == 28);
  CHECK(jamba.setup.model.layers_without_mlp == 0);

  const model::Reading next = read("config.json", R"({"model_type": "qwen3_next", "hidden_size": 2048,
      "num_hidden_layers": 48, "full_attention_interval": 4, "moe_intermediate_size": 512, "num_experts": 512})");
  CHECK(next.setup.model.layers_without_attention == 36);

  const model::Reading script = read(
      "run.sh",
      "python pretrain_mamba.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 "
      "--hybrid-override-pattern M-M-M*M- --micro-batch-size 1\n");
  CHECK(script.setup.model.layers_without_attention == 7);
  CHECK(script.setup.model.layers_without_mlp == 5);

  // Without attention no heads are needed.
  const model::Reading mamba =
      read("config.json", R"({"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 64})");
  CHECK(mamba.complete);
  CHECK(mamba.setup.model.mixers[0].kind == model::MixerKind::mamba2);
  CHECK(mamba.setup.model.mixers[0].layers == 64);
  CHECK(mamba.setup.model.layers_without_attention == 64);
  CHECK(mamba.setup.model.layers_without_mlp == 64);
  CHECK_FALSE(model::is_known(mamba, model::FieldId::num_attention_heads));
  CHECK_FALSE(model::is_known(mamba, model::FieldId::intermediate_size));
}

TEST_CASE("the model that a command names goes before a config.json beside it", "[formats]") {
  const std::string beside =
      R"({"model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 32,
          "num_key_value_heads": 8, "intermediate_size": 12288, "vocab_size": 151936})";
  const auto width = [&](const std::string& command) {
    text::MemoryFileSystem files;
    files.files["m/serve.sh"] = command + "\n";
    files.files["m/config.json"] = beside;
    return formats::read_any(files, "m/serve.sh").readings.at(0).setup.model.hidden_size;
  };
  CHECK(width("vllm serve Qwen/Qwen2.5-7B-Instruct -tp 2") == 3584);
  CHECK(width("vllm serve someone/unknown -tp 2") == 4096);
  CHECK(width("vllm serve . -tp 2") == 4096);
  CHECK(width("vllm serve --tensor-parallel-size 2 --max-model-len 8192") == 4096);
}
