// Steps of a grid from parts are the steps of its setups, to the last bit.
#include "cost/grid.hpp"

#include <rapidcheck.h>

#include "cost/stages.hpp"
#include "model/derive.hpp"
#include "tests/catch.hpp"
#include "tests/cost/gpu_support.hpp"

using namespace shapelint;
using namespace shapelint::cost;

namespace {

std::int64_t pick(const model::FieldInfo& field) {
  return *rc::gen::inRange<std::int64_t>(field.minimum, std::min<std::int64_t>(field.maximum, 500) + 1);
}

// Any model of ordinary size, some of whose fields follow from others.
model::Reading any_reading() {
  model::Reading reading;
  for (const model::FieldInfo& field : model::fields()) {
    if (*rc::gen::inRange(0, 2) == 0) continue;
    field.set(reading.setup, pick(field));
    reading.origins[field.id].kind = model::Origin::Kind::stated;
  }
  model::complete(reading);
  reading.setup.plan.fusion = model::Fusion::none;
  reading.setup.plan.offload_activations = false;
  return reading;
}

struct Axis {
  model::FieldId field = model::no_field;
  std::vector<std::int64_t> values;
};

std::vector<Axis> any_axes(model::Reading& reading) {
  std::vector<Axis> axes;
  const auto fields = model::fields();
  for (const auto index :
       *rc::gen::unique<std::vector<std::size_t>>(3, rc::gen::inRange<std::size_t>(0, fields.size()))) {
    const model::FieldInfo& field = fields[index];
    if (field.id == model::FieldId::fusion || field.id == model::FieldId::offload_activations) continue;
    Axis axis{field.id, {}};
    for (int i = 0; i < 3; ++i) axis.values.push_back(pick(field));
    reading.origins[field.id].kind = model::Origin::Kind::stated;
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace

TEST_CASE("a grid's steps are what its setups cost one by one", "[cost][grid]") {
  CHECK(rc::check([] {
    gpu::Gpu fast = test::plain_gpu();
    fast.dram_bandwidth_gb_s *= 2;
    const gpu::Gpu slow = test::plain_gpu();
    const std::vector<const gpu::Gpu*> gpus{&fast, &slow};
    model::Reading reading = any_reading();
    const std::vector<Axis> axes = any_axes(reading);
    std::vector<GridAxis> named;
    for (const Axis& axis : axes) {
      named.push_back({axis.field, axis.values.size()});
      RC_LOG() << "varying: " << model::info(axis.field).name << '\n';
    }
    GridPrices grid(gpus, named, reading.setup);
    std::vector<std::uint32_t> positions(axes.size());
    for (bool more = true; more;) {
      model::Setup setup = reading.setup;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        model::set(setup, axes[i].field, axes[i].values[positions[i]]);
      }
      model::rederive(setup, reading.origins);
      RC_ASSERT(GridPrices::covers(setup));
      grid.move_to(setup, positions);
      RC_ASSERT(grid.parameters() == model::parameter_count(setup));
      RC_ASSERT(grid.held().dense == model::parameters_per_rank(setup).dense);
      RC_ASSERT(grid.held().expert == model::parameters_per_rank(setup).expert);
      const std::span<const StepCost> steps = grid.price();
      RC_ASSERT(grid.workload().model_flops == model::lower(setup).model_flops);
      for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
        const StepCost step = price(*gpus[gpu], model::lower(paced(*gpus[gpu], setup)), setup.plan.dtype);
        RC_ASSERT(steps[gpu].time_us == step.time_us);
        RC_ASSERT(steps[gpu].compute_us == step.compute_us);
        RC_ASSERT(steps[gpu].memory_us == step.memory_us);
        RC_ASSERT(steps[gpu].communication_us == step.communication_us);
        RC_ASSERT(steps[gpu].overhead_us == step.overhead_us);
        RC_ASSERT(steps[gpu].bubble_us == step.bubble_us);
        RC_ASSERT(steps[gpu].hidden_us == step.hidden_us);
        RC_ASSERT(steps[gpu].mfu == step.mfu);
        RC_ASSERT(steps[gpu].hfu == step.hfu);
        RC_ASSERT(steps[gpu].tokens_per_s == step.tokens_per_s);
      }
      std::size_t axis = axes.size();
      while (axis > 0 && ++positions[axis - 1] == axes[axis - 1].values.size()) positions[--axis] = 0;
      more = axis > 0;
    }
  }));
}
