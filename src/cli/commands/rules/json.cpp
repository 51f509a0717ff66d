// Rules for programs.
#include "cli/commands/rules/json.hpp"

#include <nlohmann/json.hpp>

#include "objects/printed/document.hpp"
#include "text/json/write.hpp"

namespace shapelint::cli {

namespace {

using nlohmann::ordered_json;

ordered_json rule_json(const rules::Rule& rule) {
  ordered_json parameters = ordered_json::object();
  for (const rules::Parameter& each : rule.parameters) {
    parameters[std::string(each.name)] = {{"value", each.value}, {"doc", each.doc}};
  }
  ordered_json fixes = ordered_json::array();
  for (const rules::Fix& fix : rule.fixes) {
    ordered_json set = ordered_json::object();
    for (const auto& [field, text] : fix.set) set[std::string(field)] = text.value;
    fixes.push_back({{"set", std::move(set)}, {"vary", fix.vary}});
  }
  ordered_json examples = ordered_json::array();
  for (const rules::Example& each : rule.examples) {
    examples.push_back({{"config", each.config}, {"gpu", each.gpu}, {"finds", each.finds}});
  }
  const auto severity = rules::severity_of(rule);
  return {{"code", rule.code},
          {"name", rule.name},
          {"summary", rule.summary},
          {"since", rule.since},
          {"status", name(rule.status)},
          {"severity", name(severity)},
          {"confidence", name(rule.confidence)},
          {"scope", name(rule.scope)},
          {"effect", name(rule.effect)},
          {"when", rule.when.value},
          {"message", rule.message.value},
          {"mechanism", rule.mechanism},
          {"why", rule.why},
          {"blame", rule.blame},
          {"parameters", std::move(parameters)},
          {"fixes", std::move(fixes)},
          {"sources", rule.sources},
          {"examples", std::move(examples)}};
}

}  // namespace

std::string rules_json_text(std::span<const rules::Rule* const> all) {
  ordered_json list = ordered_json::array();
  for (const rules::Rule* rule : all) list.push_back(rule_json(*rule));
  return objects::document("rules", text::json_text(ordered_json{{"rules", std::move(list)}}, 2), 2) + '\n';
}

}  // namespace shapelint::cli
