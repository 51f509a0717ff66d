// Prices of a model's parts, remembered: each depends on few of the searched fields, so that millions of
// models share some thousands of parts. Also the least price over fields that are still open: a lower bound.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.hpp"
#include "cost/stages.hpp"
#include "cost/step.hpp"
#include "model/lower/learning/learning.hpp"
#include "suggest/problem.hpp"

namespace shapelint::suggest {

// Time of one run of a part on one GPU, by what it can hide behind.
struct PartTime {
  std::array<cost::PhaseTimes, cost::phase_count> phases{};
  double waiting_us = 0;         // collectives that nothing hides, per micro-batch
  double update_waiting_us = 0;  // the same once per step
  double embedding_us = 0;       // of all these, what the embedding takes
  double host_us = 0;            // beside all these, what the host takes that launches them
};
// `once`: it runs less than once a micro-batch.
void add_op(PartTime& to, const model::Op& op, double time_us, bool once);
void add(PartTime& to, const PartTime& part, double times);
// Time of a step from the sum of its parts, and what of it repeats with each micro-batch.
cost::StageSums sums_of(const PartTime& sum, double micro_batches);
double step_us(const PartTime& sum, double micro_batches, double pipeline_bubble);

// One part with all its fields known, or the extremes over those that are open.
struct PartNode {
  bool valid = false;
  std::int64_t parameters_low = 0, parameters_high = 0;
  std::int64_t experts_low = 0, experts_high = 0;
  std::int64_t whole_low = 0;  // parameters on every rank of tensor parallelism
  double products_low = 0, products_high = 0;
  model::AdapterSize adapters;  // the least
  std::uint32_t times = 0;      // index of the first GPU's PartTime
};

// Thrown out of a look that would take longer than there is time for.
struct Stopped {};

// Belongs to one thread.
class PartTable {
 public:
  // `memos`: prices known already, by GPU; its own when there are none.
  explicit PartTable(const Problem& problem, std::span<cost::PriceMemo* const> memos = {});

  // From `most_bytes` on, what parts are made of is priced without being remembered. node() throws Stopped
  // once `stop` is set, or when it would price more than `most_parts` from now on.
  void limit(std::size_t most_bytes, const std::atomic<bool>* stop, std::size_t most_parts);

  // The part with the first `depth` of its axes at the given positions (of all axes), the others open.
  // The reference holds until the next call.
  const PartNode& node(model::ModelComponent part, std::size_t depth,
                       std::span<const std::uint32_t> positions);
  const PartTime& time(const PartNode& node, std::size_t gpu) const { return times_[node.times + gpu]; }

  // Axes that a part depends on, ascending.
  const std::vector<std::size_t>& axes_of(model::ModelComponent part) const {
    return parts_[static_cast<std::size_t>(part)].axes;
  }
  // Time of what happens once per step; `sum` is added to.
  void add_update(const model::Setup& plan, model::RankParameters held, model::RankParameters adapters,
                  std::size_t gpu, PartTime& sum);
  // Memory of the parts and products that are remembered, and forgetting them all.
  std::size_t bytes() const;
  // Far more is remembered than limit() says: time for clear(), after which all nodes are to be asked for
  // again.
  bool is_overfull() const { return is_overfull_; }
  void clear();

 private:
  struct KeyHash {
    std::size_t operator()(std::uint64_t key) const { return static_cast<std::size_t>(hashed(0, key)); }
  };
  using Map = tsl::robin_map<std::uint64_t, std::uint32_t, KeyHash>;  // from a position to a node
  struct PartAxes {
    std::vector<std::size_t> axes;
    std::vector<Map> maps;  // by depth
  };
  std::uint32_t find(std::size_t part, std::size_t depth, std::uint64_t key);
  // The same for one that may be forgotten at once.
  PartNode price_node(std::size_t part, std::size_t depth, std::uint64_t key);
  PartNode make(std::size_t part, std::size_t depth, std::uint64_t key);
  void weigh();
  void clear_memos();
  PartNode compute(std::size_t part, std::uint64_t key);
  PartNode combine(std::size_t part, std::size_t depth, std::uint64_t key);

  const Problem& problem_;
  std::array<PartAxes, model::part_count> parts_;
  std::vector<PartNode> nodes_;
  std::vector<PartTime> times_;
  std::vector<std::unique_ptr<cost::PriceMemo>> own_memos_;
  std::vector<cost::PriceMemo*> memos_;  // by GPU
  model::Workload scratch_;
  std::vector<std::int64_t> values_;
  std::size_t most_bytes_ = std::numeric_limits<std::size_t>::max();
  std::size_t parts_left_ = std::numeric_limits<std::size_t>::max();
  const std::atomic<bool>* stop_ = nullptr;
  std::size_t made_ = 0;  // since it was weighed
  bool is_full_ = false;
  bool is_overfull_ = false;
};

}  // namespace shapelint::suggest
