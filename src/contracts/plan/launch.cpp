// Plans of a service as commands of engines.
#include "contracts/plan/launch.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace shapelint::contracts {

namespace {

// Of a step that reads a chunk of prompts along.
std::int64_t step_tokens(const ServingPlan& plan) {
  const model::Plan& run = plan.setup.plan;
  return run.prefill_tokens + run.micro_batch_size * (1 + run.speculative_tokens);
}

std::string trtllm_command(const std::string& model, const ServingPlan& plan, std::int64_t longest) {
  const model::Plan& run = plan.setup.plan;
  std::string options;
  if (run.data > 1) options += "enable_attention_dp: true\\n";
  if (run.kv_cache_bits == 8) options += "kv_cache_config: {dtype: fp8}\\n";
  if (run.prefill_tokens > 0) options += "enable_chunked_prefill: true\\n";
  std::string out;
  if (!options.empty()) out = fmt::format("printf '{}' > options.yaml && ", options);
  out += fmt::format("trtllm-serve {} --tp_size {}", model, run.tensor * run.data);
  if (run.pipeline > 1) out += fmt::format(" --pp_size {}", run.pipeline);
  if (run.expert > 1) out += fmt::format(" --ep_size {}", run.expert);
  out += fmt::format(" --max_batch_size {} --max_seq_len {}", plan.requests_per_rank, longest);
  if (run.prefill_tokens > 0) out += fmt::format(" --max_num_tokens {}", step_tokens(plan));
  return options.empty() ? out : out + " --extra_llm_api_options options.yaml";
}

}  // namespace

std::string served_model(const model::Reading& reading) {
  constexpr std::string_view config = "config.json";
  const std::string& path = reading.path;
  const auto slash = path.find_last_of('/');
  if (path.substr(slash + 1) == config) return slash == std::string::npos ? "." : path.substr(0, slash);
  if (!reading.checkpoint.empty()) return reading.checkpoint;
  return reading.dialect == "published" ? path : "MODEL";
}

// vLLM, docs/serving/data_parallel_deployment.md and expert_parallel_deployment.md; SGLang,
// python/sglang/srt/server_args.py: tp_size counts the ranks of data-parallel attention, and
// max_running_requests those of all of them. TensorRT-LLM, docs/source/commands/trtllm-serve: tp_size counts
// the ranks of data-parallel attention, which then has no other; such options are a file's. The tokens of a
// step are those of requests and of a chunk in vLLM (max_num_batched_tokens) and TensorRT-LLM, SGLang counts
// the chunk alone and joins both with enable_mixed_chunk.
std::vector<Launch> launches(const std::string& model, DType stored, const ServingPlan& plan,
                             const ServingRequest& request) {
  const model::Plan& run = plan.setup.plan;
  const bool quantizes = run.dtype != stored;
  if (quantizes && run.dtype != DType::fp8) return {};
  const std::int64_t longest = request.input_tokens + request.output_tokens;
  std::string vllm = fmt::format("vllm serve {} --tensor-parallel-size {}", model, run.tensor);
  if (run.pipeline > 1) vllm += fmt::format(" --pipeline-parallel-size {}", run.pipeline);
  if (run.data > 1) vllm += fmt::format(" --data-parallel-size {}", run.data);
  if (run.expert > 1) vllm += " --enable-expert-parallel";
  vllm += fmt::format(" --max-num-seqs {} --max-model-len {}", plan.requests_per_rank, longest);
  std::string sglang = fmt::format("python3 -m sglang.launch_server --model-path {} --tp-size {}", model,
                                   run.tensor * run.data);
  if (run.pipeline > 1) sglang += fmt::format(" --pp-size {}", run.pipeline);
  if (run.data > 1) sglang += fmt::format(" --dp-size {} --enable-dp-attention", run.data);
  if (run.expert > 1) sglang += fmt::format(" --ep-size {}", run.expert);
  sglang += fmt::format(" --max-running-requests {} --context-length {}", plan.requests_per_rank * run.data,
                        longest);
  if (run.prefill_tokens > 0) {
    vllm += fmt::format(" --max-num-batched-tokens {}", step_tokens(plan));
    sglang += fmt::format(" --chunked-prefill-size {} --enable-mixed-chunk", run.prefill_tokens);
  }
  if (run.kv_cache_bits == 8) {
    vllm += " --kv-cache-dtype fp8";
    sglang += " --kv-cache-dtype fp8_e4m3";
  }
  // Weights in 16 bits become FP8 as they are loaded.
  if (quantizes) {
    vllm += " --quantization fp8";
    sglang += " --quantization fp8";
  }
  std::vector<Launch> out{{"vllm", vllm}, {"sglang", sglang}};
  if (!quantizes && (run.data == 1 || run.tensor == 1))
    out.push_back({"tensorrt-llm", trtllm_command(model, plan, longest)});
  return out;
}

}  // namespace shapelint::contracts
