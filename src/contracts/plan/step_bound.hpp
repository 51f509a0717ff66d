// Times that no training step with a plan goes below, from layers that are priced once for all plans that
// compute them alike: a sum of known numbers, where pricing a plan lowers its whole step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>

#include "base/hash.hpp"
#include "cost/stages.hpp"
#include "cost/step.hpp"
#include "model/lower/lower.hpp"
#include "model/spec.hpp"
#include "suggest/search/part_table.hpp"

namespace shapelint::contracts {

// For plans of one model; for one thread. The memo must outlive it.
class StepBound {
 public:
  explicit StepBound(cost::PriceMemo& memo) : memo_(memo) {}

  // For a step with the plan, whatever is recomputed or offloaded; the slowest stage waits for at least
  // `min_waiting` of what the others do for a micro-batch (model::waiting_share()).
  // `setup`: the model with that plan, without any of these; asked for only where its layers are new. Left
  // out: sharing gradients and weights, the update, the embedding and sends between stages.
  using MakeSetup = std::function<const model::Setup&()>;
  double min_us(const model::Plan& plan, double min_waiting, const MakeSetup& setup);

 private:
  // What a layer's operations depend on; not the number of replicas, stages or micro-batches, and of ZeRO
  // only whether ranks gather weights.
  using LayerKey = std::array<std::uint64_t, 8>;
  // A part, and of that what it depends on.
  using PartKey = std::array<std::uint64_t, 9>;
  struct Hash {
    std::size_t operator()(const auto& key) const { return static_cast<std::size_t>(hash_of(key)); }
  };
  // For one run of each part on one rank, without updates.
  struct Layer {
    std::array<suggest::PartTime, model::part_count> parts{};
    suggest::PartTime embedding;
    suggest::PartTime head;
  };
  // For the first stage and the last, per micro-batch.
  struct Stages {
    std::array<model::LayerRuns, 2> runs{};
    double between = 0;  // stages as full as the first between the two
    double heads = 0;    // of micro-batches, on the last
  };
  // A part by itself; of `ends` the embedding and the head.
  using PartTimes = std::array<suggest::PartTime, 2>;
  using CutKey = std::array<std::int64_t, 3>;  // stages and how layers are cut into them
  // For a step's first stage and its last, or for the only one.
  struct Sums {
    LayerKey key{};
    CutKey cut{};
    double micro_batches = 0;
    std::array<cost::StageSums, 2> stages{};
    double between = 0;
  };
  // Of the plan that was asked for last they are at hand: plans that differ in ZeRO or wait differently have
  // the same.
  const Sums& sums_of(const model::Plan& plan, const MakeSetup& setup);
  Layer priced(model::Setup setup, const LayerKey& key);
  const PartTimes& priced(const model::Setup& setup, model::ModelComponent part, const LayerKey& key);
  static Stages stages_of(model::Setup setup);
  suggest::PartTime sum_of(const Layer& layer, const model::LayerRuns& runs, double micro_batches) const;

  cost::PriceMemo& memo_;
  std::unordered_map<LayerKey, Layer, Hash> layers_;
  std::unordered_map<PartKey, PartTimes, Hash> parts_;
  std::map<CutKey, Stages> stages_;
  Sums last_;
  model::Workload scratch_;
};

}  // namespace shapelint::contracts
