// Ways of dividing a model, for programs.
#include "cli/commands/fits/json.hpp"

#include <cmath>
#include <sstream>

#include "base/units.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/plans.hpp"
#include "objects/report.hpp"

namespace shapelint::cli {

namespace {

std::int64_t bytes_of(double gb) {
  return std::isfinite(gb) ? std::llround(gb * bytes_per_gb) : 0;
}

objects::Plan plan_of(std::string_view gpu, const contracts::FitRow& row) {
  objects::Plan out;
  out.gpu = gpu;
  out.num_gpus = row.gpus;
  out.parallel = {row.tensor, row.pipeline, row.context, row.data, row.expert, row.expert_tensor};
  out.zero = row.zero;
  out.dtype = name(row.format);
  out.outcome = name(row.fit);
  out.memory_bytes = bytes_of(row.memory_gb);
  out.usable_bytes = bytes_of(row.usable_gb);
  if (row.capacity.budget_bytes > 0) out.capacity = api::capacity_of(row.capacity);
  for (const contracts::Verdict& each : row.unmet) {
    out.requirements.push_back({std::string(each.contract->id), std::string(name(each.contract->outcome)),
                                std::string(each.contract->summary), each.formula, each.numbers});
  }
  out.codes = row.broken;
  if (row.fit == contracts::Fit::refused) return out;
  out.step_us = row.price.time_us;
  out.padding_us = row.price.padding_us;
  out.slower_us = row.price.slower_us;
  out.tokens_per_s_all_gpus = row.tokens_per_s;
  return out;
}

}  // namespace

std::string fits_json_text(std::span<const GpuFits> all) {
  objects::FitsResult result;
  for (const GpuFits& fits : all) {
    result.gpus.push_back(fits.gpu);
    for (const contracts::FitRow& row : fits.rows) {
      result.plans.push_back(plan_of(fits.gpu, row));
      result.plans.back().best = best_of(fits, row.gpus) == &row;
    }
  }
  std::ostringstream out;
  objects::write_document("fits", objects::Status::ok, result, out);
  return std::move(out).str();
}

}  // namespace shapelint::cli
