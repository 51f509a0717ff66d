// What a script measured, for programs: JSON.
#include <nlohmann/json.hpp>

#include "cli/commands/prove/prove.hpp"
#include "prove/result.hpp"
#include "prove/sweep.hpp"
#include "text/json/write.hpp"

namespace shapelint::cli {

namespace {

using Json = nlohmann::ordered_json;

// Raised when a key changes its meaning or goes away.
constexpr int proved_version = 1;

Json counted(const std::vector<std::pair<std::string, std::size_t>>& reasons) {
  Json out = Json::array();
  for (const auto& [reason, count] : reasons) out.push_back({{"reason", reason}, {"count", count}});
  return out;
}

Json gain_json(double gain, double half_width) {
  return {{"gain", gain}, {"half_width", half_width}};
}

Json finding_json(const prove::Proof& proof, bool on_gpu) {
  Json out{{"finding", proof.code}, {"rule", proof.rule}, {"changes", proof.changes}};
  out["predicted"] = {{"gain", proof.predicted}, {"error", proof.predicted_error}};
  out["measured"] = nullptr;
  if (proof.measured_share > 0) {
    out["measured"] = gain_json(proof.gain, proof.half_width);
    out["measured"]["share"] = proof.measured_share;
    out["measured"]["of_whole_step"] = proof.whole == "step";
  }
  out["one_by_one"] =
      proof.whole == "step" ? gain_json(proof.operations_gain, proof.operations_half_width) : Json(nullptr);
  out["layer"] = proof.whole == "layer" ? gain_json(proof.whole_gain, proof.whole_half_width) : Json(nullptr);
  // What a CPU or another GPU takes says nothing of this one.
  out["verdict"] = on_gpu ? Json(prove::name(proof.verdict)) : Json(nullptr);
  return out;
}

std::string text_of(const Json& out) {
  return text::json_text(out, 2) + '\n';
}

}  // namespace

std::string proved_json(const prove::Measured& measured) {
  Json findings = Json::array();
  for (const prove::Proof& each : measured.proofs) findings.push_back(finding_json(each, measured.on_gpu));
  return text_of({{"version", proved_version},
                  {"shapelint", SHAPELINT_VERSION},
                  {"file", measured.file},
                  {"model", measured.model.empty() ? Json(nullptr) : Json(measured.model)},
                  {"gpu", measured.gpu},
                  {"device", measured.device},
                  {"on_gpu", measured.on_gpu},
                  {"date", measured.date},
                  {"software", measured.software},
                  {"throttled", measured.throttled},
                  {"comparisons", measured.measured},
                  {"findings", std::move(findings)},
                  {"not_measured", counted(measured.left_out)}});
}

std::string swept_json(const prove::Swept& swept) {
  Json sweeps = Json::array();
  for (const prove::SweepSummary& each : swept.sweeps) {
    sweeps.push_back({{"sweep", each.name},
                      {"kernels", each.rows},
                      {"median_ratio", each.median_ratio},
                      {"error", each.error},
                      {"half_width", each.half_width}});
  }
  return text_of({{"version", proved_version},
                  {"shapelint", SHAPELINT_VERSION},
                  {"gpu", swept.gpu},
                  {"device", swept.device},
                  {"date", swept.date},
                  {"software", swept.software},
                  {"planned", swept.planned},
                  {"kernels", swept.measured},
                  {"sweeps", std::move(sweeps)},
                  {"doubts", swept.doubts},
                  {"not_measured", counted(swept.left_out)}});
}

}  // namespace shapelint::cli
