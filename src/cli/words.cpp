// Words that shells complete.
#include "cli/words.hpp"

#include "contracts/stack.hpp"
#include "gpu/registry.hpp"
#include "model/fields.hpp"
#include "report/formats.hpp"
#include "rules/book/rule.hpp"

namespace shapelint::cli {

std::vector<std::string> gpu_words() {
  std::vector<std::string> words;
  for (const std::string_view id : gpu::gpu_ids()) {
    words.emplace_back(id);
    const auto found = gpu::find_gpu(id);
    if (found) words.insert(words.end(), found->aliases.begin(), found->aliases.end());
  }
  return words;
}

std::vector<std::string> package_words() {
  std::vector<std::string> words{std::string(contracts::automatic)};
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
  for (const std::string_view name : rules::builtin_rules().names()) words.emplace_back(name);
  return words;
}

std::vector<std::string> field_words() {
  std::vector<std::string> words;
  for (const std::string_view name : model::field_names()) words.emplace_back(name);
  return words;
}

std::vector<std::string> output_words() {
  std::vector<std::string> words;
  for (const std::string_view name : report::format_names) words.push_back(std::string(name) + "=");
  return words;
}

}  // namespace shapelint::cli
