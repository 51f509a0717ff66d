// Contracts and verdicts for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "contracts/check.hpp"

namespace shapelint::cli {

struct GpuVerdicts {
  std::string gpu;
  std::vector<contracts::Verdict> verdicts;
};

std::string contracts_json_text(std::span<const contracts::Contract* const> list);
std::string verdicts_json_text(const contracts::Book& book, const contracts::Stack& stack,
                               std::span<const GpuVerdicts> all);

}  // namespace shapelint::cli
