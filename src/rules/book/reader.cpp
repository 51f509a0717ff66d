// What a rule file says, and every mistake in how it says it.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "rules/book/rule.hpp"
#include "rules/scope/variables.hpp"
#include "text/table_reader.hpp"

namespace shapelint::rules {

namespace {

using text::Key;
using text::Kind;
using text::NodeRef;
using text::ValueType;
using text::Presence::required;

// In the order of their enumerators.
constexpr std::array<std::string_view, 4> effects{"slower", "fails", "advice", "overflows"};
constexpr std::array<std::string_view, 3> statuses{"preview", "stable", "deprecated"};
constexpr std::array<std::string_view, 3> severities{"info", "warning", "error"};
constexpr std::array<std::string_view, 3> confidences{"estimated", "measured", "certain"};
// What a gemm rule may blame in addition to fields: the dimension's own fields are blamed then.
constexpr std::array<std::string_view, 3> dimensions_of_a_product{"m", "n", "k"};
// What a fix may vary in addition to fields.
constexpr std::array<std::string_view, 1> the_blamed{"blamed"};

namespace rule_file {

struct Reader : text::TableReader {
  using TableReader::read_value;
  using TableReader::TableReader;
  void read_value(NodeRef node, Text& into) { into = {text(node), node}; }

  // A field, or one of `also`.
  void read_field(NodeRef node, std::span<const std::string_view> also, std::vector<std::string_view>& into) {
    const std::string_view name = text(node);
    const bool is_other = std::find(also.begin(), also.end(), name) != also.end();
    if (is_other || model::find_field(name) != model::no_field) {
      into.push_back(name);
    } else if (node.is(Kind::string)) {
      unknown(node, "field", name, model::field_names());
    }
  }
  void unknown(NodeRef node, std::string_view kind, std::string_view name,
               std::span<const std::string_view> known) {
    errors().push_back(
        with_code(node.error(fmt::format("unknown {} `{}`", kind, name), did_you_mean(name, known)),
                  ErrorCode::unknown_name));
  }
};

template <auto member>
constexpr auto value = text::value<Reader, member>;
using Value = text::KeyValue<Rule, Reader>;

template <const auto& names>
std::vector<std::string_view> listed() {
  return {std::begin(names), std::end(names)};
}

// A member that is an enumeration, of these names in its order.
template <auto member, const auto& names>
constexpr Value choice{[](Reader& reader, NodeRef node, Rule& into) {
                         if (const auto index = reader.choice(node, node.key(), names))
                           into.*member = static_cast<text::TypeOf<member>>(*index);
                       },
                       ValueType::text, listed<names>};

std::vector<std::string_view> scope_names() {
  std::vector<std::string_view> out;
  for (const ScopeInfo& each : scopes()) out.push_back(each.name);
  return out;
}
constexpr Value scope{[](Reader& reader, NodeRef node, Rule& into) {
                        static const std::vector<std::string_view> names = scope_names();
                        if (const auto index = reader.choice(node, "scope", names))
                          into.scope = scopes()[*index].scope;
                      },
                      ValueType::text, scope_names};

constexpr Value code{[](Reader& reader, NodeRef node, Rule& into) {
                       into.code = reader.text(node);
                       const bool good = into.code.size() > 2 &&
                                         std::all_of(into.code.begin(), into.code.end(), [](char c) {
                                           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
                                         });
                       if (into.code.empty() || good) return;
                       reader.errors().push_back(
                           node.error(fmt::format("`{}` is not a code", into.code),
                                      "use capital letters and digits, such as `SL101`; custom rules begin "
                                      "with other letters than SL"));
                     },
                     ValueType::text};

constexpr Value rule_name{
    [](Reader& reader, NodeRef node, Rule& into) {
      into.name = reader.text(node);
      const bool is_kebab = std::all_of(into.name.begin(), into.name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
      });
      if (is_kebab) return;
      reader.errors().push_back(node.error(fmt::format("`{}` is not a rule name", into.name),
                                           "use lower-case letters, digits and hyphens"));
    },
    ValueType::text};

// What may be blamed depends on the scope, which is read before.
constexpr Value blame{[](Reader& reader, NodeRef node, Rule& into) {
                        const Blames kind = info(into.scope).blames;
                        if (kind == Blames::layer_numbers) {
                          const std::string_view name = reader.text(node);
                          if (!is_layer_number(name))
                            return reader.unknown(node, "number of a layer", name, layer_numbers);
                          into.blame.push_back(name);
                          return;
                        }
                        std::span<const std::string_view> also;
                        if (kind == Blames::fields_or_dimensions) also = dimensions_of_a_product;
                        if (node.is(Kind::string)) return reader.read_field(node, also, into.blame);
                        for (const NodeRef each : reader.list(node))
                          reader.read_field(each, also, into.blame);
                      },
                      ValueType::texts};

constexpr Value blame_when{
    [](Reader& reader, NodeRef node, Rule& into) {
      for (const NodeRef each : node) {
        if (std::find(into.blame.begin(), into.blame.end(), each.key()) == into.blame.end())
          reader.errors().push_back(each.key_error(fmt::format("`{}` is not in `blame`", each.key())));
        into.blame_when.emplace_back(each.key(), Text{reader.text(each), each});
      }
    },
    ValueType::map};

constexpr Value rests_on{[](Reader& reader, NodeRef node, Rule& into) {
                           for (const NodeRef each : reader.list(node))
                             reader.read_field(each, {}, into.rests_on);
                           into.rests_on_nothing = into.rests_on.empty();
                         },
                         ValueType::texts};

constexpr Value how{[](Reader& reader, NodeRef node, Rule& into) {
                      for (const NodeRef each : node) into.how.emplace_back(each.key(), reader.text(each));
                    },
                    ValueType::map};

// `NAME = 8`, or a table.
struct StatedParameter {
  NodeRef value;
  std::string_view doc;
};
constexpr std::array parameter_keys{
    Key<StatedParameter, Reader>{
        "value",
        {[](Reader&, NodeRef node, StatedParameter& into) { into.value = node; }, ValueType::number},
        "default, which a configuration may change",
        required},
    Key<StatedParameter, Reader>{"doc", text::value<Reader, &StatedParameter::doc>, "meaning"}};

constexpr Value parameters{
    [](Reader& reader, NodeRef node, Rule& into) {
      for (const NodeRef each : node) {
        StatedParameter stated{each, {}};
        if (each.is(Kind::table)) Reader::read_table(reader, each, parameter_keys, stated);
        const auto number = stated.value.as_number();
        if (!number) {
          reader.errors().push_back(each.error(fmt::format("parameter `{}` needs a number", each.key())));
          continue;
        }
        const auto taken = variable_names();
        if (std::find(taken.begin(), taken.end(), each.key()) != taken.end()) {
          reader.errors().push_back(each.key_error(fmt::format("`{}` is a variable already", each.key())));
        }
        into.parameters.push_back({each.key(), *number, stated.doc});
      }
    },
    ValueType::map, nullptr, [] { return infos(parameter_keys); }};

void read_fix(Reader& reader, NodeRef table, Fix& fix) {
  const std::size_t before = reader.errors().size();
  for (const NodeRef each : table) {
    if (each.key() == "vary") {
      for (const NodeRef field : reader.list(each)) reader.read_field(field, the_blamed, fix.vary);
      continue;
    }
    const auto expression = each.as_string();
    if (!expression) {
      reader.errors().push_back(
          each.error(fmt::format("expected an expression in quotes, found {}", text::describe(each.kind()))));
      continue;
    }
    fix.set.emplace_back(each.key(), Text{*expression, each});
  }
  if (fix.set.empty() && fix.vary.empty() && reader.errors().size() == before) {
    reader.errors().push_back(
        table.error("the fix is empty", "name a field and the expression of its new value"));
  }
}
constexpr Value fixes{[](Reader& reader, NodeRef node, Rule& into) {
                        for (const NodeRef item : reader.list(node))
                          read_fix(reader, item, into.fixes.emplace_back());
                      },
                      ValueType::tables};

std::vector<std::string_view> gain_effects() {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < gpu::effect_count; ++i) out.push_back(gpu::name(static_cast<gpu::Effect>(i)));
  return out;
}
constexpr Value gain_from{[](Reader& reader, NodeRef node, Rule& into) {
                            for (const NodeRef item : reader.list(node)) {
                              if (const auto index = reader.choice(item, "effect", gain_effects()))
                                into.gain_from.push_back(static_cast<gpu::Effect>(*index));
                            }
                          },
                          ValueType::texts, gain_effects};

constexpr std::array example_keys{
    Key<Example, Reader>{"config", value<&Example::config>, "text of the example file"},
    Key<Example, Reader>{"file", value<&Example::file>, "name of the example file [default: model.toml]"},
    Key<Example, Reader>{"gpu", value<&Example::gpu>, "GPU [default: a100]"},
    Key<Example, Reader>{"finds", value<&Example::finds>,
                         "whether the rule reports the example [default: true]"},
    Key<Example, Reader>{"at", value<&Example::at>, "text under the carets"},
    Key<Example, Reader>{"says", value<&Example::says>, "part of the message"}};

// Read in this order.
constexpr std::array rule_keys{
    Key<Rule, Reader>{"code", code, "such as `XY101`; SL is shapelint's own", required},
    Key<Rule, Reader>{"name", rule_name, "lower-case letters, digits, hyphens", required},
    Key<Rule, Reader>{"formerly", value<&Rule::formerly>,
                      "earlier names of a built-in rule, still valid in selectors"},
    Key<Rule, Reader>{"since", value<&Rule::since>, "first version of shapelint with the rule"},
    Key<Rule, Reader>{"summary", value<&Rule::summary>, "one line, for the table of rules", required},
    Key<Rule, Reader>{"status", choice<&Rule::status, statuses>, "maturity [default: stable]"},
    Key<Rule, Reader>{"severity", choice<&Rule::severity, severities>,
                      "severity of findings [default: warning]"},
    Key<Rule, Reader>{"confidence", choice<&Rule::confidence, confidences>,
                      "confidence of the cost [default: estimated]"},
    Key<Rule, Reader>{"scope", scope, "what the condition is evaluated for [default: model]"},
    Key<Rule, Reader>{"effect", choice<&Rule::effect, effects>, "consequence of a finding [default: slower]"},
    Key<Rule, Reader>{"when", value<&Rule::when>, "the condition", required},
    Key<Rule, Reader>{"message", value<&Rule::message>, "title of a finding, with values in braces",
                      required},
    Key<Rule, Reader>{"message_without_time", value<&Rule::message_without_time>,
                      "title without time and MFU, if the step fails or does not fit"},
    Key<Rule, Reader>{"label", value<&Rule::label>, "mechanism or consequence, printed at the value"},
    Key<Rule, Reader>{"brief", value<&Rule::brief>, "line in reports if findings of the rule are hidden"},
    Key<Rule, Reader>{"mechanism", value<&Rule::mechanism>, "reason, in a sentence or two", required},
    Key<Rule, Reader>{"why", value<&Rule::why>, "text of the rule's page"},
    Key<Rule, Reader>{"blame", blame, "fields; the first that the file states is blamed"},
    Key<Rule, Reader>{"blame_when", blame_when, "conditions under which a field of `blame` is blamed"},
    Key<Rule, Reader>{"rests_on", rests_on, "fields whose assumed values mark a finding"},
    Key<Rule, Reader>{"how", how, "how to apply a fix, by config format"},
    Key<Rule, Reader>{"parameters", parameters, "numbers by name, for conditions and fixes"},
    Key<Rule, Reader>{"sources", value<&Rule::sources>, "references"},
    Key<Rule, Reader>{"fix", fixes, "fields and the expressions of their new values; or `vary`"},
    Key<Rule, Reader>{"fixed_when", value<&Rule::fixed_when>, "condition that a fix must make true"},
    Key<Rule, Reader>{"gain_from", gain_from, "effects that most of the gain must come from [default: any]"},
    Key<Rule, Reader>{"example", text::tables<Reader, &Rule::examples, example_keys>,
                      "executed by the tests"}};

}  // namespace rule_file

}  // namespace

std::string_view name(FindingKind effect) {
  return effects[static_cast<std::size_t>(effect)];
}
std::string_view name(Status status) {
  return statuses[static_cast<std::size_t>(status)];
}

Rule read_rule(NodeRef root, std::vector<Error>& errors) {
  Rule rule;
  if (!root.is(Kind::table)) {
    errors.push_back(root.error("the file is empty", "a rule needs at least `code` and `name`"));
    return rule;
  }
  rule_file::Reader reader(errors);
  text::TableReader::read_table(reader, root, rule_file::rule_keys, rule);
  if (!root["blame"] && info(rule.scope).blames != Blames::itself)
    errors.push_back(text::TableReader::missing(root, "blame"));
  if (rule.effect == FindingKind::slower && rule.fixes.empty()) {
    errors.push_back(root["name"].error(fmt::format("rule `{}` has no `[[fix]]`", rule.name),
                                        "without one its gain cannot be computed and it never reports; use "
                                        "`effect = \"advice\"` for advice without a number"));
  }
  return rule;
}

std::vector<text::KeyInfo> rule_file_keys() {
  return text::infos(rule_file::rule_keys);
}

}  // namespace shapelint::rules
