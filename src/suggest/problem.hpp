// What is asked of a search over whole models: which fields may move, what must hold, what is best.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "suggest/constraints.hpp"
#include "suggest/edit/change.hpp"
#include "suggest/edit/on_stack.hpp"
#include "suggest/search/neighbourhood.hpp"

namespace shapelint::suggest {

enum class Objective : std::uint8_t { tokens, mfu, step, prefill, decode, cost };
enum class GpuAggregate : std::uint8_t { worst, mean };
std::span<const std::string_view> objective_names();
std::span<const std::string_view> basket_names();

// How far candidates may be from the start, as shares; negative: any distance.
struct Budget {
  double parameters = 0.02;
  double tokens = -1;                  // per step
  double flops = -1;                   // forward, per token
  double aspect = 0.2;                 // hidden_size / num_layers
  bool memory = true;                  // candidates must fit the GPU, or need no more than the start
  std::int64_t target_parameters = 0;  // instead of the start's; 0: the start's
};

// Limits that a budget stands for. A start outside of them is no candidate itself.
struct Bounds {
  double parameters_low = 0, parameters_high = 0;
  double tokens_low = 0, tokens_high = 0;
  double flops_low = 0, flops_high = 0;
  double aspect_low = 0, aspect_high = 0;
};

struct Problem {
  const model::Reading* reading = nullptr;
  model::Setup start;  // the reading's, in the mode that the objective is about
  FieldDependencies links;
  std::vector<Axis> axes;  // in the order of search_order()
  // The axis of num_key_value_heads holds 0 (as many as the start) and 1 (as many per query head), not
  // counts.
  bool relative_groups = false;
  bool longer_is_padding = true;  // tokens of a longer sequence are padding: they count for nothing
  Objective objective = Objective::tokens;
  GpuAggregate basket = GpuAggregate::worst;
  std::vector<const gpu::Gpu*> gpus;
  std::vector<double> weights;  // by GPU, for Basket::mean; sum 1
  std::vector<double> prices;   // by GPU, per hour, for Objective::cost
  Budget budget;
  Bounds bounds;
  std::string
      broken;  // codes of hard rules, and contracts of the stack, that the start breaks: it cannot run
  Shape shape = Shape::free;       // that the constraints ask for
  std::string shape_note;          // what of the model is taken as fixed, and why; empty: nothing
  std::int64_t head_multiple = 1;  // that the constraints ask for
  // A fresh set for each thread: what they hold may not be evaluated by two threads at once.
  std::function<std::vector<Constraint>()> constraints;
  // What runs the models: candidates are searched by their sizes as they are written, and those that are kept
  // are priced as they are run. Absent: as they are written.
  MakeOnStack on_stack;
  std::string stack_note;  // packages of the stack, in words; empty without one
  std::vector<model::FieldId>
      padded;  // by the stack: nothing is gained by hand, so only who names one varies it
};

// Fields that a search may vary, by name.
std::span<const model::FieldId> search_fields();
// The place of a field in the search: those that everything depends on come first. -1: not searched.
int search_order(model::FieldId field);

// The bounds of `budget` around the start.
Bounds bounds_of(const model::Setup& start, const Budget& budget);

// The start in the mode that the objective is about (prefill, decode: the cache holds one sequence).
model::Setup in_mode_of(const model::Setup& start, Objective objective);

// Parts of a model whose linked fields have no whole value.
struct Unresolved {
  bool attention = false;
  bool mlp = false;
};
inline constexpr std::int64_t keep_value = std::numeric_limits<std::int64_t>::min();

// The start with one value per axis (keep_value: the start's), and what follows from them.
Unresolved resolve(const Problem& problem, std::span<const std::int64_t> values, model::Setup& setup);

// What a file that says what `reading` says must be changed to in order to say `target`: stated fields that
// differ, and others that would not follow by themselves. The rest of the differences are `implied`.
struct Edits {
  std::vector<Change> changes;
  std::vector<Change> implied;
};
Edits edits_between(const model::Reading& reading, const model::Setup& target);

}  // namespace shapelint::suggest
