// Where a rule's condition holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cost/step.hpp"
#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/known.hpp"
#include "rules/engine/blame.hpp"

namespace shapelint::rules {

// One rule, one field, one GPU; operations that the same field hurts are together.
struct Hit {
  Blame blame;
  Context context;              // of the operation that takes most time
  std::string_view expression;  // gemm: of the dimension
  std::vector<std::string> ops;
  double share = 0;  // of the step, all its operations together
  const catalog::KnownModel* known = nullptr;
  model::FieldId known_field = model::no_field;  // in which it differs first
  std::vector<Context> layers{};                 // conv: of every layer found
};

// The step of one GPU as the file has it.
struct Baseline {
  const gpu::Gpu* gpu = nullptr;
  const model::Workload* workload = nullptr;
  const cost::StepCost* step = nullptr;
  const model::Network* network = nullptr;  // of a CNN
};

// Evaluates one rule. Conditions without a value are appended to `errors`, once per rule.
std::vector<Hit> find_hits(CompiledRule& rule, const model::Reading& reading, const Baseline& baseline,
                           std::vector<Error>& errors);

}  // namespace shapelint::rules
