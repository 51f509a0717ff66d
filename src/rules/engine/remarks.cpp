// Findings from remarks: what the reader of a file says of it, and formats that a GPU does not multiply.
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gpu/registry.hpp"
#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/select.hpp"
#include "rules/engine/lint.hpp"
#include "rules/engine/merge.hpp"
#include "rules/scope/subjects.hpp"

namespace shapelint::rules {

namespace {

// The first of many keys that are not known: a title has one line, and its label names all of them.
std::string brief_keys(const model::Remark& remark) {
  constexpr std::size_t most = 3;
  if (remark.kind != model::Remark::Kind::unresolved) return remark.key;
  constexpr std::string_view between = ", ";
  std::size_t end = std::string::npos;
  std::size_t keys = 1;
  for (std::size_t at = remark.key.find(between); at != std::string::npos;
       at = remark.key.find(between, at + 1)) {
    if (keys == most) end = at;
    ++keys;
  }
  return keys <= most ? remark.key : fmt::format("{} and {} more", remark.key.substr(0, end), keys - most);
}

Finding describe_remark(CompiledRule& compiled, const Context& context) {
  const Rule& rule = compiled.rule();
  const model::Remark& remark = *context.remark;
  const Word words[] = {
      {"key", [&] { return brief_keys(remark); }},
      {"written", [&] { return remark.written; }},
      {"meaning", [&] { return remark.meaning; }},
      {"instead", [&] { return remark.instead; }},
  };
  Finding finding;
  finding.code = rule.code;
  finding.rule = rule.name;
  finding.severity = rule.severity;
  finding.confidence = rule.confidence;
  finding.message = compiled.message(context, words);
  finding.label = compiled.label(context, words);
  finding.brief = compiled.brief(context, words);
  finding.why = std::string(rule.mechanism);
  finding.blamed = remark.field;
  info(rule.scope).place(context, rule.blame, finding);
  return finding;
}

}  // namespace

std::vector<Finding> check_remarks(const RuleBook& rules, std::span<const model::Remark> remarks,
                                   const Options& options) {
  std::vector<Finding> out;
  if (remarks.empty()) return out;
  model::Reading file;  // such rules see the remarks only
  file.remarks.assign(remarks.begin(), remarks.end());
  const Baseline none;
  for (const Rule& rule : rules.rules()) {
    if (rule.scope != Scope::remark || !is_selected(rule, options)) continue;
    CompiledRule compiled(rule);
    for (const Subject& subject : info(rule.scope).subjects({file, none, rule.blame})) {
      const Result<bool> holds = compiled.holds(subject.context);
      if (holds && *holds) out.push_back(describe_remark(compiled, subject.context));
    }
  }
  sort_findings(out);
  return out;
}

std::optional<model::Remark> remark_on_format(const model::Reading& reading,
                                              std::span<const gpu::Gpu> unable) {
  const model::Origin& origin = model::origin(reading, model::FieldId::dtype);
  if (unable.empty() || origin.kind == model::Origin::Kind::command_line) return std::nullopt;
  const bool is_stated = origin.kind == model::Origin::Kind::stated;
  model::Remark remark;
  remark.kind = model::Remark::Kind::format_unmultiplied;
  remark.path = is_stated ? origin.path : reading.path;
  remark.span = is_stated ? origin.span : Span{};
  remark.key_path = origin.key_path;
  remark.key = "dtype";
  remark.written = std::string(name(reading.setup.plan.dtype));
  Error wrong = gpu::cannot_multiply(unable, reading.setup.plan.dtype);
  remark.meaning = std::move(wrong.message);
  remark.instead = std::move(wrong.hint);
  remark.field = model::FieldId::dtype;
  return remark;
}

}  // namespace shapelint::rules
