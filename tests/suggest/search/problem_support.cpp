// Models and spaces to search, made from random numbers.
#include "tests/suggest/search/problem_support.hpp"

#include <cmath>
#include <map>

#include "cost/stages.hpp"
#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/axes.hpp"
#include "suggest/search/feasible.hpp"
#include "tests/catch.hpp"
#include "tests/formats/native/native_support.hpp"

namespace shapelint::test {

model::Reading small_model(std::string_view more) {
  return tests::native(std::string(R"([model]
hidden_size = 640
num_layers = 8
num_attention_heads = 8
intermediate_size = 2560
vocab_size = 5003
learned_positions = 256
[run]
micro_batch_size = 2
sequence_length = 256
attention = "unfused"
)") + std::string(more))
      .readings[0];
}

suggest::Problem problem_of(const model::Reading& reading, const std::vector<const gpu::Gpu*>& gpus,
                            const std::vector<std::string>& ranges) {
  suggest::Problem problem;
  problem.reading = &reading;
  problem.start = reading.setup;
  problem.links = suggest::links_of(reading);
  problem.gpus = gpus;
  problem.weights.assign(gpus.size(), 1.0 / static_cast<double>(gpus.size()));
  problem.budget = {-1, -1, -1, -1, false, 0};
  problem.bounds = suggest::bounds_of(problem.start, problem.budget);
  suggest::AxesRequest request;
  for (const std::string& text : ranges) {
    auto range = suggest::parse_range(text, true);
    REQUIRE(range);
    request.ranges.push_back(*range);
    request.vary.emplace_back(model::info(range->field).name);
  }
  std::vector<Error> errors;
  suggest::set_axes(problem, request, errors);
  REQUIRE(errors.empty());
  return problem;
}

const gpu::Gpu& known_gpu(std::string_view name) {
  static std::map<std::string, gpu::Gpu, std::less<>> known;
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  auto gpu = gpu::find_gpu(std::string(name));
  REQUIRE(gpu);
  return known.emplace(std::string(name), *gpu).first->second;
}

std::vector<Counted> count_out(const suggest::Problem& problem) {
  const gpu::Gpu& gpu = *problem.gpus.front();
  cost::PriceMemo memo(gpu);
  cost::StepCost step;
  const auto cost_of = [&](const model::Setup& setup) {
    const model::Workload workload = model::lower(cost::paced(memo, setup));
    memo.price(workload, setup.plan.dtype, step);
    const double ranks = static_cast<double>(setup.plan.tensor * setup.plan.pipeline * setup.plan.context);
    const double work = model::forward_flops_per_token(problem.start) / model::forward_flops_per_token(setup);
    return step.time_us * ranks / workload.tokens_per_step * std::max(1.0, work);
  };
  const double start = cost_of(problem.start);
  std::vector<Counted> out;
  suggest::Feasible feasible(problem);
  std::vector<std::size_t> at(problem.axes.size(), 0);
  for (;;) {
    Counted each;
    for (std::size_t i = 0; i < at.size(); ++i) each.values.push_back(problem.axes[i].values[at[i]]);
    if (feasible.broken(each.values).empty()) {
      model::Setup setup;
      suggest::resolve(problem, each.values, setup);
      each.value = start / cost_of(setup);
    }
    out.push_back(std::move(each));
    std::size_t i = at.size();
    while (i > 0 && ++at[i - 1] == problem.axes[i - 1].values.size()) at[--i] = 0;
    if (i == 0) break;
  }
  return out;
}

}  // namespace shapelint::test
