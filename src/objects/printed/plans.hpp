// What `fits` prints: ways over GPUs.
#pragma once

#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::objects {

using api::Parallel;
using api::When;

struct Requirement {
  std::string requirement;
  std::string outcome;
  std::string summary;
  std::string formula;
  std::string sum;
};
template <class Visitor>
void describe(Visitor& of, const Requirement*) {
  of.type("Requirement", "An unmet requirement of a kernel or framework.");
  of("requirement", &Requirement::requirement, "its id");
  of("outcome", &Requirement::outcome, "rejected, padded, slower, or falls back to another kernel");
  of("summary", &Requirement::summary, "");
  of("formula", &Requirement::formula, "`moe_intermediate_size / expert_tensor`", When::unless_empty);
  of("sum", &Requirement::sum, "`1536 / 8 = 192`", When::unless_empty);
}

struct Plan {
  std::string gpu;
  std::int64_t num_gpus = 1;
  Parallel parallel;
  std::int64_t zero = 0;
  std::string dtype;
  std::string outcome;
  std::int64_t memory_bytes = 0;
  std::int64_t usable_bytes = 0;
  std::optional<api::Capacity> capacity{};
  std::vector<Requirement> requirements;
  std::vector<std::string> codes;
  std::optional<double> step_us{};
  std::optional<double> padding_us{};
  std::optional<double> slower_us{};
  std::optional<double> tokens_per_s_all_gpus{};
  bool best = false;
};
template <class Visitor>
void describe(Visitor& of, const Plan*) {
  of.type("Plan", "A way of dividing a model over GPUs.");
  of("gpu", &Plan::gpu, "id");
  of("num_gpus", &Plan::num_gpus, "");
  of("parallel", &Plan::parallel, "");
  of("zero", &Plan::zero,
     "training: ZeRO stage; 0: nothing sharded, 1: optimizer states, 2: gradients, 3: weights, as FSDP");
  of("dtype", &Plan::dtype, "with its recipe: `fp8:block128`");
  of("outcome", &Plan::outcome, "runs, pads, is slower, falls back, does not fit, refused");
  of("memory_bytes", &Plan::memory_bytes, "that one GPU needs");
  of("usable_bytes", &Plan::usable_bytes, "that tensors can have of it", When::or_null);
  of("capacity", &Plan::capacity, "of an engine that serves");
  of("requirements", &Plan::requirements, "that are not met");
  of("codes", &Plan::codes, "of hard rules that are broken, which any framework has");
  of("step_us", &Plan::step_us, "with padding and fallbacks; absent if rejected");
  of("padding_us", &Plan::padding_us, "of step_us: zeros");
  of("slower_us", &Plan::slower_us, "of step_us: other kernels");
  of("tokens_per_s_all_gpus", &Plan::tokens_per_s_all_gpus, "");
  of("best", &Plan::best, "the fastest that fits of its number of GPUs");
}

struct FitsResult {
  std::vector<std::string> gpus;
  std::vector<Plan> plans;
};
template <class Visitor>
void describe(Visitor& of, const FitsResult*) {
  of.type("FitsResult", "Ways over GPUs: of each number those that run first, the fastest of them first.");
  of("gpus", &FitsResult::gpus, "ids");
  of("plans", &FitsResult::plans, "");
}

}  // namespace shapelint::objects
