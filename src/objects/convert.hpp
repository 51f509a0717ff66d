// From the structs of the rooms to the public ones (include/shapelint).
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <shapelint/shapelint.hpp>
#include "base/error.hpp"
#include "cost/op_cost.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "lint/report.hpp"
#include "model/memory/training.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"
#include "rules/finding.hpp"
#include "suggest/answer.hpp"
#include "suggest/serving/capacity.hpp"
#include "text/files.hpp"
#include "text/source.hpp"

namespace shapelint::rules {
struct Rule;
}

namespace shapelint::api {

// Codes of errors; include/shapelint/common.hpp says what they mean.
namespace code {
inline constexpr std::string_view not_found = "not-found";
inline constexpr std::string_view too_large = "too-large";
inline constexpr std::string_view unreadable = "unreadable";
inline constexpr std::string_view invalid_file = "invalid-file";
inline constexpr std::string_view invalid_config = "invalid-config";
inline constexpr std::string_view invalid_option = "invalid-option";
inline constexpr std::string_view no_model = "no-model";
inline constexpr std::string_view incomplete = "incomplete";
inline constexpr std::string_view unable = "unable";
inline constexpr std::string_view no_candidates = "no-candidates";
}  // namespace code

// Sentences as include/shapelint/shapelint.hpp promises them; `source` is the text that the span refers to.
// `code` unless the error says that a file could not be read.
Error error_of(const shapelint::Error& error, std::string_view code, std::string_view source = {});
// The error of an invalid option.
Error wrong(std::string message, std::string hint = {});
// 0 of what is not finite.
std::int64_t whole_bytes(double bytes);
Range range_of(std::string_view source, Span span);

Gpu gpu_of(const gpu::Gpu& gpu);
Rule rule_of(const rules::Rule& rule);
KernelCost kernel_of(const cost::OpCost& cost);
Severity severity_of(rules::Severity severity);
Confidence confidence_of(rules::Confidence confidence);
Bound bound_of(cost::Bound bound);
Origin origin_of(model::Origin::Kind kind);
// An integer where there is no field.
Scalar scalar_of(model::FieldId field, std::int64_t value);
std::vector<Change> changes_of(const std::vector<suggest::Change>& changes);

// The path as outputs give it: without `./`, `a/../` and doubled slashes.
std::string tidy_path(std::string_view path);
// 16 hexadecimal digits. Of path, code, GPU, key path and the value as the file writes it: Finding::id.
std::string fingerprint_of(std::initializer_list<std::string_view> parts);

// The texts that findings and origins point into, each read once.
class Sources {
 public:
  // Without files only what is remembered has places.
  explicit Sources(const text::FileSystem* files = nullptr) : files_(files) {}
  void remember(const std::string& path, text::SharedText text) {
    texts_.insert_or_assign(path, std::move(text));
  }
  // Nothing for a span without bytes, and for a file that is gone.
  std::optional<Range> range(const std::string& path, Span span);
  // What the bytes are; empty where range() is nothing.
  std::string_view bytes(const std::string& path, Span span);

 private:
  const text::SharedText& text_of(const std::string& path);

  const text::FileSystem* files_;
  std::map<std::string, text::SharedText> texts_;
};

Model model_of(const model::Reading& reading, Sources& sources, bool with_fields);
std::vector<Note> notes_of(const std::vector<model::Note>& notes, Sources& sources);

// Parts that make a report several times as long and few readers need.
struct ReportParts {
  bool fields = false;
  bool operations = false;
};

// All but the notes of the run itself.
LintResult result_of(const lint::Report& report, Sources& sources, ReportParts parts);

// The findings of one model of the report, as `id`.
std::vector<Finding> findings_of(const lint::ModelReport& model, const std::string& id, Sources& sources);

Capacity capacity_of(const suggest::Capacity& capacity);

// What is known of an operation before it is priced.
OperationShape shape_of(const model::Op& op);

Operation operation_of(const gpu::Gpu& gpu, const model::Op& op, const cost::OpCost& cost, double step_us);

// What a rank of a training run holds.
MemoryParts parts_of(const model::TrainingMemory& memory);
// Without a GPU, and of one whose memory is not known, what is needed alone.
Memory memory_of(const model::Setup& setup, const gpu::Gpu* gpu);

// Its times and rates alone, and all but its operations.
StepTotals totals_of(const cost::StepCost& cost);
StepTotals totals_of(const model::Setup& setup, const gpu::Gpu& gpu, const model::Workload& workload,
                     const cost::StepCost& cost);
// Without ops in the workload it has no operations.
Step step_of(const model::Reading& reading, const gpu::Gpu& gpu, const model::Workload& workload,
             const cost::StepCost& cost);

StartOnGpu start_of(const suggest::Performance& performance, const std::string& gpu);

SuggestResult suggestions_of(const suggest::Problem& problem, const suggest::Answer& answer,
                             const std::string& path);

}  // namespace shapelint::api
