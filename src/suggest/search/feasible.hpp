// Whether a candidate may be proposed: budget, memory, constraints. Internal to the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "suggest/problem.hpp"

namespace shapelint::suggest {

// Belongs to one thread.
class Feasible {
 public:
  explicit Feasible(const Problem& problem);
  // What the fields of the plan, hidden_size and num_layers decide.
  bool plan(const model::Setup& plan) const;
  // Everything else that is not a matter of parts: memory and constraints. `values` by axis.
  bool candidate(std::span<const std::int64_t> values);

  // All conditions by name, and those of them that a combination breaks, as ascending indices.
  std::vector<std::string> names() const;
  std::vector<std::size_t> broken(std::span<const std::int64_t> values);

 private:
  bool fits(const model::Setup& setup) const;
  const Problem& problem_;
  std::vector<Constraint> constraints_;
  std::size_t last_ = 0;     // the constraint that failed last: asked first
  double start_needs_ = 0;   // bytes
  std::set<double> usable_;  // bytes, of each GPU
  model::Setup setup_;
};

// How many of the combinations break each condition; of large spaces `most` combinations, evenly spread.
struct Broken {
  std::vector<std::string> names;
  std::vector<std::int64_t> counts;  // by name
  std::int64_t any = 0;              // that break at least one
  std::int64_t looked_at = 0;
};
Broken count_broken(const Problem& problem, std::size_t most);

}  // namespace shapelint::suggest
