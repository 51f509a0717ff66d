// Conditions on candidates.
#include "suggest/search/feasible.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/units.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"
#include "suggest/search/optimize.hpp"

namespace shapelint::suggest {

namespace {

enum BuiltIn : std::size_t { whole, parameters, tokens, flops, aspect, memory, built_in_count };

bool between(double value, double low, double high) {
  return value >= low && value <= high;
}

double aspect_of(const model::Setup& setup) {
  return static_cast<double>(setup.model.hidden_size) /
         static_cast<double>(std::max<std::int64_t>(1, setup.model.num_layers));
}

using Conditions = std::vector<std::size_t>;

// Smallest set of conditions that has one of each set, by size; all of them when there is none of up to
// three.
Conditions hitting_set(const std::set<Conditions>& sets, std::size_t count) {
  const auto meets = [&](std::initializer_list<std::size_t> chosen) {
    return std::all_of(sets.begin(), sets.end(), [&](const Conditions& each) {
      return std::find_first_of(each.begin(), each.end(), chosen.begin(), chosen.end()) != each.end();
    });
  };
  for (std::size_t a = 0; a < count; ++a) {
    if (meets({a})) return {a};
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      if (meets({a, b})) return {a, b};
    }
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      for (std::size_t c = b + 1; c < count; ++c) {
        if (meets({a, b, c})) return {a, b, c};
      }
    }
  }
  Conditions all;
  for (std::size_t a = 0; a < count; ++a) all.push_back(a);
  return all;
}

}  // namespace

Feasible::Feasible(const Problem& problem) : problem_(problem) {
  if (problem.constraints) constraints_ = problem.constraints();
  for (const gpu::Gpu* gpu : problem.gpus) usable_.insert(usable_bytes(gpu::memory_gib(*gpu), problem.start));
  start_needs_ = memory_bytes(problem.start);
}

bool Feasible::plan(const model::Setup& plan) const {
  const Bounds& bounds = problem_.bounds;
  return between(aspect_of(plan), bounds.aspect_low, bounds.aspect_high) &&
         between(model::tokens_per_step(plan), bounds.tokens_low, bounds.tokens_high);
}

bool Feasible::fits(const model::Setup& setup) const {
  if (!problem_.budget.memory) return true;
  const double needed = memory_bytes(setup);
  return std::all_of(usable_.begin(), usable_.end(), [&](double usable) {
    return memory_allowed(setup, needed, problem_.start, start_needs_, usable);
  });
}

bool Feasible::candidate(std::span<const std::int64_t> values) {
  const Unresolved failed = resolve(problem_, values, setup_);
  if (failed.attention || failed.mlp) return false;
  const std::size_t count = constraints_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (last_ + i) % count;
    if (constraints_[at].holds(setup_)) continue;
    last_ = at;
    return false;
  }
  return fits(setup_);
}

std::vector<std::string> Feasible::names() const {
  const Bounds& b = problem_.bounds;
  std::vector<std::string> out(built_in_count);
  out[whole] = "whole heads (`num_attention_heads * head_dim = hidden_size`)";
  out[parameters] = fmt::format("`--params` ({} to {} parameters)", count_short(b.parameters_low),
                                count_short(b.parameters_high));
  out[tokens] = "`--tokens` (tokens per step)";
  out[flops] = "`--flops` (FLOPs per token)";
  out[aspect] = fmt::format("`--aspect` (hidden_size / num_layers from {} to {})", fixed(b.aspect_low, 1),
                            fixed(b.aspect_high, 1));
  const double smallest = usable_.empty() ? 0 : *usable_.begin();
  const bool start_fits = start_needs_ <= smallest;
  const double most = start_fits ? smallest : (1 + memory_slack) * start_needs_;
  out[memory] = fmt::format("memory (at most {} GiB per GPU{})", gib(most),
                            start_fits ? "" : ", 5 % above the present run, which does not fit");
  for (const Constraint& each : constraints_)
    out.push_back(each.name.starts_with('`') ? each.name
                                             : fmt::format("rule {0} (`shapelint explain {0}`)", each.name));
  return out;
}

std::vector<std::size_t> Feasible::broken(std::span<const std::int64_t> values) {
  const Unresolved failed = resolve(problem_, values, setup_);
  const Bounds& b = problem_.bounds;
  Conditions out;
  const auto check = [&](std::size_t condition, bool holds) {
    if (!holds) out.push_back(condition);
  };
  check(whole, !failed.attention && !failed.mlp);
  if (!out.empty()) return out;  // the rest has no meaning then
  check(parameters,
        between(static_cast<double>(model::parameter_count(setup_)), b.parameters_low, b.parameters_high));
  check(tokens, between(model::tokens_per_step(setup_), b.tokens_low, b.tokens_high));
  check(flops, between(model::forward_flops_per_token(setup_), b.flops_low, b.flops_high));
  check(aspect, between(aspect_of(setup_), b.aspect_low, b.aspect_high));
  check(memory, fits(setup_));
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    check(built_in_count + i, constraints_[i].holds(setup_));
  }
  return out;
}

namespace {

// Calls `visit` with the values of each combination, or of `most` that are evenly spread, until it says no.
template <class Visit>
void for_each_combination(const Problem& problem, std::size_t most, const Visit& visit) {
  double combinations = 1;
  for (const Axis& axis : problem.axes) combinations *= static_cast<double>(axis.values.size());
  const double step = std::max(1.0, combinations / static_cast<double>(most));
  std::vector<std::int64_t> values(problem.axes.size());
  for (double at = 0; at < combinations; at += step) {
    double index = std::floor(at);
    for (std::size_t i = problem.axes.size(); i-- > 0;) {
      const auto size = static_cast<double>(problem.axes[i].values.size());
      const double quotient = std::floor(index / size);
      values[i] = problem.axes[i].values[static_cast<std::size_t>(index - quotient * size)];
      index = quotient;
    }
    if (!visit(values)) return;
  }
}

}  // namespace

Broken count_broken(const Problem& problem, std::size_t most) {
  Feasible feasible(problem);
  Broken out;
  out.names = feasible.names();
  out.counts.resize(out.names.size());
  for_each_combination(problem, most, [&](std::span<const std::int64_t> values) {
    const Conditions broken = feasible.broken(values);
    ++out.looked_at;
    if (!broken.empty()) ++out.any;
    for (const std::size_t each : broken) ++out.counts[each];
    return true;
  });
  return out;
}

std::vector<std::string> unsatisfiable(const Problem& problem, std::size_t most) {
  Feasible feasible(problem);
  std::set<Conditions> sets;
  bool some_allowed = false;
  for_each_combination(problem, most, [&](std::span<const std::int64_t> values) {
    Conditions broken = feasible.broken(values);
    some_allowed = broken.empty();
    sets.insert(std::move(broken));
    return !some_allowed;
  });
  if (some_allowed) return {};
  const std::vector<std::string> names = feasible.names();
  // Where only the heads are not whole nothing else is known: not to blame unless nothing else is left.
  if (sets.size() > 1) sets.erase({whole});
  std::vector<std::string> out;
  for (const std::size_t each : hitting_set(sets, names.size())) out.push_back(names[each]);
  return out;
}

}  // namespace shapelint::suggest
