// Compiling and evaluating a rule's expressions.
#include "rules/book/compiled.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/strings.hpp"
#include "model/mixer.hpp"

namespace shapelint::rules {

namespace {

constexpr std::array<std::string_view, 22> word_table{
    "gpu",         "ops",     "expression",    "field",       "key",      "written",
    "meaning",     "instead", "known_name",    "known_field", "known_as", "kernel",
    "field_value", "held",    "batch_parts",   "of_it",       "room",     "exposed",
    "uncosted",    "verdict", "sequence_room", "slowest_op"};

// Where `offset` of a string's value stands in the file. Strings with escapes have no such place; a text
// compiled into the program has no source, and its value starts behind one quote.
Span place_in(const Text& text, const Span& inside) {
  const Span whole = text.node.span();
  const std::int64_t length = whole.end - whole.begin;
  const auto size = static_cast<std::int64_t>(text.value.size());
  const std::int64_t quotes = length - size;  // both sides together, when nothing is escaped
  // "x": 2; """x""": 6; with a line break after the opening quotes: 7 (the reader drops it)
  const std::int64_t opening = quotes == 2 ? 1 : quotes == 6 ? 3 : quotes == 7 ? 4 : -1;
  if (opening < 0) return whole;
  return {whole.begin + opening + inside.begin,
          whole.begin + opening + std::max(inside.end, inside.begin + 1)};
}

void add_placed(const Text& text, std::vector<Error>& found, std::vector<Error>& errors) {
  for (Error& error : found) {
    error.path = std::string(text.node.file());
    error.span = error.span ? place_in(text, *error.span) : text.node.span();
    errors.push_back(std::move(error));
  }
  found.clear();
}

// What makes a run fail binds every proposal, so it must depend on the model alone.
bool may_use(const Rule& rule, Level level) {
  const bool constrains = rule.effect == FindingKind::fails && !is_of_ops(rule.scope);
  if (constrains && (level == Level::gpu || level == Level::step)) return false;
  // Nor is anything costed to see whether a change makes a run fit.
  if (rule.effect == FindingKind::overflows && level != Level::model && level != Level::gpu) return false;
  return sees(rule.scope, level);
}

void check_levels(const Rule& rule, const Text& text, const expr::Expression& expression,
                  std::span<const std::string_view> names, std::vector<Error>& errors) {
  const std::size_t variables = variable_names().size();
  for (const std::int32_t used : expression.used()) {
    const auto index = static_cast<std::size_t>(used);
    if (index >= variables || may_use(rule, level_of(index))) continue;
    const std::string_view name = names[index];
    const std::size_t at = text.value.find(name);
    const Span inside{static_cast<std::int64_t>(at), static_cast<std::int64_t>(at + name.size())};
    errors.push_back(
        Error{fmt::format("`{}` belongs to {}, which a rule with scope `{}` and effect `{}` does not see",
                          name, info(level_of(index)).name, shapelint::rules::name(rule.scope),
                          shapelint::rules::name(rule.effect)),
              {},
              std::string(text.node.file()),
              place_in(text, inside)});
  }
}

bool is_field(std::string_view name) {
  return model::find_field(name) != model::no_field;
}

}  // namespace

std::span<const std::string_view> message_words() {
  return word_table;
}

std::vector<std::string_view> names_for(const Rule& rule) {
  const auto shared = variable_names();
  std::vector<std::string_view> names;
  names.reserve(shared.size() + rule.parameters.size());
  names.assign(shared.data(), shared.data() + shared.size());  // by pointers it is one copy of bytes
  for (const Parameter& parameter : rule.parameters) names.push_back(parameter.name);
  return names;
}

void check(const Rule& rule, std::vector<Error>& errors) {
  const SpendingOn spending(rule.code);
  const std::vector<std::string_view> names = names_for(rule);
  std::vector<Error> found;
  const auto check_expression = [&](const Text& text) {
    const auto compiled = expr::compile(text.value, names, found);
    add_placed(text, found, errors);
    if (compiled) check_levels(rule, text, *compiled, names, errors);
  };
  if (!rule.when.value.empty()) check_expression(rule.when);
  for (const auto& [field, text] : rule.blame_when) check_expression(text);
  if (!rule.fixed_when.value.empty()) check_expression(rule.fixed_when);
  for (const Text* text : {&rule.message, &rule.message_without_time, &rule.label, &rule.brief}) {
    if (text->value.empty()) continue;
    const Template compiled = Template::compile(text->value, names, word_table, found);
    add_placed(*text, found, errors);
    for (const expr::Expression& each : compiled.expressions())
      check_levels(rule, *text, each, names, errors);
  }
  for (const Fix& fix : rule.fixes) {
    for (const auto& [field, text] : fix.set) {
      const bool of_layer = info(rule.scope).blames == Blames::layer_numbers;
      if (of_layer ? !is_layer_number(field) : field != "blamed" && !is_field(field)) {
        errors.push_back(with_code(text.node.key_error(fmt::format("unknown field `{}`", field),
                                                       did_you_mean(field, model::field_names())),
                                   ErrorCode::unknown_name));
      }
      check_expression(text);
    }
  }
}

CompiledRule::CompiledRule(const Rule& rule, Kept kept)
    : rule_(&rule), kept_(kept), names_(variable_names()) {
  if (!rule.parameters.empty()) {
    own_names_ = names_for(rule);
    names_ = own_names_;
  }
  reset_parameters();
  const Uncharged unpaid(!rule.is_own || kept_ == Kept::yes);
  when_ = expr::compile(rule.when.value, names_);  // check() reports mistakes
  if (!when_) return;
  for (const std::int32_t used : when_->used()) {
    const auto index = static_cast<std::size_t>(used);
    if (index >= variable_names().size()) continue;
    append_needs(index, needs_);
    if (is_of_mixer(index)) kinds_ = model::most_mixers;
  }
}

void CompiledRule::reset_parameters() {
  parameters_.clear();
  for (const Parameter& parameter : rule_->parameters) parameters_.push_back(parameter.value);
}

void CompiledRule::set_parameter(std::string_view name, double value) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (rule_->parameters[i].name == name) parameters_[i] = value;
  }
}

double CompiledRule::value(std::int32_t name, const Context& context) const {
  const std::size_t shared = names_.size() - parameters_.size();
  const auto index = static_cast<std::size_t>(name);
  return index < shared ? value_of(index, context) : parameters_[index - shared];
}

Result<double> CompiledRule::evaluate(const expr::Expression& expression, const Context& context) {
  const SpendingOn spending(rule_->code);
  const Uncharged builtin(!rule_->is_own);
  return expression.evaluate([&](std::int32_t name) { return value(name, context); });
}

bool CompiledRule::lacks(const model::Reading& reading) const {
  return std::any_of(needs_.begin(), needs_.end(),
                     [&](model::FieldId field) { return !model::is_known(reading, field); });
}

Result<bool> CompiledRule::holds(const Context& context) {
  if (!when_) return false;
  const SpendingOn spending(rule_->code);
  const Uncharged builtin(!rule_->is_own);
  return when_->holds([&](std::int32_t name) { return value(name, context); });
}

Result<bool> CompiledRule::holds_for_any(const Context& context) {
  if (kinds_ == 1) return holds(context);
  Result<bool> out = false;
  Context kind = context;
  for (kind.mixer = 0; kind.mixer < kinds_; ++kind.mixer) {
    Result<bool> one = holds(kind);
    if (one && *one) return one;
    if (!one) out = one;
  }
  return out;
}

bool CompiledRule::is_fixed(const Context& context) {
  if (rule_->fixed_when.value.empty()) return true;
  const expr::Expression* compiled = expression(rule_->fixed_when);
  const Result<double> holds = compiled != nullptr ? evaluate(*compiled, context) : Result<double>(1.0);
  return holds && *holds != 0;
}

std::vector<std::string_view> CompiledRule::blamed(const Context& context) {
  std::vector<std::string_view> out;
  for (const std::string_view name : rule_->blame) {
    const auto found = std::find_if(rule_->blame_when.begin(), rule_->blame_when.end(),
                                    [&](const auto& each) { return each.first == name; });
    const expr::Expression* compiled = found != rule_->blame_when.end() ? expression(found->second) : nullptr;
    const Result<double> holds = compiled != nullptr ? evaluate(*compiled, context) : Result<double>(1.0);
    if (holds && *holds != 0) out.push_back(name);
  }
  return out.empty() ? rule_->blame : out;
}

std::vector<std::size_t> CompiledRule::variables() const {
  std::vector<std::size_t> out;
  if (!when_) return out;
  for (const std::int32_t used : when_->used()) {
    const auto index = static_cast<std::size_t>(used);
    if (index < variable_names().size()) out.push_back(index);
  }
  return out;
}

std::string CompiledRule::fill(std::optional<Template>& compiled, const Text& text, const Context& context,
                               Words filled) {
  const SpendingOn spending(rule_->code);
  const Uncharged builtin(!rule_->is_own);
  if (!compiled) {
    const Uncharged kept(kept_ == Kept::yes);
    std::vector<Error> ignored;
    compiled = Template::compile(text.value, names_, word_table, ignored);
  }
  std::vector<double> values;
  for (const expr::Expression& each : compiled->expressions()) {
    const Result<double> value = evaluate(each, context);
    values.push_back(value ? *value : std::numeric_limits<double>::quiet_NaN());
  }
  return compiled->fill(values, filled);
}

std::string CompiledRule::message(const Context& context, Words filled) {
  return fill(message_, rule_->message, context, filled);
}

std::string CompiledRule::message_without_time(const Context& context, Words filled) {
  const Text& text = rule_->message_without_time;
  return text.value.empty() ? std::string{} : fill(message_without_time_, text, context, filled);
}

std::string CompiledRule::label(const Context& context, Words filled) {
  return rule_->label.value.empty() ? std::string{} : fill(label_, rule_->label, context, filled);
}

std::string CompiledRule::brief(const Context& context, Words filled) {
  return rule_->brief.value.empty() ? std::string{} : fill(brief_, rule_->brief, context, filled);
}

const expr::Expression* CompiledRule::expression(const Text& text) {
  for (const auto& [address, compiled] : fixes_) {
    if (address == text.value.data()) return compiled.get();
  }
  const Uncharged kept(kept_ == Kept::yes || !rule_->is_own);
  auto compiled = expr::compile(text.value, names_);
  fixes_.emplace_back(text.value.data(),
                      compiled ? std::make_unique<expr::Expression>(*std::move(compiled)) : nullptr);
  return fixes_.back().second.get();
}

std::optional<Change> CompiledRule::layer_change(const Fix& fix, const Context& context) {
  if (fix.set.size() != 1 || context.layer.shape == nullptr) return std::nullopt;
  const auto& [key, text] = fix.set.front();
  const expr::Expression* compiled = expression(text);
  if (compiled == nullptr) return std::nullopt;
  const Result<double> value = evaluate(*compiled, context);
  constexpr double largest = 1e9;  // far above any number of channels
  if (!value || std::floor(*value) != *value || *value < 1 || *value > largest) return std::nullopt;
  const model::LayerShape& shape = *context.layer.shape;
  Change change;
  change.from = key == "in_channels"    ? shape.in.channels
                : key == "out_channels" ? shape.out.channels
                                        : shape.groups;
  change.to = static_cast<std::int64_t>(*value);
  change.layer = shape.layer;
  change.key = key;
  // The first layer's input is usually the network's.
  if (model::find_layer_key(*context.reading, shape.layer, key) == nullptr && key == "in_channels") {
    if (shape.needs_input_gradient) return std::nullopt;  // the layer before it decides
    change.layer = -1;
  }
  const model::LayerOrigin* place = model::find_layer_key(*context.reading, change.layer, key);
  if (place == nullptr) return std::nullopt;  // nothing in the file to edit
  change.path = place->key_path;
  return change;
}

std::optional<std::vector<Change>> CompiledRule::changes(const Fix& fix, const Context& context,
                                                         model::FieldId blamed) {
  std::vector<Change> out;
  for (const auto& [name, text] : fix.set) {
    const model::FieldId field =
        name == "blamed" ? blamed : model::of_mixer(model::find_field(name), context.mixer);
    const expr::Expression* compiled = expression(text);
    if (field == model::no_field || compiled == nullptr) return std::nullopt;
    const Result<double> value = evaluate(*compiled, context);
    constexpr double largest = 1e15;  // far above any field's maximum
    if (!value || std::floor(*value) != *value || std::fabs(*value) > largest) return std::nullopt;
    const std::int64_t from = model::get(*context.setup, field);
    out.push_back({field, from, static_cast<std::int64_t>(*value)});
  }
  return out;
}

std::unique_ptr<CompiledSets::Rules> CompiledSets::take(std::span<const Rule> rules) {
  std::unique_ptr<Rules> set;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      set = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (set) {
    for (CompiledRule& rule : *set) rule.reset_parameters();
    return set;
  }
  const Uncharged kept;
  set = std::make_unique<Rules>();
  set->reserve(rules.size());
  for (const Rule& rule : rules) set->emplace_back(rule, Kept::yes);
  return set;
}

void CompiledSets::return_to_pool(std::unique_ptr<Rules> set) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    free_.push_back(std::move(set));
  } catch (const std::bad_alloc&) {
    // Without room to note it, it is let go: the next lint compiles another.
  }
}

}  // namespace shapelint::rules
