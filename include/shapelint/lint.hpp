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

// What something saves on one GPU: a share of the time per token, 1 - new / old.
struct GpuGain {
  std::string gpu;  // id
  double gain = 0;
  double error = 0;  // half width of its interval; 0: not known
};

// A field set to another value.
struct Change {
  std::string field;  // `hidden_size`; of a layer of a CNN as the file calls it: `conv[2].out_channels`
  std::string from;   // as a native file states it
  std::string to;
  std::int64_t from_number = 0;
  std::int64_t to_number = 0;
};

// New text for some bytes of the file.
struct Edit {
  Range range;
  std::string text;
};

// What proposals may change of a model's shape: everything; what zeros fill up (vocabulary, widths of MLP and
// experts); or the rows of the vocabulary alone. Unless somebody says so it follows from the file: what is
// trained already is not proposed other heads.
enum class Shape : std::uint8_t { free, padding, fixed };
SHAPELINT_API std::string_view name(Shape shape);

// One way out.
struct Proposal {
  std::string summary;  // all of it in words, on one line
  std::vector<Change> changes;
  std::vector<Change> implied;  // what follows without being edited
  double gain = 0;              // the mean over the finding's GPUs
  double gain_error = 0;
  std::vector<GpuGain> gains;
  std::int64_t parameters_before = 0;
  std::int64_t parameters_after = 0;
  double memory_before_gb = 0;  // that the run needs on one GPU, as suggest() counts it; 0: not known
  double memory_after_gb = 0;
  std::vector<Edit> edits;  // that make the changes in the linted file; empty where it alone cannot take them
};

struct Finding {
  std::string code;  // `SL101`
  std::string rule;  // `vocab-misaligned`
  Severity severity = Severity::warning;
  Confidence confidence = Confidence::estimated;
  std::size_t model = 0;             // its place in LintResult::models
  std::string gpu;                   // id of the only GPU that it holds for; empty: all of the run
  std::string message;               // what is wrong, with numbers
  std::string label;                 // what it leads to or why, in a few words; may be empty
  std::string why;                   // the mechanism
  std::string note;                  // what else to know: whose default a value is
  std::string cost;                  // the gain in words; empty where none is known
  std::string how;                   // how the file's framework does what is proposed first; may be empty
  std::string field;                 // that is blamed; may be empty
  std::string path;                  // of the file that states it
  std::optional<Range> range{};      // the value; absent when no file states it
  std::optional<Range> use_range{};  // where it is used, when it is written elsewhere
  std::string key_path;
  bool certain_to_fail = false;  // the run cannot start
  double gain = 0;               // share of the step that the best proposal saves
  double gain_error = 0;         // half width of its interval; 0: not known
  std::vector<GpuGain> gains;
  std::vector<Proposal> proposals;      // best first
  std::vector<std::string> operations;  // that lose time
  std::string url;                      // of the rule's page, where the configuration says where those are
};

// `model.toml:3:15: warning: the message [SL101]`, on one line.
SHAPELINT_API std::string to_string(const Finding& finding);

// A step as the file has it, and with all proposals that go together.
struct Improvement {
  std::size_t model = 0;  // its place in LintResult::models
  Step before;
  double after_us = 0;
  double gain = 0;              // of all together
  std::vector<Change> applied;  // empty: nothing to apply
};

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
  bool with_operations = false;  // Improvement::before has each operation
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
  std::vector<Finding> findings;  // by path, then model; of each, certain failures first, then by gain
  std::vector<Model> models;
  std::vector<Improvement> steps;  // for each model, by GPU
  std::vector<Gpu> gpus;           // all that were looked at
  std::size_t suppressed = 0;      // findings that a comment or the configuration leaves out
  std::size_t known = 0;           // findings that the baseline knows, or that a source's `base` had
  bool fails = false;              // some finding is as severe as its file's fail_severity, a warning unless
                                   // somebody says otherwise
  std::vector<std::string> notes;  // why files and GPUs are passed over, what was not understood
  // Of a file: the others are linted all the same. Of a configuration or of the options: nothing is.
  std::vector<Error> errors;
};

// Files, texts, and folders: of these the files that may be configurations, without what .gitignore excludes
// and without following links. Codes of errors: those of read().
SHAPELINT_API LintResult lint(const FileSystem& files, const std::vector<Source>& sources,
                              const LintOptions& options = {});

}  // namespace shapelint::api
