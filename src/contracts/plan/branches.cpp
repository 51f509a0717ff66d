// Training plans as fields of a model's plan, and as keys.
#include "contracts/plan/branches.hpp"

#include <algorithm>
#include <tuple>

#include "model/stages.hpp"

namespace shapelint::contracts {

void apply(const Branch& branch, const Leaf& leaf, model::Plan& plan) {
  apply(branch.layout, plan);
  plan.zero = branch.zero;
  plan.zero_ranks = 0;
  plan.micro_batch_size = branch.micro_batch;
  plan.gradient_accumulation = branch.accumulation;
  plan.embedding_stages = branch.embedding_stages;
  plan.stage_layers = branch.stage_layers;
  plan.overlap = static_cast<model::Overlap>(branch.overlap);
  plan.sequence_parallel = branch.sequence_parallel;
  plan.virtual_pipeline = leaf.chunks;
  plan.pipeline_schedule = leaf.schedule;
  apply(leaf.recompute, plan);
  plan.offload_optimizer = leaf.offload;
}

bool is_as_light(model::PipelineSchedule a, model::PipelineSchedule b) {
  using enum model::PipelineSchedule;
  return a == dualpipe || (b != dualpipe && model::comes_back(a) == model::comes_back(b));
}

PlanKey key_of(const Branch& branch, const Leaf& leaf) {
  const Layout& layout = branch.layout;
  const std::array<std::int64_t, std::tuple_size_v<PlanKey>> values{
      layout.tensor,
      layout.pipeline,
      layout.context,
      layout.data,
      layout.expert,
      layout.expert_tensor,
      branch.zero,
      branch.micro_batch,
      branch.accumulation,
      branch.embedding_stages,
      branch.stage_layers,
      branch.overlap,
      branch.sequence_parallel ? 1 : 0,
      leaf.chunks,
      static_cast<std::int64_t>(leaf.schedule),
      static_cast<std::int64_t>(leaf.recompute.level),
      leaf.recompute.parts,
      leaf.offload};
  PlanKey out{};
  std::transform(values.begin(), values.end(), out.begin(),
                 [](std::int64_t value) { return static_cast<std::uint64_t>(value); });
  return out;
}

bool differs_in_zero_or_batch(const Branch& a, const Branch& b) {
  const auto rest = [](const Branch& each) {
    const Layout& layout = each.layout;
    return std::tuple(layout.tensor, layout.pipeline, layout.context, layout.expert, layout.expert_tensor,
                      each.embedding_stages, each.stage_layers, each.overlap, each.sequence_parallel);
  };
  return rest(a) == rest(b);
}

model::PerField<bool> fields_of_layouts() {
  model::PerField<bool> out;
  for (const model::FieldInfo& each : model::fields()) out[each.id] = false;
  for (const model::FieldId field :
       {model::FieldId::tensor, model::FieldId::pipeline, model::FieldId::context, model::FieldId::data,
        model::FieldId::expert, model::FieldId::expert_tensor, model::FieldId::sequence_parallel})
    out[field] = true;
  return out;
}

}  // namespace shapelint::contracts
