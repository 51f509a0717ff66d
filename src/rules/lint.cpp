// The engine.
#include "rules/lint.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/names.hpp"
#include "model/lower.hpp"
#include "rules/blame.hpp"
#include "rules/compiled.hpp"
#include "rules/hits.hpp"
#include "rules/merge.hpp"
#include "rules/propose.hpp"
#include "rules/select.hpp"
#include "suggest/evaluate.hpp"

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

std::string known_word(const Hit& hit) {
  return hit.known != nullptr ? hit.known->title : std::string{};
}

std::string known_field(const Hit& hit) {
  if (hit.known_field == model::no_field) return {};
  return std::string(model::fields()[static_cast<std::size_t>(hit.known_field)].name);
}

class Engine {
 public:
  Engine(const RuleBook& rules, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
         const Options& options)
      : sets_(rules.compiled()),
        set_(sets_.take(rules.rules())),
        compiled_(*set_),
        reading_(reading),
        gpus_(gpus),
        options_(options),
        links_(suggest::links_of(reading)) {
    for (const ParameterValue& each : options.parameters) {
      const Rule* rule = rules.find(each.rule);
      for (CompiledRule& compiled : compiled_) {
        if (&compiled.rule() == rule) compiled.set_parameter(each.name, each.value);
      }
    }
  }
  ~Engine() { sets_.give_back(std::move(set_)); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  LintResult run() {
    result_.parameters_before = model::parameter_count(reading_.setup);
    if (!reading_.setup.model.conv.empty()) network_ = model::resolve(reading_.setup.model);
    const model::Workload workload = model::lower(reading_.setup);
    result_.gpus.reserve(gpus_.size());
    for (const gpu::Gpu& gpu : gpus_) {
      evaluators_.push_back(std::make_unique<suggest::Evaluator>(gpu));
      GpuReport report;
      report.gpu = gpu.id;
      report.workload = workload;
      report.before = evaluators_.back()->step(workload, reading_.setup.plan.dtype);
      report.after = report.before;
      result_.gpus.push_back(std::move(report));
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      baselines_.push_back({&gpus_[i], &result_.gpus[i].workload, &result_.gpus[i].before, &network_});
    }
    all_constraints_ = hard_constraints(compiled_, reading_);
    constraints_ = suggest::binding(all_constraints_, reading_.setup);
    for (CompiledRule& rule : compiled_) {
      if (is_selected(rule.rule(), options_)) apply_rule(rule);
    }
    merge_alternatives(result_.findings, options_.proposals);
    sort_findings(result_.findings);
    for (std::size_t i = 0; i < gpus_.size(); ++i) apply_all(i);
    return std::move(result_);
  }

 private:
  // Hits of one field on all GPUs where the condition holds.
  struct Group {
    model::FieldId field = model::no_field;
    std::vector<Hit> hits;
    std::vector<std::size_t> gpus;
  };

  void apply_rule(CompiledRule& rule) {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      const std::size_t errors = result_.errors.size();
      for (Hit& hit : find_hits(rule, reading_, baselines_[i], result_.errors)) {
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const Group& each) { return each.field == hit.blame.field; });
        if (group == groups.end()) {
          groups.push_back({hit.blame.field, {}, {}});
          group = groups.end() - 1;
        }
        group->hits.push_back(std::move(hit));
        group->gpus.push_back(i);
      }
      if (result_.errors.size() != errors) break;
    }
    for (Group& group : groups) make_finding(rule, group);
  }

  std::vector<suggest::Constraint> constraints_for(const Rule& rule) const {
    std::vector<suggest::Constraint> out = constraints_;
    if (rule.effect != Effect::fails) return out;
    for (const suggest::Constraint& each : all_constraints_) {
      if (each.name == rule.code) out.push_back(each);
    }
    return out;
  }

  void make_finding(CompiledRule& rule, Group& group) {
    const Effect effect = rule.rule().effect;
    std::vector<suggest::Evaluator*> evaluators;
    for (const std::size_t gpu : group.gpus) evaluators.push_back(evaluators_[gpu].get());
    const std::vector<suggest::Constraint> constraints = constraints_for(rule.rule());
    std::vector<suggest::Candidate> candidates =
        propose(reading_, links_, {&rule, group.hits, evaluators, constraints});
    if (effect == Effect::slower) {
      narrow_to_gaining(group, candidates);
      if (group.gpus.empty()) return;
    }
    rank(candidates, effect);

    Finding finding = describe(rule, group);
    const suggest::Candidate* best = nullptr;
    for (const suggest::Candidate& candidate : candidates) {
      if (finding.proposals.size() >= options_.proposals) break;
      Proposal proposal = to_proposal(candidate, group, effect);
      // What the prediction cannot tell from nothing is not proposed.
      if (effect == Effect::slower && proposal.gain <= proposal.gain_error) continue;
      finding.proposals.push_back(std::move(proposal));
      if (best == nullptr) best = &candidate;
    }
    if (effect == Effect::slower) {
      if (finding.proposals.empty() || finding.proposals.front().gain < options_.min_gain) return;
      finding.gain = finding.proposals.front().gain;
      finding.gain_error = finding.proposals.front().gain_error;
      finding.gains = finding.proposals.front().gains;
      finding.confidence = confidence_of(rule.rule(), group, *best);
    }
    result_.findings.push_back(std::move(finding));
  }

  // Keeps the GPUs on which some candidate saves at least min_gain, and the candidates that are faster on all
  // of these. When no candidate is good for all, the GPUs that the best one is good for remain.
  void narrow_to_gaining(Group& group, std::vector<suggest::Candidate>& candidates) const {
    std::vector<std::size_t> keep;
    for (std::size_t g = 0; g < group.gpus.size(); ++g) {
      const bool gains = std::any_of(candidates.begin(), candidates.end(), [&](const suggest::Candidate& c) {
        return c.gains[g] >= options_.min_gain;
      });
      if (gains) keep.push_back(g);
    }
    const auto good_for = [&](const suggest::Candidate& candidate, const std::vector<std::size_t>& gpus) {
      return std::all_of(gpus.begin(), gpus.end(), [&](std::size_t g) { return candidate.gains[g] > 0; });
    };
    const bool common = std::any_of(candidates.begin(), candidates.end(), [&](const suggest::Candidate& c) {
      return good_for(c, keep) && mean(c, keep) >= options_.min_gain;
    });
    if (!common && !keep.empty()) {
      const auto best = std::max_element(candidates.begin(), candidates.end(),
                                         [&](const suggest::Candidate& a, const suggest::Candidate& b) {
                                           return *std::max_element(a.gains.begin(), a.gains.end()) <
                                                  *std::max_element(b.gains.begin(), b.gains.end());
                                         });
      std::erase_if(keep, [&](std::size_t g) { return best->gains[g] < options_.min_gain; });
    }
    std::erase_if(candidates, [&](const suggest::Candidate& c) {
      return keep.empty() || !good_for(c, keep) || mean(c, keep) < options_.min_gain / 2;
    });
    Group narrowed{group.field, {}, {}};
    for (const std::size_t g : keep) {
      narrowed.hits.push_back(std::move(group.hits[g]));
      narrowed.gpus.push_back(group.gpus[g]);
    }
    for (suggest::Candidate& candidate : candidates) {
      std::vector<double> gains;
      for (const std::size_t g : keep) gains.push_back(candidate.gains[g]);
      candidate.gain = mean(candidate, keep);
      candidate.gains = std::move(gains);
    }
    group = std::move(narrowed);
  }

  static double mean(const suggest::Candidate& candidate, const std::vector<std::size_t>& gpus) {
    double sum = 0;
    for (const std::size_t g : gpus) sum += candidate.gains[g];
    return gpus.empty() ? 0 : sum / static_cast<double>(gpus.size());
  }

  // Fastest first. For what cannot run, and for advice: a choice of each fix in turn, and of one fix the
  // nearest values first, after dropping those that are much slower than its fastest.
  void rank(std::vector<suggest::Candidate>& candidates, Effect effect) const {
    const auto faster = [&](const suggest::Candidate& a, const suggest::Candidate& b) {
      return suggest::ranks_before(a, b, result_.parameters_before);
    };
    if (effect == Effect::slower) {
      std::sort(candidates.begin(), candidates.end(), faster);
      return;
    }
    constexpr double much_slower = 0.05;  // of the time per token
    std::map<std::size_t, std::vector<suggest::Candidate>> by_fix;
    for (suggest::Candidate& candidate : candidates) by_fix[candidate.origin].push_back(std::move(candidate));
    std::size_t longest = 0;
    for (auto& [fix, group] : by_fix) {
      double best = group.front().gain;
      for (const suggest::Candidate& each : group) best = std::max(best, each.gain);
      std::erase_if(group, [&](const suggest::Candidate& each) { return each.gain < best - much_slower; });
      std::sort(group.begin(), group.end(), [&](const suggest::Candidate& a, const suggest::Candidate& b) {
        const double difference = distance(a) - distance(b);
        constexpr double same = 1e-9;
        return std::fabs(difference) > same ? difference < 0 : faster(a, b);
      });
      longest = std::max(longest, group.size());
    }
    candidates.clear();
    for (std::size_t turn = 0; turn < longest; ++turn) {
      for (auto& [fix, group] : by_fix) {
        if (turn < group.size()) candidates.push_back(std::move(group[turn]));
      }
    }
  }

  // How far the edited values are from the present ones, in powers of e.
  static double distance(const suggest::Candidate& candidate) {
    double sum = 0;
    for (const Change& change : candidate.changes) {
      sum += std::fabs(std::log(static_cast<double>(std::max<std::int64_t>(1, change.to)) /
                                static_cast<double>(std::max<std::int64_t>(1, change.from))));
    }
    return sum;
  }

  Proposal to_proposal(const suggest::Candidate& candidate, const Group& group, Effect effect) const {
    Proposal proposal;
    proposal.changes = candidate.changes;
    proposal.implied = candidate.implied;
    proposal.parameters_before = result_.parameters_before;
    proposal.parameters_after = candidate.parameters;
    if (effect == Effect::fails) return proposal;  // there is no time to compare with
    const bool faster =
        std::all_of(candidate.gains.begin(), candidate.gains.end(), [](double g) { return g > 0; });
    if (!faster) return proposal;
    proposal.gain = candidate.gain;
    for (std::size_t g = 0; g < candidate.gains.size(); ++g) {
      const double error = uncertainty(candidate, group.gpus[g]).half_width;
      proposal.gains.push_back({gpus_[group.gpus[g]].id, candidate.gains[g], error});
      proposal.gain_error += error / static_cast<double>(candidate.gains.size());
    }
    return proposal;
  }

  cost::Gain uncertainty(const suggest::Candidate& candidate, std::size_t gpu) const {
    return evaluators_[gpu]->uncertainty(reading_.setup, candidate.setup);
  }

  // A rule says how sure its findings can be at best; the best proposal's gain must be backed by measurements
  // on every GPU to be called measured.
  Confidence confidence_of(const Rule& rule, const Group& group, const suggest::Candidate& best) const {
    if (rule.confidence != Confidence::measured) return rule.confidence;
    const bool measured = std::all_of(group.gpus.begin(), group.gpus.end(),
                                      [&](std::size_t g) { return uncertainty(best, g).measured; });
    return measured ? Confidence::measured : Confidence::estimated;
  }

  Finding describe(CompiledRule& compiled, const Group& group) const {
    const Rule& rule = compiled.rule();
    const auto worst = std::max_element(group.hits.begin(), group.hits.end(),
                                        [](const Hit& a, const Hit& b) { return a.share < b.share; });
    const Hit& hit = *worst;
    Finding finding;
    finding.code = rule.code;
    finding.rule = rule.name;
    finding.certain_to_fail = rule.effect == Effect::fails;
    finding.severity = finding.certain_to_fail ? Severity::error : rule.severity;
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
    if (group.gpus.size() < gpus_.size() && !(finding.certain_to_fail && group.gpus.size() == gpus_.size())) {
      for (const std::size_t g : group.gpus) finding.gpu += (finding.gpu.empty() ? "" : ", ") + gpus_[g].id;
    }
    const model::FieldInfo* field = finding.blamed == model::no_field
                                        ? nullptr
                                        : &model::fields()[static_cast<std::size_t>(finding.blamed)];
    const gpu::Gpu& gpu = gpus_[group.gpus[static_cast<std::size_t>(worst - group.hits.begin())]];
    const std::pair<std::string_view, std::string> words[] = {
        {"gpu", gpu.name},
        {"ops", list_of(hit.ops)},
        {"expression", std::string(hit.expression)},
        {"field", field != nullptr ? std::string(field->name) : std::string{}},
        {"known_name", known_word(hit)},
        {"known_field", known_field(hit)},
        {"known_as", hit.context.known_same_width && hit.context.known_differences > 1
                         ? "`hidden_size` is that of"
                         : "this is"},
        {"kernel", gpu.attention.name},
    };
    finding.message = compiled.message(hit.context, words);
    place(finding, reading_);
    if (hit.context.layer != nullptr)
      place_layer(finding, reading_, rule.blame.empty() ? "" : rule.blame.front(), *hit.context.layer);
    return finding;
  }

  // The best proposal of each finding, most valuable first, as long as they do not clash and each adds.
  void apply_all(std::size_t gpu) {
    GpuReport& report = result_.gpus[gpu];
    suggest::Evaluator& evaluator = *evaluators_[gpu];
    std::vector<Change> applied;
    model::Setup best = reading_.setup;
    for (const Finding& finding : result_.findings) {
      if (finding.certain_to_fail || finding.severity == Severity::info) continue;
      const bool holds_here = std::any_of(finding.gains.begin(), finding.gains.end(),
                                          [&](const GpuGain& g) { return g.gpu == report.gpu; });
      if (!holds_here) continue;
      for (const Proposal& proposal : finding.proposals) {
        if (try_proposal(proposal, evaluator, applied, best)) break;
      }
    }
    if (applied.empty()) return;
    report.applied = applied;
    report.after = evaluator.step(model::lower(best), best.plan.dtype);
    report.gain = suggest::gain(evaluator.evaluate(reading_.setup), evaluator.evaluate(best));
  }

  bool try_proposal(const Proposal& proposal, suggest::Evaluator& evaluator, std::vector<Change>& applied,
                    model::Setup& best) const {
    std::vector<Change> together = applied;
    for (const Change& change : proposal.changes) {
      const bool clash = std::any_of(applied.begin(), applied.end(), [&](const Change& c) {
        return c.field == change.field && c.layer == change.layer && c.key == change.key;
      });
      if (clash) return false;
      together.push_back(change);
    }
    const auto candidate = suggest::make_candidate(reading_, links_, together, constraints_);
    if (!candidate) return false;
    suggest::Evaluator* const one[] = {&evaluator};
    if (!suggest::fits(candidate->setup, reading_.setup, one)) return false;
    const double added = suggest::gain(evaluator.evaluate(best), evaluator.evaluate(candidate->setup));
    constexpr double least = 1e-4;  // of the step
    if (added < least) return false;
    applied = candidate->changes;
    best = candidate->setup;
    return true;
  }

  CompiledSets& sets_;
  std::unique_ptr<CompiledSets::Rules> set_;
  CompiledSets::Rules& compiled_;
  const model::Reading& reading_;
  std::span<const gpu::Gpu> gpus_;
  const Options& options_;
  suggest::Links links_;
  model::Network network_;  // of a CNN
  std::vector<std::unique_ptr<suggest::Evaluator>> evaluators_;
  std::vector<Baseline> baselines_;
  std::vector<suggest::Constraint> all_constraints_;
  std::vector<suggest::Constraint> constraints_;
  LintResult result_;
};

}  // namespace

LintResult lint(const RuleBook& rules, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
                const Options& options) {
  return Engine(rules, reading, gpus, options).run();
}

}  // namespace shapelint::rules
