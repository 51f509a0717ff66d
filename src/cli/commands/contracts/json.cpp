// Contracts and verdicts for programs.
#include "cli/commands/contracts/json.hpp"

#include <nlohmann/json.hpp>

#include "contracts/words.hpp"
#include "objects/printed/document.hpp"
#include "text/json/write.hpp"

namespace shapelint::cli {

namespace {

using contracts::Contract;
using nlohmann::ordered_json;

std::vector<std::string_view> names(const std::vector<std::int64_t>& values, model::FieldId field) {
  std::vector<std::string_view> out;
  for (const std::int64_t value : values)
    out.push_back(model::info(field).choices[static_cast<std::size_t>(value)]);
  return out;
}

ordered_json contract_json(const Contract& contract) {
  ordered_json set = ordered_json::object();
  for (const auto& [field, text] : contract.set) set[std::string(model::info(field).name)] = text.value;
  return {{"id", contract.id},
          {"package", contract.package.name},
          {"since", contract.since},
          {"until", contract.until},
          {"read_at",
           {{"version", contract.package.version},
            {"commit", contract.package.commit},
            {"date", contract.package.date}}},
          {"with", contract.with},
          {"unless", contract.unless},
          {"architectures", contract.architectures},
          {"modes", names(contract.modes, model::FieldId::mode)},
          {"dtypes", names(contract.dtypes, model::FieldId::dtype)},
          {"recipes", names(contract.recipes, model::FieldId::recipe)},
          {"layer", contract.layer},
          {"summary", contract.summary},
          {"why", contract.why},
          {"when", contract.when.value},
          {"demands", contract.demands.value},
          {"size", contract.size.value},
          {"outcome", name(contract.outcome)},
          {"set", std::move(set)},
          {"factor", contract.factor.value},
          {"instead", contract.instead},
          {"sources", contracts::addresses(contract)}};
}

std::string dumped(const ordered_json& json) {
  return objects::document("contracts", text::json_text(json, 2), 2) + '\n';
}

}  // namespace

std::string contracts_json_text(std::span<const Contract* const> list) {
  ordered_json all = ordered_json::array();
  for (const Contract* each : list) all.push_back(contract_json(*each));
  return dumped({{"contracts", std::move(all)}});
}

std::string verdicts_json_text(const contracts::Book& book, const contracts::Stack& stack,
                               std::span<const GpuVerdicts> all) {
  ordered_json packages = ordered_json::array();
  for (const contracts::StackPackage& each : stack) {
    packages.push_back({{"name", each.name},
                        {"version", each.version ? each.version_text : std::string(book.newest(each.name))},
                        {"version_given", each.version.has_value()}});
  }
  ordered_json gpus = ordered_json::array();
  for (const GpuVerdicts& each : all) {
    ordered_json verdicts = ordered_json::array();
    for (const contracts::Verdict& verdict : each.verdicts) {
      ordered_json set = ordered_json::object();
      for (const auto& change : verdict.set) set[std::string(model::info(change.field).name)] = change.to;
      verdicts.push_back({{"contract", verdict.contract->id},
                          {"meets", verdict.meets},
                          {"outcome", name(verdict.contract->outcome)},
                          {"summary", verdict.contract->summary},
                          {"formula", verdict.formula},
                          {"sum", verdict.numbers},
                          {"set", std::move(set)}});
    }
    gpus.push_back({{"gpu", each.gpu}, {"contracts", std::move(verdicts)}});
  }
  return dumped({{"stack", std::move(packages)}, {"gpus", std::move(gpus)}});
}

}  // namespace shapelint::cli
