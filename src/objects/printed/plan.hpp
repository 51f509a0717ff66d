// What `plan` prints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>
#include "objects/printed/plans.hpp"

namespace shapelint::objects {

struct SearchCounts {
  std::int64_t all = 0;
  std::int64_t too_large = 0;
  std::int64_t by_rules = 0;
  std::int64_t refused = 0;
  std::int64_t bounded = 0;
  std::int64_t priced = 0;
};
template <class Visitor>
void describe(Visitor& of, const SearchCounts*) {
  of.type("Fates", "How the plans of the enumeration ended.");
  of("all", &SearchCounts::all, "");
  of("too_large", &SearchCounts::too_large, "");
  of("by_rules", &SearchCounts::by_rules, "that break a rule that any framework has");
  of("refused", &SearchCounts::refused, "by the stack's packages");
  of("bounded", &SearchCounts::bounded, "not priced, since none can be faster than those that are told");
  of("priced", &SearchCounts::priced, "");
}

struct TrainingPlan {
  Parallel parallel;
  bool sequence_parallel = false;
  std::int64_t virtual_pipeline = 1;
  std::int64_t embedding_stages = 0;
  std::int64_t zero = 0;
  std::int64_t micro_batch_size = 1;
  std::int64_t gradient_accumulation = 1;
  std::string recompute;
  std::int64_t offload_optimizer = 0;
  double step_us = 0;
  double mfu = 0;
  double tokens_per_s_all_gpus = 0;
  double tokens_per_s_per_gpu = 0;
  double bubble_us = 0;
  double exposed_communication_us = 0;
  api::Memory memory;
  std::optional<double> run_hours{};
  std::optional<double> run_cost{};
};
template <class Visitor>
void describe(Visitor& of, const TrainingPlan*) {
  of.type("TrainingPlan", "A way of training a model over GPUs.");
  of("parallel", &TrainingPlan::parallel, "");
  of("sequence_parallel", &TrainingPlan::sequence_parallel, "");
  of("virtual_pipeline", &TrainingPlan::virtual_pipeline, "chunks of layers of each stage");
  of("embedding_stages", &TrainingPlan::embedding_stages,
     "of embedding and head, those that count as a layer");
  of("zero", &TrainingPlan::zero, "what data-parallel ranks share");
  of("micro_batch_size", &TrainingPlan::micro_batch_size, "sequences of one rank at a time");
  of("gradient_accumulation", &TrainingPlan::gradient_accumulation, "");
  of("recompute", &TrainingPlan::recompute, "");
  of("offload_optimizer", &TrainingPlan::offload_optimizer, "percent of the optimizer's states");
  of("step_us", &TrainingPlan::step_us, "");
  of("mfu", &TrainingPlan::mfu, "");
  of("tokens_per_s_all_gpus", &TrainingPlan::tokens_per_s_all_gpus, "");
  of("tokens_per_s_per_gpu", &TrainingPlan::tokens_per_s_per_gpu, "");
  of("bubble_us", &TrainingPlan::bubble_us, "of step_us: stages wait for each other");
  of("exposed_communication_us", &TrainingPlan::exposed_communication_us,
     "of step_us: communication that nothing hides");
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
  of.type("WithoutChoice", "The best plan without a choice of the first plan.");
  of("field", &WithoutChoice::field, "");
  of("value", &WithoutChoice::value, "the choice");
  of("plan", &WithoutChoice::plan, "null: none fits", When::or_null);
}

struct ServingPlan {
  Parallel parallel;
  std::string dtype;
  std::int64_t num_gpus = 1;
  std::int64_t num_gpus_per_replica = 1;
  std::int64_t replicas = 1;
  std::int64_t concurrent_requests = 1;
  std::int64_t concurrent_requests_per_rank = 1;
  double ttft_us = 0;
  double tpot_us = 0;
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
  of.type("ServingPlan", "A way of serving a model over GPUs.");
  of("parallel", &ServingPlan::parallel, "");
  of("dtype", &ServingPlan::dtype, "with its recipe: `fp8:block128`");
  of("num_gpus", &ServingPlan::num_gpus, "of all replicas");
  of("num_gpus_per_replica", &ServingPlan::num_gpus_per_replica, "");
  of("replicas", &ServingPlan::replicas, "");
  of("concurrent_requests", &ServingPlan::concurrent_requests, "of all replicas");
  of("concurrent_requests_per_rank", &ServingPlan::concurrent_requests_per_rank,
     "of one data-parallel rank of a replica");
  of("ttft_us", &ServingPlan::ttft_us, "time to a request's first token");
  of("tpot_us", &ServingPlan::tpot_us, "between two tokens of a request, prompts of others included");
  of("request_us", &ServingPlan::request_us, "from a request's arrival to its last token");
  of("requests_per_s", &ServingPlan::requests_per_s, "that all GPUs together can take");
  of("load", &ServingPlan::load, "of requests_per_s, what arrives; 1 without --rate");
  of("output_tokens_per_s_all_gpus", &ServingPlan::output_tokens_per_s_all_gpus, "");
  of("input_tokens_per_s_all_gpus", &ServingPlan::input_tokens_per_s_all_gpus, "");
  of("output_tokens_per_s_per_gpu", &ServingPlan::output_tokens_per_s_per_gpu, "");
  of("output_tokens_per_s_per_user", &ServingPlan::output_tokens_per_s_per_user, "");
  of("memory_bytes", &ServingPlan::memory_bytes, "that one GPU needs");
  of("usable_bytes", &ServingPlan::usable_bytes, "that tensors can have of it", When::or_null);
  of("kv_cache_tokens_per_rank", &ServingPlan::kv_cache_tokens_per_rank,
     "that the cache of one data-parallel rank has room for");
  of("kv_cache_requests_per_rank", &ServingPlan::kv_cache_requests_per_rank, "of input and output tokens");
  of("largest_context", &ServingPlan::largest_context, "tokens of the longest request that has room");
  of("bound", &ServingPlan::bound, "what bounds a decoding step");
  of("binds", &ServingPlan::binds, "what keeps more requests out");
  of("cost_per_million_input_tokens", &ServingPlan::cost_per_million_input_tokens, "with --price");
  of("cost_per_million_output_tokens", &ServingPlan::cost_per_million_output_tokens, "with --price");
}

struct PlanCount {
  std::string gpu;
  std::int64_t num_gpus = 1;
  bool proved_best = true;
  SearchCounts enumerated;
  std::optional<double> least_memory_bytes{};
  std::optional<std::vector<TrainingPlan>> plans{};
  std::vector<WithoutChoice> without;
  std::optional<TrainingPlan> as_the_file_says{};
  std::optional<ServingPlan> cheapest{};
  std::optional<ServingPlan> fastest{};
  std::optional<ServingPlan> fewest_gpus{};
  std::optional<std::vector<ServingPlan>> front{};
};
template <class Visitor>
void describe(Visitor& of, const PlanCount*) {
  of.type("PlanCount", "The plans of one GPU and number of them.");
  of("gpu", &PlanCount::gpu, "id");
  of("num_gpus", &PlanCount::num_gpus, "");
  of("proved_best", &PlanCount::proved_best, "no plan of the enumeration is predicted to be better");
  of("enumerated", &PlanCount::enumerated, "");
  of("least_memory_bytes", &PlanCount::least_memory_bytes,
     "training: on one GPU, of the plan that needs least");
  of("plans", &PlanCount::plans, "training: the fastest first");
  of("without", &PlanCount::without,
     "training, of the number that is told in full: without each choice of the first plan",
     When::unless_empty);
  of("as_the_file_says", &PlanCount::as_the_file_says, "training");
  of("cheapest", &PlanCount::cheapest, "serving; absent: none does what is asked");
  of("fastest", &PlanCount::fastest, "serving");
  of("fewest_gpus", &PlanCount::fewest_gpus, "serving");
  of("front", &PlanCount::front, "serving: no plan is both faster and cheaper");
}

struct PlanResult {
  std::string kind;
  std::string model;
  std::optional<std::int64_t> sequences_per_step{};
  std::optional<std::int64_t> sequence_length{};
  std::optional<std::int64_t> input_tokens{};
  std::optional<std::int64_t> output_tokens{};
  std::vector<PlanCount> counts;
  std::vector<std::string> in_the_file;
  std::map<std::string, std::string> launch;
};
template <class Visitor>
void describe(Visitor& of, const PlanResult*) {
  of.type("PlanResult", "The best ways over GPUs.");
  of("kind", &PlanResult::kind, "training or serving");
  of("model", &PlanResult::model, "its name");
  of("sequences_per_step", &PlanResult::sequences_per_step, "training: of all GPUs together");
  of("sequence_length", &PlanResult::sequence_length, "training");
  of("input_tokens", &PlanResult::input_tokens, "serving: of a request");
  of("output_tokens", &PlanResult::output_tokens, "serving");
  of("counts", &PlanResult::counts, "for each GPU and number of them");
  of("in_the_file", &PlanResult::in_the_file, "training: how the first plan is said in the file",
     When::unless_empty);
  of("launch", &PlanResult::launch,
     "serving: the command of each engine that starts a replica of the cheapest plan", When::unless_empty);
}

}  // namespace shapelint::objects
