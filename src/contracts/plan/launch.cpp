// Plans of a service as commands of engines.
#include "contracts/plan/launch.hpp"

#include <fmt/format.h>

namespace shapelint::contracts {

// vLLM, docs/serving/data_parallel_deployment.md and expert_parallel_deployment.md; SGLang,
// python/sglang/srt/server_args.py: tp_size counts the ranks of data-parallel attention, and
// max_running_requests those of all of them.
std::vector<Launch> launches(const std::string& model, const ServingPlan& plan,
                             const ServingRequest& request) {
  const model::Plan& run = plan.setup.plan;
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
  if (run.kv_cache_bits == 8) {
    vllm += " --kv-cache-dtype fp8";
    sglang += " --kv-cache-dtype fp8_e4m3";
  }
  return {{"vllm", vllm}, {"sglang", sglang}};
}

}  // namespace shapelint::contracts
