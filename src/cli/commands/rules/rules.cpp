// `shapelint rules`: the table of rules.
#include "cli/commands/rules/rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/commands/rules/json.hpp"
#include "report/style.hpp"
#include "rules/book/rule.hpp"

namespace shapelint::cli {

namespace {

constexpr std::array<std::string_view, 2> formats{"text", "json"};

}  // namespace

std::vector<Option> rules_options(RulesOptions& options) {
  std::vector<Option> all{{.names = "--format",
                           .value = "FORMAT",
                           .doc = "how to print",
                           .set = into_choice(options.format, formats),
                           .choices = strings(formats)}};
  for (Option& option : configuration_options(options.project)) all.push_back(std::move(option));
  return all;
}

ExitCode rules(const RulesOptions& options, Io& io) {
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  if (!are_configured(project, {}, io)) return ExitCode::error;
  const auto all = project.here().rules->rules();
  if (formats[options.format] == "json") {
    std::vector<const rules::Rule*> list;
    for (const rules::Rule& rule : all) list.push_back(&rule);
    io.out << rules_json_text(list);
    return ExitCode::clean;
  }
  const report::Style style{io.out_color};
  std::size_t width = 0;
  for (const rules::Rule& rule : all) width = std::max(width, rule.name.size());
  for (const rules::Rule& rule : all) {
    const auto severity = rules::severity_of(rule);
    const report::Role role = report::role_of(severity);
    io.out << fmt::format("{}  {:<{}}  {}  {}\n", style.paint(role, rule.code), rule.name, width,
                          style.paint(role, fmt::format("{:<7}", name(severity))), rule.summary);
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
