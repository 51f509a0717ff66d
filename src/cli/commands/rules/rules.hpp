// `shapelint rules` and `shapelint explain`: the rules as a table, and one in full.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "rules/book/rule.hpp"

namespace shapelint::cli {

struct RulesOptions {
  ProjectOptions project;
  std::size_t format = 0;  // text, json
};

std::vector<Option> rules_options(RulesOptions& options);
ExitCode rules(const RulesOptions& options, Io& io);

struct ExplainOptions {
  ProjectOptions project;
  std::vector<std::string> names;
  std::size_t format = 0;  // text, json, markdown
};

std::vector<Option> explain_options(ExplainOptions& options);
ExitCode explain(const ExplainOptions& options, Io& io);

// One JSON object with everything that rule files hold, ending with a line feed.
void print_rules_json(std::span<const rules::Rule* const> all, std::ostream& out);

}  // namespace shapelint::cli
