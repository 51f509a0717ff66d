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
  of.type("GpuGain", "What something saves on one GPU: a share of the time per token, 1 - new / old.");
  of("gpu", &GpuGain::gpu, "id");
  of("gain", &GpuGain::gain, "");
  of("gain_error", &GpuGain::gain_error, "half width of its interval", When::or_null);
  of("step_us", &GpuGain::step_us, "of a proposal: of a step now, and with it", When::unless_empty);
  of("new_step_us", &GpuGain::new_step_us, "", When::unless_empty);
}

struct Change {
  std::string field;
  Scalar before{};
  Scalar after{};
};
template <class Visitor>
void describe(Visitor& of, const Change*) {
  of.type("Change", "A field set to another value.");
  of("field", &Change::field,
     "`hidden_size`; of a layer of a CNN as the file calls it: `conv[2].out_channels`");
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
  of.type("Edit", "New text for some bytes of a file; of several, make all, the last first.");
  of("path", &Edit::path, "of the file");
  of("range", &Edit::range, "");
  of("new_text", &Edit::new_text, "");
}

// What proposals may change of a model's shape: everything; what zeros fill up (vocabulary, widths of MLP and
// experts); or the rows of the vocabulary alone. Unless somebody says so it follows from the file: what is
// trained already is not proposed other heads.
enum class Shape : std::uint8_t { free, padding, fixed };
SHAPELINT_API std::string_view name(Shape shape);
constexpr std::string_view type_name(Shape) {
  return "Shape";
}
constexpr Shape last_of(Shape) {
  return Shape::fixed;
}

// Whether a proposal may be applied without asking: it leaves what is trained as it is; it does not; or the
// file alone cannot take it.
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
  of.type("Proposal", "One way out of a finding.");
  of("summary", &Proposal::summary, "all of it in words, on one line");
  of("applicability", &Proposal::applicability,
     "safe: it leaves what is trained as it is; unsafe: it does not; manual: the file alone cannot take it");
  of("changes", &Proposal::changes, "what to edit");
  of("implied", &Proposal::implied, "what follows without being edited");
  of("edits", &Proposal::edits, "that make the changes in the linted file; none of a manual one");
  of("gain", &Proposal::gain, "share of the step's time, the mean over the finding's GPUs");
  of("gain_error", &Proposal::gain_error, "half width of its interval", When::or_null);
  of("by_gpu", &Proposal::by_gpu, "");
  of("parameters_before", &Proposal::parameters_before, "");
  of("parameters_after", &Proposal::parameters_after, "");
  of("memory_bytes_before", &Proposal::memory_bytes_before, "that the run needs on one GPU", When::or_null);
  of("memory_bytes_after", &Proposal::memory_bytes_after, "", When::or_null);
  of("or_multiple_of", &Proposal::or_multiple_of,
     "of one change: other multiples of this, near it and in its direction, gain as much",
     When::unless_empty);
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
  of.type("Finding", "Something that costs time, or does not run.");
  of("id", &Finding::id,
     "stays the same when lines are added above or the file is reformatted; the same in every output");
  of("code", &Finding::code, "`SL101`");
  of("rule", &Finding::rule, "`vocab-misaligned`");
  of("severity", &Finding::severity, "");
  of("confidence", &Finding::confidence,
     "what the gain rests on: the cost model alone, measurements on this GPU, or arithmetic");
  of("model", &Finding::model, "its id");
  of("gpu", &Finding::gpu, "id of the only GPU that it holds for; absent: all of the run",
     When::unless_empty);
  of("message", &Finding::message, "what is wrong, with numbers");
  of("label", &Finding::label, "what it leads to or why, in a few words", When::unless_empty);
  of("why", &Finding::why, "the mechanism", When::unless_empty);
  of("note", &Finding::note, "what else to know: whose default a value is", When::unless_empty);
  of("cost", &Finding::cost, "the gain in words", When::unless_empty);
  of("how", &Finding::how, "how the file's framework does what is proposed first", When::unless_empty);
  of("field", &Finding::field, "that is blamed", When::unless_empty);
  of("path", &Finding::path, "of the file that states it");
  of("key_path", &Finding::key_path, "as the file calls it: `model.hidden_size`", When::unless_empty);
  of("range", &Finding::range, "the value; absent when no file states it");
  of("use_range", &Finding::use_range, "where it is used, when it is written elsewhere");
  of("certain_to_fail", &Finding::certain_to_fail, "the run cannot start");
  of("gain", &Finding::gain, "share of the step that the best proposal saves");
  of("gain_error", &Finding::gain_error, "half width of its interval", When::or_null);
  of("by_gpu", &Finding::by_gpu, "");
  of("proposals", &Finding::proposals, "best first");
  of("operations", &Finding::operations, "names of those that lose time");
  of("related", &Finding::related, "fields that it is about, too");
  of("assumed", &Finding::assumed, "fields that nobody stated, and it would be another without");
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
  of.type("After", "A step with all proposals that go together.");
  of("step_us", &After::step_us, "of that step");
  of("mfu", &After::mfu, "");
  of("gain", &After::gain, "share of the time per token, of all together");
  of("applied", &After::applied, "nothing: there is nothing to apply");
  of("left_out", &After::left_out, "what does not go with them");
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
  of.type("Capacity", "What an engine has room for on one GPU.");
  of("budget_bytes", &Capacity::budget_bytes, "that the engine may take", When::or_null);
  of("runtime_bytes", &Capacity::runtime_bytes,
     "activations of its longest step, context, kernels, NCCL's buffers");
  of("kv_cache_bytes", &Capacity::kv_cache_bytes, "left for the KV cache", When::or_null);
  of("kv_cache_tokens", &Capacity::kv_cache_tokens, "that it holds, in sequences of the longest length",
     When::or_null);
  of("longest_sequence", &Capacity::longest_sequence, "tokens that a request may have", When::or_null);
  of("concurrent_requests", &Capacity::concurrent_requests, "of that length, at a time", When::or_null);
  of("largest_sequence", &Capacity::largest_sequence, "tokens of the longest sequence that has room",
     When::or_null);
  of("weights_known", &Capacity::weights_known, "the GPU's memory and the weights' format are");
  of("starts", &Capacity::starts, "the engine does", When::or_null);
}

struct LintedStep : Step {
  After after;
  std::optional<Capacity> capacity{};
};
template <class Visitor>
void describe(Visitor& of, const LintedStep*) {
  of.type("LintedStep", "A step as the file has it, and with all proposals that go together.");
  of.base(static_cast<const Step*>(nullptr));
  of("after", &LintedStep::after, "");
  of("capacity", &LintedStep::capacity, "of a model that an engine serves");
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
  of("gpus_assumed", &LintedModel::gpus_assumed, "nobody named one");
  of("gpus_left_out", &LintedModel::gpus_left_out, "ids of those named that cannot multiply what is stored");
  of("shape_note", &LintedModel::shape_note, "what of the model is taken as fixed, and why",
     When::unless_empty);
  of("min_gain", &LintedModel::min_gain, "findings that save less are left out");
}

struct WholePart {
  std::string part;
  double runs = 1;
  std::int64_t num_gpus = 1;
};
template <class Visitor>
void describe(Visitor& of, const WholePart*) {
  of.type("WholePart", "A model of a whole.");
  of("part", &WholePart::part, "");
  of("runs", &WholePart::runs, "how often it runs in it");
  of("num_gpus", &WholePart::num_gpus, "that it takes");
}

struct WholeTime {
  std::string gpu;
  double step_us = 0;
  std::vector<double> shares;
};
template <class Visitor>
void describe(Visitor& of, const WholeTime*) {
  of.type("WholeTime", "What a whole takes on one GPU.");
  of("gpu", &WholeTime::gpu, "id");
  of("step_us", &WholeTime::step_us, "of all parts, as the file has them");
  of("shares", &WholeTime::shares, "of it, by part");
}

struct Whole {
  std::string path;
  std::vector<WholePart> parts;
  std::int64_t memory_bytes = 0;
  std::vector<WholeTime> by_gpu;
};
template <class Visitor>
void describe(Visitor& of, const Whole*) {
  of.type("Whole", "Models of one file that are one step together, or its plans that are one iteration.");
  of("path", &Whole::path, "of the file");
  of("parts", &Whole::parts, "");
  of("memory_bytes", &Whole::memory_bytes, "of models that are held at once", When::or_null);
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
  of.type("FindingCounts", "How many findings there are, and are not.");
  of("error", &FindingCounts::error, "findings of this severity");
  of("warning", &FindingCounts::warning, "");
  of("info", &FindingCounts::info, "");
  of("hidden", &FindingCounts::hidden, "not severe enough to be shown");
  of("suppressed", &FindingCounts::suppressed, "a comment or the configuration leaves out");
  of("baselined", &FindingCounts::baselined, "the baseline knows, or a source's `base` had");
}

struct Counts : FindingCounts {
  std::size_t not_whole = 0;
  std::size_t not_recognised = 0;
};
template <class Visitor>
void describe(Visitor& of, const Counts*) {
  of.type("Counts", "How many findings there are, and are not.");
  of.base(static_cast<const FindingCounts*>(nullptr));
  of("not_whole", &Counts::not_whole, "files of a folder of which too little is known");
  of("not_recognised", &Counts::not_recognised, "files of a folder that are no model's configuration");
}

// What is not given here the file may say, and then the configuration.
struct LintOptions {
  ReadOptions read{};
  GpuSelection gpus{};
  std::vector<std::string> select{};  // codes, beginnings of codes (`SL1`) or names; empty: all
  std::vector<std::string> extend_select{};
  std::vector<std::string> ignore{};
  std::optional<Shape> shape{};
  // Numbers of heads that are proposed are multiples of this or, where they are fewer, divide it; 1: any
  // number; 4 unless somebody says otherwise.
  std::optional<std::int64_t> head_multiple{};
  std::optional<double> min_gain{};         // findings that save less are left out
  std::optional<Severity> fail_severity{};  // from which on a finding makes LintResult::fails true
  std::optional<Severity> min_severity{};   // findings less severe are left out; never above fail_severity
  bool with_suppressed = false;  // comments and the configuration's [[ignore-keys]] count for nothing
  bool exclude_named = false;    // the configuration's `exclude` holds for paths that are named as well
  bool with_fields = false;      // each model has its fields
  bool with_operations = false;  // each step has its operations
  std::string baseline{};        // path of a file with known findings, instead of the configuration's
  bool with_known = false;       // no baseline counts
  // Texts (not files) that cannot be parsed are errors even where nothing says that they are meant as models:
  // for a buffer that was one a moment ago.
  bool expect_models = false;
  // What is named or given and in which nothing can be checked is passed over, with a note, instead of being
  // an error.
  bool allow_unrecognised = false;
  std::size_t threads = 0;  // 0: as many as the machine has; the result is the same
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
  of.type("LintResult", "What the linter found in files.");
  of("gpus", &LintResult::gpus, "all that were looked at");
  of("models", &LintResult::models, "by path");
  of("findings", &LintResult::findings, "by path, then model; of each, certain failures first, then by gain");
  of("steps", &LintResult::steps, "for each model, by GPU");
  of("together", &LintResult::together, "");
  of("counts", &LintResult::counts, "");
  of("fails", &LintResult::fails,
     "some finding is as severe as its file's fail level, a warning unless somebody says otherwise");
  of("notes", &LintResult::notes, "why files and GPUs are passed over, what was not understood");
  of("problems", &LintResult::errors,
     "of a file: the others are linted anyway; of a configuration or of the options: nothing is");
}

// Files, texts, and folders: of these the files that may be configurations, without what .gitignore excludes
// and without following links. Codes of errors: those of read().
SHAPELINT_API LintResult lint(const FileSystem& files, const std::vector<Source>& sources,
                              const LintOptions& options = {});

}  // namespace shapelint::api
