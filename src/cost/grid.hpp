// Steps of a grid: of setups that differ in a few fields only and so share most of their parts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.hpp"
#include "cost/step.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"

namespace shapelint::cost {

// A field that varies, with the number of its values.
struct GridAxis {
  model::FieldId field = model::no_field;
  std::size_t values = 0;
};

// Says of each setup what PriceMemo says of its lowered ops, to the last bit: the same times are added up in
// the same order. Each part of a layer is lowered and priced once for all points that agree in the fields
// that it depends on. For one thread; the GPUs must outlive it.
class GridPrices {
 public:
  // `start`: a setup of the grid.
  GridPrices(std::span<const gpu::Gpu* const> gpus, std::span<const GridAxis> axes,
             const model::Setup& start);
  GridPrices(const GridPrices&) = delete;
  GridPrices& operator=(const GridPrices&) = delete;
  // Whether steps of such setups are sums of parts: not those of CNNs, not where kernels of one part run
  // inside those of another, and not where what all parts keep is copied.
  static bool covers(const model::Setup& setup);
  // Takes the setup, which must stay until it is priced; `positions` on the axes tell it from all others.
  void move_to(const model::Setup& setup, std::span<const std::uint32_t> positions);
  // For the setup: model::parameter_count(), and model::parameters_per_rank().
  std::int64_t parameters() const { return parameters_; }
  model::RankParameters held() const { return held_; }
  // Its step on each GPU, without the ops; holds until the next call.
  std::span<const StepCost> price();
  // What model::lower() says of the setup that was priced last, without the ops.
  const model::Workload& workload() const { return totals_; }

 private:
  // One run of an op on one GPU.
  struct Run {
    double count = 1;  // in one run of the part
    double time_us = 0;
    double flops = 0;
    Bound bound = Bound::compute;
    double host_us = 0;  // of one run
    OpTraits traits;
  };
  // What parts need, one behind the other: the memory is used again when all of it is forgotten.
  struct Priced {
    std::vector<std::uint32_t> pieces;  // see model::lower_part
    std::vector<Run> runs;              // of a part's ops on the first GPU, then on the next
    void clear();
  };
  struct PricedPart {
    const Priced* in = nullptr;
    std::uint32_t first_piece = 0;
    std::uint32_t pieces = 0;
    std::uint32_t first_run = 0;
    std::uint32_t ops = 0;
    model::PartSize size;
  };
  struct KeyHash {
    std::size_t operator()(std::uint64_t key) const { return static_cast<std::size_t>(hashed(0, key)); }
  };
  struct Table {
    std::vector<std::size_t> axes;  // that the part depends on
    bool is_numbered = true;        // its points by a key
    tsl::robin_map<std::uint64_t, PricedPart, KeyHash> known;
    std::uint64_t last_key = 0;
    std::optional<PricedPart> last;
    Priced passing;  // of a part that depends on all axes: the last one
  };
  PricedPart find(model::ModelComponent part, const model::Setup& setup,
                  std::span<const std::uint32_t> positions);
  PricedPart lower_and_price(model::ModelComponent part, const model::Setup& setup, Priced& into);
  void forget();
  struct Cursor;
  struct Sums;
  Sums sums_of(std::size_t stage, std::size_t gpu);

  std::vector<const gpu::Gpu*> gpus_;
  std::vector<GridAxis> axes_;
  std::vector<std::unique_ptr<PriceMemo>> memos_;
  std::array<Table, model::part_count> tables_;
  Priced remembered_;
  model::Workload totals_;
  model::Workload scratch_;
  std::vector<std::uint32_t> pieces_;  // of the part that is lowered
  const model::Setup* setup_ = nullptr;
  model::Setup stage_;  // of a pipeline: the same with a pace
  // By StepPart, runs of each in the step: of the first stage and of the last, or of the only one.
  std::array<std::array<double, model::part_count>, 2> times_{};
  std::size_t stages_ = 1;
  std::array<double, 2> stage_layers_{};
  std::array<PricedPart, model::part_count> parts_{};
  model::PartSizes sizes_;
  std::int64_t parameters_ = 0;
  model::RankParameters held_;
  std::vector<StepCost> steps_;
};

}  // namespace shapelint::cost
