// From the parts of a (possibly partial) candidate to its cost for the objective. Internal to the search.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "suggest/problem.hpp"
#include "suggest/search/part_table.hpp"

namespace shapelint::suggest {

// What is known of a candidate whose parts have a range of sizes; exact when all parts are.
struct Estimate {
  bool feasible = false;  // the budget can be met
  double value = 0;       // upper bound
  double speed = 0;       // upper bound
  double worst = 0;       // upper bound of start's cost / cost on the GPU where that is least
  std::int64_t parameters_high = 0;
};

class Costing {
 public:
  // `references`: cost by GPU that has the value 1.
  // `memos`: prices known already, by GPU; none needed.
  Costing(const Problem& problem, std::vector<double> references,
          std::span<cost::PriceMemo* const> memos = {});

  // `plan` has the fields of the plan, hidden_size and num_layers.
  Estimate estimate(const model::Setup& plan, std::span<const PartNode* const> parts, PartTable& table) const;

  // Of a whole candidate by the time of its step on each GPU.
  Estimate priced(const model::Setup& setup, std::span<const double> times_us) const;

  // Cost on one GPU, smaller is better; `flops_per_token` split into layers and head.
  double cost(const model::Setup& plan, std::size_t gpu, double time_us, double layer_flops,
              double head_flops) const;
  double combine(std::span<const double> ratios) const;
  const std::vector<double>& references() const { return references_; }
  const std::vector<double>& start_costs() const { return start_costs_; }
  // The start's value.
  double start_value() const;

 private:
  const Problem& problem_;
  std::vector<double> references_;
  std::vector<double> start_costs_;
  std::vector<double> start_us_per_token_;
  double start_flops_ = 0;
};

}  // namespace shapelint::suggest
