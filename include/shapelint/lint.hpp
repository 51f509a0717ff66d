// What the linter finds in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapelint/catalog.hpp"
#include "shapelint/common.hpp"
#include "shapelint/files.hpp"
#include "shapelint/model.hpp"
#include "shapelint/step.hpp"

namespace shapelint::api {

struct GpuGain {
  std::string gpu;
  double gain = 0;
  double gain_error = 0;
  double step_us = 0;
  double new_step_us = 0;
};
template <class Visitor>
void describe(Visitor& of, const GpuGain*) {
  of.type("GpuGain", "The saving on one GPU: a share of the time per token, 1 - new / old.");
  of("gpu", &GpuGain::gpu, "id");
  of("gain", &GpuGain::gain, "");
  of("gain_error", &GpuGain::gain_error, "half width of its interval", When::or_null);
  of("step_us", &GpuGain::step_us, "of a proposal: step time now", When::unless_empty);
  of("new_step_us", &GpuGain::new_step_us, "with the proposal", When::unless_empty);
}

struct Change {
  std::string field;
  Scalar before{};
  Scalar after{};
};
template <class Visitor>
void describe(Visitor& of, const Change*) {
  of.type("Change", "A field set to another value.");
  of("field", &Change::field, "`hidden_size`; for a CNN layer the file's name: `conv[2].out_channels`");
  of("before", &Change::before, "");
  of("after", &Change::after, "");
}

struct Edit {
  std::string path;
  Range range;
  std::string new_text;
};
template <class Visitor>
void describe(Visitor& of, const Edit*) {
  of.type("Edit", "New text for a range of a file; apply several from the last to the first.");
  of("path", &Edit::path, "of the file");
  of("range", &Edit::range, "");
  of("new_text", &Edit::new_text, "");
}

// Dimensions that proposals may change: all; those that can be padded with zeros (vocabulary, intermediate
// sizes); or vocabulary padding only. By default it follows from the file: a trained checkpoint keeps its
// heads.
enum class Shape : std::uint8_t { free, padding, fixed };
SHAPELINT_API std::string_view name(Shape shape);
constexpr std::string_view type_name(Shape) {
  return "Shape";
}
constexpr Shape last_of(Shape) {
  return Shape::fixed;
}

// Whether a proposal may be applied without asking: the trained model is unchanged; it changes; or an edit of
// the file is not enough.
enum class Applicability : std::uint8_t { safe, unsafe, manual };
SHAPELINT_API std::string_view name(Applicability applicability);
constexpr std::string_view type_name(Applicability) {
  return "Applicability";
}
constexpr Applicability last_of(Applicability) {
  return Applicability::manual;
}

struct Proposal {
  std::string summary;
  Applicability applicability = Applicability::manual;
  std::vector<Change> changes;
  std::vector<Change> implied;
  std::vector<Edit> edits;
  double gain = 0;
  double gain_error = 0;
  std::vector<GpuGain> by_gpu;
  std::int64_t parameters_before = 0;
  std::int64_t parameters_after = 0;
  std::int64_t memory_bytes_before = 0;
  std::int64_t memory_bytes_after = 0;
  std::int64_t or_multiple_of = 0;
};
template <class Visitor>
void describe(Visitor& of, const Proposal*) {
  of.type("Proposal", "One fix of a finding.");
  of("summary", &Proposal::summary, "on one line");
  of("applicability", &Proposal::applicability,
     "safe: the trained model is unchanged; unsafe: it changes; manual: needs more than an edit of the file");
  of("changes", &Proposal::changes, "what to edit");
  of("implied", &Proposal::implied, "derived values that change too");
  of("edits", &Proposal::edits, "edits of the linted file that make the changes; empty if manual");
  of("gain", &Proposal::gain, "share of the step time, mean over the finding's GPUs");
  of("gain_error", &Proposal::gain_error, "half width of its interval", When::or_null);
  of("by_gpu", &Proposal::by_gpu, "");
  of("parameters_before", &Proposal::parameters_before, "");
  of("parameters_after", &Proposal::parameters_after, "");
  of("memory_bytes_before", &Proposal::memory_bytes_before, "per GPU", When::or_null);
  of("memory_bytes_after", &Proposal::memory_bytes_after, "", When::or_null);
  of("or_multiple_of", &Proposal::or_multiple_of,
     "of one change: nearby multiples of this in its direction gain as much", When::unless_empty);
}

struct Finding {
  std::string id;
  std::string code;
  std::string rule;
  Severity severity = Severity::warning;
  Confidence confidence = Confidence::estimated;
  std::string model;
  std::string gpu;
  std::string message;
  std::string label;
  std::string why;
  std::string note;
  std::string cost;
  std::string how;
  std::string field;
  std::string path;
  std::string key_path;
  std::optional<Range> range{};
  std::optional<Range> use_range{};
  bool certain_to_fail = false;
  double gain = 0;
  double gain_error = 0;
  std::vector<GpuGain> by_gpu;
  std::vector<Proposal> proposals;
  std::vector<std::string> operations;
  std::vector<std::string> related;
  std::vector<std::string> assumed;
  std::string url;
};
template <class Visitor>
void describe(Visitor& of, const Finding*) {
  of.type("Finding", "A value that costs time or makes the job fail.");
  of("id", &Finding::id,
     "stable if lines are added above or the file is reformatted; the same in every output");
  of("code", &Finding::code, "`SL101`");
  of("rule", &Finding::rule, "`vocab-misaligned`");
  of("severity", &Finding::severity, "");
  of("confidence", &Finding::confidence,
     "basis of the gain: cost model, measurements on this GPU, or arithmetic");
  of("model", &Finding::model, "its id");
  of("gpu", &Finding::gpu, "id of the only GPU it applies to; absent: every GPU of the run",
     When::unless_empty);
  of("message", &Finding::message, "title: the fact, with numbers");
  of("label", &Finding::label, "mechanism or consequence, in a few words", When::unless_empty);
  of("why", &Finding::why, "the mechanism", When::unless_empty);
  of("note", &Finding::note, "additional context, such as the source of a default", When::unless_empty);
  of("cost", &Finding::cost, "the gain in words", When::unless_empty);
  of("how", &Finding::how, "how the file's framework makes the first proposal", When::unless_empty);
  of("field", &Finding::field, "the blamed field", When::unless_empty);
  of("path", &Finding::path, "of the file that states it");
  of("key_path", &Finding::key_path, "key in the file: `model.hidden_size`", When::unless_empty);
  of("range", &Finding::range, "the value; absent if no file states it");
  of("use_range", &Finding::use_range, "where the value is used, if it is written elsewhere");
  of("certain_to_fail", &Finding::certain_to_fail, "the job fails at startup");
  of("gain", &Finding::gain, "share of the step time that the best proposal saves");
  of("gain_error", &Finding::gain_error, "half width of its interval", When::or_null);
  of("by_gpu", &Finding::by_gpu, "");
  of("proposals", &Finding::proposals, "best first");
  of("operations", &Finding::operations, "names of the slow operations");
  of("related", &Finding::related, "other fields involved");
  of("assumed", &Finding::assumed, "defaults that the finding depends on");
  of("url", &Finding::url, "of the rule's page", When::unless_empty);
}

// `model.toml:3:15: warning: the message [SL101]`, on one line.
SHAPELINT_API std::string to_string(const Finding& finding);

struct After {
  double step_us = 0;
  double mfu = 0;
  double gain = 0;
  std::vector<Change> applied;
  std::vector<Change> left_out;
  std::string left_out_because;
};
template <class Visitor>
void describe(Visitor& of, const After*) {
  of.type("After", "A step with all compatible proposals.");
  of("step_us", &After::step_us, "step time");
  of("mfu", &After::mfu, "");
  of("gain", &After::gain, "share of the time per token that all of them save");
  of("applied", &After::applied, "empty: there is nothing to apply");
  of("left_out", &After::left_out, "proposals that conflict with them");
  of("left_out_because", &After::left_out_because, "", When::unless_empty);
}

struct Capacity {
  std::int64_t budget_bytes = 0;
  std::int64_t runtime_bytes = 0;
  std::int64_t kv_cache_bytes = 0;
  std::int64_t kv_cache_tokens = 0;
  std::int64_t longest_sequence = 0;
  double concurrent_requests = 0;
  std::int64_t largest_sequence = 0;
  bool weights_known = false;
  std::optional<bool> starts{};
};
template <class Visitor>
void describe(Visitor& of, const Capacity*) {
  of.type("Capacity", "KV cache capacity of a serving engine on one GPU.");
  of("budget_bytes", &Capacity::budget_bytes, "memory available to the engine", When::or_null);
  of("runtime_bytes", &Capacity::runtime_bytes,
     "activations of the longest step, CUDA context, kernels, NCCL buffers");
  of("kv_cache_bytes", &Capacity::kv_cache_bytes, "available to the KV cache", When::or_null);
  of("kv_cache_tokens", &Capacity::kv_cache_tokens, "KV cache capacity, in sequences of the longest length",
     When::or_null);
  of("longest_sequence", &Capacity::longest_sequence, "maximum tokens per request", When::or_null);
  of("concurrent_requests", &Capacity::concurrent_requests, "of that length", When::or_null);
  of("largest_sequence", &Capacity::largest_sequence, "longest sequence that fits, in tokens", When::or_null);
  of("weights_known", &Capacity::weights_known, "GPU memory and dtype of the weights are known");
  of("starts", &Capacity::starts, "whether the engine starts", When::or_null);
}

struct LintedStep : Step {
  After after;
  std::optional<Capacity> capacity{};
  bool out_of_memory = false;
};
template <class Visitor>
void describe(Visitor& of, const LintedStep*) {
  of.type("LintedStep", "A step as in the file, and with all compatible proposals.");
  of.base(static_cast<const Step*>(nullptr));
  of("after", &LintedStep::after, "");
  of("capacity", &LintedStep::capacity, "of a served model");
  of("out_of_memory", &LintedStep::out_of_memory, "the step does not fit: its times are hypothetical",
     When::unless_empty);
}

struct LintedModel : Model {
  bool gpus_assumed = false;
  std::vector<std::string> gpus_left_out;
  std::string shape_note;
  double min_gain = 0;
};
template <class Visitor>
void describe(Visitor& of, const LintedModel*) {
  of.type("LintedModel", "A model that was linted.");
  of.base(static_cast<const Model*>(nullptr));
  of("gpus_assumed", &LintedModel::gpus_assumed, "the GPUs are defaults");
  of("gpus_left_out", &LintedModel::gpus_left_out, "ids of named GPUs without support for the stored dtype");
  of("shape_note", &LintedModel::shape_note, "which dimensions are fixed, and why", When::unless_empty);
  of("min_gain", &LintedModel::min_gain, "findings that save less are omitted");
}

struct WholePart {
  std::string part;
  double runs = 1;
  std::int64_t num_gpus = 1;
};
template <class Visitor>
void describe(Visitor& of, const WholePart*) {
  of.type("WholePart", "One model of a step of several.");
  of("part", &WholePart::part, "");
  of("runs", &WholePart::runs, "runs per step of the whole");
  of("num_gpus", &WholePart::num_gpus, "");
}

struct WholeTime {
  std::string gpu;
  double step_us = 0;
  std::vector<double> shares;
};
template <class Visitor>
void describe(Visitor& of, const WholeTime*) {
  of.type("WholeTime", "Time of the whole on one GPU.");
  of("gpu", &WholeTime::gpu, "id");
  of("step_us", &WholeTime::step_us, "all parts, as in the file");
  of("shares", &WholeTime::shares, "share of each part");
}

struct Whole {
  std::string path;
  std::vector<WholePart> parts;
  std::int64_t memory_bytes = 0;
  std::vector<WholeTime> by_gpu;
};
template <class Visitor>
void describe(Visitor& of, const Whole*) {
  of.type("Whole", "Models of one file that run as one step, or launch configs that form one iteration.");
  of("path", &Whole::path, "of the file");
  of("parts", &Whole::parts, "");
  of("memory_bytes", &Whole::memory_bytes, "of models in memory at the same time", When::or_null);
  of("by_gpu", &Whole::by_gpu, "");
}

struct FindingCounts {
  std::size_t error = 0;
  std::size_t warning = 0;
  std::size_t info = 0;
  std::size_t hidden = 0;
  std::size_t suppressed = 0;
  std::size_t baselined = 0;
};
template <class Visitor>
void describe(Visitor& of, const FindingCounts*) {
  of.type("FindingCounts", "Numbers of findings, shown and not.");
  of("error", &FindingCounts::error, "findings of this severity");
  of("warning", &FindingCounts::warning, "");
  of("info", &FindingCounts::info, "");
  of("hidden", &FindingCounts::hidden, "below the severity or the saving that is shown");
  of("suppressed", &FindingCounts::suppressed, "by a comment or the configuration");
  of("baselined", &FindingCounts::baselined, "in the baseline, or in the `base` of a source");
}

struct Counts : FindingCounts {
  std::size_t not_whole = 0;
  std::size_t not_recognised = 0;
};
template <class Visitor>
void describe(Visitor& of, const Counts*) {
  of.type("Counts", "Numbers of findings and files, shown and not.");
  of.base(static_cast<const FindingCounts*>(nullptr));
  of("not_whole", &Counts::not_whole, "files of a folder with too few known fields");
  of("not_recognised", &Counts::not_recognised, "files of a folder that are not model configurations");
}

// Unset options come from the file, then from the configuration.
struct LintOptions {
  ReadOptions read{};
  GpuSelection gpus{};
  std::vector<std::string> select{};  // codes, beginnings of codes (`SL1`) or names; empty: all
  std::vector<std::string> extend_select{};
  std::vector<std::string> ignore{};
  std::optional<Shape> shape{};
  // Proposed numbers of heads are multiples of this or, if smaller, divide it; 1: any number; default: 4.
  std::optional<std::int64_t> head_multiple{};
  std::optional<double> min_gain{};         // findings that save less are omitted
  std::optional<Severity> fail_severity{};  // a finding of it or worse sets LintResult::fails
  std::optional<Severity> min_severity{};   // less severe findings are omitted; at most fail_severity
  bool with_suppressed = false;             // ignore comments and the configuration's [[ignore-keys]]
  bool exclude_named = false;               // the configuration's `exclude` also applies to named paths
  bool with_fields = false;                 // each model has its fields
  bool with_operations = false;             // each step has its operations
  std::string baseline{};                   // path of a baseline, instead of the configuration's
  bool with_known = false;                  // ignore baselines
  // Texts (not files) that cannot be parsed are errors even if nothing marks them as models: for an editor's
  // buffer.
  bool expect_models = false;
  // Named files and texts in which nothing can be checked are skipped with a note instead of an error.
  bool allow_unrecognised = false;
  std::size_t threads = 0;  // 0: one per core; the result is the same
};

struct LintResult {
  std::vector<Gpu> gpus;
  std::vector<LintedModel> models;
  std::vector<Finding> findings;
  std::vector<LintedStep> steps;
  std::vector<Whole> together;
  Counts counts;
  bool fails = false;
  std::vector<std::string> notes;
  std::vector<Error> errors;
};
template <class Visitor>
void describe(Visitor& of, const LintResult*) {
  of.type("LintResult", "Findings in files.");
  of("gpus", &LintResult::gpus, "every GPU of the run");
  of("models", &LintResult::models, "by path");
  of("findings", &LintResult::findings, "by path, then model; certain failures first, then by gain");
  of("steps", &LintResult::steps, "for each model, by GPU");
  of("together", &LintResult::together, "");
  of("counts", &LintResult::counts, "");
  of("fails", &LintResult::fails, "a finding reaches its file's fail level (default: warning)");
  of("notes", &LintResult::notes, "skipped files and GPUs, and parts that were not understood");
  of("problems", &LintResult::errors,
     "about one file: the others are linted; about a configuration or an option: nothing is linted");
}

// Files, texts, and folders: of these the files that may be configurations, without what .gitignore excludes
// and without following links. Codes of errors: those of read().
SHAPELINT_API LintResult lint(const FileSystem& files, const std::vector<Source>& sources,
                              const LintOptions& options = {});

}  // namespace shapelint::api
