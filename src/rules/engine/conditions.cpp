// Conditions on candidates.
#include "rules/engine/conditions.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "expr/expression.hpp"
#include "model/arithmetic.hpp"
#include "model/mixer.hpp"
#include "rules/book/compiled.hpp"
#include "rules/engine/constraints.hpp"
#include "rules/scope/variables.hpp"
#include "suggest/edit/candidate.hpp"

namespace shapelint::rules {

namespace {

model::PerField<bool> all_fields() {
  model::PerField<bool> out;
  std::fill(out.begin(), out.end(), true);
  return out;
}

// Fields come first among the variables; whether they are stated, and their choices, are the same for all,
// and the kind of model is where all setups are of one model.
bool can_change(std::size_t variable, std::size_t mixer, const model::PerField<bool>& moving) {
  const auto fields = model::fields();
  if (variable < fields.size()) return moving[model::of_mixer(fields[variable].id, mixer)];
  std::size_t constants = 2 * fields.size();
  for (const model::FieldInfo& field : fields) constants += field.choices.size();
  if (variable < constants) return false;
  const bool moves_model = std::any_of(fields.begin(), fields.end(), [&](const model::FieldInfo& field) {
    return moving[field.id] && field.section.starts_with("model");
  });
  return moves_model || !is_plain(variable);
}

// Whether some part of `text` (`a && b`) is the same for all setups and does not hold.
bool never_holds(std::string_view text, const Context& context, const model::PerField<bool>& moving) {
  for (const std::string_view part : expr::conjuncts(text)) {
    const auto condition = expr::compile(part, variable_names());
    if (!condition) return false;
    const auto used = condition->used();
    const bool changes = std::any_of(used.begin(), used.end(), [&](std::int32_t name) {
      return can_change(static_cast<std::size_t>(name), context.mixer, moving);
    });
    if (changes) {
      // Where a part has no value, it depends on the whole text whether it holds.
      if (part.find_first_of("%/") != std::string::npos) return false;
      continue;
    }
    const Result<bool> holds = condition->holds(
        [&](std::int32_t name) { return value_of(static_cast<std::size_t>(name), context); });
    if (holds && !*holds) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> conjuncts_of(std::span<const std::string> conditions) {
  std::vector<std::string> out;
  for (const std::string& text : conditions)
    for (const std::string_view each : expr::conjuncts(text)) out.emplace_back(each);
  return out;
}

std::vector<Error> check_condition(std::string_view text) {
  std::vector<Error> errors;
  const auto compiled = expr::compile(text, variable_names(), errors);
  if (!compiled) return errors;
  for (const std::int32_t used : compiled->used()) {
    const auto index = static_cast<std::size_t>(used);
    if (level_of(index) == Level::model) continue;
    const std::string_view name = variable_names()[index];
    const std::size_t at = text.find(name);
    errors.push_back({fmt::format("`{}` is not a variable of the model", name),
                      "only fields of the file and values derived from them",
                      {},
                      Span{static_cast<std::int64_t>(at), static_cast<std::int64_t>(at + name.size())}});
  }
  return errors;
}

std::function<std::vector<suggest::Constraint>()> constraint_factory(const RuleBook& book,
                                                                     const model::Reading& reading,
                                                                     const model::Setup& start,
                                                                     std::vector<std::string> conditions,
                                                                     const suggest::ShapePolicy& policy) {
  return [&book, &reading, start, conditions = std::move(conditions), policy] {
    auto compiled = std::make_shared<std::vector<CompiledRule>>();
    for (const Rule& rule : book.rules()) {
      if (may_bind(rule)) compiled->emplace_back(rule);
    }
    std::vector<suggest::Constraint> out;
    for (suggest::Constraint& each : hard_constraints(*compiled, reading)) {
      out.push_back({each.name, [compiled, holds = std::move(each.holds)](const model::Setup& setup) {
                       return holds(setup);
                     }});
    }
    for (suggest::Constraint& each : suggest::policy_constraints(policy, start)) {
      out.push_back(std::move(each));
    }
    for (const std::string& text : conditions) {
      auto compiled_text = expr::compile(text, variable_names());
      if (!compiled_text) continue;  // check_condition() says so
      const auto condition = std::make_shared<const expr::Expression>(*std::move(compiled_text));
      out.push_back({fmt::format("`{}`", text), [condition, &reading](const model::Setup& setup) {
                       Context context;
                       context.reading = &reading;
                       context.setup = &setup;
                       const Result<bool> holds = condition->holds([&](std::int32_t name) {
                         return value_of(static_cast<std::size_t>(name), context);
                       });
                       return holds && *holds;
                     }});
    }
    return out;
  };
}

BrokenRules::BrokenRules(const RuleBook& book, const model::Reading& reading)
    : BrokenRules(book, reading, all_fields()) {}

BrokenRules::BrokenRules(const RuleBook& book, const model::Reading& reading,
                         const model::PerField<bool>& moving)
    : reading_(reading), moving_(moving) {
  for (const Rule& rule : book.rules()) {
    if (rule.effect != FindingKind::fails || is_of_ops(rule.scope)) continue;
    auto compiled = std::make_unique<CompiledRule>(rule);
    if (!compiled->lacks(reading)) conditions_.push_back({std::move(compiled)});
  }
}

void BrokenRules::settle(const Context& context) {
  const bool any_stays = std::find(moving_.begin(), moving_.end(), false) != moving_.end();
  std::erase_if(conditions_, [&](const Condition& each) {
    if (!any_stays) return false;
    Context kind = context;
    for (kind.mixer = 0; kind.mixer < each.rule->kinds(); ++kind.mixer)
      if (!never_holds(each.rule->rule().when.value, kind, moving_)) return false;
    return true;
  });
  for (std::size_t condition = 0; condition < conditions_.size(); ++condition) {
    for (const std::size_t variable : conditions_[condition].rule->variables()) {
      for (std::size_t mixer = 0; mixer < (is_of_mixer(variable) ? model::most_mixers : 1); ++mixer) {
        const auto same = [&](const Variable& each) { return each.index == variable && each.mixer == mixer; };
        const auto known = std::find_if(variables_.begin(), variables_.end(), same);
        const bool is_new = known == variables_.end();
        Variable& named = is_new ? variables_.emplace_back() : *known;
        if (is_new) {
          const auto fields = model::fields();
          named.index = variable;
          named.mixer = mixer;
          if (variable < fields.size())
            named.field = &model::info(model::of_mixer(fields[variable].id, mixer));
          named.can_change = can_change(variable, mixer, moving_);
        }
        named.conditions.push_back(condition);
      }
    }
  }
}

const std::string& BrokenRules::of(const model::Setup& setup) {
  Context context;
  context.reading = &reading_;
  context.setup = &setup;
  bool any = is_first_;
  if (is_first_) settle(context);
  for (Variable& variable : variables_) {
    context.mixer = variable.mixer;
    const double value = variable.field != nullptr ? model::real(variable.field->get(setup))
                                                   : value_of(variable.index, context);
    if (!is_first_ && value == variable.value) continue;
    variable.value = value;
    any = true;
    for (const std::size_t condition : variable.conditions) conditions_[condition].stale = true;
  }
  if (is_first_) std::erase_if(variables_, [](const Variable& each) { return !each.can_change; });
  is_first_ = false;
  if (!any) return codes_;
  codes_.clear();
  for (Condition& condition : conditions_) {
    if (condition.stale) {
      const Result<bool> holds = condition.rule->holds_for_any(context);
      condition.broken = !holds || *holds;
      condition.stale = false;
    }
    if (!condition.broken) continue;
    if (!codes_.empty()) codes_ += ' ';
    codes_ += condition.rule->rule().code;
  }
  return codes_;
}

void BrokenRules::add_codes(std::set<std::string>& codes) const {
  for (const Condition& each : conditions_)
    if (each.broken) codes.emplace(each.rule->rule().code);
}

bool BrokenRules::are_broken_by(const model::PerField<bool>& fields) const {
  for (std::size_t condition = 0; condition < conditions_.size(); ++condition) {
    if (!conditions_[condition].broken) continue;
    const bool needs_more = std::any_of(variables_.begin(), variables_.end(), [&](const Variable& each) {
      const bool is_named =
          std::find(each.conditions.begin(), each.conditions.end(), condition) != each.conditions.end();
      return is_named && (each.field == nullptr || !fields[each.field->id]);
    });
    if (!needs_more) return true;
  }
  return false;
}

void constrain(suggest::Problem& problem, const RuleBook& book, const suggest::ShapePolicy& policy,
               std::vector<std::string> conditions) {
  problem.shape = policy.shape;
  problem.head_multiple = policy.head_multiple;
  problem.broken = BrokenRules(book, *problem.reading).of(problem.start);
  problem.constraints =
      constraint_factory(book, *problem.reading, problem.start, std::move(conditions), policy);
}

}  // namespace shapelint::rules
