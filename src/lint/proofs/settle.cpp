// Proofs that lie next to a configuration.
#include "lint/proofs/settle.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "gpu/registry.hpp"
#include "lint/phrases.hpp"
#include "model/fields.hpp"
#include "prove/proofs.hpp"
#include "rules/engine/constraints.hpp"
#include "rules/engine/merge.hpp"
#include "suggest/edit/evaluate.hpp"
#include "text/errors.hpp"
#include "text/printable.hpp"

namespace shapelint::lint {

namespace {

using prove::StoredProof;

prove::ChangedValues values_of(const std::vector<rules::Change>& changes) {
  prove::ChangedValues out;
  for (const rules::Change& change : changes) {
    if (change.field == model::no_field) return {};  // of a network of layers, which cannot be proved
    out.emplace(
        std::string(model::info(change.field).name),
        std::pair(model::value_text(change.field, change.from), model::value_text(change.field, change.to)));
  }
  return out;
}

std::string who(const StoredProof& proof) {
  return text::one_line(fmt::format("measured on {}, {}", proof.device, proof.date));
}

void add_note(rules::Finding& finding, const std::string& note) {
  if (!finding.note.empty()) finding.note += "; ";
  finding.note += text::one_line(note);
}

// The proof of a finding's best proposal on one GPU.
const StoredProof* find(const std::vector<const StoredProof*>& proofs, const rules::Finding& finding,
                        const std::string& gpu) {
  if (finding.proposals.empty()) return nullptr;
  const prove::ChangedValues changes = values_of(finding.proposals.front().changes);
  const StoredProof* latest = nullptr;
  for (const StoredProof* each : proofs) {
    const bool is_of_it =
        each->gpu == gpu && each->proof.code == finding.code && each->proof.changes == changes;
    if (is_of_it && (latest == nullptr || each->date > latest->date)) latest = each;
  }
  return latest;
}

void take_mean(std::vector<rules::GpuGain>& gains, double& gain, double& error) {
  gain = 0;
  error = 0;
  for (const rules::GpuGain& each : gains) {
    gain += each.gain / static_cast<double>(gains.size());
    error += each.error / static_cast<double>(gains.size());
  }
}

// Whether the finding still says something.
bool settle_finding(const std::vector<const StoredProof*>& proofs, double min_gain, rules::Finding& finding,
                    std::vector<std::string>& notes) {
  std::vector<rules::GpuGain> left;
  std::string measured;
  std::size_t settled = 0;
  std::string refuted;
  for (rules::GpuGain each : finding.gains) {
    const StoredProof* proof = find(proofs, finding, each.gpu);
    if (proof == nullptr) {
      left.push_back(std::move(each));
      continue;
    }
    if (proof->proof.verdict == prove::ProofVerdict::refuted || proof->proof.gain < min_gain) {
      refuted += fmt::format(
          "{}{}: {}, {}", refuted.empty() ? "" : "; ", each.gpu, who(*proof),
          proof->proof.verdict == prove::ProofVerdict::refuted
              ? fmt::format("it saves {} where {} was predicted",
                            share(proof->proof.gain, proof->proof.half_width),
                            share(proof->proof.predicted, proof->proof.predicted_error))
              : fmt::format("it saves only {}", share(proof->proof.gain, proof->proof.half_width)));
      continue;
    }
    each.gain = proof->proof.gain;
    each.error = proof->proof.half_width;
    measured += (measured.empty() ? "" : "; ") + who(*proof);
    ++settled;
    left.push_back(std::move(each));
  }
  if (!refuted.empty()) notes.push_back(fmt::format("{} is left out on {}", finding.code, refuted));
  if (left.empty()) return false;
  if (settled == 0 && refuted.empty()) return true;
  rules::Proposal& proposal = finding.proposals.front();
  finding.gains = left;
  proposal.gains = std::move(left);
  take_mean(finding.gains, finding.gain, finding.gain_error);
  proposal.gain = finding.gain;
  proposal.gain_error = finding.gain_error;
  if (settled == finding.gains.size()) finding.confidence = rules::Confidence::measured;
  if (settled > 0) add_note(finding, measured);
  return true;
}

// All fixes at once, without those of findings that are gone.
void apply_again(std::span<const gpu::Gpu> gpus, const rules::Options& options, const suggest::OnStack* stack,
                 ModelReport& model) {
  const rules::HardRules hard(*model.rules, model.reading);
  std::vector<suggest::Constraint> constraints = suggest::binding(hard.constraints(), model.reading.setup);
  for (suggest::Constraint& each : suggest::shape_constraints(options.policy.shape, model.reading.setup))
    constraints.push_back(std::move(each));
  if (stack != nullptr) {
    for (suggest::Constraint& each : suggest::binding(stack->constraints, model.reading.setup))
      constraints.push_back(std::move(each));
  }
  const suggest::FieldDependencies links = suggest::links_of(model.reading);
  for (rules::GpuReport& report : model.result.gpus) {
    const gpu::Gpu* gpu = gpu::find_by_id(gpus, report.gpu);
    if (gpu == nullptr) continue;
    report.after = report.before;
    report.gain = 0;
    report.applied.clear();
    report.left_out.clear();
    report.left_out_because.clear();
    suggest::Evaluator evaluator(*gpu, stack);
    rules::combine_proposals(model.result.findings, model.reading, links, constraints, evaluator, report);
  }
}

}  // namespace

Settled settle(std::span<const gpu::Gpu> gpus, const rules::Options& options, const suggest::OnStack* stack,
               const text::FileSystem& files, ModelReport& model, std::vector<Error>& errors) {
  Settled out;
  const std::filesystem::path path(model.path);
  const std::string beside = (path.parent_path() / prove::proofs_name).generic_string();
  if (!files.exists(beside)) return out;
  auto content = files.read(beside, text::max_source_bytes);
  auto stored = content ? prove::read_proofs(beside, *std::move(content))
                        : Result<std::vector<StoredProof>>(content.error());
  if (!stored) {
    errors.push_back(stored.error());
    return out;
  }
  const std::string file = path.filename().generic_string();
  std::vector<rules::Finding>& findings = model.result.findings;
  std::vector<const StoredProof*> fitting;
  for (const StoredProof& each : *stored) {
    const bool is_priced =
        std::any_of(gpus.begin(), gpus.end(), [&](const gpu::Gpu& gpu) { return gpu.id == each.gpu; });
    if (!is_priced) continue;
    const std::string why = prove::difference(each.sizes, model.reading);
    if (why.empty()) {
      fitting.push_back(&each);
    } else if (each.file == file && each.model == model.reading.part) {
      for (rules::Finding& finding : findings) {
        if (finding.code == each.proof.code)
          add_note(finding,
                   fmt::format("the proof of {} on {} no longer fits: {}", each.date, each.gpu, why));
      }
    }
  }
  if (fitting.empty()) return out;
  out.left_out = std::erase_if(findings, [&](rules::Finding& finding) {
    return !settle_finding(fitting, options.min_gain, finding, out.notes);
  });
  for (std::string& note : out.notes) note = fmt::format("{}: {}", model.path, note);
  rules::sort_findings(findings);
  if (out.left_out > 0) apply_again(gpus, options, stack, model);
  return out;
}

}  // namespace shapelint::lint
