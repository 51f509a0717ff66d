// Which matrices a layer has.
#include "model/lower/learning/matrices.hpp"

#include "model/layer_weights.hpp"

namespace shapelint::model {

std::vector<Matrix> matrices_of(const Shared& shared, StepPart part) {
  const ModelSpec& model = shared.model;
  const Plan& plan = shared.plan;
  const Listing listing{plan.tensor, plan.expert_tensor, plan.adapted == Adapted::query_value};
  std::vector<Matrix> out;
  const auto add = [&](const Weight& weight) {
    const double some = weight.is_lent ? making_keys(model) : 1;
    if (weight.kind != WeightKind::matrix || some <= 0) return;
    Matrix& matrix = out.emplace_back();
    static_cast<Weight&>(matrix) = weight;
    matrix.alike = some * real(weight.copies);
    matrix.rank_alike =
        weight.split == Split::copies ? some * real(divide_up(weight.copies, plan.tensor)) : matrix.alike;
    if (matrix.is_expert())
      matrix.experts = dim(divide_up(model.moe.num_experts, plan.expert), "moe_num_experts / expert");
  };
  if (const std::size_t which = mixer_of(part); which < most_mixers) {
    const Mixer& mixer = model.mixers[which];
    visit_mixer(model, mixer, mixer_texts(mixer.kind, which), listing, add);
  } else {
    visit_weights(model, part, listing, add);
  }
  return out;
}

double number_of(const ModelSpec& model, const Matrix& matrix) {
  return matrix.alike * (matrix.is_expert() ? static_cast<double>(model.moe.num_experts) : 1.0);
}

}  // namespace shapelint::model
