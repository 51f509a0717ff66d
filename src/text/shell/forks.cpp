// Which forks of a script to keep apart.
#include <algorithm>

#include "text/shell/outcomes.hpp"

namespace shapelint::text::shell {

namespace {

// The variables that a fork's branches set to different numbers, at any depth.
class Settings {
 public:
  Settings(std::string_view source, const Names& relevant) : source_(source), relevant_(relevant) {}

  void visit(const std::vector<Statement>& statements) {
    for_each_statement(statements, [&](const Statement& statement) {
      charge();
      for (const Assignment& each : statement.assignments) {
        if (each.is_array || each.is_element || !relevant_.contains(each.name)) continue;
        const std::string_view value = source_.substr(each.value.begin, each.value.end - each.value.begin);
        const bool is_number =
            !value.empty() && value.find_first_not_of("0123456789.") == std::string_view::npos;
        if (is_number) values_[each.name].insert(value);
      }
    });
  }

  std::int64_t count() const {
    return std::count_if(values_.begin(), values_.end(),
                         [](const auto& each) { return each.second.size() > 1; });
  }

 private:
  std::string_view source_;
  const Names& relevant_;
  std::map<std::string, std::set<std::string_view>> values_;
};

void weigh(const std::vector<Statement>& statements, std::string_view source, const Names& relevant,
           Weights& weights) {
  for (const Statement& statement : statements) {
    weigh(statement.body, source, relevant, weights);
    if (statement.kind != Statement::Kind::if_ && statement.kind != Statement::Kind::case_) continue;
    Settings settings(source, relevant);
    for (const Branch& branch : statement.branches) {
      weigh(branch.body, source, relevant, weights);
      settings.visit(branch.body);
    }
    weights[statement.extent.begin] = settings.count();
  }
}

// What an outcome went through besides one fork.
std::vector<Taken> without(const Outcome& outcome, std::size_t fork) {
  charge(2 * (1 + outcome.branches.size()));
  std::vector<Taken> others = outcome.branches;
  others.erase(
      std::remove_if(others.begin(), others.end(), [&](const Taken& each) { return each.fork == fork; }),
      others.end());
  return others;
}

void join_fork(std::vector<Outcome>& outcomes, std::size_t fork, const Names& relevant) {
  std::vector<Outcome> kept;
  while (!outcomes.empty()) {
    std::vector<Taken> others = without(outcomes.front(), fork);
    const bool ended = outcomes.front().ended;
    std::vector<Outcome> alike;
    std::vector<Outcome> rest;
    for (Outcome& outcome : outcomes) {
      const std::vector<Taken> its = without(outcome, fork);
      const bool is_alike = outcome.ended == ended &&
                            std::equal(its.begin(), its.end(), others.begin(), others.end(), same_branch);
      (is_alike ? alike : rest).push_back(std::move(outcome));
    }
    join_outcomes(alike, relevant);
    alike.front().branches = std::move(others);
    kept.push_back(std::move(alike.front()));
    outcomes = std::move(rest);
  }
  outcomes = std::move(kept);
}

std::set<std::size_t> forks_of(const std::vector<Outcome>& outcomes) {
  std::set<std::size_t> forks;
  for (const Outcome& outcome : outcomes) {
    charge(10 * outcome.branches.size());
    for (const Taken& each : outcome.branches) forks.insert(each.fork);
  }
  return forks;
}

std::int64_t weight_of(std::size_t fork, const Weights& weights) {
  const auto found = weights.find(fork);
  return found == weights.end() ? 0 : found->second;
}

}  // namespace

Weights fork_weights(const std::vector<Statement>& statements, std::string_view source,
                     const Names& relevant) {
  Weights weights;
  weigh(statements, source, relevant, weights);
  return weights;
}

void reduce_outcomes(std::vector<Outcome>& outcomes, const Names& relevant, const Weights& weights) {
  while (outcomes.size() > max_outcomes) {
    charge();
    const std::set<std::size_t> forks = forks_of(outcomes);
    if (forks.empty() || (forks.size() == 1 && outcomes.size() > max_alternatives))
      return join_outcomes(outcomes, relevant);
    if (forks.size() == 1) return;
    // The fork that says least of sizes, the last of several.
    const std::size_t least =
        *std::min_element(forks.begin(), forks.end(), [&](std::size_t a, std::size_t b) {
          const std::int64_t left = weight_of(a, weights);
          const std::int64_t right = weight_of(b, weights);
          return left != right ? left < right : a > b;
        });
    join_fork(outcomes, least, relevant);
  }
}

void keep_sizes(std::vector<Outcome>& outcomes, const Names& relevant, const Weights& weights) {
  constexpr std::int64_t numbers_of_a_size = 2;
  const std::set<std::size_t> forks = forks_of(outcomes);
  const bool tells_sizes = std::any_of(forks.begin(), forks.end(), [&](std::size_t fork) {
    return weight_of(fork, weights) >= numbers_of_a_size;
  });
  if (!tells_sizes) return;
  for (const std::size_t fork : forks) {
    if (weight_of(fork, weights) == 0) join_fork(outcomes, fork, relevant);
  }
}

}  // namespace shapelint::text::shell
