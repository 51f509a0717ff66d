// `shapelint plan`: how many GPUs, which layout, which batch, and what it costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"

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

}  // namespace shapelint::cli
