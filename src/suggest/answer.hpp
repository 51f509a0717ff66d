// What a search over whole models has to tell: ranked suggestions, each priced exactly and explained, and the
// front of parameters against speed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "suggest/problem.hpp"
#include "suggest/search/causes.hpp"
#include "suggest/search/optimize.hpp"

namespace shapelint::suggest {

struct Performance {
  double time_us = 0;  // of the step
  double mfu = 0;
  double tokens_per_s = 0;   // of one GPU
  double dollars_per_m = 0;  // per million tokens, where a price is known
  double memory_gb = 0;      // needed
  double capacity_gb = 0;    // of the GPU; 0: not known
};

struct OnGpu {
  std::string gpu;  // id
  Performance now;
  double gain = 0;   // of the objective: 1 - new / old cost
  double error = 0;  // half width of its interval
  bool measured = false;
  std::vector<Cause> causes;  // largest first; those below `least_cause` are left out
  double other = 0;           // what the rest adds up to
};

// A change made alone, and what that saves (the basket's GPUs together).
struct Ablation {
  Change change;
  bool valid = false;  // some changes are only possible together
  double gain = 0;
};

struct Suggestion {
  Edits edits;
  model::Setup setup;  // in the file's own mode
  std::int64_t parameters = 0;
  // Of the objective: 1 - new / old cost. Of several GPUs that of the one that gains least, or the weighted
  // mean.
  double gain = 0;
  double error = 0;
  double of_best = 0;  // several GPUs: what candidates are ranked by, 1 is each GPU's own best
  std::vector<OnGpu> gpus;
  std::vector<Ablation> alone;
};

// A condition that combinations of the space break.
struct Exclusion {
  std::string name;
  double share = 0;  // of the combinations
};

struct FrontPoint {
  Edits edits;
  std::int64_t parameters = 0;
  double speed = 0;  // relative to the start
};

struct Answer {
  std::vector<std::string> gpus;
  std::vector<Performance> start;  // by GPU
  std::int64_t start_parameters = 0;
  std::vector<Suggestion> suggestions;  // each gains more than its error, unless the start cannot run
  // Found, and no faster than now as far as anyone can tell: how many, and the one that gains most.
  std::size_t doubtful = 0;
  double doubtful_gain = 0;
  double doubtful_error = 0;
  std::vector<FrontPoint> front;
  // How much faster the fastest shape of the space is that has at least the start's parameters: 0.1 is 10 %.
  double behind_front = 0;
  double candidates = 0;
  double priced = 0;
  double excluded = 0;                // share of the combinations that break any condition, and
  std::vector<Exclusion> exclusions;  // which, most first; only looked for when nothing better was found
  bool complete = true;
  // When stopped early: nothing is better than the first (or the start) by more; infinite: nobody knows.
  double gap = 0;
};

Answer explain(const Problem& problem, const SearchOutcome& outcome, const SearchOptions& options);

}  // namespace shapelint::suggest
