// Parts of a training plan, in the order in which a search decides them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "contracts/plan/layouts.hpp"
#include "contracts/plan/recompute.hpp"
#include "model/fields.hpp"
#include "model/spec.hpp"

namespace shapelint::contracts {

// A layout with its micro-batch, ZeRO stage and stages.
struct Branch {
  Layout layout;
  std::int64_t zero = 0;
  std::int64_t micro_batch = 1;
  std::int64_t accumulation = 1;
  std::int64_t embedding_stages = 0;
  std::int64_t stage_layers = 0;  // of all stages but the last; 0: as even as can be
  std::int64_t overlap = 0;
  bool sequence_parallel = false;
};
// What the plans of a branch differ in.
struct Leaf {
  std::int64_t chunks = 1;
  model::PipelineSchedule schedule = model::PipelineSchedule::one_forward_one_backward;
  RecomputeChoice recompute;
  std::int64_t offload = 0;  // percent of the optimizer's states
};
// Whether the slowest stage has no more to do with `a` than with `b`: embedding and head are half of the work
// of two stages with DualPipe, and of one, or of one each, with others.
bool is_as_light(model::PipelineSchedule a, model::PipelineSchedule b);
// How a pipeline's layers are cut into stages.
struct Split {
  std::int64_t embedding_stages = 0;
  std::int64_t stage_layers = 0;
};
// For branches with as many stages and counted embeddings; less recomputation first.
struct Leaves {
  std::vector<Leaf> all;
  std::vector<RecomputeChoice> min_memory;          // max_recomputed() of theirs
  std::vector<RecomputeChoice> min_memory_in_part;  // of those without full recomputation
  // A schedule with which the slowest stage has as little to do as with any of these.
  model::PipelineSchedule lightest = model::PipelineSchedule::one_forward_one_backward;
  // Schedules, each with the most chunks that it has among all.
  std::vector<std::pair<model::PipelineSchedule, std::int64_t>> schedules;
};

void apply(const Branch& branch, const Leaf& leaf, model::Plan& plan);
// Plans with equal keys are equal.
using PlanKey = std::array<std::uint64_t, 18>;
struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const { return static_cast<std::size_t>(hash_of(key)); }
};
PlanKey key_of(const Branch& branch, const Leaf& leaf);
// The memory of plans on one GPU, which no GPU changes: for searches on several threads.
class KnownBytes {
 public:
  template <class Work>
  double get(const PlanKey& key, const Work& work) {
    Shard& shard = shards_[PlanKeyHash{}(key) / 64 % shards_.size()];
    {
      const std::lock_guard lock(shard.mutex);
      if (const auto found = shard.bytes.find(key); found != shard.bytes.end()) return found->second;
    }
    const double bytes = work();
    const std::lock_guard lock(shard.mutex);
    return shard.bytes.emplace(key, bytes).first->second;
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<PlanKey, double, PlanKeyHash> bytes;
  };
  std::array<Shard, 64> shards_;
};
// Whether none but ZeRO's stage and the micro-batch, with what follows from it, differ.
bool differs_in_zero_or_batch(const Branch& a, const Branch& b);
// Fields of the layout, which those have in common.
model::PerField<bool> fields_of_layouts();

}  // namespace shapelint::contracts
