// What `prove --read` and `calibrate` print.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <shapelint/shapelint.hpp>

namespace shapelint::objects {

using api::When;

struct PredictedGain {
  double gain = 0;
  double error = 0;
};
template <class Visitor>
void describe(Visitor& of, const PredictedGain*) {
  of.type("PredictedGain", "A gain as predicted.");
  of("gain", &PredictedGain::gain, "share of the step time saved");
  of("error", &PredictedGain::error, "half width of its interval");
}

struct MeasuredGain {
  double gain = 0;
  double half_width = 0;
  std::optional<double> share{};
  std::optional<bool> of_whole_step{};
};
template <class Visitor>
void describe(Visitor& of, const MeasuredGain*) {
  of.type("MeasuredGain", "A gain as measured.");
  of("gain", &MeasuredGain::gain, "share of the step time saved");
  of("half_width", &MeasuredGain::half_width, "of its 95 % interval");
  of("share", &MeasuredGain::share, "measured share of the predicted change");
  of("of_whole_step", &MeasuredGain::of_whole_step, "the step was run as a whole");
}

struct ProvenFinding {
  std::string finding;
  std::string rule;
  std::map<std::string, std::vector<std::string>> changes;
  PredictedGain predicted;
  std::optional<MeasuredGain> measured{};
  std::optional<MeasuredGain> one_by_one{};
  std::optional<MeasuredGain> layer{};
  std::optional<std::string> verdict{};
};
template <class Visitor>
void describe(Visitor& of, const ProvenFinding*) {
  of.type("ProvenFinding", "A finding that was measured.");
  of("finding", &ProvenFinding::finding, "its code");
  of("rule", &ProvenFinding::rule, "");
  of("changes", &ProvenFinding::changes, "by field: before and after, as a file would state them");
  of("predicted", &ProvenFinding::predicted, "");
  of("measured", &ProvenFinding::measured, "null: nothing was", When::or_null);
  of("one_by_one", &ProvenFinding::one_by_one, "sum of the operations, if the step was run as a whole",
     When::or_null);
  of("layer", &ProvenFinding::layer, "saving of a layer that was run as a whole", When::or_null);
  of("verdict", &ProvenFinding::verdict,
     "confirmed, smaller, refuted, unclear, unmeasured; null where it ran on something else", When::or_null);
}

struct NotMeasured {
  std::string reason;
  std::size_t count = 0;
};
template <class Visitor>
void describe(Visitor& of, const NotMeasured*) {
  of.type("NotMeasured", "A kernel that could not be measured.");
  of("reason", &NotMeasured::reason, "");
  of("count", &NotMeasured::count, "");
}

struct SweptKernels {
  std::string sweep;
  std::size_t kernels = 0;
  double median_ratio = 1;
  double error = 0;
  double half_width = 0;
};
template <class Visitor>
void describe(Visitor& of, const SweptKernels*) {
  of.type("SweptKernels", "Kernels of a sweep.");
  of("sweep", &SweptKernels::sweep, "its name");
  of("kernels", &SweptKernels::kernels, "that were measured");
  of("median_ratio", &SweptKernels::median_ratio, "measured / predicted");
  of("error", &SweptKernels::error, "mean of |predicted / measured - 1|");
  of("half_width", &SweptKernels::half_width, "median of the intervals");
}

struct ProveResult {
  std::optional<std::string> file{};
  std::optional<std::string> model{};
  std::string gpu;
  std::string device;
  std::optional<bool> on_gpu{};
  std::string date;
  std::map<std::string, std::string> software;
  std::optional<std::vector<std::string>> throttled{};
  std::optional<std::size_t> comparisons{};
  std::optional<std::vector<ProvenFinding>> findings{};
  std::optional<std::size_t> planned{};
  std::optional<std::size_t> kernels{};
  std::optional<std::vector<SweptKernels>> sweeps{};
  std::optional<std::vector<std::string>> doubts{};
  std::vector<NotMeasured> not_measured;
};
template <class Visitor>
void describe(Visitor& of, const ProveResult*) {
  of.type("ProveResult", "Measurements of a script: findings, or sweeps.");
  of("file", &ProveResult::file, "findings: the model's file, as the plan calls it");
  of("model", &ProveResult::model, "findings, of a file that holds several");
  of("gpu", &ProveResult::gpu, "id of the plan's GPU");
  of("device", &ProveResult::device, "GPU name in PyTorch");
  of("on_gpu", &ProveResult::on_gpu, "findings: it is the plan's GPU; else no verdict is given");
  of("date", &ProveResult::date, "");
  of("software", &ProveResult::software, "versions by name");
  of("throttled", &ProveResult::throttled, "findings: why the GPU was throttled meanwhile");
  of("comparisons", &ProveResult::comparisons, "findings: that were measured");
  of("findings", &ProveResult::findings, "");
  of("planned", &ProveResult::planned, "sweeps: kernels of the plan");
  of("kernels", &ProveResult::kernels, "sweeps: that were measured");
  of("sweeps", &ProveResult::sweeps, "");
  of("doubts", &ProveResult::doubts,
     "sweeps: why this cannot be, or is of no use to others; empty: it is plausible");
  of("not_measured", &ProveResult::not_measured, "by reason");
}

struct FitScore {
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double bias = 0;
};
template <class Visitor>
void describe(Visitor& of, const FitScore*) {
  of.type("FitScore", "Errors of predictions.");
  of("mean", &FitScore::mean, "of |predicted / measured - 1|");
  of("median", &FitScore::median, "");
  of("p90", &FitScore::p90, "");
  of("bias", &FitScore::bias, "geometric mean of predicted / measured");
}

struct FitErrors {
  std::size_t rows = 0;
  FitScore before;
  FitScore after;
  std::optional<FitScore> left_out{};
};
template <class Visitor>
void describe(Visitor& of, const FitErrors*) {
  of.type("FitErrors", "Errors of a slice of the GEMMs.");
  of("rows", &FitErrors::rows, "");
  of("before", &FitErrors::before, "");
  of("after", &FitErrors::after, "");
  of("left_out", &FitErrors::left_out, "each row predicted by constants fitted without its n and k",
     When::or_null);
}

struct MovedConstant {
  std::string key;
  std::string unit;
  double before = 0;
  double after = 0;
};
template <class Visitor>
void describe(Visitor& of, const MovedConstant*) {
  of.type("MovedConstant", "A constant that a fit changed.");
  of("key", &MovedConstant::key, "");
  of("unit", &MovedConstant::unit, "");
  of("before", &MovedConstant::before, "");
  of("after", &MovedConstant::after, "");
}

struct KeptConstant {
  std::string key;
  std::string reason;
};
template <class Visitor>
void describe(Visitor& of, const KeptConstant*) {
  of.type("KeptConstant", "A constant that stays as it is.");
  of("key", &KeptConstant::key, "");
  of("reason", &KeptConstant::reason, "");
}

struct FittedConstants {
  std::string set;
  std::size_t rows = 0;
  std::map<std::string, FitErrors> errors;
  std::vector<MovedConstant> moved;
  std::vector<KeptConstant> kept;
};
template <class Visitor>
void describe(Visitor& of, const FittedConstants*) {
  of.type("FittedConstants", "A set of constants for one dtype.");
  of("set", &FittedConstants::set, "its name");
  of("rows", &FittedConstants::rows, "");
  of("errors", &FittedConstants::errors, "by slice of the GEMMs: all, train, decode, misaligned");
  of("moved", &FittedConstants::moved, "");
  of("kept", &FittedConstants::kept, "");
}

struct StayedConstants {
  std::string set;
  std::string reason;
};
template <class Visitor>
void describe(Visitor& of, const StayedConstants*) {
  of.type("StayedConstants", "A set with too few GEMMs.");
  of("set", &StayedConstants::set, "its name");
  of("reason", &StayedConstants::reason, "");
}

struct RepricedProof {
  std::string file;
  std::optional<std::string> model{};
  std::string finding;
  std::string rule;
  std::map<std::string, std::vector<std::string>> changes;
  std::string device;
  std::string date;
  std::string verdict;
  MeasuredGain measured;
  std::optional<PredictedGain> before{};
  std::optional<PredictedGain> after{};
  std::optional<std::string> no_longer_fits{};
};
template <class Visitor>
void describe(Visitor& of, const RepricedProof*) {
  of.type("RepricedProof", "A proof and its prediction.");
  of("file", &RepricedProof::file, "");
  of("model", &RepricedProof::model, "of a file that holds several");
  of("finding", &RepricedProof::finding, "its code");
  of("rule", &RepricedProof::rule, "");
  of("changes", &RepricedProof::changes, "by field: before and after, as a file would state them");
  of("device", &RepricedProof::device, "");
  of("date", &RepricedProof::date, "");
  of("verdict", &RepricedProof::verdict, "");
  of("measured", &RepricedProof::measured, "");
  of("before", &RepricedProof::before,
     "predicted by the profile as it was; null where the proof no longer fits", When::or_null);
  of("after", &RepricedProof::after, "predicted by the new profile", When::or_null);
  of("no_longer_fits", &RepricedProof::no_longer_fits, "why the proof does not match the current model",
     When::or_null);
}

struct CalibrateResult {
  std::string gpu;
  std::string profile;
  std::string source;
  std::vector<FittedConstants> sets;
  std::vector<StayedConstants> stayed;
  std::vector<RepricedProof> findings;
};
template <class Visitor>
void describe(Visitor& of, const CalibrateResult*) {
  of.type("CalibrateResult", "Constants of a GPU, fitted to measurements.");
  of("gpu", &CalibrateResult::gpu, "id");
  of("profile", &CalibrateResult::profile, "the file that was written");
  of("source", &CalibrateResult::source, "source of the measurements, from the profile");
  of("sets", &CalibrateResult::sets, "those that were searched for");
  of("stayed", &CalibrateResult::stayed, "");
  of("findings", &CalibrateResult::findings, "of --proofs");
}

}  // namespace shapelint::objects
