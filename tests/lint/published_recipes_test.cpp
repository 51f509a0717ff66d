// What is said of recipes that frameworks publish as running.
#include <set>
#include <string>

#include "lint/run.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

std::set<std::string> codes_of(const std::string& path, const std::string& text) {
  text::MemoryFileSystem files;
  files.files[path] = text;
  project::Request request;
  request.gpus.names = {"h100"};
  request.min_severity = rules::Severity::info;
  lint::RunRequest run;
  run.paths = {path};
  const project::Project project(request, files);
  const lint::RunOutcome out = lint::lint_files(run, project);
  CHECK(out.report.models.size() == 1);
  std::set<std::string> codes;
  for (const lint::ModelReport& model : out.report.models) {
    for (const rules::Finding& finding : model.result.findings) codes.emplace(finding.code);
  }
  return codes;
}

}  // namespace

// axolotl, examples/gemma4/README.md (067f987): FlashAttention-2 cannot serve Gemma 4's heads of 512 on its
// own; SDPA and flex attention do, and `gemma4_hybrid_attn_impl` gives those layers to SDPA.
TEST_CASE("only a kernel that the file names can reject wide heads", "[lint]") {
  const std::string axolotl =
      "base_model: google/gemma-4-31B\ndatasets: [{path: a, type: b}]\nsequence_len: 2048\nmicro_batch_size: "
      "1\n"
      "adapter: qlora\nlora_r: 16\nload_in_4bit: true\nattn_implementation: ";
  const std::string factory =
      "model_name_or_path: google/gemma-4-31B\nstage: sft\nfinetuning_type: lora\ncutoff_len: 2048\n"
      "per_device_train_batch_size: 1\nbf16: true\nflash_attn: ";
  const std::string config =
      R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
          "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 512, "vocab_size": 32000,
          "_attn_implementation": )";
  CHECK(codes_of("axolotl.yaml", axolotl + "flash_attention_2\n").count("SL602") == 1);
  CHECK(codes_of("train.yaml", factory + "fa2\n").count("SL602") == 1);
  CHECK(codes_of("config.json", config + R"("flash_attention_2"})").count("SL602") == 1);
  for (const char* chooses : {"sdpa", "flex_attention", "flash_attention_2\ngemma4_hybrid_attn_impl: true"}) {
    INFO(chooses);
    CHECK(codes_of("axolotl.yaml", axolotl + chooses + "\n").count("SL602") == 0);
  }
  CHECK(codes_of("train.yaml", factory + "sdpa\n").count("SL602") == 0);
  CHECK(codes_of("train.yaml", factory + "auto\n").count("SL602") == 0);
  CHECK(codes_of("config.json", config + R"("sdpa"})").count("SL602") == 0);
  CHECK(codes_of("config.json", config + R"("sdpa"})").count("SL610") == 1);
}

// ms-swift, examples/models/gemma4/gemma4_unified.sh (3602360): 65 GiB on each of four GPUs, as it says.
// Without packing a batch is padded to its own longest text.
TEST_CASE("Megatron-SWIFT's max_length is a limit unless sequences are packed", "[lint]") {
  const std::string run =
      "NPROC_PER_NODE=4 megatron sft --model google/gemma-4-12B-it --dataset a --tuner_type full "
      "--tensor_model_parallel_size 4 --micro_batch_size 16 --global_batch_size 16 --recompute_granularity "
      "full "
      "--recompute_method uniform --recompute_num_layers 1 --cross_entropy_loss_fusion true --max_length "
      "4096 "
      "--sequence_parallel true --attention_backend unfused";
  CHECK(codes_of("run.sh", run + " --padding_free false\n").count("SL510") == 0);
  CHECK(codes_of("run.sh", run + " --padding_free false\n").count("SL514") == 1);
  CHECK(codes_of("run.sh", run + " --packing true\n").count("SL510") == 1);
}
