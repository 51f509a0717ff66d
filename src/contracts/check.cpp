// Contracts held against a setup: conditions, which of them fails, and what is said of it.
#include "contracts/check.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "contracts/stack.hpp"
#include "rules/scope/context.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::contracts {

namespace {

// The field that a rank's share is of.
std::string_view field_of(std::string_view name) {
  constexpr std::array shares{
      std::pair<std::string_view, std::string_view>{"hidden_per_rank", "hidden_size"},
      std::pair<std::string_view, std::string_view>{"intermediate_per_rank", "intermediate_size"},
      std::pair<std::string_view, std::string_view>{"moe_intermediate_per_rank", "moe_intermediate_size"},
      std::pair<std::string_view, std::string_view>{"heads_per_rank", "num_attention_heads"},
      std::pair<std::string_view, std::string_view>{"key_value_heads_per_rank", "num_key_value_heads"},
      std::pair<std::string_view, std::string_view>{"vocab_rows_per_rank", "vocab_size"},
      std::pair<std::string_view, std::string_view>{"tokens", "sequence_length"}};
  for (const auto& [share, field] : shares) {
    if (share == name) return field;
  }
  return name;
}

}  // namespace

std::string sum_of(std::string_view condition) {
  constexpr std::array<std::string_view, 5> comparisons{"==", "<=", ">=", "<", ">"};
  std::string_view left = condition;
  for (const std::string_view each : comparisons) {
    const std::size_t at = expr::find_outside(condition, each);
    if (at != std::string_view::npos && at < left.size()) left = condition.substr(0, at);
  }
  left = trimmed(left);
  const std::size_t modulo = expr::find_outside(left, "%");
  if (modulo == std::string_view::npos) return std::string(left);
  return std::string(trimmed(left.substr(0, modulo))) + " / " + std::string(trimmed(left.substr(modulo + 1)));
}

bool is_about(std::string_view size, std::string_view condition) {
  const std::vector<std::string_view> named = expr::names_in(size);
  const std::vector<std::string_view> used = expr::names_in(condition);
  return std::any_of(used.begin(), used.end(), [&](std::string_view name) {
    return std::any_of(named.begin(), named.end(),
                       [&](std::string_view other) { return field_of(other) == field_of(name); });
  });
}

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
  const Stack known = at_known_versions(book, stack_);
  for (const Contract& each : book.contracts()) {
    switch (standing(each, known)) {
      case VersionMatch::absent:
        break;
      case VersionMatch::holds:
        compiled_.push_back({&each, false, {}, {}, {}});
        break;
      case VersionMatch::older:
        older_.push_back(&each);
        break;
      case VersionMatch::newer:
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
  if (is_new) place->second = expr::compile(text, rules::variable_names());  // the reader reports mistakes
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
  const std::vector<std::string_view> conditions = expr::conjuncts(contract.demands.value);
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
      // The largest of several paddings of one size is computed.
      model::set(out, change.field, is_choice ? change.to : std::max(now, change.to));
    }
  }
  return out;
}

namespace {

void add(std::string& out, std::string_view text) {
  if (text.empty()) return;
  if (!out.empty()) out += "; ";
  out += text;
}

std::string choices(const std::vector<std::int64_t>& values, model::FieldId field) {
  std::vector<std::string_view> names;
  for (const std::int64_t value : values) {
    names.push_back(model::info(field).choices[static_cast<std::size_t>(value)]);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string versions(const Contract& contract) {
  const Package& package = contract.package;
  if (contract.until.empty() && (contract.since.empty() || contract.since == package.version)) {
    return fmt::format("{} {}", package.name, package.version);
  }
  if (contract.until.empty())
    return fmt::format("{} {} to {}", package.name, contract.since, package.version);
  return contract.since.empty()
             ? fmt::format("{} before {}", package.name, contract.until)
             : fmt::format("{} {} to before {}", package.name, contract.since, contract.until);
}

std::string scope(const Contract& contract) {
  std::string out;
  add(out, fmt::format("{}", fmt::join(contract.architectures, ", ")));
  add(out, choices(contract.modes, model::FieldId::mode));
  add(out, choices(contract.dtypes, model::FieldId::dtype));
  add(out, choices(contract.recipes, model::FieldId::recipe));
  if (!contract.unless.empty()) add(out, fmt::format("without {}", fmt::join(contract.unless, ", ")));
  if (!contract.with.empty()) add(out, fmt::format("with {}", fmt::join(contract.with, ", ")));
  return out;
}

std::vector<std::string> addresses(const Contract& contract) {
  std::vector<std::string> out;
  for (const SourceLines& each : contract.sources) {
    std::string lines = each.line > 0 ? fmt::format("#L{}", each.line) : std::string();
    if (each.line > 0 && each.lines > 1) lines += fmt::format("-L{}", each.line + each.lines - 1);
    out.push_back(fmt::format("https://github.com/{}/blob/{}/{}{}", contract.package.repository,
                              each.commit.empty() ? contract.package.commit : each.commit, each.file, lines));
  }
  for (const std::string_view issue : contract.issues) {
    const std::size_t hash = issue.find('#');
    out.push_back(
        hash == std::string_view::npos
            ? std::string(issue)
            : fmt::format("https://github.com/{}/issues/{}", issue.substr(0, hash), issue.substr(hash + 1)));
  }
  return out;
}

std::string outcome_words(const Contract& contract) {
  switch (contract.outcome) {
    case Consequence::refuses:
      return "rejects";
    case Consequence::pads: {
      if (contract.set.empty()) return "pads";
      std::vector<std::string> fields;
      for (const auto& [field, text] : contract.set)
        fields.push_back(fmt::format("`{}`", model::info(field).name));
      return fmt::format("pads {}", fmt::join(fields, ", "));
    }
    case Consequence::falls_back:
      return fmt::format("falls back to {}", contract.instead);
    case Consequence::slower:
      return "is slower";
  }
  return {};
}

std::string sum_words(const Verdict& verdict) {
  if (verdict.formula.empty()) return {};
  if (verdict.numbers == verdict.formula) return fmt::format("`{}`", verdict.formula);
  const bool is_plain = verdict.numbers.find('=') == std::string::npos;
  return is_plain ? fmt::format("`{}` {}", verdict.formula, verdict.numbers)
                  : fmt::format("`{}`, {}", verdict.formula, verdict.numbers);
}

std::string contracts_markdown(const Book& book) {
  std::string out =
      "# Requirements of kernels and frameworks\n\n<!-- Generated from contracts/ by the tests "
      "(UPDATE_GOLDEN=1); do not edit. -->\n\n";
  out += fmt::format(
      "{} requirements of {} packages. Each is a condition on the sizes of one rank, with what "
      "follows if it is not met: the package rejects the size, pads it, falls back to another kernel, or is "
      "slower. "
      "`shapelint FILE "
      "--stack PACKAGE==VERSION` checks them, `shapelint fits FILE --stack PACKAGE --count 8` lists the "
      "layouts that meet all of them, `shapelint contracts NAME` prints one in full. A requirement applies "
      "only to the GPUs, modes, dtypes and recipes that it names, and to versions up to the one whose "
      "source was read. [Adding one](../contributing/requirement.md).\n",
      book.contracts().size(), book.packages().size());
  for (const std::string_view package : book.packages()) {
    const auto first = std::find_if(book.contracts().begin(), book.contracts().end(),
                                    [&](const Contract& each) { return each.package.name == package; });
    out += fmt::format("\n## {}\n\n[{}](https://github.com/{}), read at {} ({}).\n\n", package,
                       first->package.repository, first->package.repository, book.newest(package),
                       first->package.date);
    out +=
        "| requirement | summary | condition | applies to | otherwise | source "
        "|\n|---|---|---|---|---|---|\n";
    for (const Contract& each : book.contracts()) {
      if (each.package.name != package) continue;
      const std::vector<std::string> places = addresses(each);
      std::string links;
      for (std::size_t i = 0; i < places.size(); ++i)
        links += fmt::format("{}[{}]({})", i > 0 ? " " : "", i + 1, places[i]);
      std::string where = scope(each);
      if (!each.when.value.empty()) add(where, fmt::format("`{}`", each.when.value));
      if (!each.since.empty() || !each.until.empty()) add(where, versions(each));
      out += fmt::format("| {} | {} | `{}` | {} | {} | {} |\n", each.name, escaped(each.summary),
                         escaped(each.demands.value), escaped(where), escaped(outcome_words(each)), links);
    }
  }
  return out;
}

}  // namespace shapelint::contracts
