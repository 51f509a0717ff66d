// What the linter says: a rule, a place, a predicted cost, and what to try.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/fields.hpp"
#include "suggest/edit/change.hpp"

namespace shapelint::rules {

enum class Severity : std::uint8_t { info, warning, error };
enum class Confidence : std::uint8_t { estimated, measured, certain };
std::string_view name(Severity severity);
std::string_view name(Confidence confidence);

using suggest::Change;

// What something saves on one GPU: a share of the time per token (1 - new / old). What a smaller model saves
// by being smaller is not counted, what a larger one costs is.
struct GpuGain {
  std::string gpu;  // id
  double gain = 0;
  double error = 0;  // half width of its interval; 0: not known
  // Of a proposal: a whole step on one rank, now and then. Where a replica takes other GPUs, or a step other
  // tokens, they are not in the gain.
  double step_us = 0;
  double new_step_us = 0;
};

// One way out: a few fields changed together, and what that does.
struct Proposal {
  std::vector<Change> changes;  // what to edit
  std::vector<Change> implied;  // values that follow without being edited (head_dim from the number of heads)
  double gain = 0;              // the mean over the GPUs of the finding
  double gain_error = 0;
  std::vector<GpuGain> gains;  // one per GPU of the finding
  std::int64_t parameters_before = 0;
  std::int64_t parameters_after = 0;
  double memory_bytes = 0;  // that the changed run needs on one GPU, where that is what it is about; else 0
  // Of one change: other multiples of this, near it and in its direction, gain as much as far as the
  // prediction can tell; 0: none.
  std::int64_t or_multiple_of = 0;
  bool is_by_hand = false;  // the rule says which of a format's words is meant: no edit knows better
};

struct Finding {
  std::string_view code;  // SL101
  std::string_view rule;  // vocab-misaligned
  Severity severity = Severity::warning;
  Confidence confidence = Confidence::estimated;
  std::string gpu;                   // id that it holds for; empty: for all GPUs of the run
  std::string message;               // the fact, with numbers
  std::string message_without_time;  // the same of a step that fails or does not fit; empty: `message`
  std::string label;  // what it leads to or why, in a few words: stands at the value; may be empty
  std::string why;    // one or two sentences: the mechanism
  std::string brief;  // says in a few words what was not looked at; empty: not what the rule is about
  std::string how;    // how the file's dialect does what is proposed; may be empty
  std::vector<model::FieldId> assumed;  // unstated values that the finding depends on
  model::FieldId blamed = model::no_field;
  std::int64_t layer_value = -1;  // of the layers that have this of their own; -1: blamed of the model
  std::vector<model::FieldId> related;
  std::string path;  // of the file
  Span span;         // the value's bytes; empty when nothing in the file states it
  Span use_span;     // where that value is used, when it is written elsewhere; empty otherwise
  std::string key_path;
  std::string note;   // such as "the value is Megatron's default; the file does not state it"
  std::string aside;  // further notes for those who ask: other rules of the same defect, versions
  bool certain_to_fail = false;
  double gain = 0;                  // predicted share of the step that the best proposal saves
  double gain_error = 0;            // half width of its interval; 0: not known
  std::vector<GpuGain> gains;       // the same for each GPU that it holds for
  std::vector<Proposal> proposals;  // best first; may be empty for what is certain to fail
  std::vector<std::string> ops;     // names of the ops that lose time
  std::int32_t number = -1;         // among those of its model, whatever is left out later; -1: of the file
  std::vector<std::int32_t> also_fixes;  // numbers of those that the first proposal fixes, too
};

}  // namespace shapelint::rules
