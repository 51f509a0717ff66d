// What `profile` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::objects {

using api::When;

struct PredictedStep {
  double step_us = 0;
  double compute_us = 0;
  double memory_us = 0;
  double communication_us = 0;
  double overhead_us = 0;
  double bubble_us = 0;
  double hidden_us = 0;
};
template <class Visitor>
void describe(Visitor& of, const PredictedStep*) {
  of.type("PredictedStep", "A step as predicted.");
  of("step_us", &PredictedStep::step_us, "");
  of("compute_us", &PredictedStep::compute_us, "");
  of("memory_us", &PredictedStep::memory_us, "");
  of("communication_us", &PredictedStep::communication_us, "");
  of("overhead_us", &PredictedStep::overhead_us, "");
  of("bubble_us", &PredictedStep::bubble_us, "");
  of("hidden_us", &PredictedStep::hidden_us, "overlapped communication, not in step_us");
}

struct ProfiledTrace {
  std::string path;
  std::string format;
  std::string device;
  std::optional<std::int64_t> rank{};
  std::int64_t world_size = 0;
  std::int64_t other_devices = 0;
  std::int64_t events = 0;
  bool is_cpu = false;
  bool has_sizes = false;
  std::optional<std::string> step{};
  std::size_t steps = 0;
  std::size_t whole_steps = 0;
  double step_us = 0;
  double kernels_us = 0;
  double busy_us = 0;
  double communication_us = 0;
  double exposed_communication_us = 0;
  double idle_us = 0;
  std::optional<double> launch_late_us{};
};
template <class Visitor>
void describe(Visitor& of, const ProfiledTrace*) {
  of.type("ProfiledTrace", "A profiler's file.");
  of("path", &ProfiledTrace::path, "");
  of("format", &ProfiledTrace::format, "");
  of("device", &ProfiledTrace::device, "as the driver calls it; empty if not recorded");
  of("rank", &ProfiledTrace::rank, "", When::or_null);
  of("world_size", &ProfiledTrace::world_size, "", When::or_null);
  of("other_devices", &ProfiledTrace::other_devices, "of the file, that are left out");
  of("events", &ProfiledTrace::events, "");
  of("is_cpu", &ProfiledTrace::is_cpu, "no GPU: operators take the place of kernels");
  of("has_sizes", &ProfiledTrace::has_sizes, "of operators' inputs");
  of("step", &ProfiledTrace::step, "the range used; null: the whole trace", When::or_null);
  of("steps", &ProfiledTrace::steps, "ranges that are steps");
  of("whole_steps", &ProfiledTrace::whole_steps, "of these, not cut off; the one of median time is used");
  of("step_us", &ProfiledTrace::step_us, "from its first kernel to the next step's");
  of("kernels_us", &ProfiledTrace::kernels_us, "of all kernels, one after the other");
  of("busy_us", &ProfiledTrace::busy_us, "during which any ran");
  of("communication_us", &ProfiledTrace::communication_us, "during which a collective ran");
  of("exposed_communication_us", &ProfiledTrace::exposed_communication_us, "of these, not overlapped");
  of("idle_us", &ProfiledTrace::idle_us, "during which nothing ran");
  of("launch_late_us", &ProfiledTrace::launch_late_us,
     "of these, until the launch of what ran next had returned; null where launches were not recorded",
     When::or_null);
}

struct ProfiledRow {
  std::string kind;
  std::vector<api::OperationShape> operations;
  std::optional<std::string> matched_by{};
  double expected_calls = 0;
  double calls = 0;
  std::size_t kernels = 0;
  double predicted_us = 0;
  std::optional<double> measured_us{};
  std::optional<std::string> kernel{};
};
template <class Visitor>
void describe(Visitor& of, const ProfiledRow*) {
  of.type("ProfiledRow", "Predicted operations and their measured kernels.");
  of("kind", &ProfiledRow::kind, "gemm, or the class of its kernels");
  of("operations", &ProfiledRow::operations, "several if kernels do not identify one");
  of("matched_by", &ProfiledRow::matched_by, "null: not seen", When::or_null);
  of("expected_calls", &ProfiledRow::expected_calls, "");
  of("calls", &ProfiledRow::calls, "");
  of("kernels", &ProfiledRow::kernels, "");
  of("predicted_us", &ProfiledRow::predicted_us, "");
  of("measured_us", &ProfiledRow::measured_us, "", When::or_null);
  of("kernel", &ProfiledRow::kernel, "the one that took the most of it", When::or_null);
}

struct UnexplainedKernels {
  std::string what;
  std::string kind;
  std::string hint;
  double calls = 0;
  double time_us = 0;
};
template <class Visitor>
void describe(Visitor& of, const UnexplainedKernels*) {
  of.type("UnexplainedKernels", "Kernels that no predicted operation is.");
  of("what", &UnexplainedKernels::what, "");
  of("kind", &UnexplainedKernels::kind, "empty: unknown");
  of("hint", &UnexplainedKernels::hint, "nearest predicted operation");
  of("calls", &UnexplainedKernels::calls, "");
  of("time_us", &UnexplainedKernels::time_us, "of all calls");
}

struct ProfiledLoss {
  std::string id;
  std::string verdict;
  double predicted_us = 0;
  double measured_us = 0;
  std::string why;
};
template <class Visitor>
void describe(Visitor& of, const ProfiledLoss*) {
  of.type("ProfiledLoss", "A predicted loss, and whether the trace shows it.");
  of("id", &ProfiledLoss::id, "");
  of("verdict", &ProfiledLoss::verdict, "");
  of("predicted_us", &ProfiledLoss::predicted_us, "");
  of("measured_us", &ProfiledLoss::measured_us, "");
  of("why", &ProfiledLoss::why, "");
}

struct ProfiledFinding {
  std::string code;
  std::string rule;
  std::string changes;
  double predicted_gain = 0;
  double predicted_gain_error = 0;
  double gain = 0;
  double measured_share = 0;
};
template <class Visitor>
void describe(Visitor& of, const ProfiledFinding*) {
  of.type("ProfiledFinding", "Saving of a finding's best fix in the measured step.");
  of("code", &ProfiledFinding::code, "");
  of("rule", &ProfiledFinding::rule, "");
  of("changes", &ProfiledFinding::changes, "in words");
  of("predicted_gain", &ProfiledFinding::predicted_gain, "");
  of("predicted_gain_error", &ProfiledFinding::predicted_gain_error, "");
  of("gain", &ProfiledFinding::gain, "share of the measured step that it would save");
  of("measured_share", &ProfiledFinding::measured_share,
     "measured share of the changed operations; the rest is predicted");
}

struct ProfileResult {
  std::string path;
  std::string model;
  std::string gpu;
  std::string gpu_name;
  PredictedStep predicted;
  std::vector<ProfiledTrace> traces;
  double kernels_us = 0;
  double classified_us = 0;
  double explained_us = 0;
  std::vector<ProfiledRow> rows;
  std::vector<UnexplainedKernels> unexplained;
  std::vector<ProfiledLoss> losses;
  std::vector<ProfiledFinding> findings;
  std::vector<std::string> notes;
};
template <class Visitor>
void describe(Visitor& of, const ProfileResult*) {
  of.type("ProfileResult", "A trace compared with the prediction.");
  of("path", &ProfileResult::path, "the model's file");
  of("model", &ProfileResult::model, "its name");
  of("gpu", &ProfileResult::gpu, "id");
  of("gpu_name", &ProfileResult::gpu_name, "");
  of("predicted", &ProfileResult::predicted, "");
  of("traces", &ProfileResult::traces, "one for each file; the first is matched");
  of("kernels_us", &ProfileResult::kernels_us, "");
  of("classified_us", &ProfileResult::classified_us, "time of kernels of a known kind");
  of("explained_us", &ProfileResult::explained_us, "of the kernels' time, that of predicted operations");
  of("rows", &ProfileResult::rows, "most time first");
  of("unexplained", &ProfileResult::unexplained, "");
  of("losses", &ProfileResult::losses, "");
  of("findings", &ProfileResult::findings, "most first");
  of("notes", &ProfileResult::notes, "");
}

}  // namespace shapelint::objects
