// The configuration that applies to a file, as TOML.
#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "model/fields.hpp"
#include "project/config.hpp"
#include "project/keys.hpp"

namespace shapelint::project {

namespace {

std::string list(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += (out.empty() ? "" : ", ") + shapelint::quoted(value);
  return "[" + out + "]";
}

std::string list(const std::vector<Name>& names) {
  std::vector<std::string> values;
  for (const Name& name : names) values.push_back(name.value);
  return list(values);
}

std::string value_of(const model::Override& value) {
  const model::FieldInfo& field = model::info(value.field);
  if (field.type == model::FieldType::boolean) return value.value != 0 ? "true" : "false";
  if (field.type == model::FieldType::choice)
    return shapelint::quoted(field.choices[static_cast<std::size_t>(value.value)]);
  return fmt::format("{}", value.value);
}

}  // namespace

std::string show(const Config& config, std::string_view path) {
  if (config.path.empty()) return fmt::format("# no configuration file applies to {}\n", path);
  const FileSettings settings = settings_for(config, path);
  std::string out = fmt::format("# effective configuration of {}\n", path);
  for (const std::string& source : config.sources) out += fmt::format("# from {}\n", source);
  if (!settings.gpus.empty()) out += "gpu = " + list(settings.gpus) + '\n';
  if (config.stack) out += "stack = " + list(*config.stack) + '\n';
  if (config.select) out += "select = " + list(*config.select) + '\n';
  if (!config.extend_select.empty()) out += "extend-select = " + list(config.extend_select) + '\n';
  if (!settings.ignore.empty()) out += "ignore = " + list(settings.ignore) + '\n';
  if (config.min_gain) out += fmt::format("min-gain = {}\n", exact(*config.min_gain));
  const auto add_level = [&](std::string_view key, std::optional<rules::Severity> level) {
    if (level) out += fmt::format("{} = \"{}\"\n", key, levels[static_cast<std::size_t>(*level)]);
  };
  add_level("fail-level", config.fail_level);
  add_level("min-severity", config.min_severity);
  if (config.shape) {
    out += fmt::format("shape = \"{}\"\n", rules::shape_names[static_cast<std::size_t>(*config.shape)]);
  }
  if (config.head_multiple) out += fmt::format("head-multiple = {}\n", *config.head_multiple);
  if (config.rule_url) out += "rule-url = " + shapelint::quoted(*config.rule_url) + '\n';
  if (config.baseline) out += "baseline = " + shapelint::quoted(*config.baseline) + '\n';
  if (!config.rule_folders.empty()) out += "rule-folders = " + list(config.rule_folders) + '\n';
  if (!config.gpu_folders.empty()) out += "gpu-folders = " + list(config.gpu_folders) + '\n';
  if (!config.contract_folders.empty()) out += "contract-folders = " + list(config.contract_folders) + '\n';
  if (!config.format_folders.empty()) out += "format-folders = " + list(config.format_folders) + '\n';
  if (!config.model_folders.empty()) out += "model-folders = " + list(config.model_folders) + '\n';
  for (const SeveritySetting& each : config.severities) {
    out += fmt::format("severity.{} = \"{}\"\n", each.rule.value,
                       each.severity ? levels[static_cast<std::size_t>(*each.severity)] : "off");
  }
  for (const ParameterSetting& each : config.parameters) {
    out += fmt::format("params.{}.{} = {}\n", each.rule.value, each.parameter.value, exact(each.value));
  }
  if (!settings.overrides.empty()) {
    out += "\n[[files]]\nmatch = " + shapelint::quoted(path) + '\n';
    for (const model::Override& each : settings.overrides) {
      out += fmt::format("{} = {}\n", model::info(each.field).name, value_of(each));
    }
  }
  for (const KeyIgnore* each : settings.ignore_keys) {
    out += fmt::format("\n[[ignore-keys]]\nkey = {}\nrules = {}\n", shapelint::quoted(each->key),
                       list(each->rules));
    if (!each->reason.empty()) out += "reason = " + shapelint::quoted(each->reason) + '\n';
  }
  return out;
}

}  // namespace shapelint::project
