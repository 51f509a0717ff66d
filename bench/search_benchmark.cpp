// Candidates per second of the search over whole models. Counts are of one search on two threads; every
// candidate is priced (nothing is pruned), products and parts that were priced before are remembered.
#include <benchmark/benchmark.h>

#include <string>

#include "gpu/registry.hpp"
#include "model/derive.hpp"
#include "suggest/edit/axes.hpp"
#include "suggest/search/optimize.hpp"

using namespace shapelint;

namespace {

// GPT-3 2.7B (arXiv 2005.14165, table 2.1).
model::Reading dense_model() {
  model::Reading reading;
  const auto set = [&](model::FieldId field, std::int64_t value) {
    model::set(reading.setup, field, value);
    reading.origins[field].kind = model::Origin::Kind::stated;
  };
  set(model::FieldId::hidden_size, 2560);
  set(model::FieldId::num_layers, 32);
  set(model::FieldId::num_attention_heads, 32);
  set(model::FieldId::intermediate_size, 10240);
  set(model::FieldId::vocab_size, 50257);
  set(model::FieldId::sequence_length, 2048);
  set(model::FieldId::micro_batch_size, 4);
  model::complete(reading);
  return reading;
}

suggest::Problem problem_of(const model::Reading& reading, const gpu::Gpu& gpu) {
  suggest::Problem problem;
  problem.reading = &reading;
  problem.start = reading.setup;
  problem.links = suggest::links_of(reading);
  problem.gpus = {&gpu};
  problem.weights = {1};
  problem.budget = {-1, -1, -1, -1, false, 0};
  problem.bounds = suggest::bounds_of(problem.start, problem.budget);
  return problem;
}

// The whole grid, 848,640 combinations; about two in five have no whole number of heads and are not priced.
void search_everything(benchmark::State& state) {
  const model::Reading reading = dense_model();
  const auto gpu = gpu::find_gpu("a100");
  suggest::Problem problem = problem_of(reading, *gpu);
  suggest::AxesRequest request;
  for (const char* text : {"hidden_size=2048:3072:64", "num_layers=24:39", "head_dim=64,80,128",
                           "intermediate_size=8192:12288:64", "vocab_size=50257:50304:3"}) {
    auto range = suggest::parse_range(text, true);
    request.ranges.push_back(*range);
    request.vary.emplace_back(model::info(range->field).name);
  }
  std::vector<Error> errors;
  suggest::set_axes(problem, request, errors);
  suggest::SearchOptions options;
  options.threads = static_cast<std::size_t>(state.range(0));
  options.prune = state.range(1) != 0;
  double candidates = 0;
  double priced = 0;
  for (auto _ : state) {
    const suggest::SearchOutcome outcome = suggest::optimize(problem, options);
    benchmark::DoNotOptimize(outcome.best.front().value);
    candidates += outcome.candidates;
    priced += outcome.priced;
  }
  state.counters["candidates/s"] = benchmark::Counter(candidates, benchmark::Counter::kIsRate);
  state.counters["priced/s"] = benchmark::Counter(priced, benchmark::Counter::kIsRate);
}

// What `shapelint suggest` does unless told otherwise.
void default_search(benchmark::State& state) {
  const model::Reading reading = dense_model();
  const auto gpu = gpu::find_gpu("a100");
  suggest::Problem problem = problem_of(reading, *gpu);
  problem.budget = {};
  problem.bounds = suggest::bounds_of(problem.start, problem.budget);
  std::vector<Error> errors;
  suggest::set_axes(problem, {}, errors);
  suggest::SearchOptions options;
  options.threads = 2;
  options.distinct = true;
  for (auto _ : state) {
    const suggest::SearchOutcome outcome = suggest::optimize(problem, options);
    benchmark::DoNotOptimize(outcome.best.front().value);
  }
}

}  // namespace

BENCHMARK(search_everything)
    ->ArgNames({"threads", "prune"})
    ->Args({1, 0})
    ->Args({2, 0})
    ->Args({2, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(default_search)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_MAIN();
