// Plans for programs.
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/commands/plan/answer.hpp"
#include "cost/roofline.hpp"
#include "model/fields.hpp"
#include "text/json/write.hpp"

namespace shapelint::cli {

using nlohmann::ordered_json;

namespace {

constexpr int json_version = 1;

ordered_json fates_json(const contracts::Fates& fates) {
  return {{"all", fates.all},         {"too_large", fates.too_large}, {"by_rules", fates.by_rules},
          {"refused", fates.refused}, {"bounded", fates.bounded},     {"priced", fates.priced}};
}

ordered_json degrees_json(const model::Plan& run) {
  return {{"tensor", run.tensor}, {"pipeline", run.pipeline}, {"context", run.context},
          {"data", run.data},     {"expert", run.expert},     {"expert_tensor", run.expert_tensor}};
}

ordered_json training_plan(const contracts::TrainingPlan& plan) {
  const model::Plan& run = plan.setup.plan;
  ordered_json json = degrees_json(run);
  json["sequence_parallel"] = run.sequence_parallel;
  json["virtual_pipeline"] = run.virtual_pipeline;
  json["embedding_stages"] = run.embedding_stages;
  json["zero"] = run.zero;
  json["micro_batch_size"] = run.micro_batch_size;
  json["gradient_accumulation"] = run.gradient_accumulation;
  json["recompute"] = model::value_text(model::FieldId::recompute, static_cast<std::int64_t>(run.recompute));
  json["offload_optimizer"] = run.offload_optimizer;
  json["step_us"] = plan.step_us;
  json["mfu"] = plan.mfu;
  json["tokens_per_s"] = plan.tokens_per_s;
  json["tokens_per_s_per_gpu"] = plan.tokens_per_s / static_cast<double>(plan.gpus);
  json["bubble_us"] = plan.bubble_us;
  json["exposed_communication_us"] = plan.exposed_us;
  json["memory_bytes"] = {{"weights", plan.memory.weights},
                          {"gradients", plan.memory.gradients},
                          {"optimizer", plan.memory.optimizer},
                          {"activations", plan.memory.activations},
                          {"all", plan.memory_bytes},
                          {"usable", plan.usable_bytes},
                          {"host", plan.memory.host}};
  return json;
}

ordered_json serving_plan(const contracts::ServingPlan& plan, double price) {
  const model::Plan& run = plan.setup.plan;
  ordered_json json = degrees_json(run);
  json["format"] = contracts::name(plan.format);
  json["gpus"] = plan.gpus;
  json["gpus_per_replica"] = plan.replica_gpus;
  json["replicas"] = plan.replicas;
  json["concurrent_requests"] = plan.requests;
  json["concurrent_requests_per_rank"] = plan.requests_per_rank;
  json["ttft_us"] = plan.ttft_us;
  json["tpot_us"] = plan.tpot_us;
  json["request_us"] = plan.request_us;
  json["requests_per_s"] = plan.requests_per_s;
  json["load"] = plan.load;
  json["output_tokens_per_s"] = plan.output_tokens_per_s;
  json["input_tokens_per_s"] = plan.input_tokens_per_s;
  json["output_tokens_per_s_per_gpu"] = plan.tokens_per_s_per_gpu;
  json["output_tokens_per_s_per_user"] = plan.tokens_per_s_per_user;
  json["memory_bytes"] = plan.memory_bytes;
  json["usable_bytes"] = plan.usable_bytes;
  json["kv_cache_tokens_per_rank"] = plan.kv_tokens;
  json["kv_cache_requests_per_rank"] = plan.kv_requests;
  json["largest_context"] = plan.largest;
  json["bound"] = cost::name(plan.bound);
  json["binds"] = contracts::name(plan.binds);
  if (price > 0) {
    const TokenCost cost = token_cost(plan, price);
    json["cost_per_million_input_tokens"] = cost.input;
    json["cost_per_million_output_tokens"] = cost.output;
  }
  return json;
}

}  // namespace

std::string training_json(const TrainingPlans& plans) {
  ordered_json counts = ordered_json::array();
  for (const TrainingCount& each : plans.counts) {
    ordered_json found = ordered_json::array();
    for (const contracts::TrainingPlan& plan : each.answer.best) {
      ordered_json json = training_plan(plan);
      if (plans.tokens > 0) {
        json["run_hours"] = run_hours(plan, plans.tokens);
        if (each.price > 0)
          json["run_cost"] = run_hours(plan, plans.tokens) * each.price * static_cast<double>(each.gpus);
      }
      found.push_back(std::move(json));
    }
    ordered_json without = ordered_json::array();
    for (const contracts::Ablation& ablation : each.ablations) {
      const model::FieldId field = ablation.without.field;
      without.push_back({{"field", model::info(field).name},
                         {"value", model::value_text(field, ablation.without.value)},
                         {"plan", ablation.plan ? training_plan(*ablation.plan) : ordered_json(nullptr)}});
    }
    counts.push_back({{"gpu", each.gpu},
                      {"gpus", each.gpus},
                      {"proved_best", true},
                      {"enumerated", fates_json(each.answer.fates)},
                      {"least_memory_bytes", each.answer.least_bytes},
                      {"plans", std::move(found)},
                      {"without", std::move(without)},
                      {"as_the_file_says", each.own ? training_plan(*each.own) : ordered_json(nullptr)}});
  }
  const ordered_json json{{"version", json_version},
                          {"kind", "training"},
                          {"model", plans.model},
                          {"sequences_per_step", plans.sequences},
                          {"sequence_length", plans.sequence_length},
                          {"counts", std::move(counts)},
                          {"in_the_file", plans.ways}};
  return text::json_text(json, 2) + '\n';
}

std::string serving_json(const ServingPlans& plans) {
  ordered_json counts = ordered_json::array();
  for (const ServingCount& each : plans.counts) {
    const auto one = [&](const std::optional<contracts::ServingPlan>& plan) {
      return plan ? serving_plan(*plan, each.price) : ordered_json(nullptr);
    };
    ordered_json front = ordered_json::array();
    for (const contracts::ServingPlan& plan : each.answer.front)
      front.push_back(serving_plan(plan, each.price));
    counts.push_back({{"gpu", each.gpu},
                      {"gpus", each.gpus},
                      {"proved_best", true},
                      {"enumerated", fates_json(each.answer.fates)},
                      {"cheapest", one(each.answer.cheapest)},
                      {"fastest", one(each.answer.fastest)},
                      {"fewest_gpus", one(each.answer.fewest)},
                      {"front", std::move(front)}});
  }
  ordered_json commands = ordered_json::object();
  if (plans.best != nullptr)
    for (const Launch& each : launches(plans.model, *plans.best->answer.cheapest, plans.request))
      commands[each.engine] = each.command;
  const ordered_json json{{"version", json_version},
                          {"kind", "serving"},
                          {"model", plans.model},
                          {"input_tokens", plans.request.input_tokens},
                          {"output_tokens", plans.request.output_tokens},
                          {"counts", std::move(counts)},
                          {"launch", std::move(commands)}};
  return text::json_text(json, 2) + '\n';
}

}  // namespace shapelint::cli
