// A rule as its file states it, and the collection of all rules.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/effects.hpp"
#include "rules/finding.hpp"
#include "rules/scope/scope.hpp"
#include "text/document.hpp"

namespace shapelint::text {
struct KeyInfo;
}

namespace shapelint::rules {

// What rules with scope `conv` blame and set.
inline constexpr std::array<std::string_view, 3> layer_numbers{"in_channels", "out_channels", "groups"};
inline bool is_layer_number(std::string_view name) {
  return std::find(layer_numbers.begin(), layer_numbers.end(), name) != layer_numbers.end();
}

// Why a finding is worth telling.
enum class FindingKind : std::uint8_t {
  slower,    // reported when a fix saves at least min_gain of the step
  fails,     // the run cannot start: always reported, and a hard constraint on every proposal
  advice,    // always reported (a likely mistake in the file)
  overflows  // the run does not fit into this GPU's memory: always reported; what makes it fit is a way out
};
std::string_view name(FindingKind effect);

enum class Status : std::uint8_t { preview, stable, deprecated };
std::string_view name(Status status);

// A text and its place in the rule's file.
struct Text {
  std::string_view value;
  text::NodeRef node;
};

struct Parameter {
  std::string_view name;
  double value = 0;
  std::string_view doc;
};

// One way out: fields and the expressions of their new values, or fields whose neighbourhood is searched.
struct Fix {
  std::vector<std::pair<std::string_view, Text>> set;  // `blamed` stands for the blamed field
  std::vector<std::string_view> vary;
};

struct Example {
  std::string_view config;               // what the file holds
  std::string_view file = "model.toml";  // its name; native unless it is recognised as something else
  std::string_view gpu = "a100";
  std::string_view at;    // the text under the carets, from the line's start where it stands there twice
  std::string_view says;  // a part of the message; may be empty
  bool finds = true;
};

// Views point into the rule's document, which a RuleBook keeps.
struct Rule {
  std::string_view code;
  std::string_view name;
  std::vector<std::string_view> formerly;  // names that it had, which selectors still hold
  std::string_view since;
  Status status = Status::stable;
  Severity severity = Severity::warning;
  Confidence confidence = Confidence::estimated;
  Scope scope = Scope::model;
  FindingKind effect = FindingKind::slower;
  std::string_view summary;  // one line for the table of rules
  Text when;
  Text message;
  Text message_without_time;  // of a step that fails or does not fit: without time and MFU; empty: `message`
  Text label;                 // stands at the value in question: mechanism or consequence; may be empty
  Text brief;  // of a rule about what was not checked: printed of a model even where its findings are hidden
  std::string_view mechanism;           // one or two sentences, printed with a finding
  std::string_view why;                 // the page's text
  std::vector<std::string_view> blame;  // fields, the first that the file states is blamed; or m, n, k
  // Fields among them that are blamed only where this holds, too.
  std::vector<std::pair<std::string_view, Text>> blame_when;
  // Fields that a finding depends on apart from what it blames: if they are assumed, it is marked. Of an
  // empty list not even the blamed field counts: the finding is of another value.
  std::vector<std::string_view> rests_on;
  bool rests_on_nothing = false;
  std::vector<Parameter> parameters;
  std::vector<Fix> fixes;
  Text fixed_when;  // what holds of a model that a fix has mended; empty: that it gains is enough
  std::vector<std::pair<std::string_view, std::string_view>> how;  // by dialect: how a fix is made there
  std::vector<gpu::Effect> gain_from;  // most of a proposal's gain must come from these; empty: from any
  std::vector<std::string_view> sources;
  std::vector<Example> examples;
  bool is_own = false;  // somebody's, not built in: a file pays for what is evaluated of it
};

// What its findings have when the condition is certain to hold: what fails is an error.
inline Severity severity_of(const Rule& rule) {
  return rule.effect == FindingKind::fails ? Severity::error : rule.severity;
}

// Whether its findings are errors of a run that cannot start. Somebody's own errors may be of taste.
inline bool stops_run(const Rule& rule) {
  if (rule.effect == FindingKind::fails) return true;
  const bool may_be_taste = rule.is_own && rule.effect != FindingKind::overflows;
  return rule.severity == Severity::error && !may_be_taste;
}

class CompiledSets;

// All rules of a run, sorted by code.
class RuleBook {
 public:
  // Reads one document per rule. Every error found is appended (unknown keys, missing ones, wrong types,
  // duplicate codes and, with `check`, each expression that does not compile, at its place). The first
  // `known` documents are built in, and their expressions right.
  RuleBook(std::span<const text::Document> documents, bool check, std::vector<Error>& errors,
           std::size_t known = 0);

  std::span<const Rule> rules() const { return rules_; }
  // By code or name in any case; null when there is none.
  const Rule* find(std::string_view code_or_name) const;
  // Codes and names, for did-you-mean.
  std::vector<std::string_view> names() const;
  // What the engine keeps of them from model to model; safe to use from several threads.
  CompiledSets& compiled() const { return *compiled_; }

  // Rules point into documents_.
  RuleBook(const RuleBook&) = delete;
  RuleBook& operator=(const RuleBook&) = delete;
  RuleBook(RuleBook&&) = default;
  RuleBook& operator=(RuleBook&&) = default;

 private:
  std::vector<text::Document> documents_;
  std::vector<Rule> rules_;
  std::shared_ptr<CompiledSets> compiled_;
};

// The rules compiled into the program; read once.
const RuleBook& builtin_rules();
// The present name of a built-in rule for a former one; any other text as it is.
std::string_view current_name(std::string_view selector);

// Unknown and missing keys, wrong types, unknown fields are appended to `errors`; expressions are not looked
// at.
Rule read_rule(text::NodeRef root, std::vector<Error>& errors);
// For the schema and the reference page of rule files.
std::vector<text::KeyInfo> rule_file_keys();

// Contracts that say the same as a rule, of one package, with its versions and GPUs.

// A rule's source `contract PACKAGE/NAME` names one: with that package in the stack a finding of the contract
// replaces the rule's.
inline constexpr std::string_view contract_source = "contract ";
std::vector<std::string_view> contracts_of(const Rule& rule);

}  // namespace shapelint::rules
