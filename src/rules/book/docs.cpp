// Markdown from rules.
#include "rules/book/docs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/home.hpp"
#include "base/number.hpp"
#include "base/words.hpp"
#include "catalog/catalog.hpp"
#include "expr/expression.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/contracts.hpp"
#include "rules/book/template.hpp"
#include "rules/scope/variables.hpp"

namespace shapelint::rules {

namespace {

// `|` ends a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string_view effect_text(Effect effect) {
  switch (effect) {
    case Effect::slower:
      return "when a change saves enough of the step";
    case Effect::fails:
      return "always, since the run cannot start; no proposal of any rule may cause it";
    case Effect::advice:
      return "always";
    case Effect::overflows:
      return "always; a change is proposed if the run then fits, faster or not";
  }
  return "";
}

std::string fix_text(const Fix& fix) {
  std::string out;
  for (const auto& [field, text] : fix.set) {
    out += fmt::format("{}`{} = {}`", out.empty() ? "" : ", ", field, text.value);
  }
  if (!fix.vary.empty()) {
    out += fmt::format("{}values near the present ones of `{}`", out.empty() ? "" : "; ",
                       fmt::join(fix.vary, "` and `"));
  }
  return out;
}

// Which rules see a level's variables.
std::string seen_by(const LevelInfo& level) {
  if (level.level == Level::model) return "every rule";
  if (level.level == Level::gpu)
    return "every rule but those with effect `fails` on the model, which bind proposals for all GPUs, and "
           "those of the file alone (scopes `remark`, `comment`)";
  std::vector<std::string_view> names;
  for (const ScopeInfo& each : scopes()) {
    if (sees(each.scope, level.level)) names.push_back(each.name);
  }
  return fmt::format("scope{} `{}`{}", names.size() > 1 ? "s" : "", fmt::join(names, "`, `"), level.note);
}

}  // namespace

std::string_view found_when(const Rule& rule) {
  if (rule.scope == Scope::contract) return "a contract of the stack is not met (`--stack`)";
  if (rule.scope == Scope::comment) return "a comment silences what is not found at its place";
  return rule.when.value;
}

std::vector<std::string> tried_fields(const Rule& rule) {
  std::vector<std::string> out;
  for (const Fix& fix : rule.fixes) {
    std::vector<std::string> names(fix.vary.begin(), fix.vary.end());
    for (const auto& [field, text] : fix.set) names.emplace_back(field);
    std::string line = in_words(names);
    if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(std::move(line));
  }
  return out;
}

std::string page_name(const Rule& rule) {
  return fmt::format("{}.md", rule.code);
}

std::string page_address(std::string_view code) {
  if (home().empty()) return {};
  const std::string begin = fmt::format("rules/{}-", code);
  const std::span<const text::Document> all = catalog::builtin("rules");  // sorted by path
  const auto found = std::lower_bound(
      all.begin(), all.end(), begin,
      [](const text::Document& each, std::string_view wanted) { return each.path() < wanted; });
  const bool is_builtin = found != all.end() && found->path().starts_with(begin);
  return is_builtin ? fmt::format("{}rules/{}/", home(), code) : std::string();
}

std::string rule_markdown(const Rule& rule) {
  std::string out = fmt::format("# {} ({})\n\n", rule.name, rule.code);
  out +=
      fmt::format("<!-- Written from rules/{}-{}.toml by the tests; UPDATE_GOLDEN=1 writes it anew. -->\n\n",
                  rule.code, rule.name);
  out += fmt::format("Finds {}. Terms: [why shapes cost time](../../explanation/shape-effects.md).\n\n",
                     rule.summary);
  out += "| | |\n|---|---|\n";
  out += fmt::format("| Since | {} ({}) |\n", rule.since, name(rule.status));
  out += fmt::format("| Severity | {} |\n", name(severity_of(rule)));
  out += fmt::format("| Confidence | {}{} |\n", rule.confidence == Confidence::measured ? "up to " : "",
                     name(rule.confidence));
  out += fmt::format("| Looks at | {} |\n", info(rule.scope).looks_at);
  out += fmt::format("| Reported | {} |\n\n", effect_text(rule.effect));
  out += fmt::format("## Why\n\n{}\n", rule.why.substr(rule.why.find_first_not_of('\n')));
  if (!out.ends_with("\n\n")) out += '\n';
  out += fmt::format("Mechanism: {}.\n\n", rule.mechanism);
  out += fmt::format("## When it is found\n\n```\n{}\n```\n\n", found_when(rule));
  if (!rule.label.value.empty())
    out += fmt::format("## What it says\n\n```\n{}\n  ^^^ {}\n```\n\n", rule.message.value, rule.label.value);
  if (!rule.parameters.empty()) {
    out += "| Parameter | Default | Meaning |\n|---|---|---|\n";
    for (const Parameter& each : rule.parameters) {
      out += fmt::format("| `{}` | {} | {} |\n", each.name, exact(each.value), cell(each.doc));
    }
    out += '\n';
  }
  if (!rule.fixes.empty()) {
    out += "## What is tried\n\n";
    for (const Fix& fix : rule.fixes) out += fmt::format("- {}\n", fix_text(fix));
    if (!rule.gain_from.empty()) {
      std::vector<std::string_view> names;
      for (const gpu::Effect effect : rule.gain_from) names.push_back(gpu::name(effect));
      out += fmt::format("\nProposed where most of the gain comes from the effect{} `{}`.\n",
                         names.size() > 1 ? "s" : "", fmt::join(names, "`, `"));
    }
    out += '\n';
  }
  if (!rule.examples.empty()) {
    out += "## Examples\n\n";
    for (const Example& each : rule.examples) {
      std::string_view config = each.config;
      while (config.starts_with('\n')) config.remove_prefix(1);
      out += fmt::format("{} on {}:\n\n```toml\n{}```\n\n", each.finds ? "Found" : "Not found", each.gpu,
                         config);
    }
  }
  out += "## References\n\n";
  const std::vector<std::string_view> contracts = contracts_of(rule);
  for (const std::string_view source : rule.sources) {
    if (!source.starts_with(contract_source)) out += fmt::format("- {}\n", source);
  }
  if (contracts.empty()) return out;
  out +=
      "\n## Contracts\n\nWhat packages demand here, each with its versions and GPUs; with `--stack` a "
      "finding of theirs stands in this rule's place:\n\n";
  for (const std::string_view id : contracts) {
    out += fmt::format("- [{}](../requirements.md#{})\n", id, id.substr(0, id.find('/')));
  }
  return out;
}

std::string index_markdown(const RuleBook& rules) {
  std::string out =
      "# Rules\n\n<!-- Written from rules/*.toml by the tests; UPDATE_GOLDEN=1 writes it anew. -->\n\n"
      "`shapelint explain CODE` prints the same. Codes are never used again; blocks are topics: 1xx "
      "alignment, 2xx tiles, 3xx waves, 4xx divisibility, 5xx the step as a whole, 6xx attention kernels, "
      "7xx convolutions, 8xx gated MLPs and number formats, 9xx the file. [How to write a "
      "rule](../../contributing/rule.md), [what its expressions may use](variables.md).\n\n"
      "| Code | Name | Severity | Finds |\n|---|---|---|---|\n";
  for (const Rule& rule : rules.rules()) {
    out += fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} |\n", rule.code, rule.name, name(severity_of(rule)),
                       cell(rule.summary));
  }
  return out;
}

std::string variables_markdown() {
  std::string out =
      "# What expressions may use\n\n<!-- Written from the tables of the program by the tests; "
      "UPDATE_GOLDEN=1 writes it anew. -->\n\n"
      "Numbers are doubles; conditions are 1 or 0. Operators: `+ - * / % ^`, `== != < <= > >=`, `&& || !`. "
      "`%` is for whole numbers. A division by zero has no value, and a condition that depends on it is an "
      "error rather than true or false.\n\n## Functions\n\n| Function | Value |\n|---|---|\n";
  for (const expr::Function& each : expr::functions()) {
    out += fmt::format("| `{}` | {} |\n", each.signature, each.doc);
  }
  out +=
      "\n## Fields\n\nEvery key of the [native format](../native-format.md) by its name, and `stated_NAME`, "
      "which is 1 when the file (or the command line) states it. Choices are written by name: `mode == "
      "train`.\n\n"
      "| Field | Meaning |\n|---|---|\n";
  for (const model::FieldInfo& field : model::fields()) {
    std::string choices;
    for (const std::string_view choice : field.choices) {
      choices += fmt::format("{}`{}`", choices.empty() ? ": " : ", ", choice);
    }
    out += fmt::format("| `{}` | {}{} |\n", field.name, cell(field.doc), choices);
  }
  for (const LevelInfo& level : levels()) {
    out +=
        fmt::format("\n## {}\n\nIn {}.\n\n| Variable | Meaning |\n|---|---|\n", level.title, seen_by(level));
    for (const Variable& each : level.variables) {
      out += fmt::format("| `{}` | {} |\n", each.name, cell(each.doc));
    }
  }
  out += "\n## Messages\n\n`{EXPRESSION}` or `{EXPRESSION:FORMAT}`, with the formats ";
  for (const std::string_view format : number_formats()) {
    out += fmt::format("{}`{}`", format == number_formats().front() ? "" : ", ", format);
  }
  out += ", and the words ";
  for (const std::string_view word : message_words()) {
    out += fmt::format("{}`{{{}}}`", word == message_words().front() ? "" : ", ", word);
  }
  return out + ".\n";
}

}  // namespace shapelint::rules
