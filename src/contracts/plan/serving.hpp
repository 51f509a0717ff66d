// Plans of a service: replicas of a model over so many GPUs with so many concurrent requests, in the steady
// state of continuous batching.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "contracts/fits.hpp"
#include "contracts/plan/training.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "suggest/serving/capacity.hpp"

namespace shapelint::contracts {

// What every request is, and what it may take; times in microseconds, 0: any.
struct ServingRequest {
  std::int64_t input_tokens = 1;
  std::int64_t output_tokens = 1;
  double ttft_us = 0;
  double tpot_us = 0;
  double e2e_us = 0;              // to the last token
  double requests_per_s = 0;      // that arrive at the whole service; 0: as many as it can take
  std::int64_t concurrency = 0;   // requests that are under way in the whole service; 0: any number
  std::vector<Format> formats{};  // empty: the file's own
  std::vector<Pin> pins{};
};

// What keeps a plan from more requests at a time.
enum class LimitingFactor : std::uint8_t { memory, tpot, ttft, e2e, throughput, concurrency };
std::string_view name(LimitingFactor binds);

struct ServingPlan {
  // Decoding with half of the output behind the input; prefill_tokens: of prompts that each step reads along
  // (chunked prefill) until all are read, 0 for whole prompts between steps.
  model::Setup setup;
  std::int64_t prompts = 1;  // whole ones that are read at once between steps
  Format format;
  std::int64_t gpus = 1;          // of all replicas
  std::int64_t replica_gpus = 1;  // of one
  std::int64_t replicas = 1;
  std::int64_t requests = 1;           // at a time, of all replicas
  std::int64_t requests_per_rank = 1;  // at a time, of one data-parallel rank, all stages
  double prompt_us = 0;  // of one stage: a pass of whole prompts, or with chunks the steps that read one
  double step_us = 0;    // of one stage: a decoding step
  double mixed_us = 0;   // of one stage: a decoding step that reads prompts along
  double ttft_us = 0;
  double tpot_us = 0;
  double gap_us = 0;                // longest time between two tokens of a request
  double request_us = 0;            // from a request's arrival to its last token
  double requests_per_s = 0;        // that all GPUs can take
  double load = 1;                  // of those, what arrives
  double output_tokens_per_s = 0;   // of all GPUs
  double input_tokens_per_s = 0;    // of all GPUs
  double tokens_per_s_per_gpu = 0;  // output
  double tokens_per_s_per_user = 0;
  double prompt_share = 0;  // of the GPUs' time
  double memory_bytes = 0;  // on one GPU: weights, and the cache of requests that have all their tokens
  double usable_bytes = 0;
  std::int64_t kv_tokens = 0;    // that one data-parallel rank's cache holds
  std::int64_t kv_requests = 0;  // of this length, at a time
  std::int64_t largest = 0;      // tokens of the longest sequence that has room
  LimitingFactor binds = LimitingFactor::memory;
  cost::Bound bound = cost::Bound::compute;  // of a decoding step

  bool meets(const ServingRequest& request) const {
    return (request.ttft_us <= 0 || ttft_us <= request.ttft_us) &&
           (request.tpot_us <= 0 || tpot_us <= request.tpot_us) &&
           (request.e2e_us <= 0 || request_us <= request.e2e_us);
  }
};

// How far plans are from bounds that none of them meets; 0: not asked, or nothing fits.
struct Nearest {
  double ttft_us = 0;
  double tpot_us = 0;
  double request_us = 0;
  double requests_per_s = 0;  // of all GPUs, within the bounds
};

struct ServingAnswer {
  // The best that meets the bounds: most tokens/s/GPU, or for a rate of requests the fewest GPUs.
  std::optional<ServingPlan> cheapest;
  std::optional<ServingPlan> fastest;  // fewest us per token of those
  std::optional<ServingPlan> fewest;   // fewest GPUs of a replica, then as `cheapest`
  std::vector<ServingPlan> front;      // tokens/s/GPU against tokens/s/user, the latter ascending
  Nearest nearest;                     // where nothing meets the bounds
  SearchCounts searched;
};

// For one thread and one GPU. What it is made of must outlive it.
class ServingSearch {
 public:
  ServingSearch(const model::Reading& reading, const gpu::Gpu& gpu, const rules::RuleBook& rules,
                const PlanStack& stack, ServingRequest request);
  ~ServingSearch();
  // For all replicas whose GPUs divide `gpus`, or for a rate of requests as many as it takes, of at most
  // `gpus`. Every plan is priced.
  ServingAnswer search(std::int64_t gpus);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Numbers of requests that are tried: powers of two, the numbers halfway between, and the most that fit.
std::vector<std::int64_t> batches(std::int64_t most);
// Tokens of prompts per step that are tried: 0 for whole prompts between steps, parts of a prompt, all of it,
// and several. Of attention over selected keys and recurrences, prompts mixed with decoding are not modeled.
std::vector<std::int64_t> chunks(const model::ModelSpec& model, std::int64_t input_tokens);

// Layers of multi-token prediction that the checkpoint has to draft tokens with; 0: none are known, or they
// are not modeled with layers that differ.
std::int64_t drafting_layers(const model::Reading& reading);
// Whether drafted tokens are searched: how many of them are accepted is known to whoever states it alone.
bool searches_drafts(const model::Reading& reading);

}  // namespace shapelint::contracts
