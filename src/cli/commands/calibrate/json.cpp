// Fits for programs: JSON.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "cli/commands/calibrate/report.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/prove.hpp"

namespace shapelint::cli {

namespace {

// Constants move in steps of the fourth digit; what moves less stays.
constexpr double min_move = 0.001;

objects::FitScore score_of(const calibrate::Score& score) {
  return {score.mean, score.median, score.p90, score.bias};
}

objects::FittedConstants set_of(const FittedSet& set) {
  objects::FittedConstants out;
  out.set = set.name;
  out.rows = set.rows;
  for (std::size_t slice = 0; slice < calibrate::slice_names.size(); ++slice) {
    const calibrate::Score& after = set.fit.after.slices[slice];
    if (after.rows == 0) continue;
    const calibrate::Score& left_out = set.fit.left_out.slices[slice];
    objects::FitErrors& errors = out.errors[std::string(calibrate::slice_names[slice])];
    errors.rows = after.rows;
    errors.before = score_of(set.fit.before.slices[slice]);
    errors.after = score_of(after);
    if (left_out.rows > 0) errors.left_out = score_of(left_out);
  }
  for (const gpu::GemmConstant& each : gpu::gemm_constants()) {
    const double before = set.before.*each.member;
    const double after = set.fit.constants.*each.member;
    if (has_moved(before, after))
      out.moved.push_back({std::string(each.key), std::string(each.unit), before, after});
  }
  for (const calibrate::Kept& each : set.fit.kept)
    out.kept.push_back({std::string(each.key), std::string(each.reason)});
  return out;
}

std::optional<objects::PredictedGain> predicted_of(const std::optional<prove::Predicted>& predicted) {
  if (!predicted) return std::nullopt;
  return objects::PredictedGain{predicted->gain, predicted->error};
}

objects::RepricedProof proof_of(const ProvedFinding& each) {
  const prove::Proof& proof = each.proof.proof;
  objects::RepricedProof out;
  out.file = each.file;
  if (!each.proof.model.empty()) out.model = each.proof.model;
  out.finding = proof.code;
  out.rule = proof.rule;
  for (const auto& [field, values] : proof.changes) out.changes[field] = {values.first, values.second};
  out.device = each.proof.device;
  out.date = each.proof.date;
  out.verdict = prove::name(proof.verdict);
  out.measured = {proof.gain, proof.half_width, {}, {}};
  out.before = predicted_of(each.before);
  out.after = predicted_of(each.after);
  if (!each.no_longer_fits.empty()) out.no_longer_fits = each.no_longer_fits;
  return out;
}

}  // namespace

bool has_moved(double before, double after) {
  return std::abs(after - before) > min_move * std::max(std::abs(before), std::abs(after));
}

std::string fit_json(const FitReport& report) {
  objects::CalibrateResult result;
  result.gpu = report.gpu;
  result.profile = report.profile;
  result.source = report.source;
  for (const FittedSet& each : report.sets) result.sets.push_back(set_of(each));
  for (const UnchangedSet& each : report.stayed)
    result.stayed.push_back({std::string(each.name), each.reason});
  for (const ProvedFinding& each : report.findings) result.findings.push_back(proof_of(each));
  std::ostringstream out;
  objects::write_document("calibrate", objects::Status::ok, result, out);
  return std::move(out).str();
}

}  // namespace shapelint::cli
