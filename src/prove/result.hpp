// What a script measured, and what that says of the findings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "prove/plan.hpp"

namespace shapelint::prove {

// From the predicted gain to the measured one.
enum class ProofVerdict : std::uint8_t {
  confirmed,  // it saves as much as predicted, or more
  smaller,    // it saves something, and less than predicted
  refuted,    // it saves nothing that could be measured, and less than predicted
  unclear,    // the measurement is too coarse to tell
  unmeasured  // too little of the change could be measured
};
std::string_view name(ProofVerdict verdict);

// Version of what the script writes, and of the plan in it.
inline constexpr std::int64_t result_version = 1;

inline constexpr std::string_view product_columns = "dtype,recipe,layout,batch,m,n,k,time_us";

// Values of fields before and after, as a file would state them.
using ChangedValues = std::map<std::string, std::pair<std::string, std::string>>;

// One finding, measured.
struct Proof {
  std::string code;
  std::string rule;
  ChangedValues changes;
  double predicted = 0;
  double predicted_error = 0;
  double gain = 0;
  double half_width = 0;      // of its 95 % interval
  double measured_share = 0;  // of the predicted change: what could be measured
  ProofVerdict verdict = ProofVerdict::unmeasured;
  // What was run before and after as a whole, one kernel behind the other: `step`, which `gain` is of then,
  // `layer` or nothing. The rest is of these: what of itself it saves.
  std::string whole;
  double whole_gain = 0;
  double whole_half_width = 0;
  // Where `gain` is of the whole step: that of its operations, timed one by one.
  double operations_gain = 0;
  double operations_half_width = 0;
  // Rows of a table of `calibrate` (product_columns): the products that it was measured on, with their times.
  std::vector<std::string> products;
  friend bool operator==(const Proof&, const Proof&) = default;
};

struct Measured {
  std::string file;  // as the plan calls it
  std::string model;
  Sizes sizes;
  std::string gpu;      // id of the profile
  std::string device;   // as PyTorch calls it
  bool on_gpu = false;  // the one of the plan
  std::string date;
  std::map<std::string, std::string> software;
  std::vector<std::string> throttled;
  std::vector<std::pair<std::string, std::size_t>> left_out;  // reasons, and of how many comparisons
  std::size_t measured = 0;                                   // comparisons
  std::vector<Proof> proofs;
};

// Adds one to the count of `reason`.
void count_left_out(std::vector<std::pair<std::string, std::size_t>>& reasons, std::string reason);

// Reads what the script wrote. Errors: no JSON, another file, figures that cannot be.
Result<Measured> read_result(std::string path, std::string content);

// Verdict of a gain whose interval is `gain` +- `half_width`.
ProofVerdict verdict_of(double predicted, double predicted_error, double gain, double half_width);

}  // namespace shapelint::prove
