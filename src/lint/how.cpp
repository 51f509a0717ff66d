// How what a finding proposes is done in the file at hand.
#include "lint/how.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/words.hpp"
#include "formats/dialect/how.hpp"
#include "model/fields.hpp"

namespace shapelint::lint {

namespace {

constexpr std::string_view native = "native";

// A native file calls every field by its name; what it leaves out is added to its table, unless the command
// line has the last word.
std::string way_in_native(const model::Reading& reading, const rules::Change& change) {
  if (model::is_stated(reading, change.field)) return {};
  const model::FieldInfo& field = model::info(change.field);
  const std::string value = model::value_text(change.field, change.to);
  const std::string_view quote = field.choices.empty() ? "" : "\"";
  return fmt::format("`{} = {}{}{}` under `[{}]`", field.name, quote, value, quote, field.section);
}

const formats::Dialect* dialect_of(const project::Configured& configured, const std::string& name) {
  if (name == native) return nullptr;
  const formats::Dialects& all = project::dialects_of(configured);
  return all.find(name);
}

// `instead`: whatever the dialect's keys are.
bool speaks_of(const rules::Rule* rule, const std::string& dialect) {
  return rule != nullptr && std::any_of(rule->how.begin(), rule->how.end(), [&](const auto& each) {
           return each.first == dialect || each.first == "instead";
         });
}

// Of each change that has one. What the file calls by the field's name goes without saying, unless another
// change of the proposal has to be told.
std::vector<std::string> ways_of(const rules::Proposal& proposal, const formats::Dialect* dialect,
                                 const model::Reading& reading, bool even_if_same) {
  std::vector<std::string> ways;
  std::vector<model::FieldId> all;
  for (const rules::Change& change : proposal.changes) all.push_back(change.field);
  for (const rules::Change& change : proposal.changes) {
    if (change.field == model::no_field) continue;
    std::string way;
    if (dialect != nullptr) {
      way = formats::way_to_set(*dialect, reading, change.field, change.from, change.to, even_if_same);
      if (way.empty() && even_if_same)
        way = formats::key_to_change(*dialect, reading, change.field, change.to, all);
    } else if (reading.dialect == native) {
      way = way_in_native(reading, change);
    }
    if (!way.empty()) ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace

void add_how(const project::Configured& configured, ModelReport& model) {
  const std::string& name = model.reading.dialect;
  const formats::Dialect* dialect = nullptr;
  for (rules::Finding& finding : model.result.findings) {
    if (finding.proposals.empty() || speaks_of(configured.rules->find(finding.code), name)) continue;
    if (dialect == nullptr) dialect = dialect_of(configured, name);
    const rules::Proposal& proposal = finding.proposals.front();
    std::vector<std::string> ways = ways_of(proposal, dialect, model.reading, false);
    if (ways.empty()) continue;
    if (ways.size() < proposal.changes.size()) ways = ways_of(proposal, dialect, model.reading, true);
    const std::string text = in_words(ways);
    finding.how = finding.how.empty() ? text : fmt::format("{}; {}", text, finding.how);
  }
}

}  // namespace shapelint::lint
