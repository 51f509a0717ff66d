// Markdown from rules.
#include "rules/book/docs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/docs_url.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "catalog/catalog.hpp"
#include "expr/expression.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/rule.hpp"
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

std::string_view effect_text(const Rule& rule) {
  switch (rule.effect) {
    case FindingKind::slower:
      return "if a fix saves at least `--min-gain` of the step";
    case FindingKind::fails:
      return "always: the job fails; no proposal may cause it";
    case FindingKind::advice:
      return stops_run(rule) ? "always: the job fails" : "always";
    case FindingKind::overflows:
      return "always; a fix is proposed if the run then fits";
  }
  return "";
}

std::string_view why_heading(const Rule& rule) {
  if (rule.effect == FindingKind::slower) return "Why it is slow";
  return stops_run(rule) || rule.effect == FindingKind::overflows ? "Why it fails" : "Why it matters";
}

std::string_view words_of(gpu::Effect effect) {
  if (effect == gpu::Effect::tile) return "tile quantization";
  if (effect == gpu::Effect::wave) return "wave quantization";
  return gpu::name(effect);
}

std::string fix_text(const Fix& fix) {
  std::string out;
  for (const auto& [field, text] : fix.set) {
    out += fmt::format("{}`{} = {}`", out.empty() ? "" : ", ", field, text.value);
  }
  if (!fix.vary.empty()) out += (out.empty() ? "" : "; ") + varied_text(fix, "`");
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Lines of the first that the second does not have.
std::ptrdiff_t lines_only_in(std::string_view one, std::string_view other) {
  const std::vector<std::string_view> in = lines_of(other);
  const std::vector<std::string_view> from = lines_of(one);
  return std::count_if(from.begin(), from.end(), [&](std::string_view line) {
    return std::find(in.begin(), in.end(), line) == in.end();
  });
}

const Example* first_found(const Rule& rule) {
  const auto found = std::find_if(rule.examples.begin(), rule.examples.end(),
                                  [](const Example& each) { return each.finds; });
  return found == rule.examples.end() ? nullptr : &*found;
}

// The example without the fault that is nearest to the first one with it, rather one that changes a line than
// one that adds some; none where all are of other models.
const Example* to_use_instead(const Rule& rule) {
  constexpr std::ptrdiff_t most_lines = 6;
  const Example* bad = first_found(rule);
  const Example* best = nullptr;
  std::ptrdiff_t least = 2 * most_lines + 1;
  for (const Example& each : rule.examples) {
    if (bad == nullptr || each.finds || each.file != bad->file || each.gpu != bad->gpu) continue;
    const std::ptrdiff_t gone = lines_only_in(bad->config, each.config);
    const std::ptrdiff_t lines = gone + lines_only_in(each.config, bad->config);
    const std::ptrdiff_t distance = lines + (gone == 0 ? most_lines : 0);
    if (lines == 0 || lines > most_lines || distance >= least) continue;
    least = distance;
    best = &each;
  }
  return best;
}

std::string config_block(const Example& example, std::string_view config) {
  while (config.starts_with('\n')) config.remove_prefix(1);
  const bool is_toml = example.file.ends_with(".toml");
  return fmt::format("```{}\n{}{}```\n\n", is_toml ? "toml" : "", config, config.ends_with('\n') ? "" : "\n");
}

std::string costs_section(const Rule& rule, std::span<const ExampleCost> costs) {
  if (stops_run(rule) && rule.effect != FindingKind::overflows)
    return "## Cost on A100 and H100\n\nThe job fails, so there is no time to compare.\n\n";
  if (costs.empty()) return {};
  std::string out = "## Cost on A100 and H100\n\n";
  const bool is_time =
      std::any_of(costs.begin(), costs.end(), [](const ExampleCost& each) { return !each.cost.empty(); });
  const bool is_found =
      std::any_of(costs.begin(), costs.end(), [](const ExampleCost& each) { return !each.title.empty(); });
  if (!is_time && is_found) return out + "No time is predicted for this finding.\n\n";
  out += "Predicted for the example:\n\n| GPU | cost | fix |\n|---|---|---|\n";
  for (const ExampleCost& each : costs) {
    out += fmt::format("| `{}` | {} | {} |\n", each.gpu,
                       each.title.empty() ? "not reported: no fix saves enough there" : cell(each.cost),
                       each.fix.empty() ? "" : fmt::format("`{}`", cell(each.fix)));
  }
  return out + "\n";
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
  if (rule.scope == Scope::contract) return "a requirement of the stack is not met (`--stack`)";
  if (rule.scope == Scope::comment) return "a comment ignores a rule that finds nothing there";
  return rule.when.value;
}

std::string varied_text(const Fix& fix, std::string_view quote) {
  const bool is_title = fix.vary.size() == 1 && fix.vary.front() == "blamed";
  if (is_title) return "nearby values of the field in the title";
  return fmt::format("nearby values of {0}{1}{0}", quote,
                     fmt::join(fix.vary, fmt::format("{0} and {0}", quote)));
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
  if (docs_url().empty()) return {};
  const std::string begin = fmt::format("rules/{}-", code);
  const std::span<const text::Document> all = catalog::builtin("rules");  // sorted by path
  const auto found = std::lower_bound(
      all.begin(), all.end(), begin,
      [](const text::Document& each, std::string_view wanted) { return each.path() < wanted; });
  const bool is_builtin = found != all.end() && found->path().starts_with(begin);
  return is_builtin ? fmt::format("{}rules/{}/", docs_url(), code) : std::string();
}

std::string rule_markdown(const Rule& rule, std::span<const ExampleCost> costs) {
  std::string out = fmt::format("# {} ({})\n\n", rule.name, rule.code);
  out +=
      fmt::format("<!-- Generated from rules/{}-{}.toml by the tests (UPDATE_GOLDEN=1); do not edit. -->\n\n",
                  rule.code, rule.name);
  out += fmt::format("Finds {}. Terms: [why shapes cost time](../../explanation/shape-effects.md).\n\n",
                     rule.summary);
  out += "| | |\n|---|---|\n";
  out += fmt::format("| Severity | {} |\n", name(severity_of(rule)));
  out += fmt::format("| Confidence | {}{} |\n", name(rule.confidence),
                     rule.confidence == Confidence::measured ? " (estimated on GPUs without timings)" : "");
  out += fmt::format("| Reported | {} |\n", effect_text(rule));
  out += fmt::format("| Since | {} ({}) |\n\n", rule.since, name(rule.status));
  out += fmt::format("## {}\n\n{}\n", why_heading(rule), rule.why.substr(rule.why.find_first_not_of('\n')));
  if (!out.ends_with("\n\n")) out += '\n';
  out += fmt::format("Mechanism: {}.\n\n", rule.mechanism);
  const Example* bad = first_found(rule);
  const Example* good = to_use_instead(rule);
  if (bad != nullptr) {
    out += fmt::format("## Example\n\n{}", config_block(*bad, bad->config));
    const auto seen =
        std::find_if(costs.begin(), costs.end(), [](const ExampleCost& each) { return !each.title.empty(); });
    if (seen != costs.end()) {
      out += fmt::format("Reported as\n\n```\n{}[{}]: {}\n", name(severity_of(rule)), rule.code, seen->title);
      if (!seen->label.empty()) out += fmt::format("  ^^^ {}\n", seen->label);
      out += "```\n\n";
    }
  }
  if (good != nullptr) {
    out += fmt::format("## Use instead\n\n{}", config_block(*good, good->config));
  } else if (bad != nullptr) {
    const auto fixed = std::find_if(costs.begin(), costs.end(),
                                    [](const ExampleCost& each) { return !each.instead.empty(); });
    if (fixed != costs.end()) out += fmt::format("## Use instead\n\n{}", config_block(*bad, fixed->instead));
  }
  out += costs_section(rule, costs);
  out += "## When it does not apply\n\n";
  const auto applies_not = [&](const Example& each) { return !each.finds && &each != good; };
  const bool has_others = std::any_of(rule.examples.begin(), rule.examples.end(), applies_not);
  out += fmt::format("The condition does not hold{}:\n\n```\n{}\n```\n\n",
                     rule.effect == FindingKind::slower ? ", or no fix saves enough" : "", found_when(rule));
  if (has_others) out += "Not reported, for example:\n\n";
  for (const Example& each : rule.examples) {
    if (applies_not(each)) out += config_block(each, each.config);
  }
  if (!rule.parameters.empty()) {
    out += "## Parameters\n\n| Parameter | Default | Meaning |\n|---|---|---|\n";
    for (const Parameter& each : rule.parameters) {
      out += fmt::format("| `{}` | {} | {} |\n", each.name, exact(each.value), cell(each.doc));
    }
    out += '\n';
  }
  if (!rule.fixes.empty()) {
    out += "## Fixes\n\n";
    for (const Fix& fix : rule.fixes) out += fmt::format("- {}\n", fix_text(fix));
    if (!rule.gain_from.empty()) {
      std::vector<std::string_view> names;
      for (const gpu::Effect effect : rule.gain_from) names.push_back(words_of(effect));
      out += fmt::format("\nProposed if most of the gain comes from {}.\n", fmt::join(names, " and "));
    }
    out += '\n';
  }
  out += "## References\n\n";
  const std::vector<std::string_view> contracts = contracts_of(rule);
  for (const std::string_view source : rule.sources) {
    if (!source.starts_with(contract_source)) out += fmt::format("- {}\n", source);
  }
  if (contracts.empty()) return out;
  if (!out.ends_with("\n\n")) out += '\n';
  out +=
      "## Requirements\n\nPackages state the same, with versions and GPUs; with `--stack` these requirements "
      "are reported instead:\n\n";
  for (const std::string_view id : contracts) {
    out += fmt::format("- [{}](../requirements.md#{})\n", id, id.substr(0, id.find('/')));
  }
  return out;
}

std::string index_markdown(const RuleBook& rules) {
  std::string out =
      "# Rules\n\n<!-- Generated from rules/*.toml by the tests (UPDATE_GOLDEN=1); do not edit. -->\n\n"
      "`shapelint explain CODE` prints the same. Codes are never reused; blocks are topics: 1xx "
      "alignment, 2xx tile quantization, 3xx wave quantization, 4xx divisibility, 5xx the step, 6xx "
      "attention "
      "kernels, 7xx convolutions, 8xx gated MLPs and dtypes, 9xx the file. [Add a "
      "rule](../../contributing/rule.md), [variables of conditions](variables.md).\n\n"
      "| Code | Name | Severity | Finds |\n|---|---|---|---|\n";
  for (const Rule& rule : rules.rules()) {
    out += fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} |\n", rule.code, rule.name, name(severity_of(rule)),
                       cell(rule.summary));
  }
  return out;
}

std::string variables_markdown() {
  std::string out =
      "# What expressions may use\n\n<!-- Generated from the tables of the program by the tests "
      "(UPDATE_GOLDEN=1); do not edit. -->\n\n"
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
  out += ", `plural NOUN` (`{tiles:plural tile}`), and the words ";
  for (const std::string_view word : message_words()) {
    out += fmt::format("{}`{{{}}}`", word == message_words().front() ? "" : ", ", word);
  }
  return out + ".\n";
}

}  // namespace shapelint::rules
