// Words of a finding.
#include "rules/engine/describe.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rules/scope/values.hpp"

namespace shapelint::rules {

namespace {

// "layer.mlp.up, layer.mlp.down and 2 more"
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    const bool last = i + 1 == names.size();
    out += (i == 0 ? "" : last ? " and " : ", ") + names[i];
  }
  if (names.size() > most) out += fmt::format(" and {} more", names.size() - most);
  return out;
}

std::string name_of(model::FieldId field) {
  return field == model::no_field ? std::string{} : std::string(model::info(field).name);
}

}  // namespace

Finding describe(CompiledRule& compiled, const Group& group, std::span<const gpu::Gpu> gpus) {
  const Rule& rule = compiled.rule();
  const auto worst = std::max_element(group.hits.begin(), group.hits.end(),
                                      [](const Hit& a, const Hit& b) { return a.share < b.share; });
  const Hit& hit = *worst;
  Finding finding;
  finding.code = rule.code;
  finding.rule = rule.name;
  finding.severity = severity_of(rule);
  finding.certain_to_fail = rule.effect == Effect::fails ||
                            (rule.effect == Effect::overflows && finding.severity == Severity::error);
  finding.confidence = rule.confidence;
  finding.why = std::string(rule.mechanism);
  finding.blamed = hit.blame.field;
  finding.related = hit.blame.related;
  for (const Hit& each : group.hits) {
    for (const std::string& op : each.ops) {
      if (std::find(finding.ops.begin(), finding.ops.end(), op) == finding.ops.end())
        finding.ops.push_back(op);
    }
  }
  if (group.gpus.size() < gpus.size()) {
    for (const std::size_t g : group.gpus) finding.gpu += (finding.gpu.empty() ? "" : ", ") + gpus[g].id;
  }
  const gpu::Gpu& gpu = gpus[group.gpus[static_cast<std::size_t>(worst - group.hits.begin())]];
  const KnownContext& known = hit.context.known;
  const std::pair<std::string_view, std::string> words[] = {
      {"gpu", gpu.name},
      {"ops", list_of(hit.ops)},
      {"expression", std::string(hit.expression)},
      {"field", name_of(finding.blamed)},
      {"known_name", known.model != nullptr ? known.model->title : std::string{}},
      {"known_field", name_of(known.field)},
      {"known_as", known.same_width && known.differences > 1 ? "`hidden_size` is that of" : "this is"},
      {"kernel", gpu.attention.name},
      {"held", plan(hit.context).mode == model::Mode::train ? "weights, gradients and optimizer states"
                                                            : "weights and cached keys and values"},
  };
  finding.message = compiled.message(hit.context, words);
  finding.brief = compiled.brief(hit.context, words);
  info(rule.scope).place(hit.context, rule.blame, finding);
  return finding;
}

}  // namespace shapelint::rules
