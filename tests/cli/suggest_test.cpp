// `shapelint suggest` and `sweep` as command lines.
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;
using Json = nlohmann::json;

namespace {

text::MemoryFileSystem files_of(const std::vector<std::string>& paths) {
  text::MemoryFileSystem files;
  for (const std::string& path : paths) files.files[path] = tests::read_source_file(path);
  return files;
}

Json json_of(const tests::Ran& ran) {
  INFO(ran.err);
  REQUIRE(ran.code != 2);
  return Json::parse(ran.out);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a suggestion that is applied lints with the step time that was predicted, to the last digit",
          "[suggest][cli]") {
  for (const std::string name :
       {"gpt3-2.7b", "pythia-410m", "llama-3-8b", "falcon-7b", "mixtral-8x7b", "bert-large"}) {
    const std::string path = "examples/" + name + ".toml";
    INFO(path);
    const text::MemoryFileSystem files = files_of({path});
    const std::vector<std::string> command{"suggest", path, "--gpu", "a100,h100", "--basket", "mean"};
    std::vector<std::string> as_json = command;
    as_json.insert(as_json.end(), {"--format", "json"});
    const Json answer = json_of(tests::run(as_json, files));
    REQUIRE(answer["complete"] == true);
    for (std::size_t i = 0; i < answer["suggestions"].size(); ++i) {
      const Json& suggestion = answer["suggestions"][i];
      CHECK(suggestion["gain"].get<double>() > 0);
      std::vector<std::string> apply = command;
      apply.insert(apply.end(), {"--apply", std::to_string(i + 1), "-o", "new.toml"});
      const tests::Ran applied = tests::run(apply, files);
      INFO(applied.err);
      REQUIRE(applied.code == 0);
      const Json linted =
          json_of(tests::run({"new.toml", "--gpu", "a100,h100", "--format", "json", "--exit-zero"}, files));
      for (std::size_t gpu = 0; gpu < 2; ++gpu) {
        CHECK(linted["steps"][gpu]["step_us"].get<double>() ==
              suggestion["by_gpu"][gpu]["step_us"].get<double>());
      }
      // Comments and layout stay.
      CHECK(files.files["new.toml"].find(files.files[path].substr(0, files.files[path].find('\n'))) == 0);
    }
  }
}

TEST_CASE("GPT-3 2.7B on an A100: 20 heads and a vocabulary of 50304 are among the first five",
          "[suggest][cli]") {
  const text::MemoryFileSystem files = files_of({"examples/gpt3-2.7b.toml"});
  const Json answer = json_of(tests::run(
      {"suggest", "examples/gpt3-2.7b.toml", "--gpu", "a100", "--params", "1%", "--format", "json"}, files));
  const Json wanted = Json::parse(R"([{"field": "num_attention_heads", "before": 32, "after": 20},
                                      {"field": "vocab_size", "before": 50257, "after": 50304}])");
  std::size_t rank = 0;
  while (rank < answer["suggestions"].size() && answer["suggestions"][rank]["changes"] != wanted) ++rank;
  REQUIRE(rank < 5);
  // The gain by cause: the odd vocabulary, the softmax over 32 heads' scores, tiles of 80 columns.
  double alignment = 0;
  double softmax = 0;
  double scores = 0;
  for (const Json& cause : answer["suggestions"][rank]["by_gpu"][0]["causes"]) {
    const std::string op = cause["operation"];
    if (op == "head.logits" && cause["effect"] == "alignment") alignment += cause["share"].get<double>();
    if (op == "layer.attention.softmax") softmax += cause["share"].get<double>();
    if (op == "layer.attention.scores" || op == "layer.attention.values")
      scores += cause["share"].get<double>();
  }
  CHECK(alignment > 0.02);
  CHECK(softmax > 0.02);
  CHECK(scores > 0.02);
}

TEST_CASE("the answer does not depend on the number of threads", "[suggest][cli]") {
  const text::MemoryFileSystem files = files_of({"examples/pythia-410m.toml"});
  const auto answer = [&](const char* threads) {
    return tests::run(
        {"suggest", "examples/pythia-410m.toml", "--gpu", "a100", "--format", "json", "--threads", threads},
        files);
  };
  const tests::Ran one = answer("1");
  REQUIRE(one.code == 0);
  CHECK(answer("2").out == one.out);
  CHECK(answer("3").out == one.out);
}

TEST_CASE("a suggestion changes the file only where it is told to", "[suggest][cli]") {
  const std::string path = "examples/gpt3-2.7b.toml";
  const text::MemoryFileSystem files = files_of({path});
  const std::string before = files.files[path];
  const std::vector<std::string> command{"suggest", path, "--gpu", "a100", "--vary", "vocab_size"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return tests::run(more, files);
  };
  const std::string changed = [&] {
    std::string text = before;
    text.replace(text.find("50257"), 5, "50304");
    return text;
  }();
  CHECK(with({"--apply", "1"}).out == changed);
  CHECK(files.files[path] == before);
  CHECK(with({"--apply", "1", "-o", path}).code == 2);
  CHECK(with({"--diff"}).out.find("-vocab_size = 50257\n+vocab_size = 50304\n") != std::string::npos);
  CHECK(files.files[path] == before);
  CHECK(with({"--apply", "1", "--write"}).code == 0);
  CHECK(files.files[path] == changed);
}

TEST_CASE("a suggestion changes what a value is worked out from, as --fix does", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["olmo.yaml"] = R"(model:
  d_model: 1024
  n_heads: 16
  n_layers: 8
  mlp_hidden_size: 10900  # both branches
  vocab_size: 50280
  max_sequence_length: 2048
device_train_microbatch_size: 4
)";
  const tests::Ran ran = tests::run({"suggest", "olmo.yaml", "--gpu", "a100", "--vary", "intermediate_size",
                                     "--range", "intermediate_size=5504", "--apply", "1", "--write"},
                                    files);
  CHECK(ran.err ==
        "note: olmo.yaml: intermediate_size 5450 → 5504 by `model.mlp_hidden_size` 10900 → 11008\n");
  CHECK(ran.code == 0);
  CHECK(files.files["olmo.yaml"].find("  mlp_hidden_size: 11008  # both branches\n") != std::string::npos);
}

TEST_CASE("a suggestion keeps the sequences of a step that the file states", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["train.sh"] =
      "torchrun --nproc_per_node 1 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads "
      "12 "
      "--seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 "
      "--train-iters 1000 --lr 1e-4 --bf16\n";
  const auto with = [&](const std::string& micro_batch) {
    return tests::run({"suggest", "train.sh", "--gpu", "a100", "--vary", "micro_batch_size", "--range",
                       "micro_batch_size=" + micro_batch, "--apply", "1"},
                      files);
  };
  const tests::Ran four = with("4");
  CHECK(four.err == "note: train.sh: gradient_accumulation 8 → 2 keeps the sequences of a step\n");
  CHECK(four.out.find("--micro-batch-size 4 --global-batch-size 8 ") != std::string::npos);
  CHECK(with("3").code == 2);  // no whole number of micro-batches
}

// litgpt/args.py, TrainArgs.gradient_accumulation_iters: 6 sequences are no whole number of micro-batches
// of 4.
TEST_CASE("micro-batches that are suggested make up the sequences of a step", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["lora.yaml"] =
      "checkpoint_dir: checkpoints/google/gemma-7b\nout_dir: out\nprecision: bf16-true\ndevices: 1\nlora_r: "
      "8\n"
      "lora_query: true\ntrain: { micro_batch_size: 1, global_batch_size: 6, max_seq_length: 512 }\n";
  const tests::Ran ran = tests::run({"suggest", "lora.yaml", "--gpu", "h100", "--apply", "1"}, files);
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out.find("micro_batch_size: 3, global_batch_size: 6") != std::string::npos);
}

// open_clip, src/open_clip/transformer.py: int(d_model * mlp_ratio).
TEST_CASE("a suggestion changes the ratio that a width is stated by", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["ViT-B-32.json"] =
      "{\"embed_dim\": 512, \"text_cfg\": {\"vocab_size\": 49408, \"width\": 512, \"heads\": 8, \"layers\": "
      "12, "
      "\"mlp_ratio\": 2.6666667}}\n";
  const tests::Ran ran =
      tests::run({"suggest", "ViT-B-32.json", "--gpu", "h100", "--vary", "intermediate_size", "--range",
                  "intermediate_size=1408", "--apply", "1"},
                 files);
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out.find("\"mlp_ratio\": 2.75}") != std::string::npos);
}

TEST_CASE("a suggestion says which other file states a value", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["base.yml"] =
      "base_emb_dim: 2048\nbase_num_query_heads: 16\nbase_num_kv_heads: 16\n"
      "base_mlp_dim: 8192\nbase_num_decoder_layers: 8\nhead_dim: 128\n"
      "vocab_size: 50257\nmax_target_length: 2048\n";
  files.files["run.yml"] = "base_config: base.yml\nper_device_batch_size: 4\nremat_policy: full\n";
  const tests::Ran ran =
      tests::run({"suggest", "run.yml", "--gpu", "a100", "--vary", "vocab_size", "--apply", "1"}, files);
  CHECK(ran.code == 2);
  CHECK(ran.err == "error: run.yml: `vocab_size` is stated in base.yml: change it to 50304 there\n");
}

// transformers, models/bloom/modeling_bloom.py, BloomMLP: 4 * hidden_size, whatever the file says.
TEST_CASE("a width that no key of the file's framework sets is not said to be added", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["config.json"] =
      "{\"model_type\": \"bloom\", \"hidden_size\": 4100, \"n_layer\": 30, \"n_head\": 41, "
      "\"vocab_size\": 250880, \"seq_length\": 2048}\n";
  const tests::Ran ran = tests::run({"suggest", "config.json", "--gpu", "a100", "--range",
                                     "intermediate_size=14000:24000:512", "--params", "60%", "--apply", "1"},
                                    files);
  CHECK(ran.code == 2);
  CHECK(ran.err ==
        "error: config.json: no key of the file sets `intermediate_size` alone (4 * hidden_size)\n");
}

// NeVA: the vision encoder is a model of the Hub that the file only names.
TEST_CASE("of several models the first that is whole is searched", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["neva.yaml"] =
      "trainer:\n  devices: 8\n  num_nodes: 1\nexp_manager: {}\nmodel:\n  micro_batch_size: 4\n"
      "  global_batch_size: 128\n  tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: 1\n"
      "  mm_cfg:\n    llm: { from_pretrained: null, freeze: false }\n"
      "    vision_encoder: { from_pretrained: openai/clip-vit-large-patch14, from_hf: true, patch_dim: 14, "
      "crop_size: [224, 224], hidden_size: 1024, freeze: true }\n"
      "  encoder_seq_length: 4096\n  num_layers: 32\n  hidden_size: 4096\n  ffn_hidden_size: 14336\n"
      "  num_attention_heads: 32\n  activation: fast-swiglu\n  normalization: rmsnorm\n";
  const tests::Ran ran = tests::run({"suggest", "neva.yaml", "--gpu", "h100", "--top", "1"}, files);
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.err.find("`vision` is used") == std::string::npos);
  CHECK(ran.err.find("(vision, ") != std::string::npos);
}

// open_lm, open_lm/model.py, Block: 256 * ((int(2 * 4 * dim / 3) + 255) // 256) or 4 * dim, by ffn_type.
TEST_CASE("a width that is worked out either way is no key's", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["open_lm_154m.json"] =
      "{\"hidden_dim\": 576, \"n_layers\": 24, \"n_heads\": 8, \"seq_len\": 2048, \"vocab_size\": 50432, "
      "\"post_embed_norm\": false, \"weight_tying\": false}\n";
  const tests::Ran ran = tests::run({"suggest", "open_lm_154m.json", "--gpu", "h100", "--apply", "1"}, files);
  INFO(ran.err);
  CHECK(ran.err.find("intermediate_size") == std::string::npos);
}

// As configs/1-3B.yml of GPT-NeoX is written, which states no intermediate_size.
TEST_CASE("a key that is added to YAML between brackets gets its comma", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["1-3B.yml"] =
      "# GPT-2 pretraining setup\n{\n   \"pipe_parallel_size\": 1,\n   \"model_parallel_size\": 1,\n\n"
      "   # model settings\n   \"num_layers\": 24,\n   \"hidden_size\": 2048,\n   \"num_attention_heads\": "
      "16,\n"
      "   \"seq_length\": 2048,\n   \"max_position_embeddings\": 2048,\n   \"pos_emb\": \"rotary\",\n"
      "   \"train_micro_batch_size_per_gpu\": 4,\n   \"precision\": \"fp16\",\n}\n";
  const tests::Ran ran = tests::run({"suggest", "1-3B.yml", "--gpu", "h100", "--range",
                                     "intermediate_size=10240", "--params", "60%", "--apply", "1"},
                                    files);
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out.find("\"intermediate_size\": 10240,\n") != std::string::npos);
}

TEST_CASE("the shards of a sweep are the whole sweep", "[sweep][cli]") {
  const text::MemoryFileSystem files = files_of({"examples/gpt3-2.7b.toml"});
  const auto sweep = [&](const std::string& shard) {
    const tests::Ran ran =
        tests::run({"sweep", "examples/gpt3-2.7b.toml", "--over", "hidden_size=2496:2624:16", "--over",
                    "tensor=1,2,3", "--gpu", "a100,h100", "--shard", shard},
                   files);
    REQUIRE(ran.code == 0);
    return ran.out;
  };
  const std::string whole = sweep("1/1");
  CHECK(lines_of(whole).size() == 1 + 9 * 3 * 2);
  for (const int count : {2, 5, 27, 40}) {
    std::string parts;
    for (int i = 1; i <= count; ++i) parts += sweep(std::to_string(i) + "/" + std::to_string(count));
    CHECK(parts == whole);
  }
}

TEST_CASE("a row of a sweep is what lint says of that model", "[sweep][cli]") {
  const text::MemoryFileSystem files = files_of({"examples/gpt3-2.7b.toml"});
  const tests::Ran ran = tests::run(
      {"sweep", "examples/gpt3-2.7b.toml", "--over", "vocab_size=50304,50305", "--gpu", "a100"}, files);
  const auto rows = lines_of(ran.out);
  REQUIRE(rows.size() == 3);
  const Json linted = json_of(tests::run({"examples/gpt3-2.7b.toml", "--vocab-size", "50305", "--gpu", "a100",
                                          "--format", "json", "--exit-zero"},
                                         files));
  // JSON has nine digits of it.
  const double step_us = linted["steps"][0]["step_us"];
  std::istringstream cells(rows[2]);
  bool is_there = false;
  for (std::string cell; std::getline(cells, cell, ',');)
    is_there = is_there || std::abs(std::strtod(cell.c_str(), nullptr) - step_us) < 1e-8 * step_us;
  CHECK(is_there);
}

TEST_CASE("the sizes of the second of two kinds of layers are varied, and written into its table",
          "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["two.toml"] = R"([model]
hidden_size = 2048
num_layers = 24
num_attention_heads = 16
intermediate_size = 8192
mlp_gated = true
vocab_size = 50304
layers = "1 delta_net, 2 mamba2, 1 attention"
[model.mixer]
kind = "delta_net"
num_key_heads = 16
num_value_heads = 16
key_head_dim = 128
value_head_dim = 128
[model.second_mixer]
kind = "mamba2"
num_key_heads = 8
num_value_heads = 64
key_head_dim = 128
value_head_dim = 64
[run]
micro_batch_size = 4
sequence_length = 4096
)";
  const std::vector<std::string> command{
      "suggest", "two.toml", "--gpu", "h100", "--vary", "second_mixer_value_heads,second_mixer_value_dim"};
  std::vector<std::string> as_json = command;
  as_json.insert(as_json.end(), {"--format", "json"});
  const Json answer = json_of(tests::run(as_json, files));
  REQUIRE(answer["suggestions"].size() == 1);
  std::vector<std::string> apply = command;
  apply.insert(apply.end(), {"--apply", "1", "-o", "new.toml"});
  REQUIRE(tests::run(apply, files).code == 0);
  const std::string& written = files.files["new.toml"];
  CHECK(written.find("num_value_heads = 32\nkey_head_dim = 128\nvalue_head_dim = 128\n[run]") !=
        std::string::npos);
  CHECK(
      written.find("num_value_heads = 16\nkey_head_dim = 128\nvalue_head_dim = 128\n[model.second_mixer]") !=
      std::string::npos);
}

// Megatron-LM, transformer_config.py: num_attention_heads must be a multiple of num_query_groups, and those
// of the tensor-parallel size; there are no query heads per KV head to keep then.
TEST_CASE("the search leaves KV heads that do not divide the query heads", "[suggest][cli]") {
  text::MemoryFileSystem files;
  files.files["train.sh"] =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 36 --hidden-size 4096 --num-attention-heads "
      "32 "
      "--group-query-attention --num-query-groups 6 --ffn-hidden-size 12288 --swiglu --seq-length 4096 "
      "--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 "
      "--tensor-model-parallel-size 8 --bf16 --vocab-size 50304\n";
  const Json answer =
      json_of(tests::run({"suggest", "train.sh", "--gpu", "h100", "--format", "json", "--top", "1"}, files));
  REQUIRE(answer["suggestions"].size() == 1);
  const std::string changes = answer["suggestions"][0]["changes"].dump();
  CHECK(changes.find(R"("num_key_value_heads")") != std::string::npos);
}
