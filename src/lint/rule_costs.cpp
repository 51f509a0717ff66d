// A rule's first example, linted by this rule alone.
#include "lint/rule_costs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "lint/edits.hpp"
#include "lint/phrases.hpp"
#include "lint/report.hpp"
#include "rules/engine/lint.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

namespace {

// The example's text with a proposal made.
std::string with_fix(const rules::Example& example, const model::Reading& reading,
                     const rules::Proposal& proposal) {
  const std::string text(example.config);
  ModelReport model;
  model.path = example.file;
  model.source = text;
  model.reading = reading;
  std::vector<TextEdit> edits = edits_of(proposal, model);
  return edits.empty() ? std::string() : edited(text, std::move(edits));
}

rules::ExampleCost cost_on(const rules::RuleBook& book, const rules::Rule& rule,
                           const rules::Example& example, const model::Reading& reading,
                           const gpu::Gpu& gpu) {
  rules::Options only;
  only.select = {std::string(rule.code)};
  const rules::LintResult result = rules::lint(book, reading, {&gpu, 1}, only);
  rules::ExampleCost out;
  out.gpu = gpu.id;
  if (result.findings.empty()) return out;
  const rules::Finding& finding = result.findings.front();
  out.title = finding.message;
  out.label = finding.label;
  if (finding.gain > 0) out.cost = cost_text(finding, 1);
  if (finding.proposals.empty()) return out;
  out.fix = changes_text(finding.proposals.front().changes);
  out.instead = with_fix(example, reading, finding.proposals.front());
  return out;
}

}  // namespace

std::vector<rules::ExampleCost> example_costs(const rules::RuleBook& book, const rules::Rule& rule) {
  const auto example = std::find_if(rule.examples.begin(), rule.examples.end(),
                                    [](const rules::Example& each) { return each.finds; });
  const bool is_of_models = rule.scope != rules::Scope::remark && rule.scope != rules::Scope::comment &&
                            rule.scope != rules::Scope::contract;
  if (example == rule.examples.end() || !is_of_models) return {};
  const text::MemoryFileSystem files;
  const formats::ReadResult file =
      formats::read(files, formats::parse(std::string(example->file), std::string(example->config)));
  if (file.readings.size() != 1) return {};
  std::vector<rules::ExampleCost> out;
  const auto add = [&](std::string_view name) {
    const auto gpu = gpu::find_gpu(name);
    if (gpu) out.push_back(cost_on(book, rule, *example, file.readings.front(), *gpu));
  };
  add("a100");
  add("h100");
  const bool is_found =
      std::any_of(out.begin(), out.end(), [](const rules::ExampleCost& each) { return !each.title.empty(); });
  if (!is_found) add(example->gpu);
  return out;
}

}  // namespace shapelint::lint
