// `shapelint plan` as a command line.
#include <algorithm>

#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/commands/plan/plan.hpp"
#include "report/style.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/formats/native/native_support.hpp"

using namespace shapelint;
using Json = nlohmann::json;

namespace {

Json plan_json(std::vector<std::string> command, const text::MemoryFileSystem& files = {}) {
  command.insert(command.begin(), "plan");
  command.insert(command.end(), {"--format", "json"});
  const tests::Ran ran = tests::run(command, files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return Json::parse(ran.out);
}

text::MemoryFileSystem example(const std::string& path) {
  text::MemoryFileSystem files;
  files.files[path] = tests::read_source_file(path);
  return files;
}

const std::string folding = "tests/formats/fixtures/megatron/folding.sh";

}  // namespace

TEST_CASE("Qwen3-8B trains on eight H100 with data 8 and all states sharded", "[plan][cli]") {
  const Json plans =
      plan_json({"Qwen/Qwen3-8B", "--gpu", "h100", "--gpus", "8", "--tokens", "15T", "--price", "h100=2.5"});
  const Json& best = plans["counts"][0]["plans"][0];
  CHECK(best["parallel"]["data"] == 8);
  CHECK(best["zero"] == 3);
  CHECK(best["run_cost"].get<double>() == Approx(best["run_hours"].get<double>() * 8 * 2.5));
  CHECK(best["run_hours"].get<double>() ==
        Approx(15e12 / best["tokens_per_s_all_gpus"].get<double>() / 3600));
  const tests::Ran ways = tests::run(
      {"fits", "Qwen/Qwen3-8B", "--mode", "train", "--gpu", "h100", "--count", "8", "--format", "json"});
  const Json fits = Json::parse(ways.out);
  for (const Json& way : fits["plans"]) {
    if (way["best"] != true) continue;
    CHECK(way["parallel"]["data"] == 8);
    CHECK(way["zero"] == 3);
  }
}

TEST_CASE("no plan without a choice is faster than the best plan", "[plan][cli]") {
  for (const std::string& path : {folding, std::string("examples/llama-3-70b.toml")}) {
    INFO(path);
    const Json plans = plan_json({path, "--gpu", "h100", "--gpus", "64"}, example(path));
    const Json& count = plans["counts"][0];
    REQUIRE(!count["plans"].empty());
    REQUIRE(!count["without"].empty());
    for (const Json& each : count["without"]) {
      INFO(each["field"]);
      if (!each["plan"].is_null()) CHECK(each["plan"]["step_us"] >= count["plans"][0]["step_us"]);
    }
  }
}

TEST_CASE("the plan that is applied is the file's own plan, as fast as was predicted", "[plan][cli]") {
  text::MemoryFileSystem files = example("examples/llama-3-70b.toml");
  const std::vector<std::string> asked{"--gpu", "h100", "--gpus", "512"};
  const Json plans = plan_json(tests::plus({"examples/llama-3-70b.toml"}, asked), files);
  const tests::Ran applied = tests::run(
      tests::plus({"plan", "examples/llama-3-70b.toml", "--apply", "-o", "new.toml"}, asked), files);
  INFO(applied.err);
  REQUIRE(applied.code == 0);
  const Json again = plan_json(tests::plus({"new.toml"}, asked), files);
  CHECK(again["sequences_per_step"] == plans["sequences_per_step"]);
  CHECK(again["counts"][0]["plans"][0] == plans["counts"][0]["plans"][0]);
  CHECK(again["counts"][0]["as_the_file_says"] == plans["counts"][0]["plans"][0]);
}

namespace {

// The lines of the diff that `plan` makes of a file: taken away, and added.
std::string plan_diff(const std::string& path, const std::string& text) {
  text::MemoryFileSystem files;
  files.files[path] = text;
  const tests::Ran ran = tests::run({"plan", path, "--gpu", "h100", "--gpus", "8", "--diff"}, files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  std::istringstream lines(ran.out);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const bool is_change = line.starts_with('+') || line.starts_with('-');
    if (is_change && !line.starts_with("+++") && !line.starts_with("---")) out += line + '\n';
  }
  return out;
}

}  // namespace

// Without a pipeline the batch of a rank is the micro-batch (torchtitan, train.py), and a key that the file
// lacks is added to its table.
TEST_CASE("a plan's diff follows the keys that its layout has", "[plan][cli]") {
  CHECK(plan_diff("llama3.toml", R"([model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 8
seq_len = 8192
global_batch_size = 64
[parallelism]
pipeline_parallel_degree = 4
data_parallel_shard_degree = 2
pipeline_parallel_schedule = "1F1B"
pipeline_parallel_microbatch_size = 1
[activation_checkpoint]
mode = "selective"
)") == R"(-local_batch_size = 8
+local_batch_size = 1
-pipeline_parallel_degree = 4
-data_parallel_shard_degree = 2
+pipeline_parallel_degree = 1
+data_parallel_shard_degree = 4
+tensor_parallel_degree = 2
+fsdp_reshard_after_forward = "never"
-mode = "selective"
+mode = "none"
)");
}

TEST_CASE("a plan's diff adds flags to a command and leaves out others", "[plan][cli]") {
  CHECK(plan_diff("train.sh", R"(TP=4
ARGS=(
    --num-layers 32
    --hidden-size 4096
    --num-attention-heads 32
    --seq-length 4096
    --max-position-embeddings 4096
)
torchrun --nproc_per_node 8 pretrain_gpt.py \
    "${ARGS[@]}" \
    --tensor-model-parallel-size ${TP} \
    --micro-batch-size 1 --global-batch-size 128 \
    --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 \
    --vocab-size 32000 --bf16
)") == R"(-TP=4
+TP=1
-    --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 \
-    --vocab-size 32000 --bf16
+    --recompute-method uniform --recompute-num-layers 1 \
+    --vocab-size 32000 --bf16 --use-distributed-optimizer
)");
}

// levanter states a batch for all devices, and no micro-batches of a step; OLMo and llm-foundry both.
TEST_CASE("plans take the batch that a file states", "[plan][cli]") {
  text::MemoryFileSystem files;
  files.files["levanter.yaml"] =
      "model: {type: gpt2, hidden_dim: 768, num_heads: 12, num_layers: 12, seq_len: 1024}\n"
      "trainer: {mp: 'p=f32,c=bfloat16', model_axis_size: 1, per_device_parallelism: -1, train_batch_size: "
      "256}\n";
  files.files["olmo.yaml"] =
      "model: {d_model: 2048, n_heads: 16, n_layers: 16, mlp_ratio: 8, activation_type: swiglu, vocab_size: "
      "100278,\n"
      "  embedding_size: 100352, max_sequence_length: 4096, block_type: sequential, layer_norm_type: rms, "
      "rope: true}\n"
      "precision: amp_bf16\nglobal_train_batch_size: 512\ndevice_train_microbatch_size: 4\n";
  // torchtitan, trainer.py: local_batch_size times the data-parallel ranks, which are all GPUs here.
  files.files["qwen3.toml"] =
      "[model]\nname = \"qwen3\"\nflavor = \"0.6B\"\n[training]\nlocal_batch_size = 4\nseq_len = 4096\n"
      "[parallelism]\ndata_parallel_shard_degree = -1\n";
  CHECK(plan_json({"qwen3.toml", "--gpu", "h100", "--gpus", "8"}, files)["sequences_per_step"] == 32);
  CHECK(plan_json({"levanter.yaml", "--gpu", "h100", "--gpus", "8"}, files)["sequences_per_step"] == 256);
  CHECK(plan_json({"olmo.yaml", "--gpu", "h100", "--gpus", "8"}, files)["sequences_per_step"] == 512);
}

TEST_CASE("alternatives are searched as if each were given alone", "[plan][cli]") {
  const std::string file = "examples/llama-3-8b.toml";
  const std::vector<std::string> on{file, "--gpu", "h100", "--gpus", "8"};
  const Json both = plan_json(
      tests::plus(on, {"--formats", "bf16,fp8:tensor", "--over", "optimizer_bits=32,8", "--top", "3"}),
      example(file));
  std::vector<double> steps;
  std::int64_t enumerated = 0;
  for (const std::vector<std::string>& alone :
       {std::vector<std::string>{"--dtype", "bf16", "--optimizer-bits", "32"},
        std::vector<std::string>{"--dtype", "bf16", "--optimizer-bits", "8"},
        std::vector<std::string>{"--dtype", "fp8", "--recipe", "tensor", "--optimizer-bits", "32"},
        std::vector<std::string>{"--dtype", "fp8", "--recipe", "tensor", "--optimizer-bits", "8"}}) {
    const Json count =
        plan_json(tests::plus(tests::plus(on, alone), {"--top", "3"}), example(file))["counts"][0];
    for (const Json& each : count["plans"]) steps.push_back(each["step_us"]);
    enumerated += count["enumerated"]["all"].get<std::int64_t>();
  }
  std::sort(steps.begin(), steps.end());
  const Json& count = both["counts"][0];
  CHECK(count["enumerated"]["all"] == enumerated);
  REQUIRE(count["plans"].size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(count["plans"][i]["step_us"] == steps[i]);
  CHECK(count["plans"][0]["dtype"] == "fp8:tensor");
  CHECK(count["plans"][0]["over"]["dtype"] == "fp8:tensor");
  const auto without = [&](const std::string& field) {
    return std::any_of(count["without"].begin(), count["without"].end(),
                       [&](const Json& each) { return each["field"] == field && !each["plan"].is_null(); });
  };
  CHECK(without("dtype"));
  CHECK(without("optimizer_bits"));
}

TEST_CASE("a degree on the command line is kept", "[plan][cli]") {
  const Json plans =
      plan_json({"examples/llama-3-8b.toml", "--gpu", "h100", "--gpus", "16", "--tensor", "4", "--zero", "1"},
                example("examples/llama-3-8b.toml"));
  for (const Json& each : plans["counts"][0]["plans"]) {
    CHECK(each["parallel"]["tensor"] == 4);
    CHECK(each["zero"] == 1);
  }
}

TEST_CASE("auto is the fewest GPUs that train a model", "[plan][cli]") {
  // Its states alone, 16 bytes of each of 70.6 B parameters, fill 14.1 H100.
  const Json plans =
      plan_json({"examples/llama-3-70b.toml", "--gpu", "h100"}, example("examples/llama-3-70b.toml"));
  const std::int64_t fewest = plans["counts"][0]["num_gpus"];
  CHECK(fewest == 16);
  const Json fewer =
      plan_json({"examples/llama-3-70b.toml", "--gpu", "h100", "--gpus", "8", "--offload-optimizer", "0"},
                example("examples/llama-3-70b.toml"));
  CHECK(fewer["counts"][0]["plans"].empty());
}

TEST_CASE("a number of GPUs whose plans all violate a rule needs no memory", "[plan][cli]") {
  // On 48 GPUs without pipelines 16 replicas of 1,024 sequences leave 3 context-parallel ranks, which do not
  // divide 4,096 tokens.
  const std::vector<std::string> command{
      "Qwen/Qwen3-235B-A22B", "--mode", "train",    "--gpu", "b200", "--gpus", "48",
      "--pipeline",           "1",      "--tensor", "1"};
  const Json count = plan_json(command)["counts"][0];
  CHECK(count["plans"].empty());
  CHECK(count["violated_rules"] == std::vector<std::string>{"SL410", "SL411"});
  CHECK_FALSE(count.contains("least_memory_bytes"));
  const tests::Ran ran = tests::run(tests::plus({"plan"}, command), text::MemoryFileSystem());
  CHECK(ran.out.find("every plan violates a rule: SL410, SL411") != std::string::npos);
}

TEST_CASE("what a million tokens cost adds up to what the GPUs cost", "[plan][cli]") {
  const Json plans = plan_json({"Qwen/Qwen3-8B", "--gpu", "h100", "--gpus", "8", "--input-tokens", "2000",
                                "--output-tokens", "500", "--price", "h100=2.5"});
  const Json& best = plans["counts"][0]["cheapest"];
  const auto value = [&](const char* key) { return best[key].get<double>(); };
  CHECK(value("cost_per_million_input_tokens") * value("input_tokens_per_s_all_gpus") +
            value("cost_per_million_output_tokens") * value("output_tokens_per_s_all_gpus") ==
        Approx(8 * 2.5 / 3600 * 1e6));
  CHECK(plans["launch"]["vllm"].get<std::string>().starts_with("vllm serve Qwen/Qwen3-8B"));
}

TEST_CASE("weights in 16 bits are quantized by who loads them", "[plan][cli]") {
  const Json plans = plan_json({"Qwen/Qwen3-0.6B", "--gpu", "h100", "--gpus", "1", "--input-tokens", "500",
                                "--output-tokens", "100", "--formats", "fp8"});
  CHECK(plans["launch"]["vllm"].get<std::string>().find(" --quantization fp8") != std::string::npos);
  CHECK(!plans["launch"].contains("tensorrt-llm"));
}

// SGLang's server_args.py: `chunked_prefill_size // dp_size` with data-parallel attention, no mixed chunks
// with pipelines; vLLM's SchedulerConfig: max_num_batched_tokens is at least max_num_seqs; TensorRT-LLM's
// PyTorchModelEngine.get_max_num_sequences: max_batch_size times the stages.
TEST_CASE("launch commands count as their engine does", "[plan][cli]") {
  const auto launch = [](const std::vector<std::string>& options) {
    return plan_json(tests::plus(
        {"openai/gpt-oss-120b", "--gpu", "h100", "--input-tokens", "1000", "--output-tokens", "100"},
        options))["launch"];
  };
  const auto has = [](const Json& command, const std::string& flag) {
    INFO(command);
    return (command.get<std::string>() + ' ').find(flag + ' ') != std::string::npos;
  };
  const std::string set = "--set";
  const Json shared =
      launch({"--gpus", "8", set, "tensor=1,data=8,expert=8,micro_batch_size=64,prefill_tokens=2048"});
  CHECK(has(shared["sglang"], "--chunked-prefill-size 16384"));
  CHECK(has(shared["sglang"], "--max-running-requests 512"));
  CHECK(has(shared["vllm"], "--max-num-batched-tokens 2112"));
  const Json stages =
      launch({"--gpus", "4", set, "pipeline=4,tensor=1,micro_batch_size=1024,prefill_tokens=2048"});
  CHECK(has(stages["vllm"], "--max-num-seqs 4096"));
  CHECK(has(stages["vllm"], "--max-num-batched-tokens 4096"));
  CHECK(!has(stages["sglang"], "--enable-mixed-chunk"));
  CHECK(has(stages["tensorrt-llm"], "--max_batch_size 1024"));
  const Json nodes = launch({"--gpus", "16", set, "tensor=2,data=8,expert=16,micro_batch_size=8"});
  CHECK(has(nodes["vllm"], "--data-parallel-size-local 4"));
  CHECK(has(nodes["sglang"], "--nnodes 2 --node-rank $NODE"));
}

// `num_nextn_predict_layers` is 1 in the config.json of deepseek-ai/DeepSeek-V3, and not in that of a
// distilled Qwen; vLLM, SGLang and TensorRT-LLM draft with it (docs/features/speculative_decoding.md of the
// first).
TEST_CASE("an MTP layer drafts where its acceptance is stated, and else is told of", "[plan][cli]") {
  const auto serve = [](const std::vector<std::string>& model, const text::MemoryFileSystem& files = {}) {
    return plan_json(tests::plus(model, {"--gpu", "h200", "--gpus", "8", "--input-tokens", "1000",
                                         "--output-tokens", "500", "--tpot", "20", "--pipeline", "1"}),
                     files);
  };
  const Json drafted = serve({"deepseek-ai/DeepSeek-V3", "--speculative-acceptance", "85"});
  CHECK(!drafted.contains("notes"));
  const Json& best = drafted["counts"][0]["cheapest"];
  REQUIRE(best["speculative_tokens"] > 0);
  const std::string tokens = std::to_string(best["speculative_tokens"].get<int>());
  for (const auto& [engine, flag] : {std::pair("vllm", "\"num_speculative_tokens\": " + tokens),
                                     std::pair("sglang", "num-steps " + tokens)})
    CHECK(drafted["launch"][engine].get<std::string>().find(flag) != std::string::npos);
  CHECK(serve({"deepseek-ai/DeepSeek-V3"})["notes"].size() == 1);
  CHECK(!serve({"deepseek-ai/DeepSeek-R1-Distill-Llama-70B"}).contains("notes"));
  text::MemoryFileSystem files;
  files.files["glm/config.json"] =
      R"({"model_type": "glm4_moe", "hidden_size": 4096, "num_hidden_layers": 46, "num_attention_heads": 96,
          "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 10944, "moe_intermediate_size": 1408,
          "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 1,
          "vocab_size": 151552, "num_nextn_predict_layers": 1})";
  CHECK(serve({"glm/config.json"}, files)["notes"].size() == 1);
}

TEST_CASE("what plans cannot compare, or do not choose, is an error", "[plan][cli]") {
  const auto error = [](const std::vector<std::string>& options) {
    const tests::Ran ran = tests::run(tests::plus({"plan", "Qwen/Qwen3-8B", "--gpus", "8", "--input-tokens",
                                                   "1000", "--output-tokens", "200"},
                                                  options),
                                      text::MemoryFileSystem());
    CHECK(ran.code == 2);
    return ran.err;
  };
  const auto says = [](const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(says(error({"--gpu", "h100,a100", "--price", "h100=2"}),
             "a100-sxm4-80gb lacks a price that others have"));
  CHECK(says(error({"--gpu", "h100", "--formats", "fp4"}), "no GPU multiplies any of the formats"));
  CHECK(says(error({"--gpu", "h100", "--context", "4"}), "`context` applies to training"));
  CHECK(says(error({"--gpu", "h100", "--concurrency", "0"}), "a number of requests above 0"));
  const tests::Ran wrong = tests::run({"plan", "Qwen/Qwen3-8B", "--gpu", "h100", "--gpus", "8", "--tensor",
                                       "3", "--input-tokens", "1000", "--output-tokens", "200"},
                                      text::MemoryFileSystem());
  CHECK(says(wrong.out, "no layout of 8 GPUs has the given degrees"));
  const tests::Ran trained = tests::run(
      {"plan", "Qwen/Qwen3-8B", "--mode", "train", "--gpu", "h100", "--gpus", "8", "--tensor", "3"},
      text::MemoryFileSystem());
  CHECK(says(trained.out, "no layout with the given degrees divides the GPUs"));
}

// vllm/config/model.py, _get_and_verify_max_len: "User-specified max_model_len (…) is greater than the
// derived max_model_len"; Qwen3-8B's config.json has max_position_embeddings 40960.
TEST_CASE("a request longer than the model's positions is refused, as engines do", "[plan][cli]") {
  const std::vector<std::string> asked{
      "plan",           "Qwen/Qwen3-8B", "--gpu",           "h100", "--gpus", "1",
      "--input-tokens", "40000",         "--output-tokens", "961"};
  const tests::Ran ran = tests::run(asked, text::MemoryFileSystem());
  CHECK(ran.code == 2);
  CHECK(ran.err.find("a request of 40,961 tokens exceeds the model's 40,960 positions") != std::string::npos);
  CHECK(tests::run(tests::plus(asked, {"--max-positions", "131072"}), text::MemoryFileSystem()).code == 0);
}

TEST_CASE("a given number of prompt tokens per step is the only one, and one token has no TPOT",
          "[plan][cli]") {
  const auto serve = [](const std::string& output_tokens, const std::string& set) {
    const Json plans = plan_json({"Qwen/Qwen3-8B", "--gpu", "h100", "--gpus", "1", "--input-tokens", "8000",
                                  "--output-tokens", output_tokens, "--set", set});
    return plans["counts"][0]["fastest"];
  };
  double gap_us = 0;
  for (const std::int64_t tokens : {512, 4096, 0}) {
    const Json best = serve("500", "micro_batch_size=32,prefill_tokens=" + std::to_string(tokens));
    CHECK(best["prefill_chunk_tokens"] == (tokens > 0 ? Json(tokens) : Json()));
    CHECK(best["longest_gap_us"].get<double>() > gap_us);
    gap_us = best["longest_gap_us"].get<double>();
  }
  const Json one = serve("1", "micro_batch_size=1");
  CHECK(one["tpot_us"].is_null());
  CHECK(one["ttft_us"].get<double>() > 0);
}

TEST_CASE("engines are told to load what the file names", "[plan][cli]") {
  text::MemoryFileSystem files;
  files.files["serve.sh"] = "vllm serve Qwen/Qwen3-0.6B --max-model-len 8192\n";
  files.files["qwen/config.json"] =
      R"({"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16,
          "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936})";
  const auto started = [&](const std::string& file) {
    const Json plans = plan_json({file, "--mode", "decode", "--context-length", "600", "--gpu", "h100",
                                  "--gpus", "1", "--input-tokens", "500", "--output-tokens", "100"},
                                 files);
    return plans["launch"]["vllm"].get<std::string>();
  };
  CHECK(started("serve.sh").starts_with("vllm serve Qwen/Qwen3-0.6B "));
  CHECK(started("qwen/config.json").starts_with("vllm serve qwen "));
  files.files["model.toml"] = tests::read_source_file("examples/llama-3-8b.toml");
  CHECK(started("model.toml").starts_with("vllm serve MODEL "));
}

TEST_CASE("a name's version is no ending of a file", "[plan][cli]") {
  const Json plans = plan_json({"Qwen/Qwen3-0.6B", "--mode", "train", "--gpu", "h100", "--gpus", "1"});
  CHECK(plans["model"] == "Qwen3-0.6B");
}

// torchtitan's distributed/pipeline_parallel.py: "Multi-stage schedule requires at least 2 stages per rank".
TEST_CASE("PyTorch's zero bubble has two stages on each rank", "[plan][cli]") {
  text::MemoryFileSystem files;
  files.files["llama3.toml"] =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\n"
      "[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_schedule = \"1F1B\"\n";
  const Json plans = plan_json({"llama3.toml", "--gpu", "h100", "--gpus", "8", "--pipeline", "4",
                                "--global-batch", "64", "--pipeline-schedule", "zero_bubble"},
                               files);
  REQUIRE(!plans["counts"][0]["plans"].empty());
  for (const Json& each : plans["counts"][0]["plans"]) CHECK(each["virtual_pipeline"] > 1);
  const Json refused =
      plan_json({"llama3.toml", "--gpu", "h100", "--gpus", "8", "--pipeline", "4", "--global-batch", "64",
                 "--pipeline-schedule", "zero_bubble", "--virtual-pipeline", "1"},
                files);
  CHECK(refused["counts"][0]["plans"].empty());
}

TEST_CASE("a measured step scales all plans, and narrows their interval", "[plan][cli]") {
  const std::string file = "examples/llama-3-8b.toml";
  const std::vector<std::string> asked{file, "--gpu", "h100", "--gpus", "8", "--tokens", "1T"};
  text::MemoryFileSystem files = example(file);
  const Json plain = plan_json(asked, files);
  const Json measured = plan_json(tests::plus(asked, {"--measured", "step=20s"}), files);
  const double scale = measured["measured_scale"];
  CHECK(!plain.contains("measured_scale"));
  const Json& before = plain["counts"][0]["plans"][0];
  const Json& after = measured["counts"][0]["plans"][0];
  const auto ratio = [&](const char* key) { return after[key].get<double>() / before[key].get<double>(); };
  CHECK(ratio("step_us") == Approx(scale));
  CHECK(after["bubble_us"].get<double>() == Approx(scale * before["bubble_us"].get<double>()).epsilon(1e-6));
  CHECK(ratio("run_hours") == Approx(scale));
  CHECK(ratio("mfu") == Approx(1 / scale));
  CHECK(after["parallel"] == before["parallel"]);
  const auto width = [](const Json& plan) {
    return plan["high_us"].get<double>() / plan["low_us"].get<double>();
  };
  constexpr double digits = 1e-8;  // JSON has nine, of both ends
  CHECK(width(after) <= width(before) + digits);
  // What `profile` and `prove` write says the same.
  files.files["profile.json"] = R"({"traces": [{"step_us": 20000000}]})";
  files.files["proof.json"] =
      R"({"wholes": [{"of": "layer", "before_us": 5}, {"of": "step", "before_us": 20000000}]})";
  for (const char* path : {"profile.json", "proof.json"})
    CHECK(plan_json(tests::plus(asked, {"--measured", path}), files) == measured);
  const tests::Ran told =
      tests::run(tests::plus({"plan"}, tests::plus(asked, {"--measured", "step=20s"})), files);
  CHECK(told.out.find("by the measured step of the file's plan") != std::string::npos);
}

TEST_CASE("plans are drawn, and their page holds what is printed", "[plan][cli]") {
  const std::string file = "examples/llama-3-70b.toml";
  text::MemoryFileSystem files = example(file);
  const tests::Ran ran =
      tests::run({"plan", file, "--gpu", "h100", "--gpus", "64", "--pipeline", "4", "--pipeline-schedule",
                  "1f1b", "--plot", "plan.svg", "--report", "plan.html"},
                 files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(files.files.at("plan.svg").find("Memory per GPU") != std::string::npos);
  CHECK(files.files.at("plan.svg").find("stage 3") != std::string::npos);
  CHECK(files.files.at("plan.html").find("The fastest plan if one choice is changed") != std::string::npos);
  const tests::Ran served = tests::run({"plan", file, "--gpu", "h100", "--gpus", "8", "--input-tokens", "500",
                                        "--output-tokens", "100", "--plot", "front.svg"},
                                       files);
  REQUIRE(served.code == 0);
  CHECK(files.files.at("front.svg").find("output tokens/s/user") != std::string::npos);
}

TEST_CASE("bars of a picture have names that tell the plans apart", "[plan][cli]") {
  api::TrainingPlan plan;
  plan.parallel.pipeline = 2;
  plan.pipeline_schedule = "1f1b";
  plan.overlap = "none";
  plan.recompute = "none";
  plan.dtype = "fp8";
  plan.step_us = 1e6;
  std::vector<api::TrainingPlan> plans(5, plan);
  plans[1].stage_layers = 17;
  plans[2].micro_batch_size = 2;
  plans[3].zero = plans[4].zero = 1;
  plans[3].over = {{"dtype", "fp8"}, {"optimizer_bits", "32"}};
  plans[4].over = {{"dtype", "fp8"}, {"optimizer_bits", "8"}};
  api::PlanResult result;
  result.kind = "training";
  result.best = 0;
  result.sequences_per_step = 8;
  result.sequence_length = 4096;
  result.counts.emplace_back();
  result.counts.front().plans = plans;
  result.counts.front().gpu = "h100-sxm5";
  result.counts.front().num_gpus = 8;
  const chart::PlanFigure figure = cli::plan_figure(result, {}, "a model", "NVIDIA H100 SXM5 80GB");
  CHECK(figure.title == "a model on 8 x NVIDIA H100 SXM5 80GB");
  CHECK(figure.subtitle.starts_with("training, 8 sequences of 4,096 tokens per step, fp8; fastest plan: "));
  std::vector<std::string> names;
  for (const chart::MemoryBar& bar : figure.memory->bars) names.push_back(bar.label);
  CHECK(names == std::vector<std::string>{
                     "TP 1, PP 2, ZeRO-0, even layers, 1 x 1", "TP 1, PP 2, ZeRO-0, 17 layers",
                     "TP 1, PP 2, ZeRO-0, even layers, 2 x 1", "TP 1, PP 2, ZeRO-1, fp8, optimizer_bits 32",
                     "TP 1, PP 2, ZeRO-1, fp8, optimizer_bits 8"});
}

TEST_CASE("the picture and the heading of serving state the bounds", "[plan][cli]") {
  const text::MemoryFileSystem files;
  const tests::Ran ran =
      tests::run({"plan", "Qwen/Qwen3-8B", "--gpu", "h100", "--gpus", "2", "--input-tokens", "1000",
                  "--output-tokens", "100", "--ttft", "500", "--tpot", "30", "--plot", "front.svg"},
                 files);
  REQUIRE(ran.code == 0);
  constexpr std::string_view bounds = "TTFT at most 500 ms, TPOT at most 30.0 ms";
  std::string heading = ran.out.substr(0, ran.out.find("\n\n"));
  std::replace(heading.begin(), heading.end(), '\n', ' ');
  CHECK(heading.find(bounds) != std::string::npos);
  CHECK(files.files.at("front.svg").find(bounds) != std::string::npos);
  api::PlanOptions asked;
  asked.rate = 20;
  asked.concurrency = 1;
  CHECK(cli::bounds_words(asked) == ", 20.0 requests/s, 1 concurrent request");
  CHECK(cli::bounds_words({}).empty());
}

TEST_CASE("plans fit a terminal of 80 columns", "[plan][cli]") {
  const std::vector<std::vector<std::string>> commands{
      {"plan", folding, "--gpu", "h100", "--gpus", "64", "--tokens", "15T", "--price", "h100=2.5"},
      {"plan", folding, "--gpu", "h100,a100", "--gpus", "8..64", "--tokens", "15T"},
      {"plan", "examples/llama-3-70b.toml", "--gpu", "h100", "--gpus", "64"},
      {"plan", "examples/llama-3-8b.toml", "--gpu", "h100", "--gpus", "16", "--formats", "bf16,fp8:tensor",
       "--over", "optimizer_bits=32,8", "--over", "gradient_bits=32,16"},
      {"plan", "Qwen/Qwen3-235B-A22B", "--gpu", "h200", "--gpus", "8..32", "--input-tokens", "2000",
       "--output-tokens", "500", "--price", "h200=3"}};
  for (const std::vector<std::string>& command : commands) {
    const tests::Ran ran = tests::run(command, example(command[1].ends_with(".toml") ? command[1] : folding));
    REQUIRE(ran.code == 0);
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(report::display_width(line) <= 80);
    }
  }
}

TEST_CASE("mistakes of a plan are told in a line", "[plan][cli]") {
  const auto says = [](const std::vector<std::string>& command, const std::string& what) {
    const tests::Ran ran = tests::run(command, example("examples/llama-3-8b.toml"));
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.err.find(what) != std::string::npos);
  };
  const std::string file = "examples/llama-3-8b.toml";
  says({"plan", file, "--gpu", "h100", "--gpus", "many"}, "`--gpus many` is not a number of GPUs");
  says({"plan", file, "--gpu", "h100", "--gpus", "8..4"}, "`--gpus 8..4` is not a number of GPUs");
  says({"plan", file, "--gpu", "h100", "--gpus", "8..65536"}, "`--gpus 8..65536` is not a number of GPUs");
  says({"plan", file, "--gpu", "h100", "--input-tokens", "10"}, "only one of `--input-tokens`");
  says({"plan", file, "--gpu", "h100", "--mode", "decode", "--context-length", "9"},
       "not the length of a request");
  says({"plan", file, "--gpu", "h100", "--ttft", "100"}, "`--ttft` applies to serving");
  says({"plan", file, "--gpu", "a100", "--formats", "fp8"}, "no GPU multiplies any of the formats");
  says({"plan", file, "--gpu", "h100", "--over", "tensor=1,2"}, "plans choose it anyway");
  says({"plan", file, "--gpu", "h100", "--over", "hidden_size=4096"}, "changes what is trained, not how");
  says({"plan", file, "--gpu", "h100", "--over", "optimizer=adam,sdg"}, "expected one of adam, muon");
  says({"plan", file, "--gpu", "h100", "--over", "optimizer"}, "write FIELD=A,B");
  says({"plan", file, "--gpu", "h100", "--input-tokens", "9", "--output-tokens", "9", "--over",
        "optimizer_bits=8,32"},
       "`--over` applies to training");
  says({"plan", file, "--gpu", "h100", "--input-tokens", "9", "--output-tokens", "9", "--tokens", "15T"},
       "`--tokens` applies to training");
  says({"plan", file, "--gpu", "h100", "--input-tokens", "9", "--output-tokens", "9", "--global-batch", "8"},
       "`--global-batch` applies to training");
  says({"plan", file, "--gpu", "h100", "--price", "a100=2"}, "this GPU is not in `--gpu`");
  says({"plan", file, "--gpu", "h100", "--tokens", "many"}, "a number above 0, such as 15T");
  says({"plan", file, "--gpu", "h100", "--measured", "step=20"}, "is not the time of a step");
  says({"plan", file, "--gpu", "h100", "--measured", file}, file);
  says({"plan", file, "--gpu", "h100,a100", "--measured", "step=20s"}, "a measured step belongs to one GPU");
  says({"plan", file, "--gpu", "h100", "--gpus", "8", "--plot", "plan.txt"}, "--plot");
}
