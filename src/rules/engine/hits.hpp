// Where a rule's condition holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/fields.hpp"
#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/scope/subjects.hpp"

namespace shapelint::rules {

// One rule, one field, one GPU; operations that the same field hurts are together.
struct Hit {
  Blame blame;
  Context context;              // of the operation that takes most time
  std::string_view expression;  // gemm: of the dimension
  std::vector<std::string> ops;
  double share = 0;            // of the step, all its operations together
  std::vector<Context> all{};  // of a network's layers: of every one that is found
};

// Whether what is found on both is about one value: of layers with a value of their own, about that.
bool blames_same(model::FieldId field, const Context& context, model::FieldId other_field,
                 const Context& other);

// Evaluates one rule. Conditions without a value are appended to `errors`, once per rule.
std::vector<Hit> find_hits(CompiledRule& rule, const model::Reading& reading, const Baseline& baseline,
                           std::vector<Error>& errors);

// Hits of one field on all GPUs where the condition holds.
struct Group {
  model::FieldId field = model::no_field;
  std::vector<Hit> hits;
  std::vector<std::size_t> gpus;  // of each hit, by their place among the GPUs linted for
};

}  // namespace shapelint::rules
