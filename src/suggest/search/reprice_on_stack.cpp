// From prices as written to prices as run.
#include "suggest/search/reprice_on_stack.hpp"

#include <algorithm>
#include <memory>

#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

constexpr std::size_t least_kept = 256;  // as written: a stack brings them into another order

class Repricer {
 public:
  Repricer(const Problem& problem, const Costing& costing)
      : problem_(problem), costing_(costing), stack_(problem.on_stack()) {
    for (const gpu::Gpu* gpu : problem.gpus) memos_.push_back(std::make_unique<cost::PriceMemo>(*gpu));
  }

  // As it is run; not feasible where it needs too much memory then.
  Estimate operator()(const RankedPoint& found) {
    resolve(problem_, found.values, setup_);
    std::vector<double> times_us;
    for (const auto& memo : memos_) {
      if (problem_.budget.memory && !fits(memo->gpu())) return {};
      step_of(&stack_, *memo, setup_, step_);
      times_us.push_back(step_.cost.time_us);
    }
    return costing_.priced(setup_, times_us);
  }

 private:
  bool fits(const gpu::Gpu& gpu) const {
    return memory_allowed(setup_, memory_bytes_of(&stack_, gpu, setup_), problem_.start,
                          memory_bytes_of(&stack_, gpu, problem_.start),
                          usable_bytes(gpu::memory_gib(gpu), setup_));
  }

  const Problem& problem_;
  const Costing& costing_;
  OnStack stack_;
  std::vector<std::unique_ptr<cost::PriceMemo>> memos_;  // by GPU
  model::Setup setup_;
  Step step_;
};

}  // namespace

SearchOptions widened(const SearchOptions& options) {
  SearchOptions out = options;
  constexpr std::size_t times = 8;
  out.keep = std::max(least_kept, times * options.keep);
  out.distinct = false;
  return out;
}

SearchOutcome reprice_on_stack(const Problem& problem, const SearchOptions& options, const Costing& costing,
                               const Order& order, SearchOutcome written) {
  Repricer price(problem, costing);
  TopList best(order, std::max<std::size_t>(1, written.best.size()), options.distinct);
  for (RankedPoint& found : written.best) {
    const Estimate estimate = price(found);
    if (!estimate.feasible) continue;
    const bool is_worse = estimate.value <= costing.start_value() * (1 + least_gain) ||
                          (problem.basket == GpuAggregate::worst && estimate.worst < 1);
    if (options.better_only && is_worse) continue;
    found.value = estimate.value;
    found.speed = estimate.speed;
    best.add(std::move(found));
  }
  ParetoFront front(order);
  for (RankedPoint& found : written.front) {
    const Estimate estimate = price(found);
    if (!estimate.feasible) continue;
    found.value = estimate.value;
    found.speed = estimate.speed;
    if (!front.dominates(found.parameters, found.speed)) front.add(found);
  }
  written.best = best.best();
  if (options.distinct) drop_idle_changes(order, written.best);
  if (written.best.size() > options.keep) written.best.resize(options.keep);
  written.front = front.points();
  return written;
}

}  // namespace shapelint::suggest
