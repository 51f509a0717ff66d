// What a run of the linter found.
#include "lint/report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "project/applied.hpp"
#include "rules/book/docs.hpp"
#include "rules/book/select.hpp"
#include "rules/engine/merge.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::lint {

const text::SharedText* source_of(const ModelReport& model, const std::string& path) {
  if (path == model.path) return &model.source;
  const auto found = model.other_sources.find(path);
  return found == model.other_sources.end() ? nullptr : &found->second;
}

namespace {

// What a part has but for others of the whole, whose weights it counts as a tower's (T5's encoder).
model::Setup alone(const model::Reading& reading, const std::vector<const ModelReport*>& models) {
  model::Setup out = reading.setup;
  const bool has_towers = std::any_of(models.begin(), models.end(), [](const ModelReport* each) {
    return model::extra(each->reading, "tower") > 0;
  });
  if (has_towers && model::extra(reading, "tower") <= 0) out.model.tower_parameters = 0;
  return out;
}

// For the parts in `models`; nothing if one of them was not priced for that GPU.
std::optional<CompositeModel::Time> time_on(const std::string& gpu,
                                            const std::vector<const ModelReport*>& models) {
  CompositeModel::Time out{gpu, 0, {}};
  for (const ModelReport* model : models) {
    const auto& priced = model->result.gpus;
    const auto found = std::find_if(priced.begin(), priced.end(),
                                    [&](const rules::GpuReport& each) { return each.gpu == gpu; });
    if (found == priced.end()) return std::nullopt;
    out.shares.push_back(model->reading.runs_in_whole * found->before.time_us);
    out.time_us += out.shares.back();
  }
  for (double& share : out.shares) share = out.time_us > 0 ? share / out.time_us : 0;
  return out;
}

}  // namespace

std::vector<CompositeModel> composite_models(const Report& report) {
  std::map<std::string_view, std::vector<const ModelReport*>> by_file;
  std::vector<std::string_view> order;
  for (const ModelReport& model : report.models) {
    if (model.reading.runs_in_whole <= 0) continue;
    auto& models = by_file[model.path];
    if (models.empty()) order.push_back(model.path);
    models.push_back(&model);
  }
  std::vector<CompositeModel> out;
  for (const std::string_view path : order) {
    const std::vector<const ModelReport*>& models = by_file[path];
    if (models.size() < 2) continue;
    CompositeModel whole;
    whole.path = std::string(path);
    for (const ModelReport* model : models)
      whole.parts.push_back({model->reading.part, model->reading.runs_in_whole});
    const bool are_plans = models.front()->reading.dialect == "native";
    for (const ModelReport* model : models)
      whole.memory_bytes += are_plans ? 0 : suggest::memory_bytes(alone(model->reading, models));
    for (const rules::GpuReport& gpu : models.front()->result.gpus) {
      if (auto time = time_on(gpu.gpu, models)) whole.gpus.push_back(*std::move(time));
    }
    if (!whole.gpus.empty()) out.push_back(std::move(whole));
  }
  return out;
}

std::vector<std::int64_t> gpus_of_parts(const CompositeModel& whole, const Report& report) {
  std::vector<std::int64_t> out;
  for (const ModelReport& model : report.models) {
    if (model.path != whole.path || model.reading.runs_in_whole <= 0) continue;
    const model::Plan& plan = model.reading.setup.plan;
    out.push_back(plan.tensor * plan.context * plan.pipeline * plan.data);
  }
  return out;
}

std::vector<const rules::Finding*> for_programs(const ModelReport& model) {
  std::vector<const rules::Finding*> all;
  for (const rules::Finding& finding : model.result.findings) all.push_back(&finding);
  if (model.hides_from_programs || model.hidden.empty()) return all;
  for (const rules::Finding& finding : model.hidden) all.push_back(&finding);
  std::stable_sort(all.begin(), all.end(), [](const rules::Finding* a, const rules::Finding* b) {
    return rules::comes_before(*a, *b);
  });
  return all;
}

std::string rule_page(std::string_view pattern, std::string_view code, std::string_view name) {
  if (pattern.empty()) return rules::page_address(code);
  constexpr std::size_t word = std::string_view("{code}").size();
  std::string out;
  while (!pattern.empty()) {
    if (pattern.starts_with("{code}")) {
      out += code;
      pattern.remove_prefix(word);
    } else if (pattern.starts_with("{name}")) {
      out += name;
      pattern.remove_prefix(word);
    } else {
      out += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  return out;
}

std::vector<RuleInfo> rules_of(const Report& report,
                               const std::vector<const project::Configured*>& configured) {
  std::set<std::string_view> found;
  for (const ModelReport& model : report.models) {
    for (const rules::Finding& finding : model.result.findings) found.insert(finding.code);
    for (const rules::Finding& finding : model.hidden) found.insert(finding.code);
  }
  std::map<std::string_view, RuleInfo> infos;
  for (const project::Configured* each : configured) {
    std::vector<Error> none;  // of a file's table
    const rules::Options selected = project::what_applies(*each, {}, {}, none).rules;
    for (const rules::Rule& rule : each->rules->rules()) {
      if (!rules::is_selected(rule, selected) && !found.contains(rule.code)) continue;
      infos.try_emplace(rule.code,
                        RuleInfo{rule.code, rule.name, rule.summary, rule.mechanism, rule.why, rule.sources,
                                 rule_page(each->config.rule_url.value_or(""), rule.code, rule.name),
                                 rule.severity, rule.confidence});
    }
  }
  std::vector<RuleInfo> all;
  for (auto& [code, info] : infos) all.push_back(std::move(info));
  return all;
}

}  // namespace shapelint::lint
