// `shapelint explain`: one rule in full.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/names.hpp"
#include "base/number.hpp"
#include "cli/commands/rules/json.hpp"
#include "cli/commands/rules/rules.hpp"
#include "cli/messages.hpp"
#include "cli/words.hpp"
#include "lint/phrases.hpp"
#include "lint/report.hpp"
#include "lint/rule_costs.hpp"
#include "report/style.hpp"
#include "report/wrap.hpp"
#include "rules/book/docs.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/lint.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

using report::Role;
using report::Style;
using report::wrap;

constexpr std::array<std::string_view, 3> formats{"text", "json", "markdown"};

// "label: text", the text wrapped under itself.
std::string labelled(std::string_view label, std::string_view text, const Style& style) {
  constexpr std::size_t indent = 12;
  const std::size_t gap = label.size() + 1 < indent ? indent - label.size() - 1 : 1;
  return fmt::format("{}{}{}\n", style.paint(Role::strong, fmt::format("{}:", label)), std::string(gap, ' '),
                     wrap(text, indent, indent, style));
}

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
    if (!fix.vary.empty())
      way += fmt::format("{}nearby values of {}", way.empty() ? "" : "; ", fmt::join(fix.vary, " and "));
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
  for (const std::string_view source : rule.sources)
    out += fmt::format("  - {}\n", wrap(source, 4, 4, style));
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
                          format_option(options.format, formats)};
  for (Option& option : configuration_options(options.project)) all.push_back(std::move(option));
  return all;
}

ExitCode explain(const ExplainOptions& options, Io& io) {
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  if (!are_configured(project, {}, io)) return ExitCode::error;
  const rules::RuleBook& book = *project.here().rules;
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
    print_error(io, fmt::format("there is no rule `{}`", text::one_line(name)), hint);
    failed = true;
  }
  if (failed) return ExitCode::error;
  if (formats[options.format] == "json") {
    io.out << rules_json_text(found);
    return ExitCode::clean;
  }
  const Style style = out_style(io);
  const std::string pattern = project.here().config.rule_url.value_or("");
  const auto page_of = [&](const rules::Rule& rule) {
    return text::printable(lint::rule_page(pattern, rule.code, rule.name));
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0) io.out << '\n';
    io.out << (formats[options.format] == "markdown"
                   ? rules::rule_markdown(*found[i], lint::example_costs(book, *found[i]))
                   : explain_text(*found[i], page_of(*found[i]), style));
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
