// The search finds exactly what looking at everything finds, whatever the model, the plan and the number of
// threads.
#include "suggest/search/optimize.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include <rapidcheck.h>

#include "model/lower/lower.hpp"
#include "suggest/search/part_table.hpp"
#include "tests/catch.hpp"
#include "tests/cost/gpu_support.hpp"
#include "tests/suggest/search/problem_support.hpp"

using namespace shapelint;
using test::count_out;
using test::known_gpu;
using test::problem_of;
using test::small_model;

namespace {

suggest::SearchOptions with_threads(std::size_t threads, bool prune = true) {
  suggest::SearchOptions options;
  options.threads = threads;
  options.prune = prune;
  return options;
}

void require_same(const suggest::SearchOutcome& a, const suggest::SearchOutcome& b) {
  RC_ASSERT(a.best.size() == b.best.size());
  for (std::size_t i = 0; i < a.best.size(); ++i) {
    RC_ASSERT(a.best[i].values == b.best[i].values);
    RC_ASSERT(a.best[i].value == b.best[i].value);
  }
  RC_ASSERT(a.front.size() == b.front.size());
  for (std::size_t i = 0; i < a.front.size(); ++i) {
    RC_ASSERT(a.front[i].values == b.front[i].values);
    RC_ASSERT(a.front[i].speed == b.front[i].speed);
  }
}

// Plans and kinds of models that change which parts a step has.
const std::vector<std::string> kinds{
    "",
    "dropout = true\nrecompute = \"selective\"\n",
    "gradient_accumulation = 4\n[parallel]\ntensor = 2\npipeline = 2\ndata = 8\nzero = 1\n",
    "recompute = \"full\"\ngradient_accumulation = 2\n[parallel]\ndata = 16\nzero = 3\nsequence_parallel = "
    "true\n"
    "tensor = 4\n",
    "mode = \"prefill\"\n",
    "mode = \"decode\"\ncontext_length = 512\n",
    "[parallel]\ncontext = 2\n",
    "[model.moe]\nnum_experts = 8\nexperts_per_token = 2\nfirst_dense_layers = 2\n[parallel]\nexpert = "
    "4\ndata = 4\n"
    "zero = 1\n",
    "adapter_rank = 8\ngradient_accumulation = 2\n[parallel]\ndata = 4\ntensor = 2\nzero = 3\n",
    "optimizer = \"muon\"\ngradient_accumulation = 3\n[parallel]\ndata = 4\ntensor = 2\nzero = 1\n",
    "optimizer = \"shampoo\"\n[model.moe]\nnum_experts = 8\nexperts_per_token = 2\n",
    "document_length = 100\n",
};

std::string random_range(std::string_view field, std::int64_t low, std::int64_t high,
                         const std::vector<std::int64_t>& steps, std::int64_t most) {
  const std::int64_t step = *rc::gen::elementOf(steps);
  const std::int64_t first = *rc::gen::inRange<std::int64_t>(low, high);
  const std::int64_t count = *rc::gen::inRange<std::int64_t>(1, most + 1);
  return std::string(field) + "=" + std::to_string(first) + ":" + std::to_string(first + (count - 1) * step) +
         ":" + std::to_string(step);
}

std::vector<std::string> random_ranges(std::int64_t most) {
  std::vector<std::string> out;
  if (*rc::gen::arbitrary<bool>()) out.push_back(random_range("hidden_size", 500, 700, {1, 8, 20, 64}, most));
  if (*rc::gen::arbitrary<bool>()) out.push_back(random_range("num_layers", 6, 10, {1, 2}, most));
  if (*rc::gen::arbitrary<bool>()) out.push_back(random_range("num_attention_heads", 4, 12, {1, 2}, most));
  if (*rc::gen::arbitrary<bool>()) out.push_back(random_range("micro_batch_size", 1, 3, {1}, 3));
  if (*rc::gen::arbitrary<bool>()) out.push_back(random_range("tensor", 1, 3, {1}, 2));
  if (*rc::gen::arbitrary<bool>())
    out.push_back(random_range("intermediate_size", 2400, 2600, {1, 8, 64}, most));
  out.push_back(random_range("vocab_size", 5003, 5010, {1, 7, 61}, most));
  return out;
}

}  // namespace

TEST_CASE("pruned search, on any number of threads, finds what looking at everything finds", "[suggest]") {
  CHECK(rc::check([] {
    const model::Reading reading = small_model(*rc::gen::elementOf(kinds));
    suggest::Problem problem = problem_of(reading, {&known_gpu("a100")}, random_ranges(6));
    problem.budget.parameters = *rc::gen::elementOf(std::vector<double>{-1, 0.02, 0.1});
    problem.bounds = suggest::bounds_of(problem.start, problem.budget);
    suggest::SearchOptions all = with_threads(1, false);
    suggest::SearchOptions pruned = with_threads(*rc::gen::inRange<std::size_t>(1, 4));
    all.keep = pruned.keep = *rc::gen::inRange<std::size_t>(1, 8);
    all.distinct = pruned.distinct = *rc::gen::arbitrary<bool>();
    all.better_only = pruned.better_only = *rc::gen::arbitrary<bool>();
    const suggest::SearchOutcome found = suggest::optimize(problem, pruned);
    require_same(found, suggest::optimize(problem, all));
    RC_ASSERT(found.complete);

    // The same from the cost model alone.
    const std::vector<test::Counted> counted = count_out(problem);
    RC_ASSERT(found.candidates == static_cast<double>(counted.size()));
    double most = 0;
    for (const test::Counted& each : counted) most = std::max(most, each.value);
    if (found.best.empty()) {
      RC_ASSERT(most == 0 || (pruned.better_only && most <= 1 + 1e-4));
      return;
    }
    // Values that no prediction can tell apart are ranked by other things.
    RC_ASSERT(found.best.front().value >= most - 1e-3);
    for (const suggest::RankedPoint& each : found.best) {
      const auto same = std::find_if(counted.begin(), counted.end(),
                                     [&](const test::Counted& c) { return c.values == each.values; });
      RC_ASSERT(same != counted.end());
      RC_ASSERT(std::fabs(same->value / each.value - 1) < 1e-9);
      if (pruned.better_only) RC_ASSERT(each.value > 1);
    }
  }));
}

TEST_CASE("a space of 200,000 candidates: the pruned search returns the brute-force winner", "[suggest]") {
  const model::Reading reading = small_model();
  suggest::Problem problem =
      problem_of(reading, {&known_gpu("a100")},
                 {"hidden_size=560:720:8", "num_layers=6:10", "head_dim=40,64,80,96,128",
                  "intermediate_size=2048:3072:32", "vocab_size=5003:5013:1"});
  problem.budget.parameters = 0.05;
  problem.bounds = suggest::bounds_of(problem.start, problem.budget);
  double size = 1;
  for (const suggest::Axis& axis : problem.axes) size *= static_cast<double>(axis.values.size());
  CHECK(size > 190'000);
  const suggest::SearchOutcome all = suggest::optimize(problem, with_threads(2, false));
  const suggest::SearchOutcome pruned = suggest::optimize(problem, with_threads(2));
  REQUIRE(all.best.size() == 10);
  REQUIRE(pruned.best.size() == 10);
  for (std::size_t i = 0; i < all.best.size(); ++i) CHECK(all.best[i].values == pruned.best[i].values);
  CHECK(pruned.priced < all.priced / 4);
}

TEST_CASE("the sum of a model's parts is its step, for every kind of model and plan", "[suggest]") {
  for (const std::string& kind : kinds) {
    INFO(kind);
    const model::Reading reading = small_model(kind);
    for (const char* gpu : {"a100", "h100", "l4"}) {
      suggest::Problem problem = problem_of(reading, {&known_gpu(gpu)}, {"vocab_size=5003"});
      suggest::SearchOptions options = with_threads(1);
      options.better_only = false;
      options.references = {1.0};
      const suggest::SearchOutcome outcome = suggest::optimize(problem, options);
      REQUIRE(outcome.best.size() == 1);
      CHECK(1 / outcome.best.front().value == Approx(suggest::start_costs(problem).front()).epsilon(1e-12));
      CHECK(outcome.best.front().parameters == model::parameter_count(reading.setup));
    }
  }
}

TEST_CASE("a basket takes the shape that serves all of its GPUs", "[suggest]") {
  const model::Reading reading = small_model();
  suggest::Problem problem = problem_of(reading, {&known_gpu("a100"), &known_gpu("l4")},
                                        {"head_dim=64,80,128", "vocab_size=5003,5056,5120"});
  for (const suggest::GpuAggregate basket : {suggest::GpuAggregate::worst, suggest::GpuAggregate::mean}) {
    problem.basket = basket;
    suggest::SearchOptions options = with_threads(2);
    options.references = suggest::per_gpu_best_costs(problem, options);
    const suggest::SearchOutcome outcome = suggest::optimize(problem, options);
    REQUIRE(!outcome.best.empty());
    CHECK(outcome.best.front().value <= 1 + 1e-9);
    CHECK(outcome.best.front().value > 0.9);
  }
}

TEST_CASE("a stopped search bounds what it has not looked at", "[suggest]") {
  const model::Reading reading = small_model();
  const suggest::Problem problem =
      problem_of(reading, {&known_gpu("a100")}, {"hidden_size=560:720:8", "vocab_size=5003:5100:1"});
  const std::atomic<bool> stop{true};
  suggest::SearchOptions options = with_threads(2);
  options.better_only = false;
  const suggest::SearchOutcome all = suggest::optimize(problem, options);
  options.stop = &stop;
  const suggest::SearchOutcome stopped = suggest::optimize(problem, options);
  CHECK(!stopped.complete);
  CHECK(stopped.best.empty());
  CHECK(stopped.bound >= all.best.front().value);
}

TEST_CASE("what empties a space is named", "[suggest]") {
  const model::Reading reading = small_model();
  suggest::Problem problem =
      problem_of(reading, {&known_gpu("a100")}, {"head_dim=64,80,128", "vocab_size=5003:5100:1"});
  CHECK(suggest::unsatisfiable(problem).empty());
  problem.constraints = [] {
    return std::vector<suggest::Constraint>{
        {"wide", [](const model::Setup& s) { return s.model.head_dim >= 100; }},
        {"any", [](const model::Setup&) { return true; }},
        {"narrow", [](const model::Setup& s) { return s.model.head_dim < 100; }}};
  };
  CHECK(suggest::unsatisfiable(problem) ==
        std::vector<std::string>{"rule wide (`shapelint explain wide`)",
                                 "rule narrow (`shapelint explain narrow`)"});
  problem.constraints = [] {
    return std::vector<suggest::Constraint>{{"never", [](const model::Setup&) { return false; }}};
  };
  CHECK(suggest::unsatisfiable(problem) ==
        std::vector<std::string>{"rule never (`shapelint explain never`)"});
  CHECK(suggest::optimize(problem, with_threads(2)).best.empty());
  // However many there are: the requirements of a stack come behind those of the rules.
  problem.constraints = [] {
    std::vector<suggest::Constraint> out(100, {"any", [](const model::Setup&) { return true; }});
    out.push_back({"last", [](const model::Setup&) { return false; }});
    return out;
  };
  CHECK(suggest::unsatisfiable(problem) == std::vector<std::string>{"rule last (`shapelint explain last`)"});
  CHECK(suggest::optimize(problem, with_threads(2)).best.empty());
}

TEST_CASE("a space of any size is bounded in time and memory, and says what was looked at", "[suggest]") {
  const model::Reading reading = small_model();
  const suggest::Problem problem =
      problem_of(reading, {&known_gpu("a100")},
                 {"hidden_size=64:65536", "num_layers=1:1000", "vocab_size=5003:1000000"});
  const std::atomic<bool> stop{true};
  suggest::SearchOptions options = with_threads(2);
  options.stop = &stop;
  const suggest::SearchOutcome outcome = suggest::optimize(problem, options);
  CHECK(outcome.candidates == 65473.0 * 1000 * 994998);
  CHECK(outcome.priced == 0);
  CHECK_FALSE(outcome.complete);
  CHECK(std::isinf(outcome.bound));

  constexpr std::size_t most_bytes = 4'000'000;
  constexpr std::size_t most_parts = 100'000;
  bool was_stopped = false;
  for (std::size_t part = 0; part < model::part_count; ++part) {
    suggest::PartTable table(problem);
    table.limit(most_bytes, nullptr, most_parts);
    const std::vector<std::uint32_t> positions(problem.axes.size());
    try {
      table.node(static_cast<model::ModelComponent>(part), 0, positions);
    } catch (const suggest::Stopped&) {
      was_stopped = true;
    }
    INFO(part);
    CHECK(table.bytes() < 2 * most_bytes);
  }
  CHECK(was_stopped);
}

TEST_CASE("a search that forgets finds what one that remembers finds", "[suggest]") {
  const model::Reading reading = small_model();
  const suggest::Problem problem =
      problem_of(reading, {&known_gpu("a100")}, {"hidden_size=560:720:8", "vocab_size=5003:7000:1"});
  suggest::PartTable remembers(problem);
  suggest::PartTable forgets(problem);
  forgets.limit(0, nullptr, std::numeric_limits<std::size_t>::max());
  const std::vector<std::uint32_t> positions(problem.axes.size());
  for (std::size_t part = 0; part < model::part_count; ++part) {
    const auto which = static_cast<model::ModelComponent>(part);
    const suggest::PartNode a = remembers.node(which, 0, positions);
    const suggest::PartNode b = forgets.node(which, 0, positions);
    INFO(part);
    REQUIRE(a.valid == b.valid);
    CHECK(a.parameters_low == b.parameters_low);
    CHECK(a.parameters_high == b.parameters_high);
    CHECK(suggest::step_us(remembers.time(a, 0), 1, 0) == suggest::step_us(forgets.time(b, 0), 1, 0));
  }
  CHECK(forgets.bytes() < remembers.bytes());
}
