// Values that a file states and only the run knows: named, never replaced by a default.
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using tests::run;
using tests::with;

namespace {

const std::string flags =
    "torchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \\\n"
    "  --seq-length 2048 --micro-batch-size 1 --vocab-size 50304";

// The lines of the report on `path` that begin with it, and that say what was predicted.
std::string report_lines(const text::FileSystem& files, std::vector<std::string> args) {
  args.insert(args.end(), {"--isolated", "--gpu", "a100", "--format", "concise", "--min-gain", "0.5",
                           "--min-severity", "info"});
  args.insert(args.begin(), "lint");
  return run(args, files).out;
}

bool is_priced(const text::FileSystem& files, std::vector<std::string> args) {
  args.insert(args.begin(), "roofline");
  args.insert(args.end(), {"--isolated", "--gpu", "a100"});
  return run(args, files).code == 0;
}

const std::string of_tensor = "a.sh:2:90: info: `tensor`: not known statically [SL911]\n";

// Why a value is not known: the label of the finding.
std::string reason(const text::FileSystem& files, const std::string& path) {
  const std::string out =
      run({"lint", path, "--isolated", "--gpu", "a100", "--select", "SL911", "--format", "json-lines"}, files)
          .out;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    const auto each = nlohmann::json::parse(line);
    if (each["type"] == "finding") return each["label"].get<std::string>();
  }
  return {};
}

}  // namespace

TEST_CASE("a degree that only the run knows is named, and nothing is predicted", "[formats][unresolved]") {
  const auto files = with({{"a.sh", flags + " --tensor-model-parallel-size $SLURM_GPUS_PER_NODE\n"}});
  CHECK(report_lines(files, {"a.sh"}) == of_tensor);
  CHECK(
      reason(files, "a.sh")
          .starts_with("the variable `SLURM_GPUS_PER_NODE` is not set in this file; set with `--tensor N`"));
  CHECK_FALSE(is_priced(files, {"a.sh"}));
  CHECK(run({"roofline", "a.sh", "--gpu", "a100"}, files).err.find("give `--tensor N`") != std::string::npos);
  const std::string text = run({"lint", "a.sh", "--isolated"}, files).out;
  CHECK(text.find("MFU") == std::string::npos);
  CHECK(text.find("these figures are for") == std::string::npos);
  CHECK(run({"show", "a.sh"}, files).out.find("heads_per_rank") == std::string::npos);
}

TEST_CASE("encoders have no decoding step", "[cli]") {
  const auto files =
      with({{"vit.json", R"({"model_type": "vit", "hidden_size": 768, "num_hidden_layers": 12,
                                           "num_attention_heads": 12, "intermediate_size": 3072})"},
            {"dit.json", R"({"_class_name": "DiTTransformer2DModel", "num_attention_heads": 16,
                                           "attention_head_dim": 72, "in_channels": 4, "num_layers": 28,
                                           "sample_size": 32, "patch_size": 2})"},
            {"bert.json", R"({"model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12,
                                           "num_attention_heads": 12, "intermediate_size": 3072,
                                           "vocab_size": 30522})"}});
  for (const std::string file : {"vit.json", "dit.json", "bert.json"}) {
    CHECK(is_priced(files, {file, "--mode", "prefill"}));
    CHECK_FALSE(is_priced(files, {file, "--mode", "decode"}));
    CHECK(run({"roofline", file, "--isolated", "--gpu", "a100", "--mode", "decode"}, files)
              .err.find("has no decoding step: it reads its input in one pass") != std::string::npos);
    CHECK(run({"plan", file, "--isolated", "--gpu", "a100", "--input-tokens", "8", "--output-tokens", "8"},
              files)
              .err.find("has no decoding step") != std::string::npos);
  }
}

TEST_CASE("a given value takes the place of the one that only the run knows", "[formats][unresolved]") {
  auto files = with({{"a.sh", flags + " --tensor-model-parallel-size $SLURM_GPUS_PER_NODE\n"}});
  CHECK(is_priced(files, {"a.sh", "--tensor", "4"}));
  CHECK(report_lines(files, {"a.sh", "--tensor", "4"}).find("SL911") == std::string::npos);
  files.files["shapelint.toml"] = "[[files]]\nmatch = \"*.sh\"\ntensor = 4\n";
  CHECK(run({"roofline", "a.sh", "--gpu", "a100"}, files).code == 0);
  CHECK(run({"lint", "a.sh", "--gpu", "a100"}, files).out.find("SL911") == std::string::npos);
}

TEST_CASE("what rests on no unknown value is still said", "[formats][unresolved]") {
  const auto files =
      with({{"a.sh",
             "torchrun pretrain_gpt.py --num-layers 32 --hidden-size 4100 --num-attention-heads 32 "
             "--seq-length $1 --micro-batch-size 1 --tensor-model-parallel-size 3\n"}});
  const std::string found = report_lines(files, {"a.sh"});
  CHECK(found.find("SL401") != std::string::npos);  // 32 heads of 4100
  CHECK(found.find("SL403") != std::string::npos);  // over 3 ranks
  CHECK(found.find("info: `sequence_length`") != std::string::npos);
  CHECK(found.find("SL501") == std::string::npos);
}

TEST_CASE("several unknown values of a file are one finding", "[formats][unresolved]") {
  const auto files =
      with({{"a.sh", flags + " --tensor-model-parallel-size $1 --pipeline-model-parallel-size $2\n"}});
  CHECK(report_lines(files, {"a.sh"}) ==
        "a.sh:2:90: info: `tensor`, `pipeline`: not known statically [SL911]\n");
  CHECK(reason(files, "a.sh") ==
        "`$1` is known only when the script runs, …; set with `--tensor N --pipeline N`");
}

TEST_CASE("many unknown values of a file have a title of one line", "[formats][unresolved]") {
  const auto files =
      with({{"a.sh",
             "torchrun pretrain_gpt.py --num-layers $1 --hidden-size $2 --num-attention-heads $3 "
             "--ffn-hidden-size $4 --seq-length $5 --micro-batch-size $6\n"}});
  const std::string found = report_lines(files, {"a.sh"});
  CHECK(found.find(" and 3 more: not known statically [SL911]") != std::string::npos);
  CHECK(found.size() <= 140);
  CHECK(reason(files, "a.sh") ==
        "`$2` is known only when the script runs, …; set with `--hidden-size N --num-layers N …`");
}

TEST_CASE("a base file that is not there leaves open what this file does not say", "[formats][unresolved]") {
  const std::string nemo =
      "trainer: {devices: 8}\nmodel:\n  encoder_seq_length: 2048\n  hidden_size: 4096\n  num_layers: 32\n  "
      "num_attention_heads: 32\n"
      "  ffn_hidden_size: 11008\n  micro_batch_size: 1\n";
  auto files = with({{"conf/a.yaml", "defaults:\n  - base\n  - _self_\n" + nemo}});
  CHECK(report_lines(files, {"conf/a.yaml"}).find("`tensor` and 1 more: not known statically") !=
        std::string::npos);
  CHECK(reason(files, "conf/a.yaml").starts_with("`base` is missing;"));
  CHECK_FALSE(is_priced(files, {"conf/a.yaml"}));
  // What stands elsewhere, and what may be absent, is nobody's size.
  for (const char* const harmless :
       {"  - override hydra/job_logging: stdout\n", "  - optional data: none\n"}) {
    files.files["conf/a.yaml"] = std::string("defaults:\n") + harmless + nemo;
    INFO(harmless);
    CHECK(is_priced(files, {"conf/a.yaml"}));
  }
  files.files["conf/a.yaml"] = "defaults:\n  - base\n" + nemo;
  files.files["conf/base.yaml"] = "model:\n  tensor_model_parallel_size: 2\n";
  CHECK(is_priced(files, {"conf/a.yaml"}));
}

TEST_CASE("a missing DeepSpeed JSON can only say what such a file says", "[formats][unresolved]") {
  const std::string start =
      "deepspeed pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
      "--num-attention-heads 32 --seq-length 2048 --deepspeed_config ds.json";
  CHECK(is_priced(with({{"a.sh", start + " --micro-batch-size 1\n"}}), {"a.sh"}));
  CHECK(report_lines(with({{"a.sh", start + "\n"}}), {"a.sh"})
            .find("info: `micro_batch_size`: not known statically") != std::string::npos);
}

TEST_CASE("flags may come from a sourced script", "[formats][unresolved]") {
  const std::string start =
      "torchrun pretrain_gpt.py $GPT_ARGS --num-layers 32 --hidden-size 4096 "
      "--num-attention-heads 32 --seq-length 2048 --vocab-size 50304\n";
  CHECK(reason(with({{"a.sh", "source env.sh\n" + start}}), "a.sh")
            .starts_with("the variable `GPT_ARGS` is not set in this file;"));
  CHECK_FALSE(is_priced(with({{"a.sh", "source env.sh\n" + start}}), {"a.sh"}));
  CHECK(is_priced(with({{"a.sh", start}}), {"a.sh"}));
}

TEST_CASE("heads that only the run knows are not asked for where no layer has attention",
          "[formats][unresolved]") {
  const std::string script =
      "torchrun pretrain_mamba.py --num-layers 4 --hidden-size 1024 --num-attention-heads 16 "
      "--group-query-attention --num-query-groups $1 --seq-length 2048 --micro-batch-size 1 --vocab-size "
      "50304 ";
  const auto files = with({{"mamba.sh", script + "--hybrid-override-pattern MMMM\n"},
                           {"hybrid.sh", script + "--hybrid-override-pattern MM*M\n"}});
  CHECK(report_lines(files, {"mamba.sh"}).find("SL911") == std::string::npos);
  CHECK(report_lines(files, {"hybrid.sh"}).find("`num_key_value_heads`: not known statically") !=
        std::string::npos);
}
