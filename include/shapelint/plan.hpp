// Plans of training a model over GPUs, and of serving it: how many, which layout, which batch, what it costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"
#include "shapelint/model.hpp"
#include "shapelint/step.hpp"

namespace shapelint::api {

// Fields that `read` sets (`tensor`, `zero`) are kept. With the tokens of a request the plans are of serving.
struct PlanOptions {
  ReadOptions read{};
  GpuSelection gpus{};
  std::string model{};                     // which of several; empty: the first
  std::string num_gpus = "auto";           // `8`, `8..64` (above 8 whole nodes of 8), or `auto`: the fewest
  std::map<std::string, double> prices{};  // by GPU, of an hour
  std::optional<std::int64_t>
      global_batch{};  // sequences of an optimizer step; else the file's, or 4 M tokens
  double tokens = 0;   // of the training run; 0: its time and cost are not asked for
  // Of the file's own plan as it ran on the GPU: all predicted steps are scaled by it. 0: not measured.
  double measured_step_us = 0;
  std::optional<std::int64_t> input_tokens{};  // of a request
  std::optional<std::int64_t> output_tokens{};
  double ttft_ms = 0;                  // at most; 0: any
  double tpot_ms = 0;                  // at most; 0: any
  double e2e_ms = 0;                   // of a request, to its last token: at most; 0: any
  double rate = 0;                     // requests a second of the whole service; 0: as many as it can take
  std::int64_t concurrency = 0;        // requests under way in the whole service; 0: any number
  std::vector<std::string> formats{};  // `bf16`, `fp8:block128`; empty: the file's
  std::vector<std::string> over{};     // training: `optimizer_bits=32,8`: values to try besides
  std::size_t top = 5;                 // training plans of each number of GPUs
  std::size_t threads = 0;             // 0: as many as the machine has; the answer is the same
  // Called now and then, from the calling thread, with how many numbers of GPUs are planned; false ends it,
  // with no-candidates.
  std::function<bool(std::size_t done, std::size_t all)> progress{};
};

struct Parallel {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t context = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;
};
template <class Visitor>
void describe(Visitor& of, const Parallel*) {
  of.type("Parallel", "TP, PP, CP, DP, EP and expert TP; the first four multiply to num_gpus.");
  of("tensor", &Parallel::tensor, "");
  of("pipeline", &Parallel::pipeline, "");
  of("context", &Parallel::context, "");
  of("data", &Parallel::data, "");
  of("expert", &Parallel::expert, "");
  of("expert_tensor", &Parallel::expert_tensor, "");
}

struct SearchCounts {
  std::int64_t all = 0;
  std::int64_t too_large = 0;
  std::int64_t by_rules = 0;
  std::int64_t refused = 0;
  std::int64_t needless = 0;
  std::int64_t bounded = 0;
  std::int64_t priced = 0;
};
template <class Visitor>
void describe(Visitor& of, const SearchCounts*) {
  of.type("SearchCounts", "Outcome of the enumerated plans.");
  of("all", &SearchCounts::all, "");
  of("too_large", &SearchCounts::too_large, "");
  of("by_rules", &SearchCounts::by_rules, "rejected by a rule of every framework");
  of("refused", &SearchCounts::refused, "rejected by the stack's packages");
  of("needless", &SearchCounts::needless,
     "training: more recomputation or pipeline bubble than an otherwise equal plan that fits");
  of("bounded", &SearchCounts::bounded, "not predicted: none can be faster than those listed");
  of("priced", &SearchCounts::priced, "");
}

struct TrainingPlan {
  Parallel parallel;
  std::string dtype;
  std::map<std::string, std::string> over{};
  bool sequence_parallel = false;
  std::int64_t virtual_pipeline = 1;
  std::string pipeline_schedule;
  std::int64_t embedding_stages = 0;
  std::int64_t stage_layers = 0;
  std::string overlap;
  std::int64_t zero = 0;
  std::int64_t micro_batch_size = 1;
  std::int64_t gradient_accumulation = 1;
  std::string recompute;
  std::vector<std::string> recompute_parts;
  std::int64_t offload_optimizer = 0;
  double step_us = 0;
  double low_us = 0;
  double high_us = 0;
  double mfu = 0;
  double tokens_per_s_all_gpus = 0;
  double tokens_per_s_per_gpu = 0;
  double bubble_us = 0;
  double exposed_communication_us = 0;
  Memory memory;
  std::optional<double> run_hours{};
  std::optional<double> run_cost{};
};
template <class Visitor>
void describe(Visitor& of, const TrainingPlan*) {
  of.type("TrainingPlan", "A parallelism layout and batch for training.");
  of("parallel", &TrainingPlan::parallel, "");
  of("dtype", &TrainingPlan::dtype, "dtype of the GEMMs, with its scaling recipe");
  of("over", &TrainingPlan::over, "values of --over, by field", When::unless_empty);
  of("sequence_parallel", &TrainingPlan::sequence_parallel, "");
  of("virtual_pipeline", &TrainingPlan::virtual_pipeline, "virtual pipeline stages (VPP) per stage");
  of("pipeline_schedule", &TrainingPlan::pipeline_schedule,
     "order of forward and backward passes on a stage");
  of("embedding_stages", &TrainingPlan::embedding_stages, "whether embedding and head count as a layer each");
  of("stage_layers", &TrainingPlan::stage_layers,
     "layers of every stage but the last, which has the rest; 0: balanced");
  of("overlap", &TrainingPlan::overlap, "what overlaps the expert all-to-all");
  of("zero", &TrainingPlan::zero, "ZeRO stage: what data-parallel ranks shard");
  of("micro_batch_size", &TrainingPlan::micro_batch_size, "sequences per micro-batch on one rank");
  of("gradient_accumulation", &TrainingPlan::gradient_accumulation, "");
  of("recompute", &TrainingPlan::recompute, "");
  of("recompute_parts", &TrainingPlan::recompute_parts, "modules recomputed in every layer",
     When::unless_empty);
  of("offload_optimizer", &TrainingPlan::offload_optimizer, "percent of the optimizer states");
  of("step_us", &TrainingPlan::step_us, "");
  of("low_us", &TrainingPlan::low_us, "10 % quantile of published steps of its kind");
  of("high_us", &TrainingPlan::high_us, "90 % quantile of published steps of its kind");
  of("mfu", &TrainingPlan::mfu, "");
  of("tokens_per_s_all_gpus", &TrainingPlan::tokens_per_s_all_gpus, "");
  of("tokens_per_s_per_gpu", &TrainingPlan::tokens_per_s_per_gpu, "");
  of("bubble_us", &TrainingPlan::bubble_us, "pipeline bubble, part of step_us");
  of("exposed_communication_us", &TrainingPlan::exposed_communication_us,
     "exposed communication, part of step_us");
  of("memory", &TrainingPlan::memory, "");
  of("run_hours", &TrainingPlan::run_hours, "for --tokens");
  of("run_cost", &TrainingPlan::run_cost, "with --price");
}

struct WithoutChoice {
  std::string field;
  std::string value;
  std::optional<TrainingPlan> plan{};
};
template <class Visitor>
void describe(Visitor& of, const WithoutChoice*) {
  of.type("WithoutChoice", "The best plan without one choice of the first plan.");
  of("field", &WithoutChoice::field, "");
  of("value", &WithoutChoice::value, "the choice");
  of("plan", &WithoutChoice::plan, "null: no plan fits", When::or_null);
}

struct ServingPlan {
  Parallel parallel;
  std::string dtype;
  std::int64_t num_gpus = 1;
  std::int64_t num_gpus_per_replica = 1;
  std::int64_t replicas = 1;
  std::int64_t concurrent_requests = 1;
  std::int64_t concurrent_requests_per_rank = 1;
  std::optional<std::int64_t> prefill_chunk_tokens{};
  std::optional<std::int64_t> prompts_per_pass{};
  std::int64_t speculative_tokens = 0;
  double tokens_per_decode_step = 1;
  double ttft_us = 0;
  std::optional<double> tpot_us{};
  double longest_gap_us = 0;
  double request_us = 0;
  double requests_per_s = 0;
  double load = 1;
  double output_tokens_per_s_all_gpus = 0;
  double input_tokens_per_s_all_gpus = 0;
  double output_tokens_per_s_per_gpu = 0;
  double output_tokens_per_s_per_user = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t usable_bytes = 0;
  std::int64_t kv_cache_tokens_per_rank = 0;
  std::int64_t kv_cache_requests_per_rank = 0;
  std::int64_t largest_context = 0;
  std::string bound;
  std::string binds;
  std::optional<double> cost_per_million_input_tokens{};
  std::optional<double> cost_per_million_output_tokens{};
};
template <class Visitor>
void describe(Visitor& of, const ServingPlan*) {
  of.type("ServingPlan", "A parallelism layout and batch for serving.");
  of("parallel", &ServingPlan::parallel, "");
  of("dtype", &ServingPlan::dtype, "with its recipe: `fp8:block128`");
  of("num_gpus", &ServingPlan::num_gpus, "all replicas");
  of("num_gpus_per_replica", &ServingPlan::num_gpus_per_replica, "");
  of("replicas", &ServingPlan::replicas, "");
  of("concurrent_requests", &ServingPlan::concurrent_requests, "all replicas");
  of("concurrent_requests_per_rank", &ServingPlan::concurrent_requests_per_rank,
     "per data-parallel rank of a replica");
  of("prefill_chunk_tokens", &ServingPlan::prefill_chunk_tokens,
     "chunked prefill: prompt tokens per step; null: whole prompts between decode steps", When::or_null);
  of("prompts_per_pass", &ServingPlan::prompts_per_pass, "whole prompts read at once between decode steps");
  of("speculative_tokens", &ServingPlan::speculative_tokens,
     "drafted per decode step by the model's MTP layer, or as the file states", When::unless_empty);
  of("tokens_per_decode_step", &ServingPlan::tokens_per_decode_step,
     "that a request gains, by the stated acceptance");
  of("ttft_us", &ServingPlan::ttft_us, "time to first token");
  of("tpot_us", &ServingPlan::tpot_us,
     "mean time per output token after the first, prefills of other requests included; null: one output "
     "token",
     When::or_null);
  of("longest_gap_us", &ServingPlan::longest_gap_us,
     "longest time between two tokens of a request: a decode step with one pass of prompts, or with one "
     "chunk");
  of("request_us", &ServingPlan::request_us, "request latency: arrival to last token");
  of("requests_per_s", &ServingPlan::requests_per_s, "maximum request rate of all GPUs");
  of("load", &ServingPlan::load, "request rate / requests_per_s; 1 without --rate");
  of("output_tokens_per_s_all_gpus", &ServingPlan::output_tokens_per_s_all_gpus, "");
  of("input_tokens_per_s_all_gpus", &ServingPlan::input_tokens_per_s_all_gpus, "");
  of("output_tokens_per_s_per_gpu", &ServingPlan::output_tokens_per_s_per_gpu, "");
  of("output_tokens_per_s_per_user", &ServingPlan::output_tokens_per_s_per_user, "");
  of("memory_bytes", &ServingPlan::memory_bytes, "per GPU");
  of("usable_bytes", &ServingPlan::usable_bytes, "GPU memory available to tensors", When::or_null);
  of("kv_cache_tokens_per_rank", &ServingPlan::kv_cache_tokens_per_rank,
     "KV cache capacity of a data-parallel rank");
  of("kv_cache_requests_per_rank", &ServingPlan::kv_cache_requests_per_rank,
     "KV cache capacity in requests of input and output tokens");
  of("largest_context", &ServingPlan::largest_context,
     "longest request that fits in the KV cache, in tokens");
  of("bound", &ServingPlan::bound, "limiting resource of a decode step");
  of("binds", &ServingPlan::binds, "what limits the number of concurrent requests");
  of("cost_per_million_input_tokens", &ServingPlan::cost_per_million_input_tokens, "with --price");
  of("cost_per_million_output_tokens", &ServingPlan::cost_per_million_output_tokens, "with --price");
}

struct PlanCount {
  std::string gpu;
  std::int64_t num_gpus = 1;
  double price_per_gpu_hour = 0;
  bool proved_best = true;
  SearchCounts enumerated;
  std::optional<double> least_memory_bytes{};
  std::vector<std::string> violated_rules{};
  std::optional<std::vector<TrainingPlan>> plans{};
  std::vector<WithoutChoice> without;
  std::optional<TrainingPlan> as_the_file_says{};
  std::optional<ServingPlan> cheapest{};
  std::optional<ServingPlan> fastest{};
  std::optional<ServingPlan> fewest_gpus{};
  std::optional<std::vector<ServingPlan>> front{};
  std::optional<double> least_ttft_us{};
  std::optional<double> least_tpot_us{};
  std::optional<double> least_request_us{};
  std::optional<double> most_requests_per_s{};
};
template <class Visitor>
void describe(Visitor& of, const PlanCount*) {
  of.type("PlanCount", "The plans of one GPU and GPU count.");
  of("gpu", &PlanCount::gpu, "id");
  of("num_gpus", &PlanCount::num_gpus, "");
  of("price_per_gpu_hour", &PlanCount::price_per_gpu_hour, "as given", When::unless_empty);
  of("proved_best", &PlanCount::proved_best, "no enumerated plan is predicted to be better");
  of("enumerated", &PlanCount::enumerated, "");
  of("least_memory_bytes", &PlanCount::least_memory_bytes, "training: least memory per GPU of any plan");
  of("violated_rules", &PlanCount::violated_rules, "training: rules that some of the plans violate",
     When::unless_empty);
  of("plans", &PlanCount::plans, "training: fastest first");
  of("without", &PlanCount::without,
     "training, for the GPU count printed in full: the best plan without each choice of the first plan",
     When::unless_empty);
  of("as_the_file_says", &PlanCount::as_the_file_says, "training: the launch config in the file");
  of("cheapest", &PlanCount::cheapest, "serving; absent: no plan meets the targets");
  of("fastest", &PlanCount::fastest, "serving");
  of("fewest_gpus", &PlanCount::fewest_gpus, "serving");
  of("front", &PlanCount::front, "serving: Pareto front of speed and cost");
  of("least_ttft_us", &PlanCount::least_ttft_us, "serving, if no plan meets the targets: of any plan");
  of("least_tpot_us", &PlanCount::least_tpot_us, "the same");
  of("least_request_us", &PlanCount::least_request_us, "the same");
  of("most_requests_per_s", &PlanCount::most_requests_per_s,
     "serving, if no plan takes the rate: the most that one takes within the other targets");
}

struct PlanResult {
  std::string kind;
  std::string model;
  std::optional<std::int64_t> sequences_per_step{};
  std::optional<std::int64_t> sequence_length{};
  std::optional<std::int64_t> input_tokens{};
  std::optional<std::int64_t> output_tokens{};
  double training_tokens = 0;
  double requests_per_s = 0;
  double measured_scale = 0;
  std::vector<PlanCount> counts;
  std::optional<std::int64_t> best{};
  std::vector<std::string> in_the_file;
  std::map<std::string, std::string> launch;
  std::vector<std::string> notes;
};
template <class Visitor>
void describe(Visitor& of, const PlanResult*) {
  of.type("PlanResult", "The best plans.");
  of("kind", &PlanResult::kind, "training or serving");
  of("model", &PlanResult::model, "its name");
  of("sequences_per_step", &PlanResult::sequences_per_step, "training: global batch size");
  of("sequence_length", &PlanResult::sequence_length, "training");
  of("input_tokens", &PlanResult::input_tokens, "serving: per request");
  of("output_tokens", &PlanResult::output_tokens, "serving");
  of("training_tokens", &PlanResult::training_tokens, "training: tokens of the whole run, as requested",
     When::unless_empty);
  of("measured_scale", &PlanResult::measured_scale,
     "training: factor applied to predicted times, from the measured step of the file's launch config",
     When::unless_empty);
  of("requests_per_s", &PlanResult::requests_per_s, "serving: request rate, as requested",
     When::unless_empty);
  of("counts", &PlanResult::counts, "one for each GPU and GPU count");
  of("best", &PlanResult::best,
     "index into `counts` of the best tokens per money, or per GPU without prices; with a rate, the least "
     "cost per hour; null: no plan meets the targets",
     When::or_null);
  of("in_the_file", &PlanResult::in_the_file, "training: the first plan in the file's format",
     When::unless_empty);
  of("launch", &PlanResult::launch,
     "serving: each engine's command that starts a replica of the cheapest plan", When::unless_empty);
  of("notes", &PlanResult::notes, "what was not searched, and what would be needed for it",
     When::unless_empty);
}

// Plans of the file's model, as `shapelint plan` finds them: the minimum of all layouts, batches and
// schedules within the cost model. Errors: those of price_step(), and of options. Only transformers can be
// planned.
SHAPELINT_API Result<PlanResult> plan(const FileSystem& files, const Source& source,
                                      const PlanOptions& options = {});

}  // namespace shapelint::api
