// What a shape that comes without a job can be used for.
#include <string>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using tests::run;

namespace {

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a published model is answered for training and for serving", "[lint][jobs]") {
  // 16 bytes of states for each of 8.19 B parameters (Rajbhandari et al., arXiv 1910.02054, section 3.1) are
  // 131 GB: two H100 hold them with the inputs of 36 layers, 1.2 GB, and the logits, and not with all
  // activations.
  const std::string small = run({"Qwen/Qwen3-8B", "--gpu", "h100"}).out;
  CHECK(says(small, "\n  training  2 x h100-sxm5 ("));
  CHECK(says(small, "full recomputation"));
  CHECK(says(small, "1,024 sequences of 4,096 tokens per step"));
  const std::string kept = run({"Qwen/Qwen3-8B", "--gpu", "h100", "--recompute", "none"}).out;
  CHECK(says(kept, "\n  training  4 x h100-sxm5 ("));
  CHECK(says(small, "\n  serving   1 x h100-sxm5 (TP 1)"));
  CHECK_FALSE(says(small, "MFU"));
  // 671 GB of fp8 weights take two nodes of eight H100 (deepseek-ai/DeepSeek-V3, README, section 6; SGLang,
  // "2 x 8 x H100").
  const std::string large = run({"deepseek-ai/DeepSeek-V3.2", "--gpu", "h100"}).out;
  CHECK(says(large, "\n  serving   16 x h100-sxm5 (TP 8 x PP 2"));
  CHECK_FALSE(says(large, "on one GPU"));
}

TEST_CASE("a bare config.json is answered as the name is, and a stated job is not", "[lint][jobs]") {
  const std::string config =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
 "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
 "vocab_size": 128256, "max_position_embeddings": 8192, "tie_word_embeddings": false})";
  const auto files = tests::with({{"config.json", config}});
  CHECK(says(run({"config.json", "--gpu", "h100"}, files).out, "\n  training  2 x h100-sxm5"));
  const auto has_jobs = [&](const std::vector<std::string>& more) {
    return run(tests::plus({"config.json", "--gpu", "h100"}, more), files).out.find("  training  ") !=
           std::string::npos;
  };
  CHECK_FALSE(has_jobs({"--mode", "decode"}));
  CHECK_FALSE(has_jobs({"--tensor", "8"}));
  CHECK_FALSE(has_jobs({"--micro-batch-size", "4"}));
  // A native file is of a run.
  CHECK_FALSE(says(run({"m.toml", "--gpu", "h100"}, tests::with({{"m.toml", tests::odd}})).out, "serving"));
}

// transformers, models/llama/modeling_llama.py: num_key_value_groups = num_attention_heads //
// num_key_value_heads, and no number of GPUs makes 30 heads of 7 KV heads.
TEST_CASE("a shape that cannot be built lacks no GPUs", "[lint][jobs]") {
  const std::string config =
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 3840,
 "num_hidden_layers": 32, "num_attention_heads": 30, "num_key_value_heads": 7, "intermediate_size": 11008,
 "vocab_size": 32000, "max_position_embeddings": 2048})";
  const std::string out = run({"config.json", "--gpu", "h100"}, tests::with({{"config.json", config}})).out;
  CHECK(says(out, "n/a until fixed: SL402"));
  CHECK_FALSE(says(out, "  training  "));
}

// Qwen2.5-VL's vision tower: Qwen/Qwen2.5-VL-7B-Instruct, config.json.
TEST_CASE("a vision tower encodes, and neither trains nor serves alone", "[lint][jobs]") {
  const std::string config =
      R"({"architectures": ["Qwen2_5_VLForConditionalGeneration"], "model_type": "qwen2_5_vl", "hidden_size": 3584,
 "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944,
 "vocab_size": 152064, "max_position_embeddings": 128000, "tie_word_embeddings": false, "vision_config": {"depth": 32,
 "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "in_chans": 3, "out_hidden_size": 3584,
 "patch_size": 14, "spatial_merge_size": 2, "window_size": 112, "fullatt_block_indexes": [7, 15, 23, 31],
 "temporal_patch_size": 2}})";
  const std::string out = run({"config.json", "--gpu", "h100"}, tests::with({{"config.json", config}})).out;
  CHECK(says(out, "\n  encoding  1 x h100-sxm5 (TP 1): "));
  CHECK(says(out, " images/s\n"));
  CHECK(says(out, "32 images of 256 patches"));
  CHECK_FALSE(says(out.substr(out.find("encoding")), "training"));
}
