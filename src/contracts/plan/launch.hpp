// Commands that start a replica of a plan.
#pragma once

#include <string>
#include <vector>

#include "contracts/plan/serving.hpp"

namespace shapelint::contracts {

struct Launch {
  std::string engine;
  std::string command;
};
// In vLLM, SGLang and, where it has the layout, TensorRT-LLM.
std::vector<Launch> launches(const std::string& model, const ServingPlan& plan,
                             const ServingRequest& request);

}  // namespace shapelint::contracts
