// Words that shells complete.
#include "cli/words.hpp"

#include <shapelint/catalog.hpp>

#include "contracts/stack.hpp"
#include "report/formats.hpp"

namespace shapelint::cli {

std::vector<std::string> gpu_words() {
  std::vector<std::string> words;
  for (const api::Gpu& gpu : api::gpus()) {
    words.push_back(gpu.id);
    words.insert(words.end(), gpu.aliases.begin(), gpu.aliases.end());
  }
  return words;
}

std::vector<std::string> package_words() {
  std::vector<std::string> words{std::string(contracts::automatic), std::string(contracts::nothing)};
  for (const std::string_view name : contracts::builtin_contracts().packages()) words.emplace_back(name);
  return words;
}

std::vector<std::string> contract_words() {
  std::vector<std::string> words;
  for (const std::string_view id : contracts::builtin_contracts().ids()) words.emplace_back(id);
  return words;
}

std::vector<std::string> rule_words() {
  std::vector<std::string> words;
  for (const api::Rule& rule : api::rules()) {
    words.push_back(rule.code);
    words.push_back(rule.name);
  }
  return words;
}

std::vector<std::string> field_words() {
  std::vector<std::string> words;
  for (const api::Field& field : api::fields()) words.push_back(field.name);
  return words;
}

std::vector<std::string> output_words() {
  std::vector<std::string> words;
  for (const std::string_view name : report::format_names) words.push_back(std::string(name) + "=");
  return words;
}

}  // namespace shapelint::cli
