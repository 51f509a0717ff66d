// Exact prices and reasons.
#include "suggest/answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "base/units.hpp"
#include "cost/uncertainty.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/candidate.hpp"
#include "suggest/edit/footprint.hpp"
#include "suggest/search/costing.hpp"
#include "suggest/search/feasible.hpp"

namespace shapelint::suggest {

namespace {

using model::real;

constexpr double seconds_per_hour = 3600;
constexpr double million = 1e6;

double ranks_of(const model::Setup& setup) {
  return real(setup.plan.tensor) * real(setup.plan.pipeline) * real(setup.plan.context);
}

class Explainer {
 public:
  Explainer(const Problem& problem, const SearchOptions& options)
      : problem_(problem),
        costing_(problem, options.references),
        stack_(problem.on_stack ? problem.on_stack() : OnStack{}) {
    for (const gpu::Gpu* gpu : problem.gpus) memos_.push_back(std::make_unique<cost::PriceMemo>(*gpu));
    for (std::size_t gpu = 0; gpu < problem.gpus.size(); ++gpu) {
      start_.push_back(step(problem.start, gpu));
    }
  }

  Performance performance(const model::Setup& setup, std::size_t gpu) {
    return performance(setup, step(setup, gpu), gpu);
  }

  Suggestion suggestion(const RankedPoint& found) {
    Suggestion out;
    model::Setup setup;
    resolve(problem_, found.values, setup);
    out.setup = in_own_mode(setup);
    out.edits = edits_between(*problem_.reading, out.setup);
    out.parameters = found.parameters;
    for (std::size_t gpu = 0; gpu < problem_.gpus.size(); ++gpu) out.gpus.push_back(on_gpu(setup, gpu));
    out.gain = together(out.gpus, &OnGpu::gain);
    out.error = error_of_gain(out.gpus);
    if (out.gpus.size() > 1) out.of_best = found.value;
    for (const Change& change : out.edits.changes) out.alone.push_back(alone(change));
    return out;
  }

  FrontPoint point(const RankedPoint& found) const {
    model::Setup setup;
    resolve(problem_, found.values, setup);
    return {edits_between(*problem_.reading, in_own_mode(setup)), found.parameters, found.speed};
  }

  double start_value() const { return costing_.start_value(); }

 private:
  double real_size() const { return static_cast<double>(problem_.gpus.size()); }

  // Back from the mode that the objective is about.
  model::Setup in_own_mode(model::Setup setup) const {
    setup.plan.mode = problem_.reading->setup.plan.mode;
    setup.plan.context_length = problem_.reading->setup.plan.context_length;
    return setup;
  }

  Step step(const model::Setup& setup, std::size_t gpu) {
    Step out;
    step_of(&stack_, *memos_[gpu], setup, out);
    return out;
  }

  double cost(const model::Setup& setup, const Step& step, std::size_t gpu) const {
    const double head = model::head_flops_per_token(setup);
    return costing_.cost(setup, gpu, step.cost.time_us, model::forward_flops_per_token(setup) - head, head);
  }

  Performance performance(const model::Setup& setup, const Step& step, std::size_t gpu) const {
    Performance out;
    out.time_us = step.cost.time_us;
    out.mfu = step.cost.mfu;
    out.tokens_per_s = step.workload.tokens_per_step / step.cost.time_us * us_per_s / ranks_of(setup);
    if (gpu < problem_.prices.size() && out.tokens_per_s > 0) {
      out.dollars_per_m = problem_.prices[gpu] / seconds_per_hour / out.tokens_per_s * million;
    }
    out.memory_gb = memory_bytes_of(&stack_, *problem_.gpus[gpu], setup) / bytes_per_gb;
    out.capacity_gb = gpu::memory_bytes(*problem_.gpus[gpu]) / bytes_per_gb;
    return out;
  }

  double error_of_gain(const std::vector<OnGpu>& gpus) const {
    if (problem_.basket == GpuAggregate::mean) return together(gpus, &OnGpu::error);
    return std::min_element(gpus.begin(), gpus.end(),
                            [](const OnGpu& a, const OnGpu& b) { return a.gain < b.gain; })
        ->error;
  }

  double together(const std::vector<OnGpu>& gpus, double OnGpu::*member) const {
    double sum = 0;
    double worst = gpus.front().*member;
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      sum += gpus[gpu].*member * (problem_.weights.empty() ? 1.0 / real_size() : problem_.weights[gpu]);
      worst = std::min(worst, gpus[gpu].*member);
    }
    return problem_.basket == GpuAggregate::worst ? worst : sum;
  }

  OnGpu on_gpu(const model::Setup& setup, std::size_t gpu) {
    OnGpu out;
    out.gpu = problem_.gpus[gpu]->id;
    const Step after = step(setup, gpu);
    const Step& before = start_[gpu];
    out.now = performance(setup, after, gpu);
    out.gain = 1 - cost(setup, after, gpu) / costing_.start_costs()[gpu];
    const cost::Gain gain =
        cost::gain_between(*problem_.gpus[gpu], before.workload, before.cost, after.workload, after.cost);
    const double tokens = after.workload.tokens_per_step > 0
                              ? before.workload.tokens_per_step / after.workload.tokens_per_step
                              : 1.0;
    out.error = gain.half_width * tokens;
    out.measured = gain.measured;

    // What one unit of the new step's time stands for in the old step.
    const double scale = (1 - out.gain) * before.cost.time_us / after.cost.time_us;
    out.causes = causes_between(before.workload, before.cost, after.workload, after.cost, scale);
    out.other = out.gain;
    for (const Cause& cause : out.causes) out.other -= cause.share;
    return out;
  }

  Ablation alone(const Change& change) {
    Ablation out{change, false, 0};
    const Change one[] = {change};
    const auto setup = apply(problem_.start, problem_.links, one);
    if (!setup) return out;
    out.valid = true;
    std::vector<OnGpu> gpus;
    for (std::size_t gpu = 0; gpu < problem_.gpus.size(); ++gpu) {
      OnGpu each;
      each.gain = 1 - cost(*setup, step(*setup, gpu), gpu) / costing_.start_costs()[gpu];
      gpus.push_back(each);
    }
    out.gain = together(gpus, &OnGpu::gain);
    return out;
  }

  const Problem& problem_;
  Costing costing_;
  OnStack stack_;
  std::vector<std::unique_ptr<cost::PriceMemo>> memos_;
  std::vector<Step> start_;
};

// Leaves out what is no faster than now as far as anyone can tell, and brings the rest into the order that
// people would take it; a whole list, and a basket of GPUs, stay in the order of the search.
void settle(const SearchOptions& options, Answer& answer) {
  std::vector<Suggestion>& all = answer.suggestions;
  std::vector<Rank> ranks;
  for (const Suggestion& each : all) {
    ranks.push_back({each.gain, each.edits.changes, std::abs(each.parameters - answer.start_parameters)});
    if (each.gain > each.error) continue;
    if (++answer.doubtful == 1 || each.gain > answer.doubtful_gain) {
      answer.doubtful_gain = each.gain;
      answer.doubtful_error = each.error;
    }
  }
  if (!options.distinct || answer.gpus.size() > 1) {
    std::erase_if(all, [](const Suggestion& each) { return each.gain <= each.error; });
    return;
  }
  std::vector<Suggestion> kept;
  for (const std::size_t each : choose(
           ranks, [&](std::size_t i) { return all[i].error; }, 0, all.size())) {
    kept.push_back(all[each]);
  }
  all = std::move(kept);
}

// Which conditions rule the combinations of the space out.
void exclusions(const Problem& problem, Answer& answer) {
  constexpr std::size_t most = 20'000;  // combinations looked at
  const Broken broken = count_broken(problem, most);
  if (broken.looked_at == 0) return;
  answer.excluded = real(broken.any) / real(broken.looked_at);
  for (std::size_t i = 0; i < broken.names.size(); ++i) {
    if (broken.counts[i] == 0) continue;
    answer.exclusions.push_back({broken.names[i], real(broken.counts[i]) / real(broken.looked_at)});
  }
  std::stable_sort(answer.exclusions.begin(), answer.exclusions.end(),
                   [](const Exclusion& a, const Exclusion& b) { return a.share > b.share; });
}

}  // namespace

Answer explain(const Problem& problem, const SearchOutcome& outcome, const SearchOptions& options) {
  Explainer explainer(problem, options);
  Answer answer;
  answer.start_parameters = model::parameter_count(problem.start);
  for (std::size_t gpu = 0; gpu < problem.gpus.size(); ++gpu) {
    answer.gpus.push_back(problem.gpus[gpu]->id);
    answer.start.push_back(explainer.performance(problem.start, gpu));
  }
  for (const RankedPoint& found : outcome.best) {
    Suggestion made = explainer.suggestion(found);
    // Values that only follow say the same as the field that they follow from.
    const bool known =
        std::any_of(answer.suggestions.begin(), answer.suggestions.end(),
                    [&](const Suggestion& each) { return each.edits.changes == made.edits.changes; });
    if (!known) answer.suggestions.push_back(std::move(made));
  }
  if (problem.broken.empty()) settle(options, answer);
  for (const RankedPoint& found : outcome.front) {
    answer.front.push_back(explainer.point(found));
    if (found.parameters >= answer.start_parameters) {
      answer.behind_front = std::max(answer.behind_front, found.speed - 1);
    }
  }
  if (outcome.best.empty() && outcome.complete && problem.broken.empty()) exclusions(problem, answer);
  answer.candidates = outcome.candidates;
  answer.priced = outcome.priced;
  answer.complete = outcome.complete;
  if (!outcome.complete) {
    const double best = outcome.best.empty() ? explainer.start_value() : outcome.best.front().value;
    answer.gap = std::max(0.0, outcome.bound / best - 1);
  }
  return answer;
}

}  // namespace shapelint::suggest
