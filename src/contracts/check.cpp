// Which contracts a model meets.
#include "contracts/check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/number.hpp"
#include "contracts/demand.hpp"
#include "contracts/known_versions.hpp"
#include "rules/scope/values.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::contracts {

namespace {

// Of an expression that is written out: each word is looked for among all names.
constexpr std::size_t units_per_character = 20;

bool is_in(const std::vector<std::int64_t>& list, std::int64_t value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

rules::Context context_of(const model::Reading& reading, const model::Setup& setup, const gpu::Gpu& gpu) {
  rules::Context out;
  out.reading = &reading;
  out.setup = &setup;
  out.gpu = &gpu;
  return out;
}

}  // namespace

bool is_for(const Contract& contract, const gpu::Gpu& gpu) {
  const auto& list = contract.architectures;
  return list.empty() || std::find(list.begin(), list.end(), gpu.architecture.id) != list.end();
}

bool is_for(const Contract& contract, const model::Plan& plan) {
  return is_in(contract.modes, static_cast<std::int64_t>(plan.mode)) &&
         is_in(contract.dtypes, static_cast<std::int64_t>(plan.dtype)) &&
         is_in(contract.recipes, static_cast<std::int64_t>(plan.recipe));
}

Checker::Checker(const Book& book, Stack stack) : stack_(std::move(stack)) {
  const Stack known = as_known(book, stack_);
  for (const Contract& each : book.contracts()) {
    switch (standing(each, known)) {
      case Standing::absent:
        break;
      case Standing::holds:
        compiled_.push_back({&each, false, {}, {}, {}});
        break;
      case Standing::older:
        older_.push_back(&each);
        break;
      case Standing::newer:
        newer_.push_back(&each);
        break;
    }
  }
}

Checker::Checker(const Book& book) {
  for (const Contract& each : book.contracts()) compiled_.push_back({&each, false, {}, {}, {}});
}

void Checker::compile(Compiled& each) const {
  each.is_compiled = true;
  const auto names = rules::variable_names();
  each.when = expr::compile(each.contract->when.value, names);
  each.demands = expr::compile(each.contract->demands.value, names);
  for (const auto* condition : {&each.when, &each.demands}) {
    if (!*condition) continue;
    for (const std::int32_t used : (*condition)->used()) {
      rules::append_needs(static_cast<std::size_t>(used), each.needs);
    }
  }
}

std::optional<double> Checker::value(std::string_view text, const rules::Context& context) {
  auto [place, is_new] = expressions_.try_emplace(std::string(text));
  if (is_new) place->second = expr::compile(text, rules::variable_names());  // the reader tells of mistakes
  if (!place->second) return std::nullopt;
  const Result<double> out = place->second->evaluate(
      [&](std::int32_t name) { return rules::value_of(static_cast<std::size_t>(name), context); });
  return out ? std::optional(*out) : std::nullopt;
}

// The expression with the values of its names: `1536 / 8 = 192`.
std::string Checker::numbers(std::string_view text, const rules::Context& context) {
  const auto names = rules::variable_names();
  charge(text.size() * units_per_character);
  std::string out;
  bool has_sign = false;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_letter(text[i])) {
      has_sign = has_sign || std::string_view("+-*/%^").find(text[i]) != std::string_view::npos;
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() &&
           (is_letter(text[end]) || std::isdigit(static_cast<unsigned char>(text[end])) != 0))
      ++end;
    const std::string_view word = text.substr(i, end - i);
    const auto found = std::find(names.begin(), names.end(), word);
    const bool is_function = end < text.size() && text[end] == '(';
    out += found == names.end() || is_function
               ? std::string(word)
               : exact(rules::value_of(static_cast<std::size_t>(found - names.begin()), context));
    i = end;
  }
  const auto result = value(text, context);
  if (!result || !has_sign) return out;
  return std::floor(*result) == *result ? fmt::format("{} = {}", out, exact(*result))
                                        : fmt::format("{} = {:.2f}", out, *result);
}

std::string Checker::failing_size(const Contract& contract, const rules::Context& context) {
  std::string own(contract.size.value);
  const std::vector<std::string_view> conditions = conditions_of(contract.demands.value);
  if (conditions.size() < 2) return own;
  const auto get = [&](std::int32_t name) {
    return rules::value_of(static_cast<std::size_t>(name), context);
  };
  for (const std::string_view each : conditions) {
    const auto condition = expr::compile(each, rules::variable_names());
    const Result<bool> holds = condition ? condition->holds(get) : Result<bool>(true);
    if (!holds || *holds) continue;
    return is_about(own, each) ? own : sum_of(each);
  }
  return own;
}

std::optional<bool> Checker::meets(Compiled& each, const rules::Context& context) {
  const SpendingOn spending(each.contract->id);
  const Uncharged builtin(!each.contract->is_own);
  // A tower of images or sound has demands of its own; engines that do not split it have none.
  if (rules::is_tower(*context.reading) != (each.contract->layer == "tower")) return std::nullopt;
  if (!is_for(*each.contract, *context.gpu) || !is_for(*each.contract, context.setup->plan))
    return std::nullopt;
  if (!each.is_compiled) compile(each);
  const bool lacks = std::any_of(each.needs.begin(), each.needs.end(), [&](model::FieldId field) {
    return !model::is_known(*context.reading, field);
  });
  if (lacks || !each.demands) return std::nullopt;
  const auto get = [&](std::int32_t name) {
    return rules::value_of(static_cast<std::size_t>(name), context);
  };
  if (each.when) {
    const Result<bool> binds = each.when->holds(get);
    if (!binds || !*binds) return std::nullopt;
  }
  const Result<bool> out = each.demands->holds(get);
  return out ? std::optional(*out) : std::nullopt;
}

bool Checker::meets(const Contract& contract, const model::Reading& reading, const model::Setup& setup,
                    const gpu::Gpu& gpu) {
  // In the order of the book's list, which they point into.
  const auto place = std::lower_bound(
      compiled_.begin(), compiled_.end(), &contract,
      [](const Compiled& each, const Contract* other) { return std::less<>()(each.contract, other); });
  if (place == compiled_.end() || place->contract != &contract) return true;
  return meets(*place, context_of(reading, setup, gpu)).value_or(true);
}

std::vector<const Contract*> Checker::contracts() const {
  std::vector<const Contract*> out;
  for (const Compiled& each : compiled_) out.push_back(each.contract);
  return out;
}

std::vector<Verdict> Checker::check(const model::Reading& reading, const model::Setup& setup,
                                    const gpu::Gpu& gpu, Words words) {
  std::vector<Verdict> out;
  const rules::Context context = context_of(reading, setup, gpu);
  for (Compiled& each : compiled_) {
    const Contract& contract = *each.contract;
    const SpendingOn spending(contract.id);
    const Uncharged builtin(!contract.is_own);
    const std::optional<bool> met = meets(each, context);
    if (!met) continue;
    Verdict verdict{&contract, *met, {}, {}, 0, {}};
    if (words == Words::all && !contract.size.value.empty()) {
      verdict.formula = *met ? std::string(contract.size.value) : failing_size(contract, context);
      verdict.numbers = numbers(verdict.formula, context);
    }
    if (!verdict.meets) {
      for (const auto& [field, text] : contract.set) {
        const auto to = value(text.value, context);
        const model::FieldInfo& info = model::info(field);
        if (!to || std::floor(*to) != *to || *to < static_cast<double>(info.minimum) ||
            *to > static_cast<double>(info.maximum)) {
          continue;
        }
        verdict.set.push_back({field, model::get(setup, field), static_cast<std::int64_t>(*to)});
      }
      if (!contract.factor.value.empty()) verdict.factor = value(contract.factor.value, context).value_or(0);
    }
    out.push_back(std::move(verdict));
  }
  return out;
}

model::Setup as_run(const model::Setup& setup, std::span<const Verdict> verdicts) {
  model::Setup out = setup;
  for (const Verdict& each : verdicts) {
    if (each.meets) continue;
    for (const suggest::Change& change : each.set) {
      const std::int64_t now = model::get(out, change.field);
      const bool is_choice = model::info(change.field).type == model::FieldType::choice;
      // Of several paddings of one size the largest is computed.
      model::set(out, change.field, is_choice ? change.to : std::max(now, change.to));
    }
  }
  return out;
}

}  // namespace shapelint::contracts
