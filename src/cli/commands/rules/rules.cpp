// The table of rules, one of them in full, and both for programs.
#include "cli/commands/rules/rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "lint/phrases.hpp"
#include "lint/report.hpp"
#include "lint/rule_costs.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/lists.hpp"
#include "report/style.hpp"
#include "rules/book/docs.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/lint.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

constexpr std::size_t min_summary = 24;  // columns that it has, or it stands below
constexpr std::size_t below = 7;

}  // namespace

std::vector<Option> rules_options(RulesOptions& options) {
  std::vector<Option> all{format_option(options.format, text_or_json)};
  append(all, configuration_options(options.project));
  return all;
}

ExitCode rules(const RulesOptions& options, Io& io) {
  const auto project = open_project(options.project, {}, io);
  if (!project) return ExitCode::error;
  const auto all = project->here().rules->rules();
  if (text_or_json[options.format] == "json") {
    std::vector<const rules::Rule*> list;
    for (const rules::Rule& rule : all) list.push_back(&rule);
    print_rules_json(list, io.out);
    return ExitCode::clean;
  }
  const report::Style style = out_style(io);
  std::size_t width = 0;
  std::size_t code_width = 0;
  for (const rules::Rule& rule : all) {
    width = std::max(width, rule.name.size());
    code_width = std::max(code_width, rule.code.size());
  }
  const std::size_t indent = code_width + width + std::string_view("    warning  ").size();
  for (const rules::Rule& rule : all) {
    const auto severity = rules::severity_of(rule);
    const report::Role role = report::role_of(severity);
    // In a narrow window the summary is below.
    const bool is_narrow = style.window > 0 && style.window < indent + min_summary;
    io.out << fmt::format("{}  {:<{}}  {}", style.paint(role, fmt::format("{:<{}}", rule.code, code_width)),
                          rule.name, width, style.paint(role, fmt::format("{:<7}", name(severity))));
    io.out << (is_narrow ? "\n" + report::wrap(rule.summary, below, 0, style)
                         : "  " + report::headline(rule.summary, indent, indent, style));
    io.out << '\n';
  }
  return ExitCode::clean;
}

namespace {

using report::labelled;
using report::Role;
using report::Style;
using report::wrap;

constexpr std::array<std::string_view, 3> rules_formats{"text", "json", "markdown"};

// What is tried, each way with its expressions; of many ways only which fields they change.
std::string tried_text(const rules::Rule& rule, const Style& style) {
  constexpr std::size_t most_in_full = 8;
  std::string out;
  if (rule.fixes.size() > most_in_full) {
    const std::vector<std::string> fields = rules::tried_fields(rule);
    return labelled(
        "tries",
        fmt::format("{} changes of {}; the least of each kind that helps (`--format json` lists them)",
                    rule.fixes.size(), fmt::join(fields, "; ")),
        style);
  }
  for (const rules::Fix& fix : rule.fixes) {
    std::string way;
    for (const auto& [field, text] : fix.set)
      way += fmt::format("{}{} = {}", way.empty() ? "" : "; ", field, text.value);
    if (!fix.vary.empty()) way += (way.empty() ? "" : "; ") + rules::varied_text(fix, "");
    out += labelled("tries", way, style);
  }
  return out;
}

std::string explain_text(const rules::Rule& rule, const std::string& page, const Style& style) {
  const auto severity = rules::severity_of(rule);
  std::string out = fmt::format("{}: {}\n\n", style.paint(report::role_of(severity), rule.code),
                                style.paint(Role::strong, fmt::format("{} ({})", rule.name, name(severity))));
  out += wrap(fmt::format("Finds {}.", rule.summary), 0, 0, style) + "\n\n";
  std::string_view why = rule.why;
  while (why.starts_with('\n')) why.remove_prefix(1);
  while (why.ends_with('\n')) why.remove_suffix(1);
  out += wrap(why, 0, 0, style) + "\n\n";
  out += labelled("found when", rules::found_when(rule), style);
  for (const rules::Parameter& each : rule.parameters) {
    out += labelled(
        "with", fmt::format("{} = {} ({}); set it by [lint.params]", each.name, exact(each.value), each.doc),
        style);
  }
  out += tried_text(rule, style);
  for (const rules::Example& each : rule.examples) {
    std::string_view config = each.config;
    while (config.starts_with('\n')) config.remove_prefix(1);
    out += fmt::format(
        "\n{}\n",
        style.paint(Role::strong, fmt::format("{} on {}:", each.finds ? "found" : "not found", each.gpu)));
    std::size_t begin = 0;
    while (begin < config.size()) {
      const std::size_t end = std::min(config.find('\n', begin), config.size());
      out += fmt::format("    {}\n", config.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  out += fmt::format("\n{}\n", style.paint(Role::strong, "sources:"));
  for (const std::string_view source : rule.sources) {
    const bool is_requirement = source.starts_with(rules::contract_source);
    const std::string text = is_requirement
                                 ? fmt::format("requirement {}", source.substr(rules::contract_source.size()))
                                 : std::string(source);
    out += fmt::format("  - {}\n", wrap(text, 4, 4, style));
  }
  // One word: never wrapped, so that terminals make it a link.
  if (!page.empty()) out += fmt::format("\n{} {}\n", style.paint(Role::strong, "page:"), page);
  return out;
}

}  // namespace

std::vector<Option> explain_options(ExplainOptions& options) {
  std::vector<Option> all{{.names = "RULE",
                           .value = "RULE",
                           .doc = "code or name of a rule: `SL101`, `vocab-misaligned`",
                           .set = into(options.names),
                           .many = true,
                           .required = true,
                           .words = rule_words},
                          format_option(options.format, rules_formats)};
  append(all, configuration_options(options.project));
  return all;
}

ExitCode explain(const ExplainOptions& options, Io& io) {
  const auto project = open_project(options.project, {}, io);
  if (!project) return ExitCode::error;
  const rules::RuleBook& book = *project->here().rules;
  std::vector<const rules::Rule*> found;
  bool failed = false;
  for (const std::string& name : options.names) {
    const rules::Rule* rule = book.find(name);
    if (rule != nullptr) {
      found.push_back(rule);
      continue;
    }
    std::string hint = did_you_mean(name, book.names());
    if (hint.empty()) hint = "`shapelint rules` lists them";
    print_error(io, fmt::format("unknown rule `{}`", text::one_line(name)), hint);
    failed = true;
  }
  if (failed) return ExitCode::error;
  if (rules_formats[options.format] == "json") {
    print_rules_json(found, io.out);
    return ExitCode::clean;
  }
  const Style style = out_style(io);
  const std::string pattern = project->here().config.rule_url.value_or("");
  const auto page_of = [&](const rules::Rule& rule) {
    return text::printable(lint::rule_page(pattern, rule.code, rule.name));
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0) io.out << '\n';
    io.out << (rules_formats[options.format] == "markdown"
                   ? rules::rule_markdown(*found[i], lint::example_costs(book, *found[i]))
                   : explain_text(*found[i], page_of(*found[i]), style));
  }
  return ExitCode::clean;
}

namespace {

objects::ListedRule listed(const rules::Rule& rule) {
  objects::ListedRule out;
  static_cast<api::Rule&>(out) = api::rule_of(rule);
  out.when = rule.when.value;
  out.message = rule.message.value;
  out.why = rule.why;
  out.blame = strings(rule.blame);
  for (const rules::Fix& fix : rule.fixes) {
    objects::RuleFix& each = out.fixes.emplace_back();
    for (const auto& [field, text] : fix.set) each.set[std::string(field)] = text.value;
    each.vary = strings(fix.vary);
  }
  for (const rules::Example& each : rule.examples)
    out.examples.push_back({std::string(each.config), std::string(each.gpu), each.finds});
  return out;
}

}  // namespace

void print_rules_json(std::span<const rules::Rule* const> all, std::ostream& out) {
  objects::RuleList list;
  for (const rules::Rule* rule : all) list.rules.push_back(listed(*rule));
  objects::write_document("rules", objects::Status::ok, list, out);
}

}  // namespace shapelint::cli
