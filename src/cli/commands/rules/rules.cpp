// `shapelint rules`: the table of rules.
#include "cli/commands/rules/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/rules/json.hpp"
#include "cli/messages.hpp"
#include "report/style.hpp"
#include "report/wrap.hpp"
#include "rules/book/rule.hpp"

namespace shapelint::cli {

namespace {

constexpr std::size_t least_summary = 24;  // columns that it has, or it stands below
constexpr std::size_t below = 7;

}  // namespace

std::vector<Option> rules_options(RulesOptions& options) {
  std::vector<Option> all{format_option(options.format, text_or_json)};
  for (Option& option : configuration_options(options.project)) all.push_back(std::move(option));
  return all;
}

ExitCode rules(const RulesOptions& options, Io& io) {
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  if (!are_configured(project, {}, io)) return ExitCode::error;
  const auto all = project.here().rules->rules();
  if (text_or_json[options.format] == "json") {
    std::vector<const rules::Rule*> list;
    for (const rules::Rule& rule : all) list.push_back(&rule);
    io.out << rules_json_text(list);
    return ExitCode::clean;
  }
  const report::Style style = out_style(io);
  std::size_t width = 0;
  for (const rules::Rule& rule : all) width = std::max(width, rule.name.size());
  const std::size_t indent = width + std::string_view("SL101    warning  ").size();
  for (const rules::Rule& rule : all) {
    const auto severity = rules::severity_of(rule);
    const report::Role role = report::role_of(severity);
    // In a narrow window the summary is below.
    const bool is_narrow = style.window > 0 && style.window < indent + least_summary;
    io.out << fmt::format("{}  {:<{}}  {}", style.paint(role, rule.code), rule.name, width,
                          style.paint(role, fmt::format("{:<7}", name(severity))));
    io.out << (is_narrow ? "\n" + report::wrap(rule.summary, below, 0, style)
                         : "  " + report::headline(rule.summary, indent, indent, style));
    io.out << '\n';
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
