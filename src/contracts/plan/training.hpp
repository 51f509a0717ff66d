// The best plan of a training step on so many GPUs: every layout with every micro-batch at a fixed global
// batch, pipeline schedule, ZeRO stage, recomputation and offloading that the framework takes and that fits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contracts/plan/branches.hpp"
#include "contracts/plan/layouts.hpp"
#include "contracts/price.hpp"
#include "gpu/gpu.hpp"
#include "model/memory/training.hpp"
#include "model/reading.hpp"
#include "rules/book/rule.hpp"
#include "suggest/edit/on_stack.hpp"

namespace shapelint::contracts {

// A field that a plan may not choose.
struct Pin {
  model::FieldId field = model::no_field;
  std::int64_t value = 0;
};

// What runs the plans; without packages they run as they are written.
struct PlanStack {
  const Book* book = nullptr;
  Stack stack{};
  Runs runs = Runs::as_stack;
};
// For one thread: of plans that differ in what `reading` counts as stated.
suggest::OnStack on_stack(const PlanStack& stack, const model::Reading& reading, const gpu::Gpu& gpu);

// The fields that a training plan chooses.
std::vector<model::FieldId> chosen_in_training();

// Whether the framework of the file has a key for a field of the plan.
using CanSet = std::function<bool(model::FieldId field, std::int64_t value)>;

struct TrainingRequest {
  std::int64_t gpus = 1;
  std::int64_t sequences = 1;  // of an optimizer step, over all ranks: the global batch
  std::vector<Pin> pins{};
  std::size_t keep = 1;
  bool may_offload = true;                   // optimizer states to the host, where nothing fits otherwise
  bool prune = true;                         // false: price everything (for tests)
  const std::atomic<bool>* ended = nullptr;  // by another thread: the answer is none
};

struct TrainingPlan {
  model::Setup setup;
  std::int64_t gpus = 1;
  double step_us = 0;
  double mfu = 0;
  double tokens_per_s = 0;  // of all GPUs
  double bubble_us = 0;     // of step_us: stages wait for each other
  double exposed_us = 0;    // of step_us: communication that nothing hides
  model::TrainingMemory memory;
  double memory_bytes = 0;  // on one GPU
  double usable_bytes = 0;
  std::size_t variant = 0;  // of several that are searched (TrainingQuestion::axes)
};

// How the plans of the enumeration ended.
struct SearchCounts {
  std::int64_t all = 0;
  std::int64_t too_large = 0;
  std::int64_t by_rules = 0;
  std::int64_t refused = 0;   // by the stack
  std::int64_t needless = 0;  // compute more again than a plan that fits and differs in nothing else
  std::int64_t bounded = 0;   // no plan of theirs can be among the best
  std::int64_t priced = 0;

  SearchCounts& operator+=(const SearchCounts& other) {
    all += other.all;
    too_large += other.too_large;
    by_rules += other.by_rules;
    refused += other.refused;
    needless += other.needless;
    bounded += other.bounded;
    priced += other.priced;
    return *this;
  }
};

struct TrainingAnswer {
  std::vector<TrainingPlan> best;  // fastest first; equal ones by what they change least
  SearchCounts searched;
  double least_bytes = 0;          // on one GPU, of the plan that needs least; 0: there is none
  std::set<std::string> violated;  // codes of rules, of plans that violate some
};

// What a choice of the best plan is worth: the best plan that does without it.
struct Ablation {
  Pin without;
  std::optional<TrainingPlan> plan;  // absent: none fits
};

// A framework's default of a field. ZeRO's stage is not among these, as FSDP has one, nor is recomputation,
// which some trainers turn on.
bool is_left_out(model::FieldId field, std::int64_t value);
// Whether the request decides the field.
bool is_pinned(const TrainingRequest& request, model::FieldId field);
// The value of each choice of a plan that means none.
std::vector<Pin> without_choices(const TrainingRequest& request, const TrainingPlan& plan);

// For one thread and one GPU. What it is made of must outlive it.
class TrainingSearch {
 public:
  // `bytes`: shared by searches of the same reading, on any GPU.
  TrainingSearch(const model::Reading& reading, const gpu::Gpu& gpu, const rules::RuleBook& rules,
                 const PlanStack& stack, CanSet can_set,
                 std::shared_ptr<KnownBytes> bytes = std::make_shared<KnownBytes>());
  ~TrainingSearch();
  TrainingAnswer search(const TrainingRequest& request);
  // Whether the request and the file's framework leave the choice.
  bool allows(const TrainingRequest& request, const Pin& pin) const;
  // The best plan that has `pin` instead of a choice.
  Ablation without(const TrainingRequest& request, const Pin& pin);
  // The file's own plan, as it is priced among the others.
  TrainingPlan own();

 private:
  struct Parts;
  TrainingAnswer search_without_fallback(const TrainingRequest& request);
  std::unique_ptr<Parts> parts_;
};

}  // namespace shapelint::contracts
