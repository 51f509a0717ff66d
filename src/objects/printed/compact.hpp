// What `lint --format compact` prints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>
#include "objects/printed/document.hpp"

namespace shapelint::objects {

using api::When;

struct BriefHeader {
  std::string format;
  std::string format_version;
  std::string tool;
  Status status = Status::ok;
};
template <class Visitor>
void describe(Visitor& of, const BriefHeader*) {
  of.type("BriefHeader", "Header of the line.");
  of("format", &BriefHeader::format, "");
  of("format_version", &BriefHeader::format_version, "of all documents");
  of("tool", &BriefHeader::tool, "name and version of the program");
  of("status", &BriefHeader::status, "ok, findings, or failed (see `problems`)");
}

struct BriefGain {
  double gain = 0;
  double gain_error = 0;
};
template <class Visitor>
void describe(Visitor& of, const BriefGain*) {
  of.type("BriefGain", "A gain on one GPU.");
  of("gain", &BriefGain::gain, "to a thousandth");
  of("gain_error", &BriefGain::gain_error, "half width of its interval", When::or_null);
}

struct BriefFix {
  std::map<std::string, std::vector<api::Scalar>> changes;
  std::map<std::string, std::vector<api::Scalar>> implied;
  api::Applicability applicability = api::Applicability::manual;
};
template <class Visitor>
void describe(Visitor& of, const BriefFix*) {
  of.type("BriefFix", "The first proposal.");
  of("changes", &BriefFix::changes, "by field: before and after");
  of("implied", &BriefFix::implied, "values that follow from the edit", When::unless_empty);
  of("applicability", &BriefFix::applicability, "");
}

struct BriefFinding {
  std::string id;
  std::string code;
  std::string rule;
  api::Severity severity = api::Severity::warning;
  api::Confidence confidence = api::Confidence::estimated;
  std::string path;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string field;
  std::string message;
  bool certain_to_fail = false;
  std::string gpu;
  std::optional<double> gain{};
  std::optional<double> gain_error{};
  std::map<std::string, BriefGain> by_gpu;
  std::optional<BriefFix> fix{};
  std::string how;
};
template <class Visitor>
void describe(Visitor& of, const BriefFinding*) {
  of.type("BriefFinding", "A finding that people are shown.");
  of("id", &BriefFinding::id, "the same in every output");
  of("code", &BriefFinding::code, "");
  of("rule", &BriefFinding::rule, "");
  of("severity", &BriefFinding::severity, "");
  of("confidence", &BriefFinding::confidence, "");
  of("path", &BriefFinding::path, "of the file that states it");
  of("line", &BriefFinding::line, "from 1", When::unless_empty);
  of("column", &BriefFinding::column, "from 1", When::unless_empty);
  of("field", &BriefFinding::field, "the blamed field", When::unless_empty);
  of("message", &BriefFinding::message, "");
  of("certain_to_fail", &BriefFinding::certain_to_fail, "the run cannot start", When::unless_empty);
  of("gpu", &BriefFinding::gpu, "set if the finding holds for this GPU only", When::unless_empty);
  of("gain", &BriefFinding::gain, "share of the step that the fix saves");
  of("gain_error", &BriefFinding::gain_error, "half width of its interval");
  of("by_gpu", &BriefFinding::by_gpu, "of several GPUs", When::unless_empty);
  of("fix", &BriefFinding::fix, "");
  of("how", &BriefFinding::how, "how the file's framework does it", When::unless_empty);
}

struct BriefMemory {
  std::int64_t total_bytes = 0;
  std::int64_t usable_bytes = 0;
  std::optional<bool> fits{};
};
template <class Visitor>
void describe(Visitor& of, const BriefMemory*) {
  of.type("BriefMemory", "Memory per GPU.");
  of("total_bytes", &BriefMemory::total_bytes, "");
  of("usable_bytes", &BriefMemory::usable_bytes, "that tensors can have", When::unless_empty);
  of("fits", &BriefMemory::fits, "");
}

struct BriefStep {
  std::string gpu;
  std::int64_t step_us = 0;
  std::int64_t after_us = 0;
  double mfu = 0;
  std::int64_t tokens_per_s_per_gpu = 0;
  std::int64_t images_per_s_per_gpu = 0;
  BriefMemory memory;
};
template <class Visitor>
void describe(Visitor& of, const BriefStep*) {
  of.type("BriefStep", "A step on one GPU, now and with the proposals that go together.");
  of("gpu", &BriefStep::gpu, "id");
  of("step_us", &BriefStep::step_us, "");
  of("after_us", &BriefStep::after_us, "");
  of("mfu", &BriefStep::mfu, "");
  of("tokens_per_s_per_gpu", &BriefStep::tokens_per_s_per_gpu, "", When::unless_empty);
  of("images_per_s_per_gpu", &BriefStep::images_per_s_per_gpu, "of a CNN", When::unless_empty);
  of("memory", &BriefStep::memory, "");
}

struct BriefModel {
  std::string path;
  std::string name;
  std::string dialect;
  std::int64_t parameters = 0;
  bool complete = false;
  std::map<std::string, api::Scalar> plan;
  bool gpus_assumed = false;
  std::vector<std::string> gpus_left_out;
  std::vector<BriefStep> steps;
  std::vector<BriefFinding> findings;
};
template <class Visitor>
void describe(Visitor& of, const BriefModel*) {
  of.type("BriefModel", "A model, its launch config, and findings.");
  of("path", &BriefModel::path, "");
  of("name", &BriefModel::name, "");
  of("dialect", &BriefModel::dialect, "");
  of("parameters", &BriefModel::parameters, "");
  of("complete", &BriefModel::complete, "enough fields are known to price it");
  of("plan", &BriefModel::plan, "stated fields of the launch config, and those that every step depends on");
  of("gpus_assumed", &BriefModel::gpus_assumed, "whether the GPUs are defaults", When::unless_empty);
  of("gpus_left_out", &BriefModel::gpus_left_out, "ids of named GPUs without support for the stored dtype",
     When::unless_empty);
  of("steps", &BriefModel::steps, "");
  of("findings", &BriefModel::findings, "most valuable first");
}

struct BriefProblem {
  std::string path;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string message;
  std::string hint;
};
template <class Visitor>
void describe(Visitor& of, const BriefProblem*) {
  of.type("BriefProblem", "Why a file was not linted.");
  of("path", &BriefProblem::path, "");
  of("line", &BriefProblem::line, "", When::unless_empty);
  of("column", &BriefProblem::column, "", When::unless_empty);
  of("message", &BriefProblem::message, "");
  of("hint", &BriefProblem::hint, "", When::unless_empty);
}

struct CompactResult {
  std::vector<BriefModel> models;
  api::FindingCounts counts;
  std::vector<BriefProblem> problems;
};
template <class Visitor>
void describe(Visitor& of, const CompactResult*) {
  of.type("CompactResult", "A run of the linter in one line.");
  of("models", &CompactResult::models, "");
  of("counts", &CompactResult::counts, "");
  of("problems", &CompactResult::problems, "");
}

// On one line, with its line feed.
std::string compact_document(Status status, const CompactResult& result);

}  // namespace shapelint::objects
