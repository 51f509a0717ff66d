// `shapelint plan`: how many GPUs, which layout, which batch, and what it costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "contracts/plan/serving.hpp"
#include "contracts/plan/training.hpp"
#include "report/style.hpp"

namespace shapelint::cli {

struct PlanOptions {
  ProjectOptions project;
  std::string file;
  std::string model;
  std::string gpus = "auto";
  std::vector<std::string> prices;  // h100=2.5
  std::optional<std::int64_t> global_batch;
  double tokens = 0;  // to train on; 0: not asked
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  double ttft_ms = 0;  // 0: any
  double tpot_ms = 0;
  double requests_per_s = 0;  // 0: as many as the GPUs can take
  std::vector<std::string> formats;
  std::int64_t top = 5;
  std::size_t format = 0;
  bool apply = false;
  bool diff = false;
  std::string output;
};

std::vector<Option> plan_options(PlanOptions& options);
ExitCode plan_run(const PlanOptions& options, Io& io);

// Of one GPU and one number of them.
struct TrainingCount {
  std::string gpu;  // id
  std::int64_t gpus = 1;
  double price = 0;  // of an hour of one GPU; 0: not given
  contracts::TrainingAnswer answer;
  std::vector<contracts::Ablation> ablations;
  // What the file says, where that is for as many GPUs and sequences.
  std::optional<contracts::TrainingPlan> own{};
};

struct TrainingPlans {
  std::string model;
  std::int64_t sequences = 1;  // of a step
  std::int64_t sequence_length = 1;
  double tokens = 0;                    // to train on; 0: not asked
  std::vector<TrainingCount> counts;    // by GPU, then by number
  std::vector<std::string> ways;        // how the fastest plan is said in the file
  const TrainingCount* best = nullptr;  // the one that is shown in full; null: nothing fits
};

struct ServingCount {
  std::string gpu;
  std::int64_t gpus = 1;
  double price = 0;
  contracts::ServingAnswer answer;
};

struct ServingPlans {
  std::string model;
  contracts::ServingRequest request;
  std::vector<ServingCount> counts;
  const ServingCount* best = nullptr;  // of the cheapest plan; null: none meets the bounds
};

std::string training_text(const TrainingPlans& plans, const report::Style& style);
std::string training_json(const TrainingPlans& plans);
std::string serving_text(const ServingPlans& plans, const report::Style& style);
std::string serving_json(const ServingPlans& plans);

// `tensor 8, pipeline 2, data 4, ZeRO 1`.
std::string layout_words(const model::Plan& plan);
// What starts a replica in vLLM, and in SGLang.
struct Launch {
  std::string engine;
  std::string command;
};
std::vector<Launch> launches(const std::string& model, const contracts::ServingPlan& plan,
                             const contracts::ServingRequest& request);

// Hours of the run, and what they cost; 0 where nobody asked.
double run_hours(const contracts::TrainingPlan& plan, double tokens);
// Of a million tokens read and written: the GPUs' time is shared out by what they do.
struct TokenCost {
  double input = 0;
  double output = 0;
};
TokenCost token_cost(const contracts::ServingPlan& plan, double price);

}  // namespace shapelint::cli
