// What plans of a training step choose.
#include <algorithm>
#include <array>
#include <span>

#include "contracts/plan/recompute.hpp"
#include "contracts/plan/training.hpp"
#include "model/fields.hpp"

namespace shapelint::contracts {

using model::FieldId;
using model::Recompute;

namespace {

bool is_among(std::span<const FieldId> fields, FieldId field) {
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

}  // namespace

bool is_left_out(FieldId field, std::int64_t value) {
  constexpr std::array degrees{FieldId::tensor, FieldId::pipeline,      FieldId::context,
                               FieldId::expert, FieldId::expert_tensor, FieldId::virtual_pipeline};
  constexpr std::array switches{FieldId::sequence_parallel, FieldId::embedding_stages,
                                FieldId::stage_layers,      FieldId::overlap,
                                FieldId::offload_optimizer, FieldId::pipeline_schedule};
  if (is_among(degrees, field)) return value == 1;
  return value == 0 && is_among(switches, field);
}

bool is_pinned(const TrainingRequest& request, FieldId field) {
  return std::any_of(request.pins.begin(), request.pins.end(),
                     [&](const Pin& pin) { return pin.field == field; });
}

std::vector<model::FieldId> chosen_in_training() {
  std::vector<FieldId> out{FieldId::tensor,
                           FieldId::pipeline,
                           FieldId::context,
                           FieldId::data,
                           FieldId::expert,
                           FieldId::expert_tensor,
                           FieldId::sequence_parallel,
                           FieldId::zero,
                           FieldId::micro_batch_size,
                           FieldId::gradient_accumulation,
                           FieldId::embedding_stages,
                           FieldId::stage_layers,
                           FieldId::virtual_pipeline,
                           FieldId::pipeline_schedule,
                           FieldId::overlap,
                           FieldId::recompute,
                           FieldId::offload_optimizer};
  out.insert(out.end(), recomputed_parts.begin(), recomputed_parts.end());
  return out;
}

std::vector<Pin> without_choices(const TrainingRequest& request, const TrainingPlan& plan) {
  std::vector<Pin> neutral{{FieldId::tensor, 1},
                           {FieldId::sequence_parallel, 0},
                           {FieldId::pipeline, 1},
                           {FieldId::virtual_pipeline, 1},
                           {FieldId::pipeline_schedule, 0},
                           {FieldId::context, 1},
                           {FieldId::expert, 1},
                           {FieldId::zero, 0},
                           {FieldId::micro_batch_size, 1},
                           {FieldId::recompute, static_cast<std::int64_t>(Recompute::none)}};
  for (const FieldId part : recomputed_parts) neutral.push_back({part, 0});
  neutral.push_back({FieldId::offload_optimizer, 0});
  neutral.push_back({FieldId::embedding_stages, 0});
  neutral.push_back({FieldId::stage_layers, 0});
  neutral.push_back({FieldId::overlap, 0});
  std::erase_if(neutral, [&](const Pin& each) {
    return is_pinned(request, each.field) || model::get(plan.setup, each.field) == each.value;
  });
  return neutral;
}

}  // namespace shapelint::contracts
