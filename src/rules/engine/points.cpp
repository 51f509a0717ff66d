// From fields set to values to a price.
#include "rules/engine/points.hpp"

#include <algorithm>

#include "base/units.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"

namespace shapelint::rules {

namespace {

constexpr std::size_t most_remembered = 200'000;  // prices per GPU: some 60 MB
constexpr double most_numbered = 1e18;            // of points, in 64 bits

std::vector<const gpu::Gpu*> pointers(std::span<const gpu::Gpu> gpus) {
  std::vector<const gpu::Gpu*> out;
  for (const gpu::Gpu& gpu : gpus) out.push_back(&gpu);
  return out;
}

// Fields that differ from point to point: those of the axes, and what follows from them.
model::PerField<bool> what_moves(std::span<const cost::GridAxis> axes, const model::Rederived& rederived) {
  model::PerField<bool> out;
  for (const cost::GridAxis& axis : axes) out[axis.field] = true;
  for (const auto entries : rederived) out[entries.front().field] = true;
  // suggest::follow()
  for (const model::FieldId field :
       {model::FieldId::num_attention_heads, model::FieldId::num_key_value_heads, model::FieldId::head_dim,
        model::FieldId::value_head_dim, model::FieldId::intermediate_size,
        model::FieldId::moe_intermediate_size, model::FieldId::moe_shared_intermediate_size})
    out[field] = true;
  return out;
}

bool may_have_pattern(const model::Reading& reading, std::span<const cost::GridAxis> axes) {
  return model::has_layer_pattern(reading.setup) ||
         std::any_of(axes.begin(), axes.end(),
                     [](const cost::GridAxis& axis) { return model::makes_layer_pattern(axis.field); });
}

}  // namespace

Points::Points(const RuleBook& book, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
               std::vector<cost::GridAxis> axes)
    : reading_(reading),
      gpus_(gpus),
      axes_(std::move(axes)),
      links_(suggest::links_of_unstated(reading)),
      prices_(pointers(gpus), axes_, may_have_pattern(reading, axes_)),
      memos_(gpus.size()),
      steps_(gpus.size()) {
  model::PerField<model::Origin> origins = reading.origins;
  double points = 1;
  for (const cost::GridAxis& axis : axes_) {
    origins[axis.field].kind = model::Origin::Kind::stated;
    moved_.add(axis.field);
    points *= static_cast<double>(axis.values);
  }
  is_grid_ = points < most_numbered;
  rederived_ = model::rederived(origins);
  broken_.emplace(book, reading_, what_moves(axes_, rederived_));
}

void Points::move_to(std::span<const std::int64_t> values, std::span<const std::uint32_t> positions) {
  setup_ = reading_.setup;
  positions_.assign(positions.begin(), positions.end());
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) model::set(setup_, axes_[axis].field, values[axis]);
  suggest::follow(reading_.setup, links_, moved_, setup_);
  model::rederive(setup_, rederived_);
  parameters_ = model::parameter_count(setup_);
  const auto experts = static_cast<double>(model::expert_parameter_count(setup_));
  held_ = model::parameters_per_rank(setup_.plan, static_cast<double>(parameters_) - experts, experts);
}

std::span<const cost::StepCost> Points::price(bool with_ops) {
  if (!with_ops && is_grid_ && cost::GridPrices::covers(setup_)) {
    priced_ = &prices_.workload();
    return prices_.price(setup_, held_, positions_);
  }
  workload_ = model::lower(setup_);
  priced_ = &workload_;
  for (std::size_t gpu = 0; gpu < memos_.size(); ++gpu) {
    if (!memos_[gpu] || memos_[gpu]->size() > most_remembered) {
      memos_[gpu] = std::make_unique<cost::PriceMemo>(gpus_[gpu]);
    }
    memos_[gpu]->price(workload_, setup_.plan.dtype, steps_[gpu]);
  }
  return steps_;
}

double tokens_per_s_per_gpu(const model::Setup& setup, const model::Workload& workload,
                            const cost::StepCost& step) {
  const double ranks = static_cast<double>(setup.plan.tensor) * static_cast<double>(setup.plan.pipeline) *
                       static_cast<double>(setup.plan.context);
  return workload.tokens_per_step / step.time_us * us_per_s / ranks;
}

}  // namespace shapelint::rules
