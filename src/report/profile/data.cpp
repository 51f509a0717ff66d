// Profiles for programs: JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/op_names.hpp"
#include "report/profile/profile.hpp"
#include "text/json/write.hpp"

namespace shapelint::report {

namespace {

using Json = nlohmann::ordered_json;

// Raised when a key changes its meaning or goes away.
constexpr int profile_version = 1;

Json trace_json(const TraceFile& file) {
  const trace::StepTimes& t = file.times;
  return {{"path", file.path},
          {"format", file.format},
          {"device", file.device},
          {"rank", file.rank >= 0 ? Json(file.rank) : Json(nullptr)},
          {"world_size", file.world_size > 0 ? Json(file.world_size) : Json(nullptr)},
          {"other_devices", file.other_devices},
          {"events", file.events},
          {"is_cpu", file.on_cpu},
          {"has_sizes", file.has_shapes},
          {"step", file.ranges > 0 ? Json(file.step) : Json(nullptr)},
          {"steps", file.ranges},
          {"whole_steps", file.whole},
          {"step_us", t.wall_us},
          {"kernels_us", t.kernels_us},
          {"busy_us", t.busy_us},
          {"communication_us", t.communication_us},
          {"exposed_communication_us", t.exposed_us},
          {"idle_us", t.idle_us},
          {"launch_late_us", t.knows_launches ? Json(t.late_us) : Json(nullptr)}};
}

Json row_json(const ProfileReport& report, const trace::Row& row) {
  Json ops = Json::array();
  for (const std::size_t each : row.ops) {
    const model::Op& op = report.workload.ops[each];
    ops.push_back({{"name", op.name}, {"pass", model::name(op.pass)}});
  }
  Json out{{"kind", row.kind},
           {"operations", std::move(ops)},
           {"matched_by", row.calls > 0 ? Json(name(row.by)) : Json(nullptr)},
           {"expected_calls", row.expected_calls},
           {"calls", row.calls},
           {"kernels", row.kernels},
           {"predicted_us", row.predicted_us},
           {"measured_us", row.calls > 0 ? Json(row.measured_us) : Json(nullptr)},
           {"kernel", row.calls > 0 ? Json(row.kernel) : Json(nullptr)}};
  if (row.ops.size() == 1) {
    const model::Op& op = report.workload.ops[row.ops.front()];
    if (op.kind == model::OpKind::gemm)
      out["shape"] = {{"batch", op.batch.value}, {"m", op.m.value}, {"n", op.n.value}, {"k", op.k.value}};
  }
  return out;
}

}  // namespace

std::string profile_json(const ProfileReport& report) {
  Json traces = Json::array();
  for (const TraceFile& file : report.traces) traces.push_back(trace_json(file));
  Json rows = Json::array();
  for (const trace::Row& row : report.match.rows) rows.push_back(row_json(report, row));
  Json unexplained = Json::array();
  for (const trace::Unexplained& each : report.match.unexplained) {
    unexplained.push_back({{"what", each.what},
                           {"kind", each.kind},
                           {"hint", each.hint},
                           {"calls", each.calls},
                           {"time_us", each.time_us}});
  }
  Json losses = Json::array();
  for (const trace::Verdict& each : report.verdicts) {
    losses.push_back({{"id", each.id},
                      {"verdict", name(each.seen)},
                      {"predicted_us", each.predicted_us},
                      {"measured_us", each.measured_us},
                      {"why", each.why}});
  }
  Json findings = Json::array();
  for (const Worth& each : report.findings) {
    findings.push_back({{"code", each.code},
                        {"rule", each.rule},
                        {"changes", each.changes},
                        {"predicted_gain", each.predicted},
                        {"predicted_gain_error", each.predicted_error},
                        {"gain", each.measured},
                        {"measured_share", each.measured_share}});
  }
  const trace::Match& match = report.match;
  const Json all{{"version", profile_version},
                 {"shapelint", SHAPELINT_VERSION},
                 {"path", report.path},
                 {"model", report.model},
                 {"gpu", report.gpu.id},
                 {"gpu_name", report.gpu.name},
                 {"predicted",
                  {{"step_us", report.step.time_us},
                   {"compute_us", report.step.compute_us},
                   {"memory_us", report.step.memory_us},
                   {"communication_us", report.step.communication_us},
                   {"overhead_us", report.step.overhead_us},
                   {"bubble_us", report.step.bubble_us},
                   {"hidden_us", report.step.hidden_us}}},
                 {"traces", std::move(traces)},
                 {"kernels_us", match.kernels_us},
                 {"classified_us", match.classified_us},
                 {"explained_us", match.explained_us},
                 {"rows", std::move(rows)},
                 {"unexplained", std::move(unexplained)},
                 {"losses", std::move(losses)},
                 {"findings", std::move(findings)},
                 {"notes", report.notes}};
  return text::json_text(all, 1) + "\n";
}

}  // namespace shapelint::report
