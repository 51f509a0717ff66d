// What a rule file says, and every mistake in how it says it.
#include "rules/book/rule.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "rules/scope/variables.hpp"
#include "text/table_reader.hpp"

namespace shapelint::rules {

namespace {

using text::Kind;
using text::NodeRef;

template <class T>
using NameTable = std::span<const std::pair<std::string_view, T>>;

constexpr std::array<std::pair<std::string_view, FindingKind>, 4> effects{
    {{"slower", FindingKind::slower},
     {"fails", FindingKind::fails},
     {"advice", FindingKind::advice},
     {"overflows", FindingKind::overflows}}};
constexpr std::array<std::pair<std::string_view, Status>, 3> statuses{
    {{"preview", Status::preview}, {"stable", Status::stable}, {"deprecated", Status::deprecated}}};
constexpr std::array<std::pair<std::string_view, Severity>, 3> severities{
    {{"info", Severity::info}, {"warning", Severity::warning}, {"error", Severity::error}}};
constexpr std::array<std::pair<std::string_view, Confidence>, 3> confidences{
    {{"estimated", Confidence::estimated},
     {"measured", Confidence::measured},
     {"certain", Confidence::certain}}};

template <class T>
std::string_view name_in(NameTable<T> table, T value) {
  for (const auto& [name, each] : table) {
    if (each == value) return name;
  }
  return "";
}

constexpr std::array<std::string_view, 24> rule_keys{
    "code",       "name",    "since",   "status",  "severity",  "confidence", "scope",      "effect",
    "summary",    "when",    "message", "brief",   "mechanism", "why",        "blame",      "rests_on",
    "parameters", "sources", "how",     "example", "gain_from", "fix",        "blame_when", "label"};
constexpr std::array<std::string_view, 6> example_keys{"config", "file", "gpu", "finds", "at", "says"};
constexpr std::array<std::string_view, 2> parameter_keys{"value", "doc"};
// What a gemm rule may blame besides fields: the dimension's own fields are blamed then.
constexpr std::string_view dimensions_of_a_product[] = {"m", "n", "k"};
// What a fix may vary besides fields.
constexpr std::string_view the_blamed[] = {"blamed"};

// The place of a key among `keys`; one that is not there does not compile.
template <std::size_t N>
consteval std::size_t place(const std::array<std::string_view, N>& keys, std::string_view key) {
  for (std::size_t i = 0; i < N; ++i) {
    if (keys[i] == key) return i;
  }
  throw std::invalid_argument("no such key");
}
consteval std::size_t rule_key(std::string_view key) {
  return place(rule_keys, key);
}
consteval std::size_t example_key(std::string_view key) {
  return place(example_keys, key);
}

class RuleReader : text::TableReader {
 public:
  RuleReader(NodeRef root, std::vector<Error>& errors) : TableReader(errors), root_(root), errors_(errors) {}

  Rule read() {
    Rule rule;
    if (!root_.is(Kind::table)) {
      errors_.push_back(root_.error("the file is empty", "a rule needs at least `code` and `name`"));
      return rule;
    }
    values_ = text::values_of(root_, rule_keys, errors_);
    rule.code = required_string(rule_key("code")).value;
    rule.name = required_string(rule_key("name")).value;
    check_code(rule);
    rule.since = string_or(value(rule_key("since")), "");
    rule.summary = required_string(rule_key("summary")).value;
    rule.status = choice<Status>(rule_key("status"), statuses, Status::stable);
    rule.severity = choice<Severity>(rule_key("severity"), severities, Severity::warning);
    rule.confidence = choice<Confidence>(rule_key("confidence"), confidences, Confidence::estimated);
    rule.scope = read_scope();
    rule.effect = choice<FindingKind>(rule_key("effect"), effects, FindingKind::slower);
    rule.when = required_string(rule_key("when"));
    rule.message = required_string(rule_key("message"));
    rule.label = {string_or(value(rule_key("label")), ""), value(rule_key("label"))};
    rule.brief = {string_or(value(rule_key("brief")), ""), value(rule_key("brief"))};
    rule.mechanism = required_string(rule_key("mechanism")).value;
    rule.why = string_or(value(rule_key("why")), "");
    read_blame(rule);
    const NodeRef rests_on = value(rule_key("rests_on"));
    for (const NodeRef node : list(rests_on)) read_field(node, {}, rule.rests_on);
    rule.rests_on_nothing = rests_on && rule.rests_on.empty();
    for (const NodeRef node : value(rule_key("how"))) rule.how.emplace_back(node.key(), string_or(node, ""));
    read_parameters(rule);
    for (const NodeRef source : list(value(rule_key("sources"))))
      rule.sources.push_back(string_or(source, ""));
    for (const NodeRef fix : list(value(rule_key("fix")))) read_fix(rule, fix);
    for (const NodeRef effect : list(value(rule_key("gain_from")))) read_effect(rule, effect);
    for (const NodeRef example : list(value(rule_key("example")))) read_example(rule, example);
    if (rule.effect == FindingKind::slower && rule.fixes.empty()) {
      errors_.push_back(value(rule_key("name"))
                            .error(fmt::format("rule `{}` has no `[[fix]]`", rule.name),
                                   "without one its gain cannot be computed and it never reports; use "
                                   "`effect = \"advice\"` for advice without a number"));
    }
    return rule;
  }

 private:
  // By rule_key().
  NodeRef value(std::size_t key) const { return values_[key]; }
  Text required_string(std::size_t key) { return {required(root_, rule_keys[key], value(key)), value(key)}; }

  template <class T>
  T choice(std::size_t key, NameTable<T> table, T fallback) {
    const NodeRef node = value(key);
    if (!node) return fallback;
    const std::string_view text = string_or(node, name_in(table, fallback));
    for (const auto& [name, each] : table) {
      if (name == text) return each;
    }
    std::vector<std::string_view> names;
    for (const auto& [name, each] : table) names.push_back(name);
    std::string hint = did_you_mean(text, names);
    if (hint.empty()) hint = fmt::format("one of {}", fmt::join(names, ", "));
    errors_.push_back(
        node.error(fmt::format("`{}` is not a known {}", text, rule_keys[key]), std::move(hint)));
    return fallback;
  }

  Scope read_scope() {
    static const auto names = [] {
      std::vector<std::pair<std::string_view, Scope>> out;
      for (const ScopeInfo& each : scopes()) out.emplace_back(each.name, each.scope);
      return out;
    }();
    return choice<Scope>(rule_key("scope"), names, Scope::model);
  }

  void check_code(const Rule& rule) {
    const bool good = rule.code.size() > 2 && std::all_of(rule.code.begin(), rule.code.end(), [](char c) {
                        return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
                      });
    if (!rule.code.empty() && !good) {
      errors_.push_back(value(rule_key("code"))
                            .error(fmt::format("`{}` is not a code", rule.code),
                                   "capital letters and digits, such as `SL101`; rules of your own "
                                   "begin with other letters than SL"));
    }
    const bool kebab = std::all_of(rule.name.begin(), rule.name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!kebab) {
      errors_.push_back(
          value(rule_key("name"))
              .error(fmt::format("`{}` is not a rule name", rule.name), "small letters, digits and hyphens"));
    }
  }

  void read_layer_number(NodeRef node, std::vector<std::string_view>& into) {
    const std::string_view name = string_or(node, "");
    if (is_layer_number(name)) {
      into.push_back(name);
    } else {
      errors_.push_back(with_code(
          node.error(fmt::format("unknown number of a layer `{}`", name), did_you_mean(name, layer_numbers)),
          ErrorCode::unknown_name));
    }
  }

  // A field, or one of `also`.
  void read_field(NodeRef node, std::span<const std::string_view> also, std::vector<std::string_view>& into) {
    const std::string_view name = string_or(node, "");
    const bool is_other = std::find(also.begin(), also.end(), name) != also.end();
    if (is_other || model::find_field(name) != model::no_field) {
      into.push_back(name);
      return;
    }
    if (node.is(Kind::string)) {
      errors_.push_back(with_code(
          node.error(fmt::format("unknown field `{}`", name), did_you_mean(name, model::field_names())),
          ErrorCode::unknown_name));
    }
  }

  void read_blame(Rule& rule) {
    const NodeRef blame = value(rule_key("blame"));
    const Blames kind = info(rule.scope).blames;
    if (!blame) {
      if (kind != Blames::itself) errors_.push_back(root_.error("the key `blame` is missing"));
      return;
    }
    if (kind == Blames::layer_numbers) return read_layer_number(blame, rule.blame);
    std::span<const std::string_view> also;
    if (kind == Blames::fields_or_dimensions) also = dimensions_of_a_product;
    if (blame.is(Kind::string)) read_field(blame, also, rule.blame);
    if (!blame.is(Kind::string)) {
      for (const NodeRef each : list(blame)) read_field(each, also, rule.blame);
    }
    for (const NodeRef each : value(rule_key("blame_when"))) {
      if (std::find(rule.blame.begin(), rule.blame.end(), each.key()) == rule.blame.end())
        errors_.push_back(each.key_error(fmt::format("`{}` is not in `blame`", each.key())));
      rule.blame_when.emplace_back(each.key(), Text{string_or(each, ""), each});
    }
  }

  void read_parameters(Rule& rule) {
    const NodeRef parameters = value(rule_key("parameters"));
    if (!parameters) return;
    for (const NodeRef each : parameters) {
      Parameter parameter{each.key(), 0, {}};
      NodeRef stated = each;
      if (each.is(Kind::table)) {
        text::check_keys(each, parameter_keys, errors_);
        stated = each["value"];
        parameter.doc = string_or(each["doc"], "");
      }
      const auto number = stated.as_number();
      if (!number) {
        errors_.push_back(each.error(fmt::format("parameter `{}` needs a number", each.key())));
        continue;
      }
      const auto taken = variable_names();
      if (std::find(taken.begin(), taken.end(), parameter.name) != taken.end()) {
        errors_.push_back(each.key_error(fmt::format("`{}` is a variable already", parameter.name)));
      }
      parameter.value = *number;
      rule.parameters.push_back(parameter);
    }
  }

  void read_fix(Rule& rule, NodeRef table) {
    Fix fix;
    const std::size_t before = errors_.size();
    for (const NodeRef each : table) {
      if (each.key() == "vary") {
        for (const NodeRef field : list(each)) read_field(field, the_blamed, fix.vary);
        continue;
      }
      const auto expression = each.as_string();
      if (!expression) {
        errors_.push_back(each.error(
            fmt::format("expected an expression in quotes, found {}", text::describe(each.kind()))));
        continue;
      }
      fix.set.emplace_back(each.key(), Text{*expression, each});
    }
    if (fix.set.empty() && fix.vary.empty() && errors_.size() == before) {
      errors_.push_back(table.error("the fix is empty", "name a field and the expression of its new value"));
    }
    rule.fixes.push_back(std::move(fix));
  }

  void read_effect(Rule& rule, NodeRef node) {
    const std::string_view text = string_or(node, "");
    for (std::size_t i = 0; i < gpu::effect_count; ++i) {
      const auto effect = static_cast<gpu::Effect>(i);
      if (gpu::name(effect) == text) return rule.gain_from.push_back(effect);
    }
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < gpu::effect_count; ++i)
      names.push_back(gpu::name(static_cast<gpu::Effect>(i)));
    std::string hint = did_you_mean(text, names);
    if (hint.empty()) hint = fmt::format("one of {}", fmt::join(names, ", "));
    errors_.push_back(with_code(node.error(fmt::format("unknown effect `{}`", text), std::move(hint)),
                                ErrorCode::unknown_name));
  }

  void read_example(Rule& rule, NodeRef table) {
    const auto values = text::values_of(table, example_keys, errors_);
    Example example;
    example.config = string_or(values[example_key("config")], "");
    example.file = string_or(values[example_key("file")], "model.toml");
    example.gpu = string_or(values[example_key("gpu")], example.gpu);
    example.at = string_or(values[example_key("at")], "");
    example.says = string_or(values[example_key("says")], "");
    const NodeRef finds = values[example_key("finds")];
    if (finds && !finds.as_boolean()) errors_.push_back(finds.error("expected true or false"));
    example.finds = finds.as_boolean().value_or(true);
    rule.examples.push_back(example);
  }

  NodeRef root_;
  std::array<NodeRef, rule_keys.size()> values_;
  std::vector<Error>& errors_;
};

}  // namespace

std::string_view name(FindingKind effect) {
  return name_in<FindingKind>(effects, effect);
}
std::string_view name(Status status) {
  return name_in<Status>(statuses, status);
}

Rule read_rule(NodeRef root, std::vector<Error>& errors) {
  return RuleReader(root, errors).read();
}

}  // namespace shapelint::rules
