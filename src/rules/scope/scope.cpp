// The tables of scopes and of what they see.
#include "rules/scope/scope.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "rules/scope/blame.hpp"
#include "rules/scope/subjects.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::rules {

namespace {

constexpr std::array levels_of_step{Level::step};
constexpr std::array levels_of_product{Level::step, Level::op, Level::gemm};
constexpr std::array levels_of_operation{Level::step, Level::op};
constexpr std::array levels_of_layer{Level::step, Level::op, Level::gemm, Level::conv};
constexpr std::array levels_of_remark{Level::remark};
constexpr std::array levels_of_known{Level::known};

// clang-format off
constexpr ScopeInfo scope_table[] = {
    {Scope::model, "model", "the model", {}, Blames::fields, the_model, Merge::by_field, place_field, true},
    {Scope::parallel, "parallel", "how the model is split over ranks", {}, Blames::fields, the_model, Merge::by_field, place_field, true},
    {Scope::step, "step", "the predicted step", levels_of_step, Blames::fields, the_model, Merge::by_field, place_field, true},
    {Scope::gemm, "gemm", "each GEMM of each pass", levels_of_product, Blames::fields_or_dimensions, each_product, Merge::by_field, place_field, true},
    {Scope::attention, "attention", "each fused attention kernel", levels_of_operation, Blames::fields, each_attention, Merge::by_field, place_field, true},
    {Scope::conv, "conv", "each layer of a convolutional network that has weights", levels_of_layer, Blames::layer_numbers, each_layer, Merge::together, place_layer, true},
    {Scope::file, "file", "the file", {}, Blames::fields, the_model, Merge::by_field, place_field, true},
    {Scope::remark, "remark", "each likely mistake in the file", levels_of_remark, Blames::itself, each_remark, Merge::by_field, place_remark, false},
    {Scope::known, "known", "each model of the table of published models", levels_of_known, Blames::itself, each_known_model, Merge::first, place_field, true},
    {Scope::comment, "comment", "the file's comments", {}, Blames::itself, nothing, Merge::by_field, place_field, false},
    {Scope::contract, "contract", "the requirements of the stack", {}, Blames::itself, nothing, Merge::by_field, place_field, true},
};
// clang-format on

// The rows are in the order of the enumerators.
constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(scope_table); ++i) {
    if (scope_table[i].scope != static_cast<Scope>(i)) return false;
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

std::span<const ScopeInfo> scopes() {
  return scope_table;
}

const ScopeInfo& info(Scope scope) {
  return scope_table[static_cast<std::size_t>(scope)];
}

std::string_view name(Scope scope) {
  return info(scope).name;
}

bool sees(Scope scope, Level level) {
  const ScopeInfo& row = info(scope);
  if (level == Level::model) return true;
  if (level == Level::gpu) return row.needs_model;
  return std::find(row.sees.begin(), row.sees.end(), level) != row.sees.end();
}

std::span<const LevelInfo> levels() {
  static const LevelInfo table[] = {
      {Level::model, "the model", "The model", "", model_variables()},
      {Level::gpu, "the GPU", "The GPU", "", gpu_variables()},
      {Level::step, "the predicted step", "The step", "", step_variables()},
      {Level::op, "one operation", "One operation", " (its forward pass)", operation_variables()},
      {Level::gemm, "one GEMM", "One GEMM", " (of the forward pass)", product_variables()},
      {Level::conv, "one layer of a convolutional network", "One layer of a convolutional network", "",
       layer_variables()},
      {Level::remark, "the file as written", "The file as written", "", remark_variables()},
      {Level::known, "a known model", "A published model", "", known_variables()},
  };
  return table;
}

const LevelInfo& info(Level level) {
  return levels()[static_cast<std::size_t>(level)];
}

}  // namespace shapelint::rules
