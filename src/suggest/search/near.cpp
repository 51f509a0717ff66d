// Searches near a model.
#include "suggest/search/near.hpp"

#include <algorithm>

#include "suggest/search/neighbourhood.hpp"
#include "suggest/search/optimize.hpp"

namespace shapelint::suggest {

namespace {

Problem problem_of(const model::Reading& reading, const Links& links, std::span<const model::FieldId> fields,
                   std::span<const Constraint> constraints, std::span<Evaluator* const> evaluators,
                   const NearLimits& limits) {
  Problem problem;
  problem.reading = &reading;
  problem.start = reading.setup;
  problem.links = links;
  problem.longer_is_padding = false;
  for (Evaluator* evaluator : evaluators) problem.gpus.push_back(&evaluator->gpu());
  problem.budget = {limits.parameters, -1, -1, -1, true, 0};
  problem.bounds = bounds_of(problem.start, problem.budget);
  problem.axes = neighbourhoods(reading, fields, limits.reach);
  const auto is_varied = [&](model::FieldId field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  if (is_varied(model::FieldId::num_attention_heads) && !is_varied(model::FieldId::num_key_value_heads) &&
      !links.key_value_heads && reading.setup.model.num_key_value_heads > 0) {
    problem.relative_groups = true;
    problem.axes.push_back({model::FieldId::num_key_value_heads, {0, 1}});
  }
  std::sort(problem.axes.begin(), problem.axes.end(),
            [](const Axis& a, const Axis& b) { return search_order(a.field) < search_order(b.field); });
  problem.constraints = [constraints, whole = links.head_dim_from_hidden,
                         present = reading.setup.model.head_dim] {
    std::vector<Constraint> out(constraints.begin(), constraints.end());
    if (whole) {
      out.push_back({"usual head dimensions", [present](const model::Setup& setup) {
                       return is_usual_head_dim(setup.model.head_dim, present);
                     }});
    }
    return out;
  };
  return problem;
}

std::vector<Change> changes_of(const Problem& problem, const Found& found) {
  model::Setup setup;
  resolve(problem, found.values, setup);
  std::vector<Change> changes;
  for (const Axis& axis : problem.axes) {
    const model::FieldInfo& field = model::info(axis.field);
    changes.push_back({axis.field, field.get(problem.start), field.get(setup)});
  }
  return changes;
}

// Networks are not made of a transformer's parts: every value is priced as a whole.
std::vector<Candidate> search_network(const model::Reading& reading, const Links& links,
                                      std::span<const model::FieldId> fields,
                                      std::span<const Constraint> constraints,
                                      std::span<Evaluator* const> evaluators, const NearLimits& limits) {
  std::vector<Candidate> out;
  for (const Axis& axis : neighbourhoods(reading, fields, limits.reach)) {
    const std::int64_t from = model::get(reading.setup, axis.field);
    for (const std::int64_t to : axis.values) {
      auto candidate = make_candidate(reading, links, {{axis.field, from, to}}, constraints);
      if (!candidate || !fits(candidate->setup, reading.setup, evaluators)) continue;
      price(*candidate, reading.setup, evaluators);
      const bool faster =
          std::all_of(candidate->gains.begin(), candidate->gains.end(), [](double gain) { return gain > 0; });
      if ((faster || !limits.faster_only) && out.size() < limits.keep) out.push_back(*std::move(candidate));
    }
  }
  return out;
}

}  // namespace

std::vector<Candidate> search_near(const model::Reading& reading, const Links& links,
                                   std::span<const model::FieldId> fields,
                                   std::span<const Constraint> constraints,
                                   std::span<Evaluator* const> evaluators, const NearLimits& limits) {
  if (!reading.setup.model.conv.empty())
    return search_network(reading, links, fields, constraints, evaluators, limits);
  const Problem problem = problem_of(reading, links, fields, constraints, evaluators, limits);
  SearchOptions options;
  options.keep = limits.keep;
  options.threads = 1;
  options.better_only = limits.faster_only;
  options.front = false;
  for (Evaluator* evaluator : evaluators) options.memos.push_back(&evaluator->prices());
  std::vector<Candidate> out;
  for (const Found& found : optimize(problem, options).best) {
    auto candidate = make_candidate(reading, links, changes_of(problem, found), constraints);
    if (!candidate) continue;  // the start itself
    price(*candidate, reading.setup, evaluators);
    out.push_back(*std::move(candidate));
  }
  return out;
}

}  // namespace shapelint::suggest
