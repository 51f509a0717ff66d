// Profiles for programs: CSV and JSON.
#include <sstream>

#include <fmt/format.h>

#include "base/number.hpp"
#include "model/op.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/profile.hpp"
#include "report/formats.hpp"
#include "report/profile/profile.hpp"

namespace shapelint::report {

std::string profile_csv(const ProfileReport& report) {
  std::string out =
      "trace,step,gpu,operation,passes,kind,matched_by,expected_calls,calls,kernels,predicted_us,measured_us,"
      "kernel\n";
  const TraceFile& file = report.traces.front();
  const std::string begin =
      fmt::format("{},{},{}", csv_field(file.path), csv_field(file.step), csv_field(report.gpu.id));
  for (const trace::Row& row : report.match.rows) {
    std::string names;
    std::string passes;
    for (const std::size_t each : row.ops) {
      const model::Op& op = report.workload.ops[each];
      names += fmt::format("{}{}", names.empty() ? "" : " ", op.name);
      passes += fmt::format("{}{}", passes.empty() ? "" : " ", model::name(op.pass));
    }
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", begin, csv_field(names), csv_field(passes),
                       csv_field(row.kind), row.calls > 0 ? name(row.by) : "", exact(row.expected_calls),
                       exact(row.calls), row.kernels, exact(row.predicted_us),
                       row.calls > 0 ? exact(row.measured_us) : "", csv_field(row.kernel));
  }
  for (const trace::Unexplained& each : report.match.unexplained) {
    out += fmt::format("{},,,{},,,{},,,{},{}\n", begin, csv_field(each.kind), exact(each.calls),
                       exact(each.time_us), csv_field(each.what));
  }
  return out;
}

namespace {

objects::ProfiledTrace trace_of(const TraceFile& file) {
  const trace::StepTimes& t = file.times;
  objects::ProfiledTrace out;
  out.path = file.path;
  out.format = file.format;
  out.device = file.device;
  if (file.rank >= 0) out.rank = file.rank;
  out.world_size = file.world_size;
  out.other_devices = file.other_devices;
  out.events = file.events;
  out.is_cpu = file.on_cpu;
  out.has_sizes = file.has_shapes;
  if (file.ranges > 0) out.step = file.step;
  out.steps = file.ranges;
  out.whole_steps = file.whole;
  out.step_us = t.wall_us;
  out.kernels_us = t.kernels_us;
  out.busy_us = t.busy_us;
  out.communication_us = t.communication_us;
  out.exposed_communication_us = t.exposed_us;
  out.idle_us = t.idle_us;
  if (t.knows_launches) out.launch_late_us = t.late_us;
  return out;
}

objects::ProfiledRow row_of(const ProfileReport& report, const trace::Row& row) {
  objects::ProfiledRow out;
  out.kind = row.kind;
  for (const std::size_t each : row.ops) out.operations.push_back(api::shape_of(report.workload.ops[each]));
  out.expected_calls = row.expected_calls;
  out.calls = row.calls;
  out.kernels = row.kernels;
  out.predicted_us = row.predicted_us;
  if (row.calls <= 0) return out;
  out.matched_by = std::string(name(row.by));
  out.measured_us = row.measured_us;
  out.kernel = row.kernel;
  return out;
}

}  // namespace

std::string profile_json(const ProfileReport& report) {
  objects::ProfileResult result;
  result.path = report.path;
  result.model = report.model;
  result.gpu = report.gpu.id;
  result.gpu_name = report.gpu.name;
  const cost::StepCost& step = report.step;
  result.predicted = {step.time_us,     step.compute_us, step.memory_us, step.communication_us,
                      step.overhead_us, step.bubble_us,  step.hidden_us};
  for (const TraceFile& file : report.traces) result.traces.push_back(trace_of(file));
  result.kernels_us = report.match.kernels_us;
  result.classified_us = report.match.classified_us;
  result.explained_us = report.match.explained_us;
  for (const trace::Row& row : report.match.rows) result.rows.push_back(row_of(report, row));
  for (const trace::Unexplained& each : report.match.unexplained)
    result.unexplained.push_back({each.what, each.kind, each.hint, each.calls, each.time_us});
  for (const trace::ObservedLoss& each : report.verdicts) {
    result.losses.push_back(
        {std::string(each.id), std::string(name(each.seen)), each.predicted_us, each.measured_us, each.why});
  }
  for (const Worth& each : report.findings) {
    result.findings.push_back({each.code, each.rule, each.changes, each.predicted, each.predicted_error,
                               each.measured, each.measured_share});
  }
  result.notes = report.notes;
  std::ostringstream out;
  objects::write_document("profile", objects::Status::ok, result, out);
  return std::move(out).str();
}

}  // namespace shapelint::report
