// What every table of options is made from.
#include "cli/option.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <shapelint/catalog.hpp>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "contracts/stack.hpp"
#include "report/formats.hpp"

namespace shapelint::cli {

Setter into(bool& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    if (text != "true" && text != "false") return "`true` or `false`";
    target = text == "true";
    return std::nullopt;
  };
}

Setter into(std::string& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    target = text;
    return std::nullopt;
  };
}

Setter into(std::int64_t& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    const auto value = parse_integer(text);
    if (!value) return "a whole number";
    target = *value;
    return std::nullopt;
  };
}

Setter into(std::optional<std::int64_t>& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    const auto value = parse_integer(text);
    if (!value) return "a whole number";
    target = value;
    return std::nullopt;
  };
}

Setter into(std::vector<std::string>& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    target.emplace_back(text);
    return std::nullopt;
  };
}

Setter into_list(std::vector<std::string>& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      if (comma == begin) return "comma-separated names";
      target.emplace_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
    return std::nullopt;
  };
}

Setter into_share(double& target) {
  return [&target](std::string_view text) -> std::optional<std::string> {
    const bool is_percent = text.ends_with('%');
    if (is_percent) text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    const auto value = parse_number(text);
    if (!value || *value < 0) return "a share such as `2%` or `0.02`";
    const double share = is_percent ? *value / 100.0 : *value;
    if (share > 1) return "a share of at most `100%`, such as `2%` or `0.02`";
    target = share;
    return std::nullopt;
  };
}

Setter into_choice(std::size_t& target, std::span<const std::string_view> choices) {
  return [&target, choices](std::string_view text) -> std::optional<std::string> {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i] != text) continue;
      target = i;
      return std::nullopt;
    }
    std::string expected = "one of";
    for (const std::string_view choice : choices) {
      expected += fmt::format("{} `{}`", choice == choices.front() ? "" : ",", choice);
    }
    const std::string hint = did_you_mean(text, choices);
    return hint.empty() ? expected : fmt::format("{}; {}", expected, hint);
  };
}

void append(std::vector<Option>& all, std::vector<Option> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

Option format_option(std::size_t& format, std::span<const std::string_view> formats, std::string doc) {
  return {.names = "--format",
          .value = "FORMAT",
          .doc = std::move(doc),
          .set = into_choice(format, formats),
          .choices = strings(formats)};
}

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
