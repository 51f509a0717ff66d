// From remarks to findings.
#include "rules/engine/remarks.hpp"

#include <string>
#include <utility>

#include "rules/book/compiled.hpp"
#include "rules/book/select.hpp"
#include "rules/engine/merge.hpp"

namespace shapelint::rules {

namespace {

Finding describe(CompiledRule& compiled, const Context& context) {
  const Rule& rule = compiled.rule();
  const model::Remark& remark = *context.remark;
  const std::pair<std::string_view, std::string> words[] = {
      {"key", remark.key},
      {"written", remark.written},
      {"meaning", remark.meaning},
      {"instead", remark.instead},
  };
  Finding finding;
  finding.code = rule.code;
  finding.rule = rule.name;
  finding.severity = rule.severity;
  finding.confidence = rule.confidence;
  finding.message = compiled.message(context, words);
  finding.why = std::string(rule.mechanism);
  finding.blamed = remark.field;
  finding.path = remark.path;
  finding.span = remark.span;
  finding.key_path = remark.key_path;
  return finding;
}

}  // namespace

std::vector<Finding> look_at(const RuleBook& rules, std::span<const model::Remark> remarks,
                             const Options& options) {
  std::vector<Finding> out;
  if (remarks.empty()) return out;
  const model::Reading nothing;  // such rules see the remark only
  for (const Rule& rule : rules.rules()) {
    if (rule.scope != Scope::remark || !is_selected(rule, options)) continue;
    CompiledRule compiled(rule);
    for (const model::Remark& remark : remarks) {
      Context context;
      context.reading = &nothing;
      context.setup = &nothing.setup;
      context.remark = &remark;
      const Result<bool> holds = compiled.holds(context);
      if (holds && *holds) out.push_back(describe(compiled, context));
    }
  }
  sort_findings(out);
  return out;
}

}  // namespace shapelint::rules
