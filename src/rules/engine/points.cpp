// From fields set to values to a price.
#include "rules/engine/points.hpp"

#include <algorithm>

#include "base/units.hpp"
#include "cost/stages.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::rules {

namespace {

constexpr std::size_t max_remembered = 200'000;  // prices per GPU: some 60 MB

std::vector<const gpu::Gpu*> pointers(std::span<const gpu::Gpu> gpus) {
  std::vector<const gpu::Gpu*> out;
  for (const gpu::Gpu& gpu : gpus) out.push_back(&gpu);
  return out;
}

// Fields that are set from point to point, by the axes or by suggest::follow(); others follow from them.
model::PerField<bool> what_is_set(std::span<const cost::GridAxis> axes,
                                  const suggest::FieldDependencies& links) {
  model::PerField<bool> out;
  for (const cost::GridAxis& axis : axes) out[axis.field] = true;
  const auto follows = [&](bool is_linked, model::FieldId field) { out[field] = out[field] || is_linked; };
  follows(links.head_dim_from_hidden, model::FieldId::head_dim);
  follows(links.head_dim_from_hidden, model::FieldId::num_attention_heads);
  follows(links.value_head_dim, model::FieldId::value_head_dim);
  follows(links.key_value_heads, model::FieldId::num_key_value_heads);
  follows(links.intermediate_size, model::FieldId::intermediate_size);
  follows(links.moe_intermediate_size, model::FieldId::moe_intermediate_size);
  follows(links.moe_shared_intermediate_size, model::FieldId::moe_shared_intermediate_size);
  follows(links.expert_tensor, model::FieldId::expert_tensor);
  follows(links.expert, model::FieldId::expert);
  return out;
}

}  // namespace

Points::Points(const RuleBook& book, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
               std::vector<cost::GridAxis> axes)
    : reading_(reading),
      start_(reading.setup),
      gpus_(gpus),
      axes_(std::move(axes)),
      links_(suggest::links_of_unstated(reading)),
      prices_(pointers(gpus), axes_, reading.setup),
      memos_(gpus.size()),
      steps_(gpus.size()) {
  model::PerField<model::Origin> origins = reading.origins;
  for (const cost::GridAxis& axis : axes_) {
    origins[axis.field].kind = model::Origin::Kind::stated;
    moved_.add(axis.field);
  }
  model::Setup derived = start_;
  const model::Rederived all = model::rederived(origins);
  model::rederive(derived, all);
  model::PerField<bool> moving = what_is_set(axes_, links_);
  rederived_ = model::rederived(origins, derived, moving);
  for (const auto entries : all) {
    const model::FieldId field = entries.front().field;
    if (!moving[field]) model::set(start_, field, model::get(derived, field));
  }
  broken_.emplace(book, reading_, moving);
}

void Points::move_to(std::span<const std::int64_t> values, std::span<const std::uint32_t> positions) {
  setup_ = start_;
  positions_.assign(positions.begin(), positions.end());
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) model::set(setup_, axes_[axis].field, values[axis]);
  suggest::follow(reading_.setup, links_, moved_, setup_);
  model::rederive(setup_, rederived_);
  in_grid_ = cost::GridPrices::covers(setup_);
  if (in_grid_) {
    prices_.move_to(setup_, positions_);
    parameters_ = prices_.parameters();
    held_ = prices_.held();
    return;
  }
  parameters_ = model::parameter_count(setup_);
  held_ = model::parameters_per_rank(setup_);
}

double Points::memory_bytes() const {
  return suggest::memory_bytes(setup_, held_);
}

std::span<const cost::StepCost> Points::price(bool with_ops) {
  if (!with_ops && in_grid_) {
    priced_ = &prices_.workload();
    return prices_.price();
  }
  // Which stage sets the pace depends on the GPU.
  const bool has_stages = setup_.plan.pipeline > 1 && !memos_.empty();
  if (!has_stages) workload_ = model::lower(setup_);
  priced_ = &workload_;
  for (std::size_t gpu = 0; gpu < memos_.size(); ++gpu) {
    if (!memos_[gpu] || memos_[gpu]->size() > max_remembered) {
      memos_[gpu] = std::make_unique<cost::PriceMemo>(gpus_[gpu]);
    }
    if (has_stages) workload_ = cost::paced_workload(*memos_[gpu], setup_);
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
