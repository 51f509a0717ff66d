// What a server runs where a command names a published checkpoint: what its weights are stored in.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/stored.hpp"
#include "formats/dialect/known.hpp"
#include "formats/read.hpp"
#include "lint/run.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using model::FieldId;

namespace {

model::Plan plan_of(const std::string& script, const std::string& name = "serve.sh") {
  text::MemoryFileSystem files;
  files.files[name] = script + "\n";
  const formats::ReadResult read = formats::read_any(files, name);
  REQUIRE(read.readings.size() == 1);
  return read.readings.front().setup.plan;
}

std::vector<std::string> errors_of(const std::string& script, const std::string& gpu) {
  text::MemoryFileSystem files;
  files.files["serve.sh"] = script + "\n";
  project::Request request;
  request.gpus.names = {gpu};
  lint::RunRequest run;
  run.paths = {"serve.sh"};
  const lint::Report report = lint::lint_files(run, project::Project(request, files)).report;
  std::vector<std::string> out;
  for (const lint::ModelReport& model : report.models) {
    for (const rules::Finding& each : model.result.findings) {
      if (each.severity == rules::Severity::error) out.emplace_back(each.code);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the rows of stored weights are free of mistakes", "[formats]") {
  std::vector<Error> errors;
  std::vector<catalog::StoredWeights> rows;
  for (const text::Document& document : catalog::builtin("formats/models")) {
    catalog::load_stored_weights(document, rows, errors);
    for (const text::NodeRef entry : document.root()["stored"]) {
      INFO(document.path());
      CHECK((entry["source"].as_string() || entry["is_packed"]));
    }
  }
  for (const Error& error : errors) FAIL_CHECK(error.path << ": " << error.message << "; " << error.hint);
  CHECK(rows.size() > 15);
}

TEST_CASE("a checkpoint's name tells how its weights are stored", "[formats]") {
  struct Case {
    std::string name;
    std::string means;
  };
  const std::vector<Case> cases{
      {"deepseek-ai/DeepSeek-V3", "FP8, scaled in blocks of 128"},
      {"deepseek-ai/DeepSeek-R1-0528", "FP8, scaled in blocks of 128"},
      {"/models/deepseek-ai/DeepSeek-V3.1/", "FP8, scaled in blocks of 128"},
      {"models--deepseek-ai--DeepSeek-V3/snapshots/0123abcd", "FP8, scaled in blocks of 128"},
      {"DeepSeek-R1@main", "FP8, scaled in blocks of 128"},
      {"unsloth/DeepSeek-V3-bf16", "not quantized"},
      {"deepseek-ai/DeepSeek-R1-Distill-Llama-70B", ""},
      {"nvidia/DeepSeek-R1-FP4", "NVFP4"},
      {"someone/DeepSeek-V3-AWQ", "AWQ, 4 bits"},
      {"moonshotai/Kimi-K2-Instruct", "FP8, scaled in blocks of 128"},
      {"moonshotai/Kimi-K2-Thinking", "4 bits in groups of 32"},
      {"openai/gpt-oss-120b", "MXFP4 weights, other operands in 16 bits"},
      {"unsloth/gpt-oss-20b-BF16", "not quantized"},
      {"Qwen/Qwen3-235B-A22B-FP8", "FP8, scaled in blocks of 128"},
      {"Qwen/Qwen3-235B-A22B", ""},
      {"meta-llama/Meta-Llama-3.1-405B-Instruct-FP8", "FP8 MLPs, a scale for each row"},
      {"RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8-dynamic", "FP8, a scale for each row"},
      {"nvidia/Llama-3.1-70B-Instruct-FP8", "FP8, a scale for each tensor"},
      {"someone/Llama-3.1-8B-FP8", "FP8"},
      {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "weights of 4 bits, other operands in 16"},
      {"unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "bitsandbytes, 4 bits"},
      {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "GPTQ, 8 bits"},
      {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "GPTQ, 4 bits"},
      {"Qwen/Qwen2.5-7B-Instruct-GGUF", "quantized"},
      {"Qwen/Qwen2.5-7B-Instruct", ""},
  };
  for (const Case& each : cases) {
    CAPTURE(each.name);
    const auto found = formats::find_checkpoint(each.name);
    REQUIRE(found.has_value());
    CHECK((found->stored ? found->stored->means : "") == each.means);
  }
}

TEST_CASE("servers run what the checkpoint stores unless a flag says otherwise", "[formats]") {
  const model::Plan block = plan_of("vllm serve deepseek-ai/DeepSeek-V3 -tp 8");
  CHECK(block.dtype == DType::fp8);
  CHECK(block.recipe == Recipe::block128);
  CHECK(plan_of("python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 8").dtype ==
        DType::fp8);
  CHECK(plan_of("trtllm-serve deepseek-ai/DeepSeek-R1 --tp_size 8").dtype == DType::fp8);
  CHECK(plan_of("published = \"deepseek-ai/DeepSeek-R1\"", "model.toml").dtype == DType::fp8);

  // `--dtype` is that of what is not quantized.
  CHECK(plan_of("vllm serve deepseek-ai/DeepSeek-V3 -tp 8 --dtype bfloat16").dtype == DType::fp8);
  const model::Plan awq = plan_of("vllm serve Qwen/Qwen2.5-7B-Instruct-AWQ --dtype float16");
  CHECK(awq.dtype == DType::fp16);
  CHECK(awq.weight_bits == 4);
  CHECK(awq.weight_group_size == 128);
  CHECK(plan_of("vllm serve Qwen/Qwen2.5-7B-Instruct --quantization fp8").dtype == DType::fp8);
  CHECK(plan_of("vllm serve openai/gpt-oss-120b -tp 1").weight_bits == 4);
  CHECK(plan_of("vllm serve openai/gpt-oss-120b -tp 1").weight_group_size == 32);

  // The command line of shapelint asks for another format: nothing of the checkpoint's remains.
  text::MemoryFileSystem files;
  files.files["serve.sh"] = "vllm serve deepseek-ai/DeepSeek-V3 -tp 8\n";
  formats::ReadOptions options;
  options.overrides = {{FieldId::dtype, static_cast<std::int64_t>(DType::bf16), "--dtype"}};
  const model::Reading asked = formats::read_any(files, "serve.sh", options).readings.at(0);
  CHECK(asked.setup.plan.dtype == DType::bf16);
  CHECK(asked.setup.plan.recipe == Recipe::none);
}

TEST_CASE("training takes a name for a shape", "[formats]") {
  const model::Plan tuned = plan_of(
      "base_model: Qwen/Qwen3-8B-FP8\nsequence_len: 2048\nmicro_batch_size: 1\nbf16: true\n"
      "datasets:\n  - path: a\nlearning_rate: 1e-5\n",
      "axolotl.yaml");
  CHECK(tuned.dtype == DType::bf16);
  CHECK(tuned.weight_bits == 0);
}

TEST_CASE("published checkpoints fit where they are known to run", "[lint]") {
  using Codes = std::vector<std::string>;
  CHECK(errors_of("vllm serve deepseek-ai/DeepSeek-V3 -tp 8", "h200") == Codes{});
  CHECK(errors_of("vllm serve openai/gpt-oss-120b -tp 1 --max-model-len 131072", "h100") == Codes{});
  CHECK(errors_of("vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ -tp 1 --max-model-len 8192", "h100") == Codes{});
  CHECK(errors_of("vllm serve meta-llama/Llama-3.1-405B-Instruct-FP8 -tp 8 --max-model-len 16384", "h100") ==
        Codes{});
  CHECK(errors_of("python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 16 --nnodes 2",
                  "h100") == Codes{});
  // Padded to 29696 columns, 29 groups of 128 on each of eight ranks; 29568 would be 28.875.
  CHECK(errors_of("vllm serve Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4 -tp 8 --max-model-len 8192", "h100") ==
        Codes{});
  CHECK(errors_of("vllm serve unsloth/DeepSeek-V3-bf16 -tp 8", "h200") == Codes{"SL509"});
  // 1536 / 8 = 192 is no whole number of blocks.
  CHECK(errors_of("vllm serve Qwen/Qwen3-235B-A22B-FP8 -tp 8", "h100") == Codes{"SL451"});
  CHECK(errors_of("vllm serve Qwen/Qwen3-235B-A22B-FP8 -tp 8 --enable-expert-parallel", "h100") == Codes{});
}

TEST_CASE("what vLLM refuses before it loads a weight is told", "[lint]") {
  using Codes = std::vector<std::string>;
  const std::string llama_8b = "vllm serve meta-llama/Llama-3.1-8B-Instruct ";
  CHECK(errors_of(llama_8b + "--max-model-len 131073", "h100") == Codes{"SL461"});
  CHECK(errors_of(llama_8b + "--max-model-len 131072", "h100") == Codes{});
  CHECK(errors_of("VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 " + llama_8b + "--max-model-len 131073", "h100") ==
        Codes{});
  CHECK(errors_of("vllm serve Qwen/Qwen3-32B-FP8 -tp 2 --max-model-len 40961", "h100") == Codes{"SL461"});
  // A checkpoint of the same shape for longer sequences.
  CHECK(errors_of("vllm serve Qwen/Qwen3-30B-A3B-Instruct-2507 -tp 2 --max-model-len 200000", "h100") ==
        Codes{});
  // Ranks that share the cached text hold copies of the same heads: 8 heads over 8 ranks leave none.
  const std::string large = "vllm serve meta-llama/Llama-3.1-70B-Instruct --max-model-len 8192 ";
  CHECK(errors_of(large + "-tp 8 -dcp 8", "h100") == Codes{"SL451"});
  CHECK(errors_of(large + "-tp 8 -dcp 1", "h100") == Codes{});
  CHECK(errors_of(large + "-tp 16 -dcp 2", "h100") == Codes{});
  CHECK(errors_of("vllm serve deepseek-ai/DeepSeek-V3 -tp 8 -dcp 3 --max-model-len 8192", "h200") ==
        Codes{"SL451"});
  CHECK(errors_of("vllm serve deepseek-ai/DeepSeek-V3 -tp 8 -dcp 8 --max-model-len 8192", "h200") == Codes{});
}
