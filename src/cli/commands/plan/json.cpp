// Plans for programs.
#include <cmath>
#include <sstream>

#include "base/units.hpp"
#include "cli/commands/plan/plan.hpp"
#include "cost/roofline.hpp"
#include "model/fields.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/plan.hpp"
#include "objects/step.hpp"

namespace shapelint::cli {

namespace {

objects::SearchCounts fates_of(const contracts::SearchCounts& fates) {
  return {fates.all, fates.too_large, fates.by_rules, fates.refused, fates.bounded, fates.priced};
}

objects::Parallel parallel_of(const model::Plan& run) {
  return {run.tensor, run.pipeline, run.context, run.data, run.expert, run.expert_tensor};
}

objects::TrainingPlan training_plan(const contracts::TrainingPlan& plan) {
  const model::Plan& run = plan.setup.plan;
  objects::TrainingPlan out;
  out.parallel = parallel_of(run);
  out.sequence_parallel = run.sequence_parallel;
  out.virtual_pipeline = run.virtual_pipeline;
  out.embedding_stages = run.embedding_stages;
  out.zero = run.zero;
  out.micro_batch_size = run.micro_batch_size;
  out.gradient_accumulation = run.gradient_accumulation;
  out.recompute = model::value_text(model::FieldId::recompute, static_cast<std::int64_t>(run.recompute));
  out.offload_optimizer = run.offload_optimizer;
  out.step_us = plan.step_us;
  out.mfu = plan.mfu;
  out.tokens_per_s_all_gpus = plan.tokens_per_s;
  out.tokens_per_s_per_gpu = plan.tokens_per_s / static_cast<double>(plan.gpus);
  out.bubble_us = plan.bubble_us;
  out.exposed_communication_us = plan.exposed_us;
  out.memory.total_bytes = api::whole_bytes(plan.memory_bytes);
  out.memory.usable_bytes = api::whole_bytes(plan.usable_bytes);
  out.memory.fits = plan.memory_bytes <= plan.usable_bytes;
  out.memory.parts = api::parts_of(plan.memory);
  out.memory.host_bytes = api::whole_bytes(plan.memory.host);
  return out;
}

objects::ServingPlan serving_plan(const contracts::ServingPlan& plan, double price) {
  objects::ServingPlan out;
  out.parallel = parallel_of(plan.setup.plan);
  out.dtype = contracts::name(plan.format);
  out.num_gpus = plan.gpus;
  out.num_gpus_per_replica = plan.replica_gpus;
  out.replicas = plan.replicas;
  out.concurrent_requests = plan.requests;
  out.concurrent_requests_per_rank = plan.requests_per_rank;
  out.ttft_us = plan.ttft_us;
  out.tpot_us = plan.tpot_us;
  out.request_us = plan.request_us;
  out.requests_per_s = plan.requests_per_s;
  out.load = plan.load;
  out.output_tokens_per_s_all_gpus = plan.output_tokens_per_s;
  out.input_tokens_per_s_all_gpus = plan.input_tokens_per_s;
  out.output_tokens_per_s_per_gpu = plan.tokens_per_s_per_gpu;
  out.output_tokens_per_s_per_user = plan.tokens_per_s_per_user;
  out.memory_bytes = api::whole_bytes(plan.memory_bytes);
  out.usable_bytes = api::whole_bytes(plan.usable_bytes);
  out.kv_cache_tokens_per_rank = plan.kv_tokens;
  out.kv_cache_requests_per_rank = plan.kv_requests;
  out.largest_context = plan.largest;
  out.bound = cost::name(plan.bound);
  out.binds = contracts::name(plan.binds);
  if (price > 0) {
    const TokenCost cost = token_cost(plan, price);
    out.cost_per_million_input_tokens = cost.input;
    out.cost_per_million_output_tokens = cost.output;
  }
  return out;
}

std::string printed(const objects::PlanResult& result) {
  std::ostringstream out;
  objects::write_document("plan", objects::Status::ok, result, out);
  return std::move(out).str();
}

}  // namespace

std::string training_json(const TrainingPlans& plans) {
  objects::PlanResult result;
  result.kind = "training";
  result.model = plans.model;
  result.sequences_per_step = plans.sequences;
  result.sequence_length = plans.sequence_length;
  for (const TrainingCount& each : plans.counts) {
    objects::PlanCount& count = result.counts.emplace_back();
    count.gpu = each.gpu;
    count.num_gpus = each.gpus;
    count.enumerated = fates_of(each.answer.fates);
    count.least_memory_bytes = each.answer.least_bytes;
    count.plans.emplace();
    for (const contracts::TrainingPlan& plan : each.answer.best) {
      objects::TrainingPlan& told = count.plans->emplace_back(training_plan(plan));
      if (plans.tokens <= 0) continue;
      told.run_hours = run_hours(plan, plans.tokens);
      if (each.price > 0) told.run_cost = *told.run_hours * each.price * static_cast<double>(each.gpus);
    }
    for (const contracts::Ablation& ablation : each.ablations) {
      const model::FieldId field = ablation.without.field;
      objects::WithoutChoice& without = count.without.emplace_back();
      without.field = model::info(field).name;
      without.value = model::value_text(field, ablation.without.value);
      if (ablation.plan) without.plan = training_plan(*ablation.plan);
    }
    if (each.own) count.as_the_file_says = training_plan(*each.own);
  }
  result.in_the_file.assign(plans.ways.begin(), plans.ways.end());
  return printed(result);
}

std::string serving_json(const ServingPlans& plans) {
  objects::PlanResult result;
  result.kind = "serving";
  result.model = plans.model;
  result.input_tokens = plans.request.input_tokens;
  result.output_tokens = plans.request.output_tokens;
  for (const ServingCount& each : plans.counts) {
    const auto one = [&](const std::optional<contracts::ServingPlan>& plan) {
      return plan ? std::optional(serving_plan(*plan, each.price)) : std::nullopt;
    };
    objects::PlanCount& count = result.counts.emplace_back();
    count.gpu = each.gpu;
    count.num_gpus = each.gpus;
    count.enumerated = fates_of(each.answer.fates);
    count.cheapest = one(each.answer.cheapest);
    count.fastest = one(each.answer.fastest);
    count.fewest_gpus = one(each.answer.fewest);
    count.front.emplace();
    for (const contracts::ServingPlan& plan : each.answer.front)
      count.front->push_back(serving_plan(plan, each.price));
  }
  if (plans.best != nullptr) {
    for (const Launch& each : launches(plans.model, *plans.best->answer.cheapest, plans.request))
      result.launch[std::string(each.engine)] = each.command;
  }
  return printed(result);
}

}  // namespace shapelint::cli
