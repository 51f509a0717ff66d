// The search over whole models: branch and bound, exact unless it is stopped.
//
// Fields are fixed one after the other, those that everything depends on first. With some of them fixed, each
// part of the model is at least as fast as its fastest completion, and the sum over the parts bounds the
// step: a branch is left when that bound is no better than what has been found, when it cannot meet a bound
// of the budget, or when a linked field would not be whole. Constraints are only asked of candidates that
// would be kept. The answer does not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cost/step.hpp"
#include "suggest/problem.hpp"

namespace shapelint::suggest {

struct RankedPoint {
  std::vector<std::int64_t> values;  // by axis
  double value = 0;                  // of the objective: the start's is 1, larger is better
  double speed = 0;                  // tokens per second relative to the start's, the basket's GPUs together
  std::int64_t parameters = 0;
};

struct Progress {
  double done = 0;  // share of the branches
  double best = 0;  // value
};

struct SearchOptions {
  std::size_t keep = 10;
  std::size_t threads = 0;  // 0: as many as the machine has, at least two; 1: the calling one
  bool better_only = true;  // drop what is not better than the start
  // Of candidates that change the same fields only the best one, and none with changes that gain nothing.
  bool distinct = false;
  bool front = true;                    // also look for the front of parameters against speed
  bool prune = true;                    // false: look at everything (for tests)
  std::vector<double> references;       // by GPU: what costs are relative to; empty: the start's
  std::vector<cost::PriceMemo*> memos;  // by GPU: prices known already, for searches with one thread
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const Progress&)> progress;  // from the calling thread, a few times a second
};

struct SearchOutcome {
  std::vector<RankedPoint> best;   // best first; `keep` at most
  std::vector<RankedPoint> front;  // by parameters: no other is as large and faster
  double candidates = 0;           // combinations of the space
  double priced = 0;               // that were looked at one by one
  bool complete = true;
  double bound = 0;  // when it was stopped: no candidate's value is above this; infinite: nobody knows
};

SearchOutcome optimize(const Problem& problem, const SearchOptions& options);

// Cost of the start for the objective on each GPU: the references of a search without any.
std::vector<double> start_costs(const Problem& problem);

// The best cost that each GPU alone can have: references of a basket. Problems with one GPU: the start's
// cost.
std::vector<double> per_gpu_best_costs(const Problem& problem, const SearchOptions& options);

// Which constraints leave nothing: names of the smallest set that every combination breaks at least one of.
// Empty when some combination meets all of them. Looks at `most` combinations at most, evenly spread.
std::vector<std::string> unsatisfiable(const Problem& problem, std::size_t most = 200'000);

}  // namespace shapelint::suggest
