// Which of the losses that are predicted a trace shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/waterfall.hpp"
#include "trace/match.hpp"

namespace shapelint::trace {

enum class Observation : std::uint8_t {
  confirmed,
  smaller,  // there, but less than half of what is predicted
  not_seen,
  larger,  // more than twice what is predicted
  untold,  // the trace cannot tell: `why`
};
std::string_view name(Observation seen);

struct ObservedLoss {
  std::string_view id;  // `alignment`, `tile`, `wave`, `launch_gaps`, `communication`
  Observation seen = Observation::untold;
  double predicted_us = 0;  // of the step
  double measured_us = 0;   // the same, as far as the trace shows
  std::string why;          // one sentence
};

// Alignment, tiles and waves by the GEMMs that are predicted to lose by them, against those that are not;
// launch gaps and communication by intervals.
std::vector<ObservedLoss> verdicts(const Trace& trace, const Step& step, const Match& match,
                                   const model::Workload& workload, const cost::StepCost& cost,
                                   const cost::Waterfall& losses, double host_us);

}  // namespace shapelint::trace
