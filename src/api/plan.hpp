// Internal to the public face: plans of a model that is read, for the library and for the command.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <shapelint/shapelint.hpp>

#include "contracts/plan/plans.hpp"
#include "project/project.hpp"
#include "text/files.hpp"

namespace shapelint::api {

// What is wrong with the options themselves. `called`: how the caller knows an option, `--num-gpus`.
using CalledOption = std::function<std::string(std::string_view option)>;
std::vector<Error> problems_of(const PlanOptions& options, const CalledOption& called);

struct PlanAnswer {
  PlanResult result;
  // The fastest training plan of the best number of GPUs.
  std::optional<model::Setup> fastest{};
};
// The file of a plan's model.
struct PlanFile {
  const std::string& path;  // or what engines call the model
  const std::string& text;
  const project::Configured& configured;
  const text::FileSystem& files;
  bool is_stdin = false;
};
// `options` has no problems.
Result<PlanAnswer> plan_of(const contracts::PlanSubject& subject, const PlanOptions& options,
                           const PlanFile& file);

}  // namespace shapelint::api
