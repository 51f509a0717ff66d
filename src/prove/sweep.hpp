// What a script of sweeps measured of a GPU, compared with predictions, and whether it is plausible.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "prove/plan.hpp"
#include "text/document.hpp"

namespace shapelint::prove {

// The sweeps that the script knows.
inline constexpr std::array<std::string_view, 6> sweep_names{"grid",      "alignment", "waves",
                                                             "attention", "moe",       "layers"};

// What a script of sweeps is to do.
struct SweepPlan {
  gpu::Gpu gpu;
  std::vector<std::string> sweeps;
  double budget_s = 3600;
};

// One sweep's kernels compared with their predictions: ratios are measured / predicted.
struct SweepSummary {
  std::string name;
  std::size_t rows = 0;
  double error = 0;         // mean of |predicted / measured - 1|
  double median_ratio = 1;  // measured / predicted
  double half_width = 0;    // median of the intervals' half widths
};

struct SweepResult {
  std::string gpu;  // id of the profile
  std::string device;
  std::string date;
  std::map<std::string, std::string> software;
  std::size_t planned = 0;
  std::size_t measured = 0;
  std::vector<std::pair<std::string, std::size_t>> left_out;  // reasons, and of how many kernels
  std::vector<SweepSummary> sweeps;
  std::vector<std::string> doubts;  // why this cannot be, or is of no use to others; empty: it is plausible
  std::string products;             // a table of `calibrate`: product_columns and rows
};

// Whether a text is what a script of sweeps wrote, and no result of findings.
bool is_swept(std::string_view content);

// Reads it. Errors: no JSON, another file, invalid figures, an unknown GPU. `own`: profiles of
// the user's own.
Result<SweepResult> read_swept(std::string path, std::string content,
                               std::span<const text::Document> own = {});

// bench/measure.py: the Python script that measures a plan, without one.
extern const std::string_view measuring_script;

// The same with the plan in it.
std::string script_of(const MeasurementPlan& plan);
std::string script_of(const SweepPlan& plan);

}  // namespace shapelint::prove
