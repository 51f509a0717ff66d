// What the rules of each scope look at.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rules/scope/blame.hpp"
#include "rules/scope/context.hpp"

namespace shapelint::rules {

// The step of one GPU as the file has it.
struct Baseline {
  const gpu::Gpu* gpu = nullptr;
  const model::Workload* workload = nullptr;
  const cost::StepCost* step = nullptr;
  const model::Network* network = nullptr;  // of a CNN
  DimensionBlames* blames = nullptr;        // of the workload
  std::span<const LayerReading> layers{};   // by model::Op::layer; none where layers are alike
};

// One for each of model::distinct_layers(); none where the layers are alike.
std::vector<LayerReading> readings_of_layers(const model::Reading& reading);

// A model on a GPU, for one rule.
struct EvaluationInput {
  const model::Reading& reading;
  const Baseline& baseline;
  std::span<const std::string_view> blame;  // what the rule lists
  std::size_t mixer = 0;                    // as in Context
};

// One thing that a rule's condition is evaluated on.
struct Subject {
  Context context;
  Blame blame{};
  std::string_view expression{};  // of a product's dimension
  double share = 1;               // of the step
};

std::vector<Subject> the_model(const EvaluationInput& scene);     // once
std::vector<Subject> each_product(const EvaluationInput& scene);  // and each dimension that the rule blames
std::vector<Subject> each_attention(const EvaluationInput& scene);
std::vector<Subject> each_layer(const EvaluationInput& scene);        // of a CNN, with weights
std::vector<Subject> each_known_model(const EvaluationInput& scene);  // none when the file is one of them
std::vector<Subject> each_remark(const EvaluationInput& scene);
std::vector<Subject> nothing(const EvaluationInput& scene);

// The model on its GPU, before anything of it is looked at.
Context context_of(const EvaluationInput& scene);
// Among the fields that the rule lists; the context's `blamed` is its value.
Blame listed_blame(const EvaluationInput& scene);
double value_of(const model::Reading& reading, model::FieldId field);  // 0 of no field

}  // namespace shapelint::rules
