// On how many GPUs the parts of a whole run.
#pragma once

#include <cstdint>
#include <vector>

#include "lint/report.hpp"

namespace shapelint::lint {

// By part of `whole`, which is one of wholes(report).
std::vector<std::int64_t> gpus_of_parts(const Whole& whole, const Report& report);

}  // namespace shapelint::lint
