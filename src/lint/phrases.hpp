// How gains and changes are put in words, the same in every format for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lint/report.hpp"
#include "project/project.hpp"
#include "rules/finding.hpp"

namespace shapelint::lint {

// `hidden_size`; "?" without a field.
std::string_view field_name(model::FieldId field);

// What a change changes: a field, or a layer's number as the file calls it.
std::string changed_name(const rules::Change& change);

// A share of the step with its uncertainty: "7.3 %" or "7.3 ± 2.0 %".
std::string share(double gain, double error);

// "7.3 %" for one GPU, "7.3 % on a100, 4.1 % on h100" for several. `unit`: "of the step", after the first.
std::string shares(const std::vector<rules::GpuGain>& gains, double gain, double error, std::size_t gpu_count,
                   std::string_view unit = {});

// "num_attention_heads 32 → 20, head_dim 80 → 128".
std::string changes_text(const std::vector<rules::Change>& changes);

// What follows from a proposal and is worth telling: "head_dim 128"; empty for nothing.
std::string implied_text(const rules::Proposal& proposal);

// "parameters 2.65 B → 2.71 B"; empty where they change by less than a thousandth.
std::string parameters_text(const rules::Proposal& proposal);

// What a saving is a share of: "per token" or "per GPU and token" where the step then has other tokens or
// GPUs, else "of the step".
std::string_view saving_unit(const rules::Proposal& proposal);

// "a step takes 2.01 ms instead of 1.93 ms" where the whole step changes otherwise than the time per token;
// else empty.
std::string step_text(const rules::Proposal& proposal);

// Changes, what they save, and how the number of parameters changes, on one line.
std::string proposal_text(const rules::Proposal& proposal, std::size_t gpu_count);

// The note of a finding with what else there is to say of it.
std::string note_text(const rules::Finding& finding);

// "7.3 % of the step (measured)"; empty for what costs nothing that is known (a run that cannot start).
std::string cost_text(const rules::Finding& finding, std::size_t gpu_count);

// "5 infos hidden, the largest saves 5.2 ± 6.6 % (SL601): `--min-severity info` shows them";
// empty where nothing is hidden.
std::string hidden_text(std::span<const ModelReport> models);

// "left out: a100-sxm4-80gb, which cannot multiply fp8 …", of GPUs' ids; empty for none.
std::string left_out_text(const std::vector<std::string>& gpus, DType dtype);

// "micro_batch_size 1 and sequence_length 4096"; empty for none.
std::string values_text(const std::vector<model::FieldId>& fields, const model::Setup& setup);

// "micro_batch_size and sequence_length".
std::string names_text(const std::vector<model::FieldId>& fields);

// "`--micro-batch-size` and `--sequence-length`".
std::string options_text(const std::vector<model::FieldId>& fields);

// What a fix writes, in the words of the file.

// What the first or another proposal of a finding writes, and how that is done: "--vocab-size 50304",
// "attention = "flash"", "num_attention_heads = 20 (head_dim 128)". Where the file has no literal to change
// the flag or key that the framework has for it, else the field with both values: "pipeline 4 → 2".
struct Written {
  std::string text;
  std::string how;  // what else is to be known of it; of the first alone
};
Written written(const rules::Finding& finding, std::size_t which, const ModelReport& model);

// Whether `--fix` makes the first proposal: it was tried (mark_fixable), or else it leaves the
// trained model as it is, and the file states what it changes.
bool is_fixable(const rules::Finding& finding, const ModelReport& model);

// Framework-specific instructions for a proposal.

// Notes how the dialect writes the choices that changes set, or those that findings propose.
void add_words(const formats::Dialect& dialect, std::span<const rules::Change> changes, ModelReport& model);
void add_words(const project::Configured& configured, ModelReport& model);

// Puts into each finding how the dialect sets what its first proposal changes, before what its rule says of
// that. A rule that speaks of the dialect itself has the last word.
void add_how(const project::Configured& configured, ModelReport& model);

}  // namespace shapelint::lint
