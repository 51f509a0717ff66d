// What `roofline` prints.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <shapelint/shapelint.hpp>
#include "objects/printed/plans.hpp"

namespace shapelint::objects {

using api::When;

struct MemoryRoof {
  std::string level;
  double gb_s = 0;
  std::string basis;
  double achieved_gb_s = 0;
  std::string achieved_basis;
};
template <class Visitor>
void describe(Visitor& of, const MemoryRoof*) {
  of.type("MemoryRoof", "A level of memory.");
  of("level", &MemoryRoof::level, "dram, l2 or shared");
  of("gb_s", &MemoryRoof::gb_s, "peak", When::or_null);
  of("basis", &MemoryRoof::basis, "source: data sheet, profile, derived, predicted, assumed, unknown");
  of("achieved_gb_s", &MemoryRoof::achieved_gb_s, "that kernels reach", When::or_null);
  of("achieved_basis", &MemoryRoof::achieved_basis, "");
}

struct ComputeRoof {
  std::string dtype;
  std::string cores;
  double tflops = 0;
  double achieved_tflops = 0;
  std::string achieved_basis;
  std::map<std::string, double> ridge_flop_per_byte;
  double achieved_dram_ridge_flop_per_byte = 0;
};
template <class Visitor>
void describe(Visitor& of, const ComputeRoof*) {
  of.type("ComputeRoof", "Peak of a dtype.");
  of("dtype", &ComputeRoof::dtype, "");
  of("cores", &ComputeRoof::cores, "tensor or cuda");
  of("tflops", &ComputeRoof::tflops, "peak");
  of("achieved_tflops", &ComputeRoof::achieved_tflops, "that kernels reach", When::or_null);
  of("achieved_basis", &ComputeRoof::achieved_basis, "");
  of("ridge_flop_per_byte", &ComputeRoof::ridge_flop_per_byte, "by level of memory; 0: not known");
  of("achieved_dram_ridge_flop_per_byte", &ComputeRoof::achieved_dram_ridge_flop_per_byte, "", When::or_null);
}

struct Roofs {
  std::vector<MemoryRoof> memory;
  std::vector<ComputeRoof> compute;
};
template <class Visitor>
void describe(Visitor& of, const Roofs*) {
  of.type("Roofs", "Roofline limits of a GPU.");
  of("memory", &Roofs::memory, "");
  of("compute", &Roofs::compute, "");
}

struct RooflineOperation : api::Operation {
  std::string cores;
  double flops = 0;
  double least_bytes = 0;
  std::map<std::string, double> level_bytes;
  std::map<std::string, double> intensity_flop_per_byte;
  double link_bytes = 0;
  double peak_tflops = 0;
  double roof_tflops = 0;
  double achieved_roof_tflops = 0;
  std::string roof;
  double tflops = 0;
  double dram_gb_s = 0;
  double share_of_roof = 0;
  double share_of_achieved_roof = 0;
  double share_of_step = 0;
};
template <class Visitor>
void describe(Visitor& of, const RooflineOperation*) {
  of.type("RooflineOperation", "One operation in one pass: a mark of the roofline.");
  of.base(static_cast<const api::Operation*>(nullptr));
  of("cores", &RooflineOperation::cores, "whose peak applies: tensor or cuda");
  of("flops", &RooflineOperation::flops, "per run, without padding and partial tiles");
  of("least_bytes", &RooflineOperation::least_bytes,
     "each operand and result once; of a collective what the rank sends");
  of("level_bytes", &RooflineOperation::level_bytes,
     "per run: DRAM to L2, L2 to the SMs, in and out of shared memory");
  of("intensity_flop_per_byte", &RooflineOperation::intensity_flop_per_byte, "by level of memory");
  of("link_bytes", &RooflineOperation::link_bytes, "sent by the rank");
  of("peak_tflops", &RooflineOperation::peak_tflops, "of the units that it runs on");
  of("roof_tflops", &RooflineOperation::roof_tflops, "at its intensities in theory; 0 without FLOPs");
  of("achieved_roof_tflops", &RooflineOperation::achieved_roof_tflops,
     "the same with achieved bandwidth and arithmetic");
  of("roof", &RooflineOperation::roof, "the lowest: compute, dram, l2, shared, link");
  of("tflops", &RooflineOperation::tflops, "predicted");
  of("dram_gb_s", &RooflineOperation::dram_gb_s, "predicted");
  of("share_of_roof", &RooflineOperation::share_of_roof,
     "roofline time / predicted time; also for operations without FLOPs");
  of("share_of_achieved_roof", &RooflineOperation::share_of_achieved_roof,
     "the same against the achieved peaks; may exceed 1");
  of("share_of_step", &RooflineOperation::share_of_step, "0 for overlapped collectives");
}

struct RooflineWhole {
  double flops = 0;
  double dram_bytes = 0;
  double intensity_flop_per_byte = 0;
  double ridge_flop_per_byte = 0;
  double roof_tflops = 0;
  std::string bound;
};
template <class Visitor>
void describe(Visitor& of, const RooflineWhole*) {
  of.type("RooflineWhole", "The whole step under the roofline of its dtype and DRAM.");
  of("flops", &RooflineWhole::flops, "");
  of("dram_bytes", &RooflineWhole::dram_bytes, "");
  of("intensity_flop_per_byte", &RooflineWhole::intensity_flop_per_byte, "");
  of("ridge_flop_per_byte", &RooflineWhole::ridge_flop_per_byte, "", When::or_null);
  of("roof_tflops", &RooflineWhole::roof_tflops, "");
  of("bound", &RooflineWhole::bound, "compute or memory, by intensity against the ridge");
}

struct RooflineGemms {
  double flops = 0;
  double dram_bytes = 0;
  double compute_us = 0;
  double memory_us = 0;
};
template <class Visitor>
void describe(Visitor& of, const RooflineGemms*) {
  of.type("RooflineGemms", "All GEMMs of the step together.");
  of("flops", &RooflineGemms::flops, "");
  of("dram_bytes", &RooflineGemms::dram_bytes, "");
  of("compute_us", &RooflineGemms::compute_us, "");
  of("memory_us", &RooflineGemms::memory_us, "");
}

struct RooflineLaunches {
  double kernels = 0;
  double host_us = 0;
};
template <class Visitor>
void describe(Visitor& of, const RooflineLaunches*) {
  of.type("RooflineLaunches", "Kernels that a host starts.");
  of("kernels", &RooflineLaunches::kernels, "of a step");
  of("host_us", &RooflineLaunches::host_us,
     "for a host that launches them one by one at 5 us each (assumed)");
}

struct MixedServing {
  double first_token_us = 0;
  double token_alone_us = 0;
  std::optional<std::int64_t> gemms_compute_bound_from{};
  double prompt_tokens_per_s = 0;
};
template <class Visitor>
void describe(Visitor& of, const MixedServing*) {
  of.type("MixedServing", "Decode steps with piggybacked prefill.");
  of("first_token_us", &MixedServing::first_token_us, "TTFT of the piggybacked prompt");
  of("token_alone_us", &MixedServing::token_alone_us, "token_us without that prompt");
  of("gemms_compute_bound_from", &MixedServing::gemms_compute_bound_from,
     "smallest prefill_tokens with compute-bound GEMMs; null if 8192 are too "
     "few",
     When::or_null);
  of("prompt_tokens_per_s", &MixedServing::prompt_tokens_per_s, "read");
}

struct Serving {
  std::int64_t prompt_tokens = 0;
  std::int64_t chunk_tokens = 0;
  double first_token_us = 0;
  double first_token_low_us = 0;
  double first_token_high_us = 0;
  double token_us = 0;
  double token_low_us = 0;
  double token_high_us = 0;
  double accepted_tokens_per_step = 0;
  double tokens_per_s_all_gpus = 0;
  double tokens_per_s_per_gpu = 0;
  double draft_us = 0;
  std::optional<MixedServing> mixed{};
  double cache_bytes_per_token = 0;
  double cache_bytes = 0;
  double weight_bytes = 0;
};
template <class Visitor>
void describe(Visitor& of, const Serving*) {
  of.type("Serving", "Latency and throughput of a request.");
  of("prompt_tokens", &Serving::prompt_tokens, "");
  of("chunk_tokens", &Serving::chunk_tokens, "of it in each forward pass");
  of("first_token_us", &Serving::first_token_us, "one prompt alone, until its first token");
  of("first_token_low_us", &Serving::first_token_low_us, "10th percentile of the requests",
     When::unless_empty);
  of("first_token_high_us", &Serving::first_token_high_us, "90th percentile of the requests, behind others",
     When::unless_empty);
  of("token_us", &Serving::token_us, "between two tokens of a sequence");
  of("token_low_us", &Serving::token_low_us, "10th percentile of published steps", When::unless_empty);
  of("token_high_us", &Serving::token_high_us, "90th percentile of published steps", When::unless_empty);
  of("accepted_tokens_per_step", &Serving::accepted_tokens_per_step, "per sequence and decode step");
  of("tokens_per_s_all_gpus", &Serving::tokens_per_s_all_gpus, "of all sequences");
  of("tokens_per_s_per_gpu", &Serving::tokens_per_s_per_gpu, "");
  of("draft_us", &Serving::draft_us, "of a step: drafting with the model of --draft", When::unless_empty);
  of("mixed", &Serving::mixed, "with prefill_tokens");
  of("cache_bytes_per_token", &Serving::cache_bytes_per_token, "on one rank");
  of("cache_bytes", &Serving::cache_bytes, "of the batch");
  of("weight_bytes", &Serving::weight_bytes, "");
}

struct Generation {
  std::int64_t output_tokens = 0;
  double prompts_us = 0;
  double total_us = 0;
  double tokens_per_s_all_gpus = 0;
  double tokens_per_s_per_gpu = 0;
};
template <class Visitor>
void describe(Visitor& of, const Generation*) {
  of.type("Generation", "A batch of requests from its prompts to the last token.");
  of("output_tokens", &Generation::output_tokens, "of each");
  of("prompts_us", &Generation::prompts_us, "until every sequence has its first token");
  of("total_us", &Generation::total_us, "");
  of("tokens_per_s_all_gpus", &Generation::tokens_per_s_all_gpus, "new ones, of all sequences");
  of("tokens_per_s_per_gpu", &Generation::tokens_per_s_per_gpu, "");
}

struct StackEffect {
  std::string packages;
  double as_written_us = 0;
  double padding_us = 0;
  double other_kernels_us = 0;
  std::vector<Requirement> requirements;
};
template <class Visitor>
void describe(Visitor& of, const StackEffect*) {
  of.type("StackEffect",
          "Effect of a stack's packages on the step; step, operations and launch config include it.");
  of("packages", &StackEffect::packages, "`vllm 0.24`");
  of("as_written_us", &StackEffect::as_written_us, "step time with the sizes in the file");
  of("padding_us", &StackEffect::padding_us,
     "time of padding in the step; negative if the padded sizes are faster");
  of("other_kernels_us", &StackEffect::other_kernels_us,
     "time of fallback kernels in the step, against the kernels of the file's sizes");
  of("requirements", &StackEffect::requirements, "unmet requirements");
}

struct TimeLoss {
  std::string id;
  std::string name;
  double time_us = 0;
};
template <class Visitor>
void describe(Visitor& of, const TimeLoss*) {
  of.type("TimeLoss", "A part of the step.");
  of("id", &TimeLoss::id, "");
  of("name", &TimeLoss::name, "");
  of("time_us", &TimeLoss::time_us, "of the step");
}

struct Remedy {
  std::string id;
  std::string against;
  std::string change;
  double step_us = 0;
  double time_ratio = 0;
  double throughput_ratio = 0;
  std::string note;
};
template <class Visitor>
void describe(Visitor& of, const Remedy*) {
  of.type("Remedy", "A change of the launch config and its effect.");
  of("id", &Remedy::id, "");
  of("against", &Remedy::against, "bottleneck: compute, memory, communication, overhead");
  of("change", &Remedy::change, "");
  of("step_us", &Remedy::step_us, "");
  of("time_ratio", &Remedy::time_ratio, "the step's time after / before");
  of("throughput_ratio", &Remedy::throughput_ratio, "tokens/s per GPU, after / before");
  of("note", &Remedy::note, "", When::unless_empty);
}

struct RooflineCase {
  std::string path;
  std::string model;
  std::string gpu;
  std::string gpu_name;
  std::map<std::string, api::Scalar> plan;
  api::StepTotals step;
  bool best_gpu = false;
  bool best_model = false;
  Roofs roofs;
  RooflineWhole whole;
  RooflineGemms gemms;
  RooflineLaunches launches;
  std::optional<Serving> serving{};
  std::optional<api::Capacity> capacity{};
  std::optional<Generation> generation{};
  std::optional<StackEffect> stack{};
  std::vector<TimeLoss> losses;
  std::vector<RooflineOperation> operations;
  std::vector<Remedy> remedies;
  std::vector<std::string> notes;
};
template <class Visitor>
void describe(Visitor& of, const RooflineCase*) {
  of.type("RooflineCase", "One model on one GPU.");
  of("path", &RooflineCase::path, "of its file");
  of("model", &RooflineCase::model, "its name");
  of("gpu", &RooflineCase::gpu, "id");
  of("gpu_name", &RooflineCase::gpu_name, "");
  of("plan", &RooflineCase::plan, "every field of the sections run and parallel");
  of("step", &RooflineCase::step, "");
  of("best_gpu", &RooflineCase::best_gpu, "the fastest of the GPUs that this model is compared on");
  of("best_model", &RooflineCase::best_model, "the fastest of the models that are compared on this GPU");
  of("roofs", &RooflineCase::roofs, "");
  of("whole", &RooflineCase::whole, "");
  of("gemms", &RooflineCase::gemms, "");
  of("launches", &RooflineCase::launches, "");
  of("serving", &RooflineCase::serving, "of a prefill or a decode");
  of("capacity", &RooflineCase::capacity, "of an engine that serves");
  of("generation", &RooflineCase::generation, "with --output-tokens");
  of("stack", &RooflineCase::stack, "with --stack");
  of("losses", &RooflineCase::losses,
     "breakdown of the step time, from the model's FLOPs at the peak to the last loss");
  of("operations", &RooflineCase::operations, "");
  of("remedies", &RooflineCase::remedies, "best throughput first");
  of("notes", &RooflineCase::notes, "");
}

struct CurvePoint {
  std::int64_t value = 0;
  api::StepTotals step;
  double latency_us = 0;
  double gemm_intensity_flop_per_byte = 0;
  double gemm_tflops = 0;
  bool gemms_compute_bound = false;
};
template <class Visitor>
void describe(Visitor& of, const CurvePoint*) {
  of.type("CurvePoint", "One value.");
  of("value", &CurvePoint::value, "");
  of("step", &CurvePoint::step, "");
  of("latency_us", &CurvePoint::latency_us, "decode: between two tokens of a sequence; else of the step");
  of("gemm_intensity_flop_per_byte", &CurvePoint::gemm_intensity_flop_per_byte, "");
  of("gemm_tflops", &CurvePoint::gemm_tflops, "GEMM FLOPs / step time");
  of("gemms_compute_bound", &CurvePoint::gemms_compute_bound, "");
}

struct RooflineCurve {
  std::string path;
  std::string model;
  std::string gpu;
  std::string gpu_name;
  std::string field;
  double ridge_flop_per_byte = 0;
  std::optional<std::int64_t> beyond_ridge_from{};
  std::optional<std::int64_t> compute_bound_from{};
  std::vector<CurvePoint> points;
};
template <class Visitor>
void describe(Visitor& of, const RooflineCurve*) {
  of.type("RooflineCurve", "One model on one GPU over the values of a field (`--over`).");
  of("path", &RooflineCurve::path, "");
  of("model", &RooflineCurve::model, "its name");
  of("gpu", &RooflineCurve::gpu, "id");
  of("gpu_name", &RooflineCurve::gpu_name, "");
  of("field", &RooflineCurve::field, "");
  of("ridge_flop_per_byte", &RooflineCurve::ridge_flop_per_byte, "", When::or_null);
  of("beyond_ridge_from", &RooflineCurve::beyond_ridge_from,
     "smallest value at which the GEMMs' arithmetic intensity reaches the ridge point", When::or_null);
  of("compute_bound_from", &RooflineCurve::compute_bound_from,
     "smallest value at which the GEMMs are predicted to be compute-bound", When::or_null);
  of("points", &RooflineCurve::points, "");
}

struct RooflineResult {
  std::vector<RooflineCase> cases;
  std::vector<std::string> best;
  std::vector<RooflineCurve> curves;
};
template <class Visitor>
void describe(Visitor& of, const RooflineResult*) {
  of.type("RooflineResult", "Rooflines of steps.");
  of("cases", &RooflineResult::cases, "by file, then by GPU");
  of("best", &RooflineResult::best, "which GPU is best for each model and which model on each GPU, in words");
  of("curves", &RooflineResult::curves, "");
}

}  // namespace shapelint::objects
