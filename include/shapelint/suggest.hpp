// A search for better shapes near a given one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"
#include "shapelint/lint.hpp"
#include "shapelint/model.hpp"

namespace shapelint::api {

// What is to be large: tokens per second, MFU, or tokens per dollar; or small: the step's time, that of a
// prompt, or of a decoding step.
enum class Objective : std::uint8_t { tokens, mfu, step, prefill, decode, cost };
// Of several GPUs: the one that gains least, or the weighted mean.
enum class Basket : std::uint8_t { worst, mean };

// How far suggestions may be from the start, as shares; negative: any distance.
struct Budget {
  double parameters = 0.02;
  double tokens = -1;   // per step
  double flops = -1;    // forward, per token
  double aspect = 0.2;  // hidden_size / num_layers
  bool memory = true;   // they fit the GPU, or need no more than the start
};

struct SearchProgress {
  double done = 0;  // share of the space
  double best = 0;  // of the objective, the start's is 1
};

struct SuggestOptions {
  ReadOptions read{};
  GpuSelection gpus{};
  std::string model{};                // which of several; empty: the first
  std::vector<std::string> vary{};    // fields; empty: the usual ones of the model
  std::vector<std::string> fix{};     // fields that stay
  std::vector<std::string> ranges{};  // `hidden_size=2048:4096:64`, `tensor=1,2,4`
  std::vector<std::string> where{};   // conditions: `hidden_size % 256 == 0`
  // As in LintOptions. Free where `vary` or `ranges` name a dimension of the model.
  std::optional<Shape> shape{};
  std::optional<std::int64_t> head_multiple{};
  Budget budget{};
  Objective objective = Objective::tokens;
  Basket basket = Basket::worst;
  std::map<std::string, double> weights{};  // by GPU, for Basket::mean; 1 unless it is here
  std::map<std::string, double> prices{};   // by GPU, of an hour; Objective::cost needs them
  std::size_t top = 10;
  bool every = false;       // also those that change what a better one changes
  std::size_t threads = 0;  // 0: as many as the machine has; the answer is the same
  // Called before the search and now and then, from the calling thread; false ends it with what it has.
  std::function<bool(const SearchProgress&)> progress{};
};

struct Performance {
  double time_us = 0;  // of the step
  double mfu = 0;
  double tokens_per_s = 0;          // of one GPU
  double dollars_per_m_tokens = 0;  // where a price is known
  double memory_gb = 0;             // that it needs
  double capacity_gb = 0;           // of the GPU; 0: not known
};

// Time that one effect takes less in one operation: a share of the start's step. Negative: more.
struct Cause {
  std::string operation;
  std::string effect;       // `alignment`, `tile`, `wave` …, or `work`
  std::string description;  // the same for people
  double share = 0;
  std::string sizes;  // what changed: `n 50257 → 50304`
};

struct SuggestionOnGpu {
  std::string gpu;  // id
  Performance performance;
  double gain = 0;  // of the objective: 1 - new / old cost
  double gain_error = 0;
  bool measured = false;      // measurements on this GPU back most of it
  std::vector<Cause> causes;  // largest first
  double other = 0;           // what the rest adds up to
};

// A change made alone.
struct AloneChange {
  Change change;
  bool possible = false;  // some only are together
  double gain = 0;
};

struct Suggestion {
  std::vector<Change> changes;
  std::vector<Change> implied;
  std::int64_t parameters = 0;
  double gain = 0;  // of the objective, as the basket says
  double gain_error = 0;
  double of_best = 0;  // several GPUs: 1 is each one's own best
  std::vector<SuggestionOnGpu> gpus;
  std::vector<AloneChange> alone;
};

// No other shape is as large and faster.
struct FrontPoint {
  std::vector<Change> changes;
  std::vector<Change> implied;
  std::int64_t parameters = 0;
  double speed = 0;  // relative to the start
};

// A condition, and the share of the combinations that break it.
struct Exclusion {
  std::string condition;
  double share = 0;
};

struct SuggestResult {
  std::string model;
  std::string path;
  std::string shape_note;          // what of the model is taken as fixed, and why; empty: nothing
  std::vector<std::string> gpus;   // ids
  std::vector<Performance> start;  // by GPU
  std::int64_t start_parameters = 0;
  std::vector<Suggestion> suggestions;  // best first; none: nothing better was found
  std::vector<FrontPoint> front;
  double behind_front = 0;  // how much faster the fastest shape with as many parameters is
  double candidates = 0;    // combinations of the space
  double priced = 0;        // that were looked at one by one
  double excluded = 0;      // share that breaks a condition; known only when nothing was found
  std::vector<Exclusion> exclusions;
  bool complete = true;  // false: stopped early, and
  double gap = 0;        // nothing is better than the first suggestion by more; infinite: nobody knows
};

// Errors: those of price_step(), no-candidates. Only transformers can be searched.
SHAPELINT_API Result<SuggestResult> suggest(const FileSystem& files, const Source& source,
                                            const SuggestOptions& options = {});

}  // namespace shapelint::api
