// The Python script that measures a plan.
#pragma once

#include <string>
#include <string_view>

#include "prove/plan.hpp"
#include "prove/sweep.hpp"

namespace shapelint::prove {

// bench/measure.py, without a plan.
extern const std::string_view measuring_script;

// The same with the plan in it.
std::string script_of(const MeasurementPlan& plan);
std::string script_of(const SweepPlan& plan);

}  // namespace shapelint::prove
