// The rules' documentation, written from their files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/book/rule.hpp"

namespace shapelint::rules {

// What the first example of a rule costs on one GPU, and what saves it.
struct ExampleCost {
  std::string gpu;    // id
  std::string title;  // of the finding; empty: nothing is found there
  std::string label;
  std::string cost;     // "3.4 ± 0.7 % of the step (measured)"; empty for what is no matter of time
  std::string fix;      // "vocab_size 50257 → 50304"; may be empty
  std::string instead;  // the example's text with that fix; empty where it does not state the value
};

// "nearby values of `tensor` and `pipeline`", each name between quotes.
std::string varied_text(const Fix& fix, std::string_view quote);
// One rule's page, in Markdown; without costs the section about them is left out.
std::string rule_markdown(const Rule& rule, std::span<const ExampleCost> costs = {});
// When a rule finds something: its condition, or what stands for it where none is written.
std::string_view found_when(const Rule& rule);
// What it tries, a line each: "tensor and pipeline" of all changes that are made to the same fields.
std::vector<std::string> tried_fields(const Rule& rule);
// The table of all rules.
std::string index_markdown(const RuleBook& rules);
// What expressions may use: variables, functions, words and formats of messages.
std::string variables_markdown();

// Where pages stand in the documentation: `SL101.md`.
std::string page_name(const Rule& rule);
// Where the documentation site has them, which has none of rules that are not compiled in: then it is empty.
std::string page_address(std::string_view code);

}  // namespace shapelint::rules
