// Commands that start a replica of a plan.
#pragma once

#include <string>
#include <vector>

#include "contracts/plan/serving.hpp"
#include "model/reading.hpp"

namespace shapelint::contracts {

struct Launch {
  std::string engine;
  std::string command;
};
// What an engine is told to load: the checkpoint that the file names, the folder of a config.json, or a
// published model's name; `MODEL` where the file leaves it open.
std::string served_model(const model::Reading& reading);

// In vLLM, SGLang and, where it has the layout, TensorRT-LLM; none where no engine makes the plan's dtype of
// the checkpoint as it loads. A replica of several nodes has the number of each in $NODE, and the address of
// the first in $HEAD.
std::vector<Launch> launches(const model::Reading& reading, const ServingPlan& plan,
                             const ServingRequest& request);

}  // namespace shapelint::contracts
