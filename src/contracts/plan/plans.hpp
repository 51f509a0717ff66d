// Plans over several GPUs and numbers of them, and the best of all: what `shapelint plan` and the library
// answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contracts/plan/layouts.hpp"
#include "contracts/plan/serving.hpp"
#include "contracts/plan/training.hpp"
#include "formats/dialect/dialect.hpp"

namespace shapelint::contracts {

// What both kinds of plan are made from; all of it must outlive the answer.
struct PlanSubject {
  const model::Reading& reading;
  std::span<const gpu::Gpu> gpus;
  std::vector<double> prices;  // by GPU, of an hour of one; 0: not given
  const rules::RuleBook& rules;
  PlanStack stack;
  const formats::Dialect* dialect = nullptr;  // of the file; null: of no framework
};

struct PlanRun {
  std::size_t threads = 0;  // 0: as many as the machine has
  // From the calling thread, now and then: how many numbers of GPUs are planned; false ends it.
  std::function<bool(std::size_t done, std::size_t all)> progress{};
};

// Combinations of alternatives that are searched at most.
inline constexpr std::size_t max_alternatives = 64;

// For one GPU and one number of them.
struct TrainingCount {
  std::string gpu;  // id
  std::int64_t gpus = 1;
  double price = 0;  // of an hour of one GPU; 0: not given
  TrainingAnswer answer;
  std::vector<Ablation> ablations{};  // of the best count alone
  // What the file says, where that is for as many GPUs and sequences.
  std::optional<TrainingPlan> own{};
};
struct TrainingQuestion {
  std::optional<std::int64_t> sequences{};  // of a step; without them the file's
  std::size_t keep = 5;
  double measured_step_us = 0;  // of the file's own plan on the first GPU; 0: not measured
  // Fields that are tried besides what plans choose, such as the dtype: of each axis one alternative, which
  // may set several fields.
  std::vector<std::vector<std::vector<Pin>>> axes{};
};
struct TrainingPlans {
  std::int64_t sequences = 1;         // of a step
  std::vector<TrainingCount> counts;  // by GPU, then by number
  std::optional<std::size_t> best{};  // of them, by tokens/s for the money; none: nothing fits
  double measured_scale = 1;          // of predicted times, from the measured step
  std::vector<std::string> in_file;   // how the fastest plan is said in the file
  bool ended = false;                 // by `progress`
};
TrainingPlans plan_training(const PlanSubject& subject, const GpuCounts& counts,
                            const TrainingQuestion& question, const PlanRun& run);

struct ServingCount {
  std::string gpu;
  std::int64_t gpus = 1;
  double price = 0;
  ServingAnswer answer;
};
struct ServingPlans {
  std::vector<ServingCount> counts;
  std::optional<std::size_t> best{};  // of the cheapest plan; none: nothing meets the bounds
  bool ended = false;
};
// `request.pins` are filled in.
ServingPlans plan_serving(const PlanSubject& subject, const GpuCounts& counts, ServingRequest request,
                          const PlanRun& run);

}  // namespace shapelint::contracts
