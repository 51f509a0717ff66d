// The names that rules' expressions may use, where they come from, and their documentation.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/cnn/cnn.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"
#include "rules/book/rule.hpp"

namespace shapelint::rules {

// What has to be known for a variable to have a value.
enum class Level : std::uint8_t { model, gpu, step, op, gemm, conv, remark, known };

// Whether an expression of a rule with this scope and effect may use variables of this level. What makes a
// run fail binds every proposal, so it must depend on the model alone.
bool allows(Scope scope, Effect effect, Level level);

// What expressions are evaluated on. Pointers are null below their level.
struct Context {
  const model::Reading* reading = nullptr;  // for what the file states
  const model::Setup* setup = nullptr;
  const gpu::Gpu* gpu = nullptr;
  const cost::StepCost* step = nullptr;
  const model::Op* op = nullptr;
  const cost::OpCost* cost = nullptr;
  double dimension = 0;                      // gemm: the dimension that the rule looks at
  char dimension_letter = 'n';               // gemm: m, n or k
  bool contiguous = false;                   // gemm: it is the contiguous one of an operand
  const model::LayerShape* layer = nullptr;  // conv
  double layer_us = 0;                       // of the step, all passes and runs
  double hits_us = 0;                        // of the step, all layers that the rule finds
  double known_differences = 0;
  double known_value = 0;
  double known_digits = 0;
  bool known_swapped = false;
  bool known_head_dim = false;
  bool known_same_width = false;
  double known_here = 0;
  const model::Remark* remark = nullptr;
  double blamed = 0;
};

// Fields that a variable is computed from.
struct Needs {
  model::FieldId first = model::no_field;
  model::FieldId second = model::no_field;
};

struct Variable {
  std::string_view name;
  Level level;
  std::string_view doc;
  double (*get)(const Context&);
  Needs needs{};
};

// Variables other than fields, `stated_FIELD` and names of choices.
std::span<const Variable> variables();

// All names, in the order of the values: fields, `stated_` fields, choices (`train`, `flash` …), variables().
// A rule's own parameters come behind them.
std::span<const std::string_view> variable_names();

Level level_of(std::size_t index);
double value_of(std::size_t index, const Context& context);
// Fields that the variable at `index` is computed from, appended to `out`.
void append_needs(std::size_t index, std::vector<model::FieldId>& out);

}  // namespace shapelint::rules
