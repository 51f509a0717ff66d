// Which value of the file a finding points at.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <tsl/robin_map.h>

#include "model/reading.hpp"
#include "rules/finding.hpp"
#include "rules/scope/context.hpp"
#include "rules/scope/scope.hpp"

namespace shapelint::rules {

struct Blame {
  model::FieldId field = model::no_field;
  std::vector<model::FieldId> related;
};

// Fields named in a dimension's expression, in their order, each once.
std::vector<model::FieldId> fields_of(std::string_view expression);

// Which of several fields to change: one that the file states before one that it does not (a value that
// follows from another stands for that one), the model's own before how it is run, that before how it is
// split; among these the one with the smallest power of two in it, which is the one that breaks alignment.
Blame choose_blame(const model::Reading& reading, std::vector<model::FieldId> fields, bool in_order);

// Whether a finding of a rule, which lists what it blames, may be about one of these fields, or about none,
// whatever the file states.
bool may_blame(Scope scope, std::span<const std::string_view> blame, std::span<const model::FieldId> fields);

// Those of dimensions, by their expressions, which must outlive it. Rules ask for the same few again and
// again.
class DimensionBlames {
 public:
  const Blame& of(const model::Reading& reading, std::string_view expression);

 private:
  tsl::robin_map<std::string_view, Blame> known_;
};

// Where a finding points: path, span, key path, and a note when the file does not state the value. `blame` is
// what the rule lists.
// At the finding's blamed field.
void place_field(const Context& context, std::span<const std::string_view> blame, Finding& finding);
// At the number of the layer that the rule blames, else at the layer.
void place_layer(const Context& context, std::span<const std::string_view> blame, Finding& finding);
void place_remark(const Context& context, std::span<const std::string_view> blame, Finding& finding);

}  // namespace shapelint::rules
