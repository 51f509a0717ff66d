// What a rule may look at: the kinds of thing that a condition is evaluated on, and what each of them sees.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace shapelint::rules {

// The name of a row of scopes().
enum class Scope : std::uint8_t {
  model,
  parallel,
  step,
  gemm,
  attention,
  conv,
  file,
  remark,
  known,
  comment,
  contract
};

// What has to be known for a variable to have a value: the name of a row of levels().
enum class Level : std::uint8_t { model, gpu, step, op, gemm, conv, remark, known };

// What the rules of a scope may blame.
enum class Blames : std::uint8_t {
  fields,
  fields_or_dimensions,  // or m, n, k of a product: the fields that the dimension comes from
  layer_numbers,         // of a CNN: `out_channels` …
  itself                 // what is looked at has its own place: `blame` may be left out
};

// What becomes of several subjects for which a rule's condition holds.
enum class Merge : std::uint8_t {
  by_field,  // one finding for each blamed field
  together,  // one finding
  first      // the others would say the same
};

struct Context;
struct Finding;
struct EvaluationInput;
struct Subject;
struct Variable;

// All there is to know of a scope. A new one is a row here and a file with its subjects and variables.
struct ScopeInfo {
  Scope scope;
  std::string_view name;        // as a rule's file writes it
  std::string_view looks_at;    // for the rule's page
  std::span<const Level> sees;  // in addition to the model and, when there is one, the GPU
  Blames blames;
  std::vector<Subject> (*subjects)(
      const EvaluationInput&);  // what the condition is evaluated on, in their order
  Merge merge;
  void (*place)(const Context&, std::span<const std::string_view> blame, Finding&);
  bool needs_model;  // else its rules are evaluated on a file, be there a model in it or not
};
std::span<const ScopeInfo> scopes();
const ScopeInfo& info(Scope scope);
std::string_view name(Scope scope);
bool sees(Scope scope, Level level);

struct LevelInfo {
  Level level;
  std::string_view name;   // "the predicted step", for messages
  std::string_view title;  // in the table of variables
  std::string_view note;   // there, behind the scopes that see it
  std::span<const Variable> variables;
};
std::span<const LevelInfo> levels();
const LevelInfo& info(Level level);

// Whether a rule is evaluated on the predicted operations, so that what it asks is no condition on a model.
inline bool is_of_ops(Scope scope) {
  return sees(scope, Level::op);
}

}  // namespace shapelint::rules
