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
  double step_us = 0;
  double mfu = 0;
  double tokens_per_s_per_gpu = 0;
  double dollars_per_m_tokens = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t capacity_bytes = 0;
};
template <class Visitor>
void describe(Visitor& of, const Performance*) {
  of.type("Performance", "Speed and memory of a shape on one GPU.");
  of("step_us", &Performance::step_us, "");
  of("mfu", &Performance::mfu, "");
  of("tokens_per_s_per_gpu", &Performance::tokens_per_s_per_gpu, "");
  of("dollars_per_m_tokens", &Performance::dollars_per_m_tokens, "per 10^6 tokens, if a price is known",
     When::unless_empty);
  of("memory_bytes", &Performance::memory_bytes, "per GPU");
  of("capacity_bytes", &Performance::capacity_bytes, "GPU memory", When::or_null);
}

struct StartOnGpu : Performance {
  std::string gpu;
};
template <class Visitor>
void describe(Visitor& of, const StartOnGpu*) {
  of.type("StartOnGpu", "The file's own shape on one GPU.");
  of("gpu", &StartOnGpu::gpu, "id");
  of.base(static_cast<const Performance*>(nullptr));
}

struct Cause {
  std::string operation;
  std::string effect;
  std::string description;
  double share = 0;
  std::string sizes;
};
template <class Visitor>
void describe(Visitor& of, const Cause*) {
  of.type("Cause", "Time saved by one effect in one operation: a share of the start's step. Negative: lost.");
  of("operation", &Cause::operation, "its name");
  of("effect", &Cause::effect, "`alignment`, `tile`, `wave` …, or `work`");
  of("description", &Cause::description, "the same in words");
  of("share", &Cause::share, "");
  of("sizes", &Cause::sizes, "changed sizes: `n 50257 → 50304`");
}

struct SuggestionOnGpu : Performance {
  std::string gpu;
  double gain = 0;
  double gain_error = 0;
  bool measured = false;
  std::vector<Cause> causes;
  double other = 0;
};
template <class Visitor>
void describe(Visitor& of, const SuggestionOnGpu*) {
  of.type("SuggestionOnGpu", "A suggestion on one GPU.");
  of("gpu", &SuggestionOnGpu::gpu, "id");
  of("gain", &SuggestionOnGpu::gain, "of the objective: 1 - new / old cost");
  of("gain_error", &SuggestionOnGpu::gain_error, "half width of its interval", When::or_null);
  of("measured", &SuggestionOnGpu::measured, "mostly backed by measurements on this GPU");
  of.base(static_cast<const Performance*>(nullptr));
  of("causes", &SuggestionOnGpu::causes, "largest first");
  of("other", &SuggestionOnGpu::other, "sum of the rest");
}

struct AloneChange : Change {
  bool possible = false;
  double gain = 0;
};
template <class Visitor>
void describe(Visitor& of, const AloneChange*) {
  of.type("AloneChange", "A change made alone.");
  of.base(static_cast<const Change*>(nullptr));
  of("possible", &AloneChange::possible, "some changes work only together");
  of("gain", &AloneChange::gain, "if possible", When::unless_empty);
}

struct Suggestion {
  double gain = 0;
  double gain_error = 0;
  double of_best = 0;
  std::int64_t parameters = 0;
  std::vector<Change> changes;
  std::vector<Change> implied;
  std::vector<AloneChange> alone;
  std::vector<SuggestionOnGpu> by_gpu;
};
template <class Visitor>
void describe(Visitor& of, const Suggestion*) {
  of.type("Suggestion", "A better shape.");
  of("gain", &Suggestion::gain, "of the objective, combined over GPUs by `basket`");
  of("gain_error", &Suggestion::gain_error, "half width of its interval", When::or_null);
  of("of_best", &Suggestion::of_best, "of several GPUs: 1 is the best of each", When::unless_empty);
  of("parameters", &Suggestion::parameters, "");
  of("changes", &Suggestion::changes, "");
  of("implied", &Suggestion::implied, "derived values that change too");
  of("alone", &Suggestion::alone, "each change made alone");
  of("by_gpu", &Suggestion::by_gpu, "");
}

struct FrontPoint {
  std::int64_t parameters = 0;
  double speed = 0;
  std::vector<Change> changes;
  std::vector<Change> implied;
};
template <class Visitor>
void describe(Visitor& of, const FrontPoint*) {
  of.type("FrontPoint", "A point of the Pareto front of parameters and speed.");
  of("parameters", &FrontPoint::parameters, "");
  of("speed", &FrontPoint::speed, "relative to the start");
  of("changes", &FrontPoint::changes, "");
  of("implied", &FrontPoint::implied, "derived values that change too");
}

struct Exclusion {
  std::string condition;
  double share = 0;
};
template <class Visitor>
void describe(Visitor& of, const Exclusion*) {
  of.type("Exclusion", "A condition, and the share of the combinations that break it.");
  of("condition", &Exclusion::condition, "");
  of("share", &Exclusion::share, "");
}

struct SuggestStart {
  std::int64_t parameters = 0;
  std::vector<StartOnGpu> by_gpu;
};
template <class Visitor>
void describe(Visitor& of, const SuggestStart*) {
  of.type("SuggestStart", "The file's own shape.");
  of("parameters", &SuggestStart::parameters, "");
  of("by_gpu", &SuggestStart::by_gpu, "");
}

struct SuggestResult {
  std::string model;
  std::string path;
  std::string objective;
  std::string basket;
  std::vector<std::string> broken_rules;
  std::int64_t head_multiple = 0;
  std::string shape_note;
  std::string stack_note;
  std::int64_t doubtful = 0;
  std::vector<std::string> gpus;
  SuggestStart start;
  std::vector<Suggestion> suggestions;
  std::vector<FrontPoint> front;
  double behind_front = 0;
  double candidates = 0;
  std::optional<double> priced{};
  double excluded = 0;
  std::vector<Exclusion> exclusions;
  bool complete = true;
  double gap = 0;
};
template <class Visitor>
void describe(Visitor& of, const SuggestResult*) {
  of.type("SuggestResult", "Better shapes near the file's.");
  of("model", &SuggestResult::model, "its name");
  of("path", &SuggestResult::path, "of its file");
  of("objective", &SuggestResult::objective, "tokens, mfu, step, prefill, decode or cost");
  of("basket", &SuggestResult::basket, "of several GPUs: worst or mean");
  of("broken_rules", &SuggestResult::broken_rules, "codes of the rules that the start violates");
  of("head_multiple", &SuggestResult::head_multiple, "numbers of heads are multiples of this or divide it");
  of("shape_note", &SuggestResult::shape_note, "which dimensions are fixed, and why", When::unless_empty);
  of("stack_note", &SuggestResult::stack_note, "effect of the stack", When::unless_empty);
  of("doubtful", &SuggestResult::doubtful, "shapes omitted because their gain is within its error");
  of("gpus", &SuggestResult::gpus, "ids");
  of("start", &SuggestResult::start, "");
  of("suggestions", &SuggestResult::suggestions, "best first; empty: nothing better was found");
  of("front", &SuggestResult::front, "");
  of("behind_front", &SuggestResult::behind_front,
     "how much faster the fastest shape with as many parameters is");
  of("candidates", &SuggestResult::candidates, "combinations in the search space");
  of("priced", &SuggestResult::priced, "of a stopped search: combinations predicted one by one");
  of("excluded", &SuggestResult::excluded, "share that violates a condition", When::unless_empty);
  of("exclusions", &SuggestResult::exclusions, "", When::unless_empty);
  of("complete", &SuggestResult::complete, "false: stopped early");
  of("gap", &SuggestResult::gap,
     "bound on how much better than the first suggestion any other is; null: unknown");
}

// Errors: those of price_step(), no-candidates. Only transformers can be searched.
SHAPELINT_API Result<SuggestResult> suggest(const FileSystem& files, const Source& source,
                                            const SuggestOptions& options = {});

}  // namespace shapelint::api
