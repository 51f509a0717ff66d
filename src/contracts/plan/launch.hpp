// Commands that start a replica of a plan.
#pragma once

#include <string>
#include <vector>

#include "base/dtype.hpp"
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

// In vLLM, SGLang and, where it has the layout, TensorRT-LLM. `stored`: the dtype of the checkpoint; none
// where no engine makes the plan's of it as it loads.
std::vector<Launch> launches(const std::string& model, DType stored, const ServingPlan& plan,
                             const ServingRequest& request);

}  // namespace shapelint::contracts
