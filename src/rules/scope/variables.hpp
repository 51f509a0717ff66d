// The names that rules' expressions may use, where they come from, and their documentation.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rules/scope/context.hpp"
#include "rules/scope/scope.hpp"

namespace shapelint::rules {

// Fields that a variable is computed from.
struct Needs {
  model::FieldId first = model::no_field;
  model::FieldId second = model::no_field;
};

struct Variable {
  std::string_view name;
  std::string_view doc;
  double (*get)(const Context&);
  Needs needs{};
  bool is_kind = false;  // what kind of model it is: follows from fields that say so, however it is run
};

// Those of each level: variables other than fields, `stated_FIELD` and names of choices.
std::span<const Variable> model_variables();
std::span<const Variable> gpu_variables();
std::span<const Variable> step_variables();
std::span<const Variable> operation_variables();
std::span<const Variable> product_variables();
std::span<const Variable> layer_variables();
std::span<const Variable> remark_variables();
std::span<const Variable> known_variables();

// All names, in the order of the values: fields, `stated_` fields, choices (`train`, `flash` …), the
// variables of all levels. A rule's own parameters come behind them.
std::span<const std::string_view> variable_names();

Level level_of(std::size_t index);
// Whether it is a field, whether a field is stated, a choice, or what kind of model it is: nothing that
// follows from how the model is run.
bool is_plain(std::size_t index);
double value_of(std::size_t index, const Context& context);
// Whether it is a field of `[model.mixer]`, whether that is stated, or follows from one: its value is another
// for each of a model's mixers.
bool is_of_mixer(std::size_t index);
// Fields that the variable at `index` is computed from, appended to `out`.
void append_needs(std::size_t index, std::vector<model::FieldId>& out);

}  // namespace shapelint::rules
