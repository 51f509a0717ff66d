// What proposals must satisfy.
#include "rules/engine/constraints.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/fields.hpp"
#include "rules/scope/context.hpp"
#include "rules/scope/launch.hpp"
#include "rules/scope/variables.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::rules {

bool may_bind(const Rule& rule) {
  if (is_of_ops(rule.scope)) return false;
  if (rule.effect == FindingKind::fails) return true;
  const bool is_asked_once =
      rule.scope == Scope::file || rule.scope == Scope::model || rule.scope == Scope::parallel;
  return rule.effect == FindingKind::advice && rule.severity == Severity::error && is_asked_once;
}

namespace {

// What depends on the GPU is no condition on a model, unless the model fails.
bool binds(const CompiledRule& rule) {
  if (!may_bind(rule.rule())) return false;
  if (rule.rule().effect == FindingKind::fails) return true;
  const std::vector<std::size_t> asked = rule.variables();
  return std::all_of(asked.begin(), asked.end(),
                     [](std::size_t each) { return level_of(each) == Level::model; });
}

}  // namespace

std::vector<suggest::Constraint> hard_constraints(std::span<CompiledRule> compiled,
                                                  const model::Reading& reading) {
  std::vector<suggest::Constraint> out;
  for (CompiledRule& rule : compiled) {
    if (!binds(rule) || rule.lacks(reading)) continue;
    out.push_back({std::string(rule.rule().code), [&rule, &reading](const model::Setup& setup) {
                     Context context;
                     context.reading = &reading;
                     context.setup = &setup;
                     const Result<bool> broken = rule.holds_for_any(context);
                     return broken && !*broken;
                   }});
  }
  const auto keep = [&](model::FieldId field) {
    out.push_back({fmt::format("no key for `{}`", model::info(field).name),
                   [field, now = model::get(reading.setup, field)](const model::Setup& setup) {
                     return model::get(setup, field) == now;
                   }});
  };
  // By the format's own words, not because it has no key.
  std::vector<model::FieldId> told;
  for (const model::Extra& each : reading.extras) {
    if (each.value <= 0 || each.origin.kind == model::Origin::Kind::unknown ||
        !each.name.starts_with(model::unsettable_prefix))
      continue;
    told.push_back(model::find_field(std::string_view(each.name).substr(model::unsettable_prefix.size())));
  }
  // Meshes of ranks that differ are listed one by one, and no degree says what they are.
  const bool lists_ranks = extra(reading, "fixes_layout") > 0;
  for (const model::FieldId field : model::layout_fields) {
    const auto of_told = std::find(told.begin(), told.end(), field);
    // What follows from another degree changes with it.
    const bool follows =
        model::origin(reading, field).kind == model::Origin::Kind::derived && of_told == told.end();
    if (!follows && (lists_ranks || model::extra_named(reading, model::unsettable(field)) > 0)) keep(field);
    if (of_told != told.end()) told.erase(of_told);
  }
  for (const model::FieldId field : told)
    if (field != model::no_field) keep(field);
  for (const model::FieldInfo& key : model::fields()) {
    if (key.choices.empty() && key.id != model::FieldId::zero) continue;
    const auto is_of_key = [name = model::unsettable(key.id)](const model::Extra& each) {
      return each.name.starts_with(name);
    };
    if (std::none_of(reading.extras.begin(), reading.extras.end(), is_of_key)) continue;
    for (std::int64_t value = key.minimum; value <= key.maximum; ++value) {
      if (model::extra_named(reading, model::unsettable(key.id, value)) <= 0) continue;
      out.push_back(
          {fmt::format("no key for `{}` {}", key.name, model::value_text(key.id, value)),
           [&key, value](const model::Setup& setup) { return model::get(setup, key.id) != value; }});
    }
  }
  // Where the framework pads the vocabulary, its size is the tokenizer's.
  if (extra(reading, "pads_for_tensor") > 0) {
    out.push_back({"the tokenizer's vocabulary",
                   [vocab_size = reading.setup.model.vocab_size](const model::Setup& setup) {
                     return setup.model.vocab_size == vocab_size;
                   }});
  }
  return out;
}

HardRules::HardRules(const RuleBook& rules, const model::Reading& reading) {
  compiled_.reserve(rules.rules().size());
  for (const Rule& rule : rules.rules()) {
    if (may_bind(rule)) compiled_.emplace_back(rule);
  }
  constraints_ = hard_constraints(compiled_, reading);
}

void ProposalConstraints::work_out() {
  if (std::exchange(is_worked_out_, true)) return;
  hard_ = hard_constraints(compiled_, reading_);
  all_ = suggest::binding(hard_, reading_.setup);
  if (stack_ != nullptr) {
    for (suggest::Constraint& each : suggest::binding(stack_->constraints, reading_.setup))
      all_.push_back(std::move(each));
  }
  of_the_stack_ = all_.size();
  for (suggest::Constraint& each : suggest::shape_constraints(shape_, reading_.setup))
    all_.push_back(std::move(each));
}

std::span<const suggest::Constraint> ProposalConstraints::all() {
  work_out();
  return all_;
}

std::vector<suggest::Constraint> ProposalConstraints::of(const Rule& rule, const model::Reading& reading) {
  work_out();
  std::vector<suggest::Constraint> out = all_;
  if (&reading != &reading_) {
    out.resize(of_the_stack_);
    for (suggest::Constraint& each : suggest::shape_constraints(shape_, reading.setup))
      out.push_back(std::move(each));
  }
  if (rule.effect != FindingKind::fails) return out;
  for (const suggest::Constraint& each : hard_) {
    if (each.name == rule.code) out.push_back(each);
  }
  return out;
}

}  // namespace shapelint::rules
