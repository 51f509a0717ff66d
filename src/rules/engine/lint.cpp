// The engine.
#include "rules/engine/lint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/select.hpp"
#include "rules/engine/constraints.hpp"
#include "rules/engine/describe.hpp"
#include "rules/engine/hits.hpp"
#include "rules/engine/merge.hpp"
#include "rules/engine/propose.hpp"
#include "rules/scope/launch.hpp"
#include "rules/scope/variables.hpp"
#include "suggest/edit/evaluate.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::rules {

namespace {

// Values of a run, and none of a shape.
bool is_of_plan(std::span<const Change> changes) {
  return std::all_of(changes.begin(), changes.end(), [](const Change& each) {
    return each.field != model::no_field && model::kind_of(each.field) == model::FieldKind::plan;
  });
}

class Engine {
 public:
  Engine(const RuleBook& rules, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
         const Options& options, const suggest::OnStack* stack)
      : sets_(&rules.compiled()),
        set_(sets_->take(rules.rules())),
        compiled_(*set_),
        reading_(reading),
        gpus_(gpus),
        options_(options),
        stack_(stack),
        unresolved_(model::unresolved(reading)),
        links_(suggest::links_of(reading)),
        evaluators_(own_evaluators_) {
    for (const ParameterValue& each : options.parameters) {
      const Rule* rule = rules.find(each.rule);
      for (CompiledRule& compiled : compiled_) {
        if (&compiled.rule() == rule) compiled.set_parameter(each.name, each.value);
      }
    }
  }
  ~Engine() {
    if (set_) sets_->return_to_pool(std::move(set_));
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  LintResult run() {
    const bool counts_bubble = !assumes_micro_batches(reading_);
    for (const gpu::Gpu& gpu : gpus_) {
      own_evaluators_.push_back(std::make_unique<suggest::Evaluator>(gpu, stack_, counts_bubble));
    }
    prepare();
    for (CompiledRule& rule : compiled_) {
      if (is_asked(rule)) apply_rule(rule, find_groups(rule));
    }
    // No prediction holds where a size is not known.
    if (!unresolved_.empty()) result_.gpus.clear();
    merge_alternatives(result_.findings, max_tried);
    sort_findings(result_.findings);
    if (unresolved_.empty()) {
      for (Finding& finding : result_.findings) {
        if (is_told(finding)) keep_proven(finding);
      }
      std::erase_if(result_.findings, [&](const Finding& each) { return saves_too_little(each); });
      sort_findings(result_.findings);
      find_fixed_findings(result_.findings, {reading_, links_, compiled_, evaluators_});
    }
    for (Finding& finding : result_.findings) {
      if (finding.proposals.size() > options_.proposals) finding.proposals.resize(options_.proposals);
    }
    for (std::size_t i = 0; i < result_.gpus.size(); ++i) {
      combine_proposals(result_.findings, reading_, links_, constraints_.all(), *evaluators_[i],
                        result_.gpus[i]);
    }
    drop_combined_of_errors(result_);
    keep_combined_apart(result_);
    return std::move(result_);
  }

 private:
  // Proposals of a finding that are tried before the first is taken as it is.
  static constexpr std::size_t max_tried = 6;

  // The same rules and GPUs on a changed model, for the proof of a proposal.
  Engine(Engine& start, const model::Reading& changed)
      : compiled_(start.compiled_),
        reading_(changed),
        gpus_(start.gpus_),
        options_(start.options_),
        stack_(start.stack_),
        links_(suggest::links_of(changed)),
        evaluators_(start.evaluators_) {
    prepare();
  }

  // The steps as the model has them.
  void prepare() {
    result_.parameters_before = model::parameter_count(reading_.setup);
    if (!reading_.setup.model.conv.empty()) network_ = model::resolve(reading_.setup.model);
    result_.gpus.reserve(gpus_.size());
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const gpu::Gpu& gpu = gpus_[i];
      suggest::Step step = evaluators_[i]->step(reading_.setup);
      GpuReport report;
      report.gpu = gpu.id;
      longer_us_.push_back(step.longer_us);
      report.workload = std::move(step.workload);
      report.before = std::move(step.cost);
      report.after = report.before;
      result_.gpus.push_back(std::move(report));
    }
    layers_ = readings_of_layers(reading_);
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      baselines_.push_back(
          {&gpus_[i], &result_.gpus[i].workload, &result_.gpus[i].before, &network_, &blames_, layers_});
    }
  }

  bool is_asked(const CompiledRule& rule) const {
    if (rule.rule().scope == Scope::step && is_mostly_unmodeled()) return false;
    return info(rule.rule().scope).needs_model && is_selected(rule.rule(), options_) && is_evaluable(rule);
  }

  // Neither the time nor the memory of a step is known where most of its layers are of no known type.
  bool is_mostly_unmodeled() const {
    return 2 * extra(reading_, "state_space_layers") > static_cast<double>(reading_.setup.model.num_layers);
  }

  // Keeps the proposals after which no rule finds one of the changed fields again, so that one edit is
  // enough. Where every one of a finding about speed leads to another, they stay: they save time
  // nevertheless.
  void keep_proven(Finding& finding) {
    const bool about_speed = !finding.certain_to_fail && !finding.gains.empty();
    std::vector<Proposal> proven;
    for (const Proposal& each : finding.proposals) {
      if (proven.size() >= options_.proposals) break;
      if (about_speed && sets_same(proven, each)) continue;
      if (is_final(finding, each)) proven.push_back(each);
    }
    if (proven.empty() && about_speed && !is_advice(finding)) {
      for (const Proposal& each : finding.proposals)
        if (!sets_same(proven, each)) proven.push_back(each);
    }
    finding.proposals = std::move(proven);
    if (about_speed) set_gain_of_first_proposal(finding);
  }

  // Whether one of those that were taken sets the same values of a run, nearer ones.
  static bool sets_same(const std::vector<Proposal>& taken, const Proposal& proposal) {
    return is_of_plan(proposal.changes) && std::any_of(taken.begin(), taken.end(), [&](const Proposal& each) {
             return suggest::same_fields(each.changes, proposal.changes);
           });
  }

  bool is_advice(const Finding& finding) const {
    return std::any_of(compiled_.begin(), compiled_.end(), [&](const CompiledRule& each) {
      return each.rule().code == finding.code && each.rule().effect == FindingKind::advice;
    });
  }

  // Whether anybody will see it: what people are not shown programs get, unless a severity is asked for.
  // No proof of its proposals finds more gain than the best of them has.
  bool is_told(const Finding& finding) const {
    if (!options_.shows_savings && !is_shown(finding, options_)) return false;
    const bool may_gain = std::any_of(finding.proposals.begin(), finding.proposals.end(),
                                      [&](const Proposal& each) { return each.gain >= options_.min_gain; });
    return finding.certain_to_fail || finding.gains.empty() || may_gain;
  }

  bool saves_too_little(const Finding& finding) const {
    return !finding.certain_to_fail && !finding.gains.empty() && finding.gain < options_.min_gain;
  }

  // Whether what a rule finds is about what the proposal sets: of the layers that it is about alone.
  static bool is_about(const Group& group, const Finding& finding, const Proposal& proposal) {
    if (group.field == model::no_field) return true;
    const Context& context = group.hits.front().context;
    const std::int64_t own = layer_value(context, group.field);
    for (const Change& change : proposal.changes) {
      if (change.field != group.field) continue;
      if (!change.of_layers || own < 0 || own == change.to) return true;
    }
    return group.field == finding.blamed && finding.layer_value < 0;
  }

  // For a network's layers: whether both change the same number of the same layer.
  static bool changes_same(const Finding& left, const Proposal& proposal) {
    if (left.proposals.empty()) return false;
    const std::vector<Change>& others = left.proposals.front().changes;
    return std::any_of(proposal.changes.begin(), proposal.changes.end(), [&](const Change& change) {
      return std::any_of(others.begin(), others.end(),
                         [&](const Change& other) { return same_target(other, change); });
    });
  }

  // Whether the changed model has no finding, as severe as this one, that blames what the proposal changes.
  bool is_final(const Finding& finding, const Proposal& proposal) {
    std::vector<model::FieldId> asked{finding.blamed};
    for (const Change& change : proposal.changes) asked.push_back(change.field);
    const auto setup = suggest::apply(reading_.setup, links_, proposal.changes);
    if (!setup) return false;
    if (!changed_) changed_ = reading_;  // its places and notes are many, and the same in every proof
    changed_->setup = *setup;
    Engine after(*this, *changed_);
    for (CompiledRule& rule : after.compiled_) {
      const FindingKind effect = rule.rule().effect;
      const bool is_others_advice = effect == FindingKind::advice && rule.rule().code != finding.code;
      if (!after.is_asked(rule) || severity_of(rule.rule()) < finding.severity || is_others_advice) continue;
      if (!may_blame(rule.rule().scope, rule.rule().blame, asked)) continue;
      std::vector<Group> groups = after.find_groups(rule);
      std::erase_if(groups, [&](const Group& group) { return !is_about(group, finding, proposal); });
      after.apply_rule(rule, std::move(groups));
      for (const Finding& left : after.result_.findings) {
        if (left.blamed != model::no_field || changes_same(left, proposal)) return false;
      }
      after.result_.findings.clear();
    }
    return true;
  }

  // For a model with values that only the run knows: rules that name none of them, comparisons of what is
  // stated with published models, and nothing that is predicted: what a stack rejects needs no prediction.
  bool is_evaluable(const CompiledRule& rule) const {
    if (unresolved_.empty()) return true;
    // What kind of model it is, is not known either.
    for (const model::FieldId kind : {model::FieldId::moe_num_experts, model::FieldId::mla_kv_lora_rank}) {
      if (model::is_unresolved(reading_, kind)) return false;
    }
    if (rule.rule().scope == Scope::known) return true;
    const std::vector<std::size_t> used = rule.variables();
    const auto fields = model::fields();
    const bool predicts = rule.rule().effect == FindingKind::slower && refusal_of(rule.rule()) == nullptr;
    return !predicts && std::all_of(used.begin(), used.end(), [&](std::size_t index) {
      return is_plain(index) && (index >= fields.size() || !model::is_unresolved(reading_, fields[index].id));
    });
  }

  // What a rule finds, by the field that it blames.
  std::vector<Group> find_groups(CompiledRule& rule) {
    std::vector<Group> groups;
    const bool is_comparison = !unresolved_.empty() && rule.rule().scope == Scope::known;
    for (std::size_t i = 0; i < baselines_.size(); ++i) {
      const std::size_t errors = result_.errors.size();
      for (Hit& hit : find_hits(rule, reading_, baselines_[i], result_.errors)) {
        if (is_comparison && !model::is_stated(reading_, hit.blame.field)) continue;
        auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
          return blames_same(each.field, each.hits.front().context, hit.blame.field, hit.context);
        });
        if (group == groups.end()) {
          groups.push_back({hit.blame.field, {}, {}});
          group = groups.end() - 1;
        }
        group->hits.push_back(std::move(hit));
        group->gpus.push_back(i);
      }
      if (result_.errors.size() != errors) break;
    }
    return groups;
  }

  void apply_rule(CompiledRule& rule, std::vector<Group> groups) {
    for (Group& group : groups) make_finding(rule, group);
  }

  // What of the stack rejects what the rule finds: one of the requirements that the rule names.
  const suggest::Constraint* refusal_of(const Rule& rule) const {
    if (stack_ == nullptr) return nullptr;
    for (const std::string_view id : contracts_of(rule)) {
      for (const suggest::Constraint& each : stack_->constraints) {
        if (each.name.starts_with(fmt::format("requirement {} ", id)) && !each.holds(reading_.setup))
          return &each;
      }
    }
    return nullptr;
  }

  // What costs time elsewhere stops the run where a package rejects it: then a way out need not save any.
  void make_finding(CompiledRule& rule, Group& group) {
    uncertainties_.clear();
    const suggest::Constraint* refusal = refusal_of(rule.rule());
    const bool stops = refusal != nullptr && rule.rule().effect == FindingKind::slower;
    const FindingKind effect = stops ? FindingKind::fails : rule.rule().effect;
    std::vector<suggest::Evaluator*> evaluators;
    for (const std::size_t gpu : group.gpus) evaluators.push_back(evaluators_[gpu].get());
    // Of layers with values of their own nothing follows that the file does not say of them.
    const Context context = group.hits.front().context;
    const bool is_of_own = is_of_layers(context, group.field);
    const model::Reading& reading = is_of_own ? *context.reading : reading_;
    const suggest::FieldDependencies links = is_of_own ? suggest::FieldDependencies{} : links_;
    std::vector<suggest::Constraint> constraints = constraints_.of(rule.rule(), reading);
    if (stops) constraints.push_back(*refusal);
    std::vector<suggest::Candidate> candidates =
        propose(reading, links, {&rule, group.hits, evaluators, constraints, stops});
    drop_unrelated_gains(rule.rule(), group, candidates);
    if (effect == FindingKind::slower) {
      narrow_to_gaining(group, candidates, options_.min_gain);
      prefer_divisible_head_counts(candidates);
      if (group.gpus.empty()) return;
    }
    Finding finding = describe(rule, group, gpus_);
    if (effect == FindingKind::slower) {
      const std::vector<std::size_t> chosen = choose(candidates, group);
      if (chosen.empty()) return;
      for (const std::size_t each : chosen) {
        finding.proposals.push_back(to_proposal(rule.rule(), candidates[each], group, effect));
        finding.proposals.back().or_multiple_of =
            equal_multiple({reading, links}, candidates[each], finding.proposals.back(), group, constraints);
      }
      set_gain_of_first_proposal(finding);
      if (finding.gain <= finding.gain_error) finding.severity = Severity::info;
      finding.confidence = confidence_of(rule.rule(), group, candidates[chosen.front()]);
    } else {
      std::int64_t link_gpus = gpus_[group.gpus.front()].link_gpus;
      for (const std::size_t gpu : group.gpus) link_gpus = std::min(link_gpus, gpus_[gpu].link_gpus);
      rank(candidates, result_.parameters_before, link_gpus);
      for (const suggest::Candidate& each : candidates) {
        if (finding.proposals.size() >= max_tried) break;
        finding.proposals.push_back(to_proposal(rule.rule(), each, group, effect));
      }
    }
    for (Proposal& proposal : finding.proposals) {
      for (std::vector<Change>* changes : {&proposal.changes, &proposal.implied}) {
        for (Change& each : *changes) each.of_layers = is_of_own && is_of_layers(context, each.field);
      }
    }
    result_.findings.push_back(std::move(finding));
  }

  // A gain from something else than what the rule is about is no way out of what it found.
  void drop_unrelated_gains(const Rule& rule, const Group& group,
                            std::vector<suggest::Candidate>& candidates) {
    if (rule.gain_from.empty()) return;
    constexpr double most_of_it = 0.5;
    std::erase_if(candidates, [&](const suggest::Candidate& candidate) {
      double own = 0;
      double all = 0;
      for (std::size_t g = 0; g < group.gpus.size(); ++g) {
        const double gain = candidate.gains[g];
        if (gain <= 0) continue;
        const std::size_t gpu = group.gpus[g];
        own += attributable_gain(rule.gain_from, result_.gpus[gpu], longer_us_[gpu], *evaluators_[gpu],
                                 candidate, gain);
        all += gain;
      }
      return own < most_of_it * all;
    });
  }

  // Prefer numbers of heads that most degrees of tensor parallelism can split; odd ones are no one's
  // choice.
  void prefer_divisible_head_counts(std::vector<suggest::Candidate>& candidates) const {
    bool met = false;
    for (std::int64_t multiple = options_.policy.head_multiple; multiple > 1 && !met; multiple /= 2) {
      const auto wanted = suggest::head_constraints(multiple, reading_.setup);
      const auto meets = [&](const suggest::Candidate& each) { return wanted.front().holds(each.setup); };
      met = std::any_of(candidates.begin(), candidates.end(), [&](const suggest::Candidate& each) {
        return each.gain >= options_.min_gain && meets(each);
      });
      if (met || multiple < 4) std::erase_if(candidates, [&](const auto& each) { return !meets(each); });
    }
  }

  // What is proposed for speed, in the order that people would take it.
  std::vector<std::size_t> choose(const std::vector<suggest::Candidate>& candidates,
                                  const Group& group) const {
    std::vector<suggest::Rank> ranks;
    for (const suggest::Candidate& each : candidates) {
      ranks.push_back({each.gain, each.changes, std::abs(each.parameters - result_.parameters_before)});
    }
    std::vector<std::optional<double>> errors(candidates.size());
    const auto error_of = [&](std::size_t i) {
      if (errors[i]) return *errors[i];
      double sum = 0;
      for (const std::size_t gpu : group.gpus) sum += uncertainty(candidates[i], gpu).half_width;
      errors[i] = sum / static_cast<double>(group.gpus.size());
      return *errors[i];
    };
    std::vector<std::size_t> sure = suggest::choose(ranks, error_of, options_.min_gain, max_tried);
    if (!sure.empty()) return with_farther(candidates, std::move(sure));
    // What the prediction cannot distinguish from nothing is reported, if it saves as much in the mean, but
    // not in exchange for another batch of the optimizer.
    return suggest::choose(
        ranks, [&](std::size_t i) { return grows_batch(candidates[i]) ? error_of(i) : 0.0; },
        options_.min_gain, max_tried);
  }

  // Farther values of what the first one changes come last: where the rule finds that one again, they end it
  // at once. Of a shape the search has looked at all.
  static std::vector<std::size_t> with_farther(const std::vector<suggest::Candidate>& candidates,
                                               std::vector<std::size_t> chosen) {
    const suggest::Candidate& first = candidates[chosen.front()];
    for (std::size_t i = 0; is_of_plan(first.changes) && i < candidates.size() && chosen.size() < max_tried;
         ++i) {
      const bool is_new = std::find(chosen.begin(), chosen.end(), i) == chosen.end();
      if (is_new && candidates[i].gain > first.gain &&
          suggest::same_fields(candidates[i].changes, first.changes))
        chosen.push_back(i);
    }
    return chosen;
  }

  // Only for a job: a native file is a shape to try.
  bool grows_batch(const suggest::Candidate& candidate) const {
    const model::Plan& plan = reading_.setup.plan;
    return plan.mode == model::Mode::train && reading_.dialect != "native" &&
           global_batch(candidate.setup.plan) > global_batch(plan);
  }

  struct Start {
    const model::Reading& reading;
    const suggest::FieldDependencies& links;
  };
  // The multiple of which others, further on in the same direction, gain as much as the proposal.
  std::int64_t equal_multiple(const Start& start, const suggest::Candidate& candidate,
                              const Proposal& proposal, const Group& group,
                              std::span<const suggest::Constraint> constraints) const {
    using model::FieldId;
    if (candidate.changes.size() != 1) return 0;
    const Change& change = candidate.changes.front();
    const bool is_padded = change.field == FieldId::vocab_size ||
                           change.field == FieldId::intermediate_size ||
                           change.field == FieldId::moe_intermediate_size;
    if (!change.key.empty() || !is_padded) return 0;
    constexpr std::int64_t tried = 3;
    const std::int64_t multiple = 64 * std::max<std::int64_t>(1, reading_.setup.plan.tensor);
    if (change.to % multiple != 0) return 0;
    std::vector<suggest::Evaluator*> evaluators;
    for (const std::size_t gpu : group.gpus) evaluators.push_back(evaluators_[gpu].get());
    for (std::int64_t i = 1; i <= tried; ++i) {
      const std::int64_t step = change.to > change.from ? i * multiple : -i * multiple;
      auto other = suggest::make_candidate(start.reading, start.links,
                                           {{change.field, change.from, change.to + step}}, constraints);
      if (!other || !suggest::fits(other->setup, start.reading.setup, evaluators)) return 0;
      suggest::price(*other, start.reading.setup, evaluators);
      if (std::fabs(other->gain - proposal.gain) > proposal.gain_error) return 0;
    }
    return multiple;
  }

  Proposal to_proposal(const Rule& rule, const suggest::Candidate& candidate, const Group& group,
                       FindingKind effect) const {
    Proposal proposal;
    proposal.changes = candidate.changes;
    proposal.implied = candidate.implied;
    proposal.parameters_before = result_.parameters_before;
    proposal.parameters_after = candidate.parameters;
    if (effect == FindingKind::overflows) proposal.memory_bytes = suggest::memory_bytes(candidate.setup);
    // There is no time to compare with.
    if (effect == FindingKind::fails || effect == FindingKind::overflows || stops_run(rule)) return proposal;
    const bool faster =
        std::all_of(candidate.gains.begin(), candidate.gains.end(), [](double g) { return g > 0; });
    if (!faster) return proposal;
    proposal.gain = candidate.gain;
    for (std::size_t g = 0; g < candidate.gains.size(); ++g) {
      const std::size_t gpu = group.gpus[g];
      const double error = uncertainty(candidate, gpu).half_width;
      proposal.gains.push_back({gpus_[gpu].id, candidate.gains[g], error, result_.gpus[gpu].before.time_us,
                                evaluators_[gpu]->whole_step_us(candidate.setup)});
      proposal.gain_error += error / static_cast<double>(candidate.gains.size());
    }
    return proposal;
  }

  // Each candidate is asked for when it is chosen, and again for its description.
  const cost::Gain& uncertainty(const suggest::Candidate& candidate, std::size_t gpu) const {
    const auto [known, is_new] = uncertainties_.try_emplace({&candidate, gpu});
    if (is_new) known->second = evaluators_[gpu]->uncertainty(reading_.setup, candidate.setup);
    return known->second;
  }

  // A rule says how sure its findings can be at best; the best proposal's gain must be backed by measurements
  // on every GPU to be called measured.
  Confidence confidence_of(const Rule& rule, const Group& group, const suggest::Candidate& best) const {
    if (rule.confidence != Confidence::measured) return rule.confidence;
    const bool measured = std::all_of(group.gpus.begin(), group.gpus.end(),
                                      [&](std::size_t g) { return uncertainty(best, g).measured; });
    return measured ? Confidence::measured : Confidence::estimated;
  }

  CompiledSets* sets_ = nullptr;
  std::unique_ptr<CompiledSets::Rules> set_;  // null in a proof, which borrows those of the start
  CompiledSets::Rules& compiled_;
  const model::Reading& reading_;
  std::optional<model::Reading> changed_;  // the same with a proposal, in its proof
  std::span<const gpu::Gpu> gpus_;
  const Options& options_;
  const suggest::OnStack* stack_;
  std::vector<double> longer_us_;  // by GPU: what the stack's kernels add to the present step
  std::vector<const model::Remark*> unresolved_;
  suggest::FieldDependencies links_;
  model::Network network_;  // of a CNN
  DimensionBlames blames_;
  std::vector<std::unique_ptr<suggest::Evaluator>> own_evaluators_;
  std::vector<std::unique_ptr<suggest::Evaluator>>&
      evaluators_;  // one per GPU; a proof asks those of the start
  std::vector<Baseline> baselines_;
  ProposalConstraints constraints_{compiled_, reading_, stack_, options_.policy.shape};
  std::vector<LayerReading> layers_;
  mutable std::map<std::pair<const suggest::Candidate*, std::size_t>, cost::Gain>
      uncertainties_;  // of a finding
  LintResult result_;
};

}  // namespace

LintResult lint(const RuleBook& rules, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
                const Options& options) {
  return Engine(rules, reading, gpus, options, nullptr).run();
}

LintResult lint(const RuleBook& rules, const model::Reading& reading, std::span<const gpu::Gpu> gpus,
                const Options& options, const suggest::OnStack& stack) {
  return Engine(rules, reading, gpus, options, &stack).run();
}

}  // namespace shapelint::rules
