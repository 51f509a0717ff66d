// Plans of a service as commands of engines.
#include "contracts/plan/launch.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "contracts/plan/layouts.hpp"

namespace shapelint::contracts {

namespace {

std::int64_t longest_of(const ServingRequest& request) {
  return request.input_tokens + request.output_tokens;
}

// For a step with the prompts that it reads.
std::int64_t step_tokens(const ServingPlan& plan, const ServingRequest& request) {
  const model::Plan& run = plan.setup.plan;
  const std::int64_t prompts =
      run.prefill_tokens > 0 ? run.prefill_tokens : plan.prompts * request.input_tokens;
  return prompts + run.micro_batch_size * (1 + run.speculative_tokens);
}

// Each node is passed its whole data-parallel ranks; else workers join as ranks of one process
// group (docs/serving/parallelism_scaling.md, vllm/engine/arg_utils.py).
std::string vllm_nodes(const ServingPlan& plan) {
  const model::Plan& run = plan.setup.plan;
  const std::int64_t nodes = nodes_of(plan.replica_gpus);
  if (nodes <= 1) return {};
  constexpr std::string_view others = " $([ $NODE = 0 ] || echo --headless)";
  if (run.data % nodes != 0)
    return fmt::format(" --nnodes {} --node-rank $NODE --master-addr $HEAD{}", nodes, others);
  return fmt::format(
      " --data-parallel-size-local {0} --data-parallel-start-rank $((NODE * {0})) --data-parallel-address "
      "$HEAD --data-parallel-rpc-port 13345{1}",
      run.data / nodes, others);
}

// vLLM, docs/serving/data_parallel_deployment.md, expert_parallel_deployment.md. The tokens of a step are
// those of requests and of prompts, and at least as many as sequences (SchedulerConfig.verify_max_model_len).
std::string vllm_command(const std::string& model, const ServingPlan& plan, const ServingRequest& request,
                         bool quantizes, bool drafts) {
  const model::Plan& run = plan.setup.plan;
  std::string out = fmt::format("vllm serve {} --tensor-parallel-size {}", model, run.tensor);
  if (run.pipeline > 1) out += fmt::format(" --pipeline-parallel-size {}", run.pipeline);
  if (run.data > 1) out += fmt::format(" --data-parallel-size {}", run.data);
  if (run.expert > 1) out += " --enable-expert-parallel";
  out += vllm_nodes(plan);
  out +=
      fmt::format(" --max-num-seqs {} --max-model-len {} --max-num-batched-tokens {}", plan.requests_per_rank,
                  longest_of(request), std::max(step_tokens(plan, request), plan.requests_per_rank));
  if (run.memory_percent > 0)
    out += fmt::format(" --gpu-memory-utilization {}", static_cast<double>(run.memory_percent) / 100);
  if (run.kv_cache_bits == 8) out += " --kv-cache-dtype fp8";
  if (quantizes) out += " --quantization fp8";
  if (drafts)
    out += fmt::format(" --speculative-config '{{\"method\": \"mtp\", \"num_speculative_tokens\": {}}}'",
                       run.speculative_tokens);
  return out;
}

// SGLang, python/sglang/srt/server_args.py: tp_size counts the ranks of data-parallel attention, and
// max_running_requests and chunked_prefill_size are those of all of them. The chunk is of prompts alone.
// Pipelines refuse to mix it with decodes, and speculation turns that off.
std::string sglang_command(const std::string& model, const ServingPlan& plan, const ServingRequest& request,
                           bool quantizes, bool drafts) {
  const model::Plan& run = plan.setup.plan;
  std::string out = fmt::format("python3 -m sglang.launch_server --model-path {} --tp-size {}", model,
                                run.tensor * run.data);
  if (run.pipeline > 1) out += fmt::format(" --pp-size {}", run.pipeline);
  if (run.data > 1) out += fmt::format(" --dp-size {} --enable-dp-attention", run.data);
  if (run.expert > 1) out += fmt::format(" --ep-size {}", run.expert);
  if (const std::int64_t nodes = nodes_of(plan.replica_gpus); nodes > 1)
    out += fmt::format(" --nnodes {} --node-rank $NODE --dist-init-addr $HEAD:5000", nodes);
  out += fmt::format(" --max-running-requests {} --context-length {}", plan.requests_per_rank * run.data,
                     longest_of(request));
  if (run.prefill_tokens > 0) {
    out += fmt::format(" --chunked-prefill-size {}", run.prefill_tokens * run.data);
    if (run.pipeline <= 1 && run.speculative_tokens <= 0) out += " --enable-mixed-chunk";
  } else {
    out += fmt::format(" --chunked-prefill-size -1 --max-prefill-tokens {}",
                       plan.prompts * request.input_tokens);
  }
  if (run.kv_cache_bits == 8) out += " --kv-cache-dtype fp8_e4m3";
  if (quantizes) out += " --quantization fp8";
  if (drafts)
    out += fmt::format(
        " --speculative-algorithm NEXTN --speculative-num-steps {} --speculative-eagle-topk 1 "
        "--speculative-num-draft-tokens {}",
        run.speculative_tokens, run.speculative_tokens + 1);
  return out;
}

// TensorRT-LLM, docs/source/commands/trtllm-serve: tp_size counts the ranks of data-parallel attention, which
// then has no other; such options are a file's. max_batch_size is that of a stage
// (PyTorchModelEngine.get_max_num_sequences).
std::string trtllm_command(const std::string& model, const ServingPlan& plan, const ServingRequest& request,
                           bool drafts) {
  const model::Plan& run = plan.setup.plan;
  std::string options;
  if (run.data > 1) options += "enable_attention_dp: true\\n";
  if (run.kv_cache_bits == 8) options += "kv_cache_config: {dtype: fp8}\\n";
  if (run.prefill_tokens > 0) options += "enable_chunked_prefill: true\\n";
  if (drafts)
    options += fmt::format("speculative_config: {{decoding_type: MTP, num_nextn_predict_layers: {}}}\\n",
                           run.speculative_tokens);
  std::string out;
  if (!options.empty()) out = fmt::format("printf '{}' > options.yaml && ", options);
  if (nodes_of(plan.replica_gpus) > 1)
    out += fmt::format("mpirun -n {} trtllm-llmapi-launch ", plan.replica_gpus);
  out += fmt::format("trtllm-serve {} --tp_size {}", model, run.tensor * run.data);
  if (run.pipeline > 1) out += fmt::format(" --pp_size {}", run.pipeline);
  if (run.expert > 1) out += fmt::format(" --ep_size {}", run.expert);
  out += fmt::format(" --max_batch_size {} --max_seq_len {} --max_num_tokens {}", run.micro_batch_size,
                     longest_of(request), step_tokens(plan, request));
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

std::vector<Launch> launches(const model::Reading& reading, const ServingPlan& plan,
                             const ServingRequest& request) {
  const model::Plan& run = plan.setup.plan;
  const std::string model = served_model(reading);
  // Weights in 16 bits become FP8 as they are loaded; no engine makes others of them.
  const bool quantizes = run.dtype != reading.setup.plan.dtype;
  if (quantizes && run.dtype != DType::fp8) return {};
  const bool drafts = run.speculative_tokens > 0 && drafting_layers(reading) > 0;
  std::vector<Launch> out{{"vllm", vllm_command(model, plan, request, quantizes, drafts)},
                          {"sglang", sglang_command(model, plan, request, quantizes, drafts)}};
  if (!quantizes && (run.data == 1 || run.tensor == 1))
    out.push_back({"tensorrt-llm", trtllm_command(model, plan, request, drafts)});
  return out;
}

}  // namespace shapelint::contracts
