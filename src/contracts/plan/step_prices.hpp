// Steps of training plans of one model on one GPU, from parts that many plans share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cost/grid.hpp"
#include "cost/step.hpp"
#include "model/spec.hpp"
#include "suggest/edit/on_stack.hpp"

namespace shapelint::contracts {

// Says of a plan what suggest::step_of() says, to the last bit. For one thread; what it is made of must
// outlive it.
class StepPrices {
 public:
  // `start`: a setup of the model; the others differ in chosen_in_training() alone. `stack` may run other
  // sizes than a plan has: such steps are lowered whole.
  StepPrices(const gpu::Gpu& gpu, cost::PriceMemo& memo, const suggest::OnStack& stack,
             const model::Setup& start);
  struct Time {
    double time_us = 0;
    double bubble_us = 0;  // of these
  };
  Time price(const model::Setup& setup);

 private:
  // The values of a field that were seen: of those of a wide range in their order.
  struct Axis {
    cost::GridAxis of;
    bool is_wide = false;
    std::int64_t first = 0;
    std::vector<std::int64_t> seen;
  };
  static std::vector<Axis> axes_of();
  static std::vector<cost::GridAxis> named(const std::vector<Axis>& axes);
  // None where a field has had more values than the grid has places.
  static std::optional<std::uint32_t> position(Axis& axis, std::int64_t value);
  bool is_in_grid(const model::Setup& setup);

  cost::PriceMemo& memo_;
  const suggest::OnStack& stack_;
  std::vector<Axis> axes_;
  const gpu::Gpu* gpu_;
  cost::GridPrices grid_;
  std::vector<std::uint32_t> positions_;
  suggest::Step step_;
};

}  // namespace shapelint::contracts
