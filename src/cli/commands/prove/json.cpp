// What a script measured, for programs: JSON.
#include <sstream>

#include "cli/commands/prove/prove.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/prove.hpp"
#include "prove/result.hpp"
#include "prove/sweep.hpp"

namespace shapelint::cli {

namespace {

std::vector<objects::NotMeasured> counted(const std::vector<std::pair<std::string, std::size_t>>& reasons) {
  std::vector<objects::NotMeasured> out;
  for (const auto& [reason, count] : reasons) out.push_back({reason, count});
  return out;
}

objects::ProvenFinding finding_of(const prove::Proof& proof, bool on_gpu) {
  objects::ProvenFinding out;
  out.finding = proof.code;
  out.rule = proof.rule;
  for (const auto& [field, values] : proof.changes) out.changes[field] = {values.first, values.second};
  out.predicted = {proof.predicted, proof.predicted_error};
  const bool is_step = proof.whole == "step";
  if (proof.measured_share > 0)
    out.measured = objects::MeasuredGain{proof.gain, proof.half_width, proof.measured_share, is_step};
  if (is_step)
    out.one_by_one = objects::MeasuredGain{proof.operations_gain, proof.operations_half_width, {}, {}};
  if (proof.whole == "layer")
    out.layer = objects::MeasuredGain{proof.whole_gain, proof.whole_half_width, {}, {}};
  // What a CPU or another GPU takes says nothing of this one.
  if (on_gpu) out.verdict = std::string(prove::name(proof.verdict));
  return out;
}

std::string printed(const objects::ProveResult& result) {
  std::ostringstream out;
  objects::write_document("prove", objects::Status::ok, result, out);
  return std::move(out).str();
}

}  // namespace

std::string proved_json(const prove::Measured& measured) {
  objects::ProveResult result;
  result.file = measured.file;
  if (!measured.model.empty()) result.model = measured.model;
  result.gpu = measured.gpu;
  result.device = measured.device;
  result.on_gpu = measured.on_gpu;
  result.date = measured.date;
  result.software = measured.software;
  result.throttled = measured.throttled;
  result.comparisons = measured.measured;
  result.findings.emplace();
  for (const prove::Proof& each : measured.proofs)
    result.findings->push_back(finding_of(each, measured.on_gpu));
  result.not_measured = counted(measured.left_out);
  return printed(result);
}

std::string swept_json(const prove::Swept& swept) {
  objects::ProveResult result;
  result.gpu = swept.gpu;
  result.device = swept.device;
  result.date = swept.date;
  result.software = swept.software;
  result.planned = swept.planned;
  result.kernels = swept.measured;
  result.sweeps.emplace();
  for (const prove::SweepSummary& each : swept.sweeps)
    result.sweeps->push_back({each.name, each.rows, each.median_ratio, each.error, each.half_width});
  result.doubts = swept.doubts;
  result.not_measured = counted(swept.left_out);
  return printed(result);
}

}  // namespace shapelint::cli
