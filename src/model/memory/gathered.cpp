// Weights that are gathered, and gradients that are summed.
#include "model/memory/gathered.hpp"

#include <algorithm>

#include "model/lower/whole.hpp"
#include "model/parameter_bytes.hpp"

namespace shapelint::model {

namespace {

constexpr double summed_bytes = 4;

}  // namespace

Gathered gathered(const Setup& setup, RankParameters held) {
  const ModelSpec& model = setup.model;
  const Plan& plan = setup.plan;
  const Replicas same = replicas(plan);
  const bool has_others = std::max(same.dense, same.expert) > 1;
  const bool shares_gradients = plan.zero >= 2 && has_others;
  const bool gathers = (plan.zero >= 3 && has_others) || plan.offload_weights;
  const bool passes_gradients =
      shares_gradients || plan.offload_gradients || plan.gradient_storage == GradientStorage::in_backward;
  if (plan.mode != Mode::train || !(gathers || passes_gradients)) return {};
  // Of weights as they are gathered, of gradients as they are computed.
  const double element = wide_bytes(plan);
  const double stages = static_cast<double>(std::max<std::int64_t>(1, plan.pipeline));
  const double tensor = static_cast<double>(std::max<std::int64_t>(1, plan.tensor));
  const double table = static_cast<double>(vocab_rows(setup)) * static_cast<double>(model.hidden_size);
  const double head = model.lm_head ? table / tensor : 0;
  const double tables = (model.lm_head && !model.tie_word_embeddings ? 2 : 1) * table / tensor / stages;
  const double layers = static_cast<double>(std::max<std::int64_t>(1, model.num_layers)) / stages;
  // Mixtures are the largest layers of a model that has others, too.
  const double mixtures = std::max(1.0, static_cast<double>(num_moe_layers(model)) / stages);
  double dense = std::max(0.0, held.dense - tables) / layers;
  double expert = held.expert / mixtures;
  double weights = element * (dense + expert);
  if (plan.adapters) {
    weights *= served_weight_bytes(setup, held) / (element * (held.dense + held.expert));
    dense = expert = 0;  // the gradients are the adapters'
  }
  const double of_gradients = (passes_gradients ? element : 0) + (shares_gradients ? summed_bytes : 0);
  const double head_learns = plan.adapters ? 0 : of_gradients;
  const double gradients = of_gradients * (dense + expert);
  if (!gathers) return {gradients, shares_gradients ? head_learns * head : 0};
  return {std::min(2.0, layers) * weights + gradients, (element + head_learns) * head + weights};
}

}  // namespace shapelint::model
