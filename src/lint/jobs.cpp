// What a shape that comes without a job can be used for.
#include "lint/jobs.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "contracts/fits.hpp"
#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "rules/scope/launch.hpp"
#include "rules/scope/memory.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::lint {

namespace {

constexpr std::int64_t most_to_train = 1024;
constexpr std::int64_t most_to_serve = 64;

bool is_as_engines_do(const contracts::FitRow& row, std::int64_t link_gpus) {
  const std::int64_t stages = std::max<std::int64_t>(1, row.gpus / std::max<std::int64_t>(1, link_gpus));
  return row.data == 1 && row.context == 1 && row.pipeline == stages;
}

// Lays the job out as is fastest on so many GPUs, where it fits them.
std::optional<JobPlan> fastest(JobPlan out, const model::Reading& reading, const gpu::Gpu& gpu,
                               const rules::RuleBook& rules, std::int64_t gpus) {
  for (const contracts::FitRow& row : contracts::fits({&reading, &gpu, &rules, nullptr, {gpus}, {}})) {
    if (row.fit == contracts::Fit::too_large || row.fit == contracts::Fit::refused) break;
    if (!out.trains && !is_as_engines_do(row, gpu.link_gpus)) continue;
    static_cast<contracts::Layout&>(out) = row;
    out.zero = row.zero;
    out.recompute = reading.setup.plan.recompute;
    out.step_us = row.price.time_us;
    out.tokens_per_s = row.tokens_per_s;
    out.memory_bytes = row.memory_gb * bytes_per_gb;
    return out;
  }
  return std::nullopt;
}

// The fastest of all `readings` of the same job, on the fewest GPUs that one of them fits.
JobPlan smallest(std::span<const model::Reading> readings, const gpu::Gpu& gpu,
                 const rules::RuleBook& rules) {
  const model::Setup& setup = readings.front().setup;
  JobPlan job;
  job.gpus = 0;
  job.gpu = gpu.id;
  job.trains = setup.plan.mode == model::Mode::train;
  job.most = job.trains ? most_to_train : most_to_serve;
  job.sequences = setup.plan.micro_batch_size;
  job.step_sequences = rules::step_sequences(readings.front());
  const bool decodes = setup.plan.mode == model::Mode::decode;
  job.tokens = decodes ? setup.plan.context_length : setup.plan.sequence_length;
  const double usable = suggest::usable_bytes(gpu::memory_gib(gpu), setup);
  const double states = suggest::footprint(setup).state_bytes;
  for (std::int64_t gpus = 1; gpus <= job.most; gpus *= 2) {
    if (states / static_cast<double>(gpus) > usable) continue;
    std::optional<JobPlan> best;
    for (const model::Reading& reading : readings) {
      std::optional<JobPlan> found = fastest(job, reading, gpu, rules, gpus);
      if (found && (!best || found->tokens_per_s > best->tokens_per_s)) best = std::move(found);
    }
    if (best) return *std::move(best);
  }
  return job;
}

// "TP 2 x DP 4, EP 8, ZeRO-1"; "TP 1" where nothing is split.
std::string layout_text(const JobPlan& job) {
  std::string out;
  append_degrees(out, {{"TP", job.tensor}, {"PP", job.pipeline}, {"CP", job.context}, {"DP", job.data}},
                 " x ");
  if (out.empty()) out = "TP 1";
  if (job.expert > 1) out += fmt::format(", EP {}", job.expert);
  if (job.zero > 0) out += fmt::format(", ZeRO-{}", job.zero);
  if (job.recompute == model::Recompute::full) out += ", full recomputation";
  return out;
}

}  // namespace

bool lacks_mode_and_layout(const model::Reading& reading) {
  return reading.complete && reading.setup.model.conv.empty() &&
         reading.setup.plan.mode == model::Mode::train && !model::is_stated(reading, model::FieldId::mode) &&
         !rules::states_plan(reading);
}

std::vector<JobPlan> jobs_of(const model::Reading& reading, const gpu::Gpu& gpu,
                             const rules::RuleBook& rules) {
  if (gpu::memory_gib(gpu) <= 0) return {};
  if (model::extra(reading, "tower") > 0) {
    model::Reading encoder = reading;
    model::give(encoder, model::FieldId::mode, static_cast<std::int64_t>(model::Mode::prefill));
    model::give(encoder, model::FieldId::micro_batch_size, served_sequences);
    JobPlan out = smallest({&encoder, 1}, gpu, rules);
    out.encodes = reading.part == "audio" ? "clip" : "image";
    return {std::move(out)};
  }
  std::vector<model::Reading> trained{rules::with_usual_batch(reading)};
  if (!model::is_stated(reading, model::FieldId::recompute)) {
    trained.push_back(trained.front());
    model::give(trained.back(), model::FieldId::recompute, static_cast<std::int64_t>(model::Recompute::full));
  }
  std::vector<JobPlan> out{smallest(trained, gpu, rules)};
  if (!reading.setup.model.causal || !reading.setup.model.lm_head) return out;
  model::Reading served = reading;
  model::give(served, model::FieldId::mode, static_cast<std::int64_t>(model::Mode::decode));
  model::give(served, model::FieldId::micro_batch_size, served_sequences);
  model::give(served, model::FieldId::context_length, served_context);
  out.push_back(smallest({&served, 1}, gpu, rules));
  return out;
}

std::optional<JobPlan> min_plan(const model::Reading& reading, const gpu::Gpu& gpu,
                                const rules::RuleBook& rules) {
  if (!reading.complete || !reading.setup.model.conv.empty() || gpu::memory_gib(gpu) <= 0) return {};
  if (rules::states_plan(reading) || model::weights_are_unknown(reading.setup.plan)) return {};
  const double needed = suggest::memory_bytes(reading.setup);
  if (needed <= suggest::usable_bytes(gpu::memory_gib(gpu), reading.setup)) return {};
  return smallest({&reading, 1}, gpu, rules);
}

std::string plan_text(const JobPlan& job) {
  if (job.gpus == 0) return fmt::format("more than {} x {}", with_commas(job.most), job.gpu);
  return fmt::format("{} x {} ({}), {} GiB per GPU", with_commas(job.gpus), job.gpu, layout_text(job),
                     gib(job.memory_bytes));
}

std::string job_text(const JobPlan& job) {
  const std::string what =
      job.trains
          ? fmt::format("{} of {} tokens per step, micro-batch {}, Adam",
                        counted(job.step_sequences, "sequence"), with_commas(job.tokens), job.sequences)
          : fmt::format("{} of {}", counted(job.sequences, job.encodes.empty() ? "sequence" : job.encodes),
                        counted(job.tokens, job.encodes == "image" ? "patch|patches" : "token"));
  const std::string_view name = job.trains ? "training" : job.encodes.empty() ? "serving " : "encoding";
  if (job.gpus == 0) {
    return fmt::format("{}  does not fit {} x {} ({})", name, with_commas(job.most), job.gpu, what);
  }
  const double inputs_per_s = static_cast<double>(job.sequences) / job.step_us * us_per_s;
  return fmt::format(
      "{}  {} x {} ({}): {} {}/s\n{} GiB per GPU; {}", name, with_commas(job.gpus), job.gpu, layout_text(job),
      with_commas(std::llround(job.encodes.empty() ? job.tokens_per_s : inputs_per_s)),
      job.encodes.empty() ? "tokens" : fmt::format("{}s", job.encodes), gib(job.memory_bytes), what);
}

}  // namespace shapelint::lint
