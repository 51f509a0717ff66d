// Weights that are gathered, and gradients that are summed.
#include "suggest/edit/gathered.hpp"

#include <algorithm>

#include "model/lower/whole.hpp"

namespace shapelint::suggest {

namespace {

constexpr double weight_bytes = 2;    // as they are gathered
constexpr double gradient_bytes = 2;  // as they are computed
constexpr double summed_bytes = 4;

}  // namespace

Gathered gathered(const model::Setup& setup, model::RankParameters held) {
  const model::ModelSpec& model = setup.model;
  const model::Plan& plan = setup.plan;
  const model::Replicas same = model::replicas(plan);
  if (plan.mode != model::Mode::train || plan.zero < 2 || std::max(same.dense, same.expert) <= 1) return {};
  const double stages = static_cast<double>(std::max<std::int64_t>(1, plan.pipeline));
  const double tensor = static_cast<double>(std::max<std::int64_t>(1, plan.tensor));
  const double table = static_cast<double>(model::vocab_rows(setup)) * static_cast<double>(model.hidden_size);
  const double head = model.lm_head ? table / tensor : 0;
  const double tables = (model.lm_head && !model.tie_word_embeddings ? 2 : 1) * table / tensor / stages;
  const double layers = static_cast<double>(std::max<std::int64_t>(1, model.num_layers)) / stages;
  // Mixtures are the largest layers of a model that has others, too.
  const double mixtures = std::max(1.0, static_cast<double>(model::num_moe_layers(model)) / stages);
  double dense = std::max(0.0, held.dense - tables) / layers;
  double expert = held.expert / mixtures;
  double weights = weight_bytes * (dense + expert);
  if (plan.adapters) {
    weights *= model::served_weight_bytes(setup, held) / (weight_bytes * (held.dense + held.expert));
    dense = expert = 0;  // the gradients are the adapters'
  }
  const double of_gradients = gradient_bytes + summed_bytes;
  const double head_learns = plan.adapters ? 0 : of_gradients;
  if (plan.zero < 3) return {of_gradients * (dense + expert), head_learns * head};
  return {std::min(2.0, layers) * weights + of_gradients * (dense + expert),
          (weight_bytes + head_learns) * head + weights};
}

}  // namespace shapelint::suggest
