// Ways out of a finding.
#include "rules/engine/propose.hpp"

#include <algorithm>
#include <cmath>

#include "model/lower/lower.hpp"
#include "suggest/search/near.hpp"

namespace shapelint::rules {

namespace {

// How far a searched width may move, and how much a proposal may change the number of parameters: near enough
// that it is still the same model.
constexpr double width_reach = 0.02;
constexpr double parameter_tolerance = 0.05;
// Most candidates that one fix with `vary` offers to be ranked.
constexpr std::size_t most_candidates = 400;

bool is_near(const suggest::Candidate& candidate, const model::Setup& start) {
  const auto before = static_cast<double>(model::parameter_count(start));
  const auto after = static_cast<double>(model::parameter_count(candidate.setup));
  return std::fabs(after - before) <= parameter_tolerance * before;
}

// One fix for all layers that a rule finds, each number once.
std::vector<Change> layer_changes(CompiledRule& rule, const Fix& fix, const Hit& hit) {
  std::vector<Change> all;
  for (const Context& context : hit.all) {
    auto change = rule.layer_change(fix, context);
    if (!change) continue;
    const bool known = std::any_of(all.begin(), all.end(), [&](const Change& each) {
      return each.layer == change->layer && each.key == change->key;
    });
    if (!known) all.push_back(*std::move(change));
  }
  return all;
}

void add_unique(std::vector<suggest::Candidate>& all, suggest::Candidate candidate) {
  const bool known = std::any_of(all.begin(), all.end(), [&](const suggest::Candidate& each) {
    return each.changes == candidate.changes && each.implied == candidate.implied;
  });
  if (!known) all.push_back(std::move(candidate));
}

}  // namespace

std::vector<suggest::Candidate> propose(const model::Reading& reading, const suggest::Links& links,
                                        const ProposalRequest& request) {
  std::vector<suggest::Candidate> all;
  const Rule& rule = request.rule->rule();
  const bool fails = rule.effect == Effect::fails;
  // The search holds a candidate to the constraints that the start meets; a way out of a failure must also
  // meet the one that it does not.
  const bool per_setup = !is_of_ops(rule.scope);
  const bool of_layers = info(rule.scope).blames == Blames::layer_numbers;
  const auto still_fails = [&](const model::Setup& setup) {
    if (!fails || !per_setup) return false;
    Context context;
    context.reading = &reading;
    context.setup = &setup;
    const Result<bool> broken = request.rule->holds(context);
    return !broken || *broken;
  };
  std::size_t fix_number = 0;
  const auto consider = [&](std::vector<Change> changes) {
    auto candidate = suggest::make_candidate(reading, links, std::move(changes), request.constraints);
    if (!candidate || still_fails(candidate->setup)) return;
    // Layers of a CNN are padded together, which may be more than one width moves.
    if (!fails && !of_layers && !is_near(*candidate, reading.setup)) return;
    if (!suggest::fits(candidate->setup, reading.setup, request.evaluators)) return;
    suggest::price(*candidate, reading.setup, request.evaluators);
    candidate->origin = fix_number;
    add_unique(all, *std::move(candidate));
  };
  for (const Fix& fix : rule.fixes) {
    ++fix_number;
    if (of_layers) {
      for (const Hit& hit : request.hits) consider(layer_changes(*request.rule, fix, hit));
      continue;
    }
    if (!fix.set.empty()) {
      for (const Hit& hit : request.hits) {
        auto changes = request.rule->changes(fix, hit.context, hit.blame.field);
        if (changes) consider(*std::move(changes));
      }
    }
    if (fix.vary.empty()) continue;
    std::vector<model::FieldId> fields;
    for (const std::string_view name : fix.vary) {
      fields.push_back(name == "blamed" ? request.hits.front().blame.field : model::find_field(name));
    }
    suggest::NearLimits limits;
    limits.reach = width_reach;
    limits.parameters = fails ? -1 : parameter_tolerance;
    limits.keep = most_candidates;
    limits.faster_only = !fails;
    for (suggest::Candidate& candidate :
         suggest::search_near(reading, links, fields, request.constraints, request.evaluators, limits)) {
      // Beside other fields the blamed one must change, or the gain would be of something else.
      const model::FieldId blamed = request.hits.front().blame.field;
      const bool about_it =
          fix.vary.size() == 1 || std::any_of(candidate.changes.begin(), candidate.changes.end(),
                                              [&](const Change& change) { return change.field == blamed; });
      if (!about_it || still_fails(candidate.setup)) continue;
      candidate.origin = fix_number;
      add_unique(all, std::move(candidate));
    }
  }
  return all;
}

std::vector<suggest::Constraint> hard_constraints(std::span<CompiledRule> compiled,
                                                  const model::Reading& reading) {
  std::vector<suggest::Constraint> out;
  for (CompiledRule& rule : compiled) {
    const Scope scope = rule.rule().scope;
    if (rule.rule().effect != Effect::fails || is_of_ops(scope)) continue;
    if (rule.lacks(reading)) continue;
    out.push_back({std::string(rule.rule().code), [&rule, &reading](const model::Setup& setup) {
                     Context context;
                     context.reading = &reading;
                     context.setup = &setup;
                     const Result<bool> broken = rule.holds(context);
                     return broken && !*broken;
                   }});
  }
  return out;
}

HardRules::HardRules(const RuleBook& rules, const model::Reading& reading) {
  compiled_.reserve(rules.rules().size());
  for (const Rule& rule : rules.rules()) {
    if (rule.effect == Effect::fails) compiled_.emplace_back(rule);
  }
  constraints_ = hard_constraints(compiled_, reading);
}

}  // namespace shapelint::rules
