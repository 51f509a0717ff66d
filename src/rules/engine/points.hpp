// Many setups that differ in a few fields: what each costs, and which hard rules it breaks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost/grid.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/derive.hpp"
#include "model/reading.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/conditions.hpp"
#include "suggest/edit/change.hpp"

namespace shapelint::rules {

// Goes from point to point and remembers prices. For one thread; book, reading and GPUs must outlive it.
class Points {
 public:
  // Unstated fields follow from those of the axes, as where a file says them.
  Points(const RuleBook& book, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
         std::vector<cost::GridAxis> axes);
  // Values by axis, within the bounds of their fields. `positions` on the axes tell the point from all
  // others.
  void move_to(std::span<const std::int64_t> values, std::span<const std::uint32_t> positions);
  const model::Setup& setup() const { return setup_; }
  std::int64_t parameters() const { return parameters_; }
  // Codes of the rules that it breaks, separated by blanks. Holds until the next call.
  const std::string& broken() { return broken_->of(setup_); }
  // On each GPU, as suggest::memory_bytes() has it.
  double memory_bytes() const;
  // The step on each GPU, with each of its ops only where they are asked for. Holds until the next call.
  std::span<const cost::StepCost> price(bool with_ops);
  // What was priced last.
  const model::Workload& workload() const { return *priced_; }

 private:
  const model::Reading& reading_;
  model::Setup start_;  // of the reading, with all that follows and is the same for all points
  std::span<const gpu::Gpu> gpus_;
  std::vector<cost::GridAxis> axes_;
  suggest::FieldDependencies links_;
  suggest::ChangedFields moved_;
  model::Rederived rederived_;
  std::optional<BrokenRules> broken_;
  bool in_grid_ = true;  // the present point's price is a sum of parts
  cost::GridPrices prices_;
  std::vector<std::unique_ptr<cost::PriceMemo>> memos_;  // by GPU, for steps that are priced op by op
  std::vector<cost::StepCost> steps_;                    // of those
  model::Workload workload_;
  const model::Workload* priced_ = &workload_;
  model::Setup setup_;  // of the present point
  std::int64_t parameters_ = 0;
  model::RankParameters held_;
  std::vector<std::uint32_t> positions_;
};

// For one replica of the model, by the GPUs that it is spread over.
double tokens_per_s_per_gpu(const model::Setup& setup, const model::Workload& workload,
                            const cost::StepCost& step);

}  // namespace shapelint::rules
