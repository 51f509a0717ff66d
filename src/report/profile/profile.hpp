// What `shapelint profile` found: a step as a profiler recorded it and its prediction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/step.hpp"
#include "cost/waterfall.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"
#include "model/spec.hpp"
#include "report/style.hpp"
#include "trace/match.hpp"
#include "trace/verdict.hpp"

namespace shapelint::report {

// One file of a profiler.
struct TraceFile {
  std::string path;
  std::string format;
  std::string device;
  std::int64_t rank = -1;  // negative: not recorded
  std::int64_t world_size = 0;
  std::int64_t other_devices = 0;
  std::int64_t events = 0;
  bool on_cpu = false;
  bool has_shapes = false;
  std::string step;        // name of its range
  std::size_t ranges = 0;  // steps that it names
  std::size_t whole = 0;
  trace::StepTimes times;
};

// What a finding's best proposal would save of the step as it was measured.
struct Worth {
  std::string code;
  std::string rule;
  std::string changes;
  double predicted = 0;
  double predicted_error = 0;
  double measured = 0;        // share of the measured step
  double measured_share = 0;  // of what it changes: measured, the rest as predicted
};

struct ProfileReport {
  std::string path;
  std::string model;
  gpu::Gpu gpu;
  model::Setup setup;
  model::Workload workload;
  cost::StepCost step;
  cost::Waterfall losses;
  std::vector<TraceFile> traces;  // the first is the one that is matched
  trace::Match match;
  std::vector<trace::ObservedLoss> verdicts;
  std::vector<Worth> findings;  // most first
  std::vector<std::string> notes;
};

// For people, within 100 columns. `top`: rows of each table; nothing: 20, 0: all.
std::string profile_text(const ProfileReport& report, std::optional<std::int64_t> top, const Style& style);
// One JSON object, indented; docs/schema/shapelint-profile.schema.json describes it.
std::string profile_json(const ProfileReport& report);
// One row per row of the table of operations, then one per kernel that is not explained.
std::string profile_csv(const ProfileReport& report);

// `layer.mlp.up dw`; of several operations the first, and how many more.
std::string row_title(const ProfileReport& report, const trace::Row& row);
// A kernel's name without its arguments.
std::string kernel_title(std::string_view name);
// A loss in words: `launch gaps`.
std::string_view loss_title(std::string_view id);

}  // namespace shapelint::report
