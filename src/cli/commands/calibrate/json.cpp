// Fits for programs: JSON.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "cli/commands/calibrate/report.hpp"
#include "text/json/write.hpp"

namespace shapelint::cli {

namespace {

using Json = nlohmann::ordered_json;

// Raised when a key changes its meaning or goes away.
constexpr int fit_version = 1;
// Constants move in steps of the fourth digit; what moves less stays.
constexpr double least_move = 0.001;

Json score_json(const calibrate::Score& score) {
  return {{"mean", score.mean}, {"median", score.median}, {"p90", score.p90}, {"bias", score.bias}};
}

Json set_json(const FittedSet& set) {
  Json errors = Json::object();
  for (std::size_t slice = 0; slice < calibrate::slice_names.size(); ++slice) {
    const calibrate::Score& after = set.fit.after.slices[slice];
    if (after.rows == 0) continue;
    const calibrate::Score& left_out = set.fit.left_out.slices[slice];
    errors[std::string(calibrate::slice_names[slice])] = {
        {"rows", after.rows},
        {"before", score_json(set.fit.before.slices[slice])},
        {"after", score_json(after)},
        {"left_out", left_out.rows > 0 ? score_json(left_out) : Json(nullptr)}};
  }
  Json moved = Json::array();
  for (const gpu::GemmConstant& each : gpu::gemm_constants()) {
    const double before = set.before.*each.member;
    const double after = set.fit.constants.*each.member;
    if (!has_moved(before, after)) continue;
    moved.push_back({{"key", each.key}, {"unit", each.unit}, {"before", before}, {"after", after}});
  }
  Json kept = Json::array();
  for (const calibrate::Kept& each : set.fit.kept)
    kept.push_back({{"key", each.key}, {"reason", each.reason}});
  return {{"set", set.name},
          {"rows", set.rows},
          {"errors", std::move(errors)},
          {"moved", std::move(moved)},
          {"kept", std::move(kept)}};
}

Json predicted_json(const std::optional<prove::Predicted>& predicted) {
  if (!predicted) return nullptr;
  return {{"gain", predicted->gain}, {"error", predicted->error}};
}

Json finding_json(const ProvedFinding& each) {
  const prove::Proof& proof = each.proof.proof;
  Json out{{"file", each.file}};
  if (!each.proof.model.empty()) out["model"] = each.proof.model;
  out["finding"] = proof.code;
  out["rule"] = proof.rule;
  out["changes"] = proof.changes;
  out["device"] = each.proof.device;
  out["date"] = each.proof.date;
  out["verdict"] = prove::name(proof.verdict);
  out["measured"] = {{"gain", proof.gain}, {"half_width", proof.half_width}};
  out["before"] = predicted_json(each.before);
  out["after"] = predicted_json(each.after);
  out["no_longer_fits"] = each.no_longer_fits.empty() ? Json(nullptr) : Json(each.no_longer_fits);
  return out;
}

}  // namespace

bool has_moved(double before, double after) {
  return std::abs(after - before) > least_move * std::max(std::abs(before), std::abs(after));
}

std::string fit_json(const FitReport& report) {
  Json sets = Json::array();
  for (const FittedSet& each : report.sets) sets.push_back(set_json(each));
  Json stayed = Json::array();
  for (const StayedSet& each : report.stayed) stayed.push_back({{"set", each.name}, {"reason", each.reason}});
  Json findings = Json::array();
  for (const ProvedFinding& each : report.findings) findings.push_back(finding_json(each));
  const Json out{{"version", fit_version},      {"shapelint", SHAPELINT_VERSION}, {"gpu", report.gpu},
                 {"profile", report.profile},   {"source", report.source},        {"sets", std::move(sets)},
                 {"stayed", std::move(stayed)}, {"findings", std::move(findings)}};
  return text::json_text(out, 2) + '\n';
}

}  // namespace shapelint::cli
