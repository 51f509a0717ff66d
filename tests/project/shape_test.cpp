// Which models are taken to be trained.
#include "project/applied.hpp"

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;

namespace {

const std::string llama = "tests/formats/fixtures/huggingface/llama-3-8b/config.json";

// As Llama 3 8B, and narrower.
constexpr const char* own_config = R"({"model_type": "llama", "hidden_size": 4000, "num_hidden_layers": 30,
 "num_attention_heads": 40, "num_key_value_heads": 8, "intermediate_size": 14000, "vocab_size": 128256})";

std::string told(const text::MemoryFileSystem& files, const std::string& path,
                 std::vector<std::string> more = {}) {
  std::vector<std::string> command{path, "--gpu", "a100", "--exit-zero"};
  command.insert(command.end(), more.begin(), more.end());
  const tests::Ran ran = tests::run(command, files);
  INFO(ran.err);
  CHECK(ran.code == 0);
  const auto from = ran.out.find("  shape fixed: ");
  if (from == std::string::npos) return {};
  std::string line = ran.out.substr(from + 2, ran.out.find(')', from) - from - 1);
  for (auto at = line.find("\n    "); at != std::string::npos; at = line.find("\n    "))
    line.replace(at, 5, " ");
  return line;
}

text::MemoryFileSystem with(const std::string& path, const std::string& content) {
  text::MemoryFileSystem files;
  files.files[path] = content;
  return files;
}

const std::string how = " (`--shape free` proposes other sizes)";

}  // namespace

TEST_CASE("a published model's shape is fixed, a model to train is free", "[project][cli]") {
  CHECK(told(with("config.json", tests::read_source_file(llama)), "config.json") ==
        "shape fixed: the published shape of Llama 3 8B" + how);
  CHECK(told(with("config.json", own_config), "config.json").empty());
  CHECK(told(with("llama.json", tests::read_source_file(llama)), "llama.json").empty());
  for (const std::string path : {"examples/gpt3-2.7b.toml", "examples/llama-3-8b.toml"})
    CHECK(told(with(path, tests::read_source_file(path)), path).empty());
}

TEST_CASE("weights beside a config.json fix its shape", "[project][cli]") {
  text::MemoryFileSystem files = with("m/config.json", own_config);
  files.files["m/train.bin"] = "tokens";
  CHECK(told(files, "m/config.json").empty());
  files.files["m/model-00001-of-00002.safetensors"] = "weights";
  CHECK(told(files, "m/config.json") == "shape fixed: weights are in the same folder" + how);
  CHECK(told(files, "m/config.json", {"--shape", "free"}).empty());
  files.files["shapelint.toml"] = "shape = \"free\"\n";
  CHECK(told(files, "m/config.json").empty());
}

TEST_CASE("what is served is trained", "[project][cli]") {
  const std::string path = "examples/llama-3-8b.toml";
  const text::MemoryFileSystem files = with(path, tests::read_source_file(path));
  CHECK(told(files, path, {"--mode", "prefill"}) == "shape fixed: the model is served, not trained" + how);
  CHECK(told(files, path, {"--mode", "prefill", "--shape", "free"}).empty());
}

TEST_CASE("a fixed shape keeps its heads and widths, and may be batched, split and padded",
          "[project][suggest][cli]") {
  text::MemoryFileSystem files = with("m/config.json", own_config);
  files.files["m/model.safetensors"] = "weights";
  const auto fields = [&](const std::string& shape) {
    const tests::Ran ran = tests::run({"suggest", "m/config.json", "--gpu", "a100", "--sequence-length",
                                       "512", "--shape", shape, "--any-memory", "--format", "csv"},
                                      files);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return ran.out.substr(0, ran.out.find('\n'));
  };
  CHECK(fields("fixed").find("hidden_size") == std::string::npos);
  CHECK(fields("fixed").find("intermediate_size") == std::string::npos);
  CHECK(fields("fixed").find("micro_batch_size") != std::string::npos);
  CHECK(fields("padding").find("intermediate_size") != std::string::npos);
  CHECK(fields("padding").find("hidden_size") == std::string::npos);
  CHECK(fields("free").find("hidden_size") != std::string::npos);
  const tests::Ran linted = tests::run({"m/config.json", "--gpu", "a100", "--exit-zero", "-q"}, files);
  CHECK(linted.out.find("hidden_size:") == std::string::npos);
  CHECK(linted.out.find("num_attention_heads:") == std::string::npos);
}

TEST_CASE("what adapters are trained on, and what a framework names, is fixed", "[project][cli]") {
  const std::string lora =
      "base_model: NousResearch/Llama-2-7b-hf\ndatasets: [{path: x}]\nmicro_batch_size: 2\nadapter: lora\n";
  CHECK(told(with("lora.yml", lora), "lora.yml") ==
        "shape fixed: the base model of LoRA adapters is fixed" + how);
  text::MemoryFileSystem files;
  files.files["configs/models/llama9.yml"] =
      "base_emb_dim: 4096\nbase_num_query_heads: 32\nbase_num_kv_heads: 32\nbase_mlp_dim: 11000\n"
      "base_num_decoder_layers: 30\nhead_dim: 128\nvocab_size: 32000\n";
  const std::string run = "model_name: llama9\nper_device_batch_size: 4\nmax_target_length: 2048\n";
  files.files["configs/run.yml"] = run;
  files.files["configs/own.yml"] = run + "override_model_config: true\nbase_mlp_dim: 11008\n";
  CHECK(told(files, "configs/run.yml") == "shape fixed: the file names a published model" + how);
  CHECK(told(files, "configs/own.yml").empty());
}

TEST_CASE("sizes that a name stands for, and weights that training starts from, are fixed",
          "[project][cli]") {
  CHECK(told(with("xl2.py", "image_size = 512\nmodel = \"PixArtMS_XL_2\"\ntrain_batch_size = 12\n"),
             "xl2.py") == "shape fixed: the file names a published model" + how);
  CHECK(told(with("m/org--name_config.json", own_config), "m/org--name_config.json") ==
        "shape fixed: the published shape of org/name" + how);
  const std::string bert =
      "torchrun --nproc_per_node 1 pretrain_bert.py --num-layers 24 --hidden-size 1024 --num-attention-heads "
      "16 "
      "--seq-length 512 --max-position-embeddings 512 --micro-batch-size 8 --bf16 ";
  CHECK(told(with("train.sh", bert + "\n"), "train.sh").empty());
  CHECK(told(with("train.sh", bert + "--pretrained-checkpoint checkpoints/bert\n"), "train.sh") ==
        "shape fixed: it starts from trained weights" + how);
}
