// What a shape that comes without a job can be used for: training, and serving, each on as few GPUs as hold
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/plan/layouts.hpp"
#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "rules/book/rule.hpp"

namespace shapelint::lint {

// Sequences that a server decodes at a time, and the tokens that each has in the KV cache.
inline constexpr std::int64_t served_sequences = 32;
inline constexpr std::int64_t served_context = 4096;

// The fastest plan on the fewest GPUs that it fits.
struct JobPlan : contracts::Layout {  // gpus: 0 where none of the numbers that are tried is enough
  bool trains = true;
  std::string_view encodes;  // "image" of a vision tower; empty of a language model
  std::string gpu;           // id
  std::int64_t most = 0;     // the largest number of GPUs that is tried
  std::int64_t zero = 0;
  model::Recompute recompute = model::Recompute::none;
  std::int64_t sequences = 0;       // of a micro-batch; decoded at a time by a server
  std::int64_t step_sequences = 0;  // of an optimizer step, in training
  std::int64_t tokens = 0;          // of each sequence
  double step_us = 0;
  double tokens_per_s = 0;  // of all GPUs together
  double memory_bytes = 0;  // on each
};

// Whether nothing says what is done with the model: neither a mode nor a batch nor how it is laid out.
bool lacks_mode_and_layout(const model::Reading& reading);

// Training with a usual batch, and with full recomputation where that takes fewer GPUs or less time, and
// served_sequences of a model that generates text, each with weights in the dtype of the file. Serving is
// laid out as engines do: tensor parallelism within the fast interconnect, pipeline stages beyond. A tower
// encodes as many inputs: it runs before its language model, whatever is done with that.
std::vector<JobPlan> jobs_of(const model::Reading& reading, const gpu::Gpu& gpu,
                             const rules::RuleBook& rules);

// The job that a file states, where nothing says how it is laid out and one GPU is too small: on as few as
// hold it.
std::optional<JobPlan> min_plan(const model::Reading& reading, const gpu::Gpu& gpu,
                                const rules::RuleBook& rules);

// "2 x h100-sxm5 (TP 2), 65.7 GiB each"; "more than 1,024 x h100-sxm5" of one that fits none.
std::string plan_text(const JobPlan& job);

// "training  4 x h100-sxm5 (DP 4, ZeRO-3): 46,100 tokens/s", and below it "62.5 GiB per GPU; 1,024 sequences
// of 4,096 tokens per step, micro-batch 1, Adam".
std::string job_text(const JobPlan& job);

}  // namespace shapelint::lint
