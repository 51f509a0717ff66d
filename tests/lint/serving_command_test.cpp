// Commands that start a server: what is read of them, and what is said of limits that are no batch.
#include <algorithm>
#include <string>
#include <vector>

#include "formats/read.hpp"
#include "lint/run.hpp"
#include "report/formats.hpp"
#include "tests/catch.hpp"

using namespace shapelint;
using model::FieldId;

namespace {

model::Reading reading_of(const std::string& script) {
  text::MemoryFileSystem files;
  files.files["serve.sh"] = script + "\n";
  const formats::ReadResult read = formats::read_any(files, "serve.sh");
  REQUIRE(read.readings.size() == 1);
  return read.readings.front();
}

lint::Report report_of(const std::string& script) {
  text::MemoryFileSystem files;
  files.files["serve.sh"] = script + "\n";
  project::Request request;
  request.gpus.names = {"h100"};
  request.min_severity = rules::Severity::info;
  lint::RunRequest run;
  run.paths = {"serve.sh"};
  return lint::lint_files(run, project::Project(request, files)).report;
}

const rules::Finding* finding(const lint::Report& report, std::string_view code) {
  for (const lint::ModelReport& model : report.models) {
    for (const rules::Finding& each : model.result.findings) {
      if (each.code == code) return &each;
    }
  }
  return nullptr;
}

// Lines are broken at blanks.
std::string told_of(const std::string& script) {
  const std::string text = report::render(report::Format::text, report_of(script), {});
  std::string out;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || out.empty() || out.back() != ' ') out += is_blank ? ' ' : c;
  }
  return out;
}

const std::string llama = "meta-llama/Meta-Llama-3-70B-Instruct";

}  // namespace

TEST_CASE("a server's model stands behind its command or a flag, with one flag or many", "[lint]") {
  for (const std::string& script : {
           "vllm serve " + llama + " --tensor-parallel-size 8",
           "vllm serve \"" + llama + "\" -tp 8",
           "/opt/venv/bin/vllm serve " + llama + " --tensor-parallel-size 8 --port 8000",
           "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 nohup vllm serve " + llama + " -tp 8 &",
           "numactl --membind 0 vllm serve " + llama + " --tensor_parallel_size=8",
           "python -m vllm.entrypoints.openai.api_server --model " + llama + " --tensor-parallel-size 8",
           "python3 -m vllm.entrypoints.api_server --tensor-parallel-size 8 --model " + llama,
           "python -m sglang.launch_server --model-path " + llama + " --tp 8",
           "sglang serve --model-path " + llama + " --tp-size 8",
           "trtllm-serve " + llama + " --tp_size 8",
           "mpirun -n 8 trtllm-llmapi-launch trtllm-serve serve " + llama + " --tp_size 8",
       }) {
    INFO(script);
    const model::Reading reading = reading_of(script);
    CHECK(reading.complete);
    CHECK(reading.setup.model.hidden_size == 8192);
    CHECK(reading.setup.plan.tensor == 8);
    CHECK(reading.setup.plan.mode == model::Mode::decode);
  }
}

TEST_CASE("a server's formats and degrees of parallelism are read", "[lint]") {
  const model::Plan vllm =
      reading_of("vllm serve " + llama + " -tp 4 -pp 2 -dp 2 --quantization fp8 --kv-cache-dtype fp8_e4m3")
          .setup.plan;
  CHECK(vllm.tensor == 4);
  CHECK(vllm.pipeline == 2);
  CHECK(vllm.data == 2);
  CHECK(vllm.dtype == DType::fp8);
  CHECK(vllm.kv_cache_bits == 8);
  const model::Plan sglang = reading_of("python -m sglang.launch_server --model-path " + llama +
                                        " --tp 4 --quantization awq --kv-cache-dtype fp8_e5m2")
                                 .setup.plan;
  CHECK(sglang.weight_bits == 4);
  CHECK(sglang.weight_group_size == 128);
  CHECK(sglang.kv_cache_bits == 8);
}

TEST_CASE("of a server's limits a busy step is assumed, and said to be", "[lint]") {
  for (const std::string& script : {
           "vllm serve " + llama + " -tp 8 --max-model-len 8192 --max-num-seqs 250",
           "python -m sglang.launch_server --model-path " + llama +
               " --tp 8 --context-length 8192 --max-running-requests 250",
           "trtllm-serve " + llama + " --tp_size 8 --max_seq_len 8192 --max_batch_size 250",
       }) {
    INFO(script);
    const model::Reading reading = reading_of(script);
    CHECK(reading.setup.plan.micro_batch_size == 250);
    CHECK(reading.setup.plan.context_length == 4096);
    CHECK(model::origin(reading, FieldId::micro_batch_size).note.starts_with("assumed from max_"));
    const std::string told = told_of(script);
    CHECK(told.find("a fully loaded server)") != std::string::npos);
    CHECK(told.find("half, the mean of sequences that grow to it)") != std::string::npos);
  }
}

TEST_CASE("advice on tensor parallelism is marked where the batch is assumed", "[lint]") {
  // One sequence without a cache would be faster on fewer GPUs.
  const lint::Report report = report_of("vllm serve " + llama + " --tensor-parallel-size 8");
  const rules::Finding* tensor = finding(report, "SL502");
  REQUIRE(tensor != nullptr);
  CHECK(std::find(tensor->assumed.begin(), tensor->assumed.end(), FieldId::micro_batch_size) !=
        tensor->assumed.end());
  CHECK(told_of("vllm serve " + llama + " --tensor-parallel-size 8").find("fix: --tensor-parallel-size") ==
        std::string::npos);
  // Of 250 sequences no cache would fit then.
  const std::string busy = "vllm serve " + llama + " -tp 8 --max-model-len 8192 --max-num-seqs 250";
  CHECK(finding(report_of(busy), "SL502") == nullptr);
}

TEST_CASE("a server needs memory for one of its sequences, and lets others wait", "[lint]") {
  const std::string command = "vllm serve " + llama + " --max-num-seqs 4000 --max-model-len ";
  CHECK(finding(report_of(command + "8192 -tp 4"), "SL509") == nullptr);
  CHECK(finding(report_of(command + "8192 -tp 1"), "SL509") != nullptr);
  CHECK(finding(report_of(command + "2000000 -tp 4"), "SL466") != nullptr);
  // The step is one of those that are resident.
  const std::string told = told_of(command + "8192 -tp 4");
  CHECK(told.find("a fully loaded server, limited by the memory of") != std::string::npos);
  CHECK(told.find("fit") == std::string::npos);
}

TEST_CASE("a server is one with a config.json beside it, too", "[lint]") {
  text::MemoryFileSystem files;
  files.files["m/serve.sh"] = "vllm serve . -tp 2 --max-num-seqs 64 --max-model-len 4096\n";
  files.files["m/config.json"] =
      R"({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,)"
      R"( "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256})";
  const formats::ReadResult read = formats::read_any(files, "m/serve.sh");
  REQUIRE(read.readings.size() == 1);
  CHECK(read.readings.front().setup.plan.mode == model::Mode::decode);
  CHECK(read.readings.front().setup.plan.micro_batch_size == 64);
  CHECK(read.readings.front().setup.plan.context_length == 2048);
}

// 671 B weights of a byte: on two GPUs of 80 GB each would hold 314 GiB of them.
TEST_CASE("no degree is proposed whose ranks cannot hold the experts", "[lint]") {
  const std::string run = "vllm serve deepseek-ai/DeepSeek-R1 --tensor-parallel-size 16";
  CHECK(finding(report_of(run), "SL502") == nullptr);
  CHECK(finding(report_of(run + " --enable-expert-parallel"), "SL502") == nullptr);
}
