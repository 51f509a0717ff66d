// Plans in words, as commands of engines, and in money.
#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/commands/plan/plan.hpp"

namespace shapelint::cli {

namespace {

constexpr double s_per_hour = 3600;
constexpr double million = 1e6;

}  // namespace

std::string layout_words(const model::Plan& plan) {
  std::string out = fmt::format("tensor {}", plan.tensor);
  const auto add = [&](std::string_view name, std::int64_t degree) {
    if (degree > 1) out += fmt::format(", {} {}", name, degree);
  };
  add("pipeline", plan.pipeline);
  add("context", plan.context);
  add("data", plan.data);
  add("expert", plan.expert);
  if (plan.expert > 1) add("expert_tensor", plan.expert_tensor);
  if (plan.zero > 0) out += fmt::format(", ZeRO {}", plan.zero);
  if (plan.offload_optimizer > 0) out += ", optimizer on the host";
  return out;
}

// vLLM, docs/serving/data_parallel_deployment.md and expert_parallel_deployment.md; SGLang,
// python/sglang/srt/server_args.py: tp_size counts the ranks of data-parallel attention, and
// max_running_requests those of all of them.
std::vector<Launch> launches(const std::string& model, const contracts::ServingPlan& plan,
                             const contracts::ServingRequest& request) {
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

double run_hours(const contracts::TrainingPlan& plan, double tokens) {
  return tokens / plan.tokens_per_s / s_per_hour;
}

TokenCost token_cost(const contracts::ServingPlan& plan, double price) {
  // What arrives pays for what waits.
  const double per_s = price * static_cast<double>(plan.gpus) / s_per_hour / plan.load;
  TokenCost out;
  out.input = per_s * plan.prompt_share / plan.input_tokens_per_s * million;
  out.output = per_s * (1 - plan.prompt_share) / plan.output_tokens_per_s * million;
  return out;
}

}  // namespace shapelint::cli
