// Branch and bound over whole models.
#include "suggest/search/optimize.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <thread>

#include "base/threads.hpp"
#include "suggest/search/costing.hpp"
#include "suggest/search/feasible.hpp"
#include "suggest/search/ranking.hpp"
#include "suggest/search/reprice_on_stack.hpp"

namespace shapelint::suggest {

namespace {

// What all threads together may remember of parts (each looks after each of its branches, and goes on without
// remembering more), so that a search stays under 400 MB however large its space is.
constexpr std::size_t most_remembered_bytes = 100'000'000;
// Branches that are handed out one by one. Of a space with more, each is larger.
constexpr std::size_t most_tasks = 1'000'000;
// Parts that are priced, and values that are tried, after a search was stopped, to bound what it did not look
// at: some tenths of a second.
constexpr std::size_t most_bounding_parts = 50'000;
constexpr std::size_t most_bounding_steps = 1'000'000;

using Nodes = std::array<PartNode, model::part_count>;

// What all threads share: which branches are left, and the value that candidates must reach.
struct SearchState {
  const Problem& problem;
  const SearchOptions& options;
  const Costing& costing;
  const Order& order;
  std::span<cost::PriceMemo* const> memos;  // for one thread only
  double floor = 0;                         // value that candidates must be above
  double worst_floor = 0;                   // Estimate::worst that candidates must reach
  std::size_t threads = 1;
  std::size_t task_level = 0;
  std::size_t bound_level = 0;  // axes that must be fixed before anything can be estimated
  std::vector<std::vector<std::uint32_t>> tasks;
  std::vector<std::atomic<char>> finished;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<double> cut{0};

  bool stopped() const { return options.stop != nullptr && options.stop->load(std::memory_order_relaxed); }
  void raise(double to) {
    double now = cut.load();
    while (to > now && !cut.compare_exchange_weak(now, to)) {
    }
  }
};

// Candidates that a search keeps: some of the distinct ones are dropped at the end.
std::size_t kept(const SearchOptions& options) {
  constexpr std::size_t spare = 4;
  return std::max<std::size_t>(1, options.keep) * (options.distinct ? spare : 1);
}

class Worker {
 public:
  explicit Worker(SearchState& state)
      : state_(state),
        problem_(state.problem),
        table_(state.problem, state.memos),
        feasible_(state.problem),
        best_(state.order, kept(state.options), state.options.distinct),
        front_(state.order),
        positions_(state.problem.axes.size()),
        values_(state.problem.axes.size()),
        nodes_(state.problem.axes.size() + 1) {
    table_.limit(most_remembered_bytes / state.threads, state.options.stop,
                 std::numeric_limits<std::size_t>::max());
  }

  void run() {
    try {
      run_tasks();
    } catch (const Stopped&) {
      // Its task is not finished.
    }
  }

  // From now on bound_of() takes no longer than a moment, whether the search was stopped or not.
  void enter_low_memory_mode() {
    table_.limit(most_remembered_bytes / state_.threads, nullptr, most_bounding_parts);
    steps_left_ = most_bounding_steps;
  }

  // Upper bound of the value in a branch; throws Stopped.
  double bound_of(std::size_t task) {
    start(task);
    return bound(state_.task_level);
  }

  const TopList& best() const { return best_; }
  const ParetoFront& front() const { return front_; }
  double priced() const { return priced_; }

 private:
  void run_tasks() {
    for (;;) {
      const std::size_t task = state_.next.fetch_add(1);
      if (task >= state_.tasks.size() || state_.stopped()) return;
      if (table_.bytes() > most_remembered_bytes / state_.threads) table_.clear();
      start(task);
      visit(state_.task_level);
      if (state_.stopped()) return;
      state_.finished[task] = 1;
      ++state_.done;
    }
  }

  void start(std::size_t task) {
    plan_ = problem_.start;
    look_up_fixed();
    viable_ = true;
    for (std::size_t level = 0; level < state_.task_level && viable_; ++level) {
      viable_ = fix(level, state_.tasks[task][level]);
    }
  }

  // Gives axis `level` its value and looks up the parts that depend on it. False: nothing can come of it.
  bool fix(std::size_t level, std::uint32_t position) {
    if (--steps_left_ == 0) throw Stopped{};
    positions_[level] = position;
    const Axis& axis = problem_.axes[level];
    values_[level] = axis.values[position];
    if (level < state_.bound_level) {
      model::set(plan_, axis.field, values_[level]);
      follow_tensor(problem_.links, plan_);
      if (level + 1 < state_.bound_level) return true;
      if (!feasible_.plan(plan_)) return false;
    }
    if (table_.is_overfull()) look_up_again(level);
    return look_up(level);
  }

  // The parts that no axis changes.
  void look_up_fixed() {
    for (std::size_t part = 0; part < model::part_count; ++part) {
      if (table_.axes_of(static_cast<model::ModelComponent>(part)).empty()) {
        nodes_[0][part] = table_.node(static_cast<model::ModelComponent>(part), 0, positions_);
      }
    }
  }

  // Those of the axes before `level`, in a table that has been emptied.
  void look_up_again(std::size_t level) {
    table_.clear();
    look_up_fixed();
    for (std::size_t before = 0; before < level; ++before) {
      if (before + 1 >= state_.bound_level) look_up(before);
    }
  }

  // Those that axis `level` changes, which has its value.
  bool look_up(std::size_t level) {
    Nodes& nodes = nodes_[level + 1];
    nodes = nodes_[level];
    for (std::size_t part = 0; part < model::part_count; ++part) {
      const auto which = static_cast<model::ModelComponent>(part);
      const auto& axes = table_.axes_of(which);
      const auto depth =
          static_cast<std::size_t>(std::upper_bound(axes.begin(), axes.end(), level) - axes.begin());
      const bool moved = depth > 0 && axes[depth - 1] == level;
      if (!moved && level + 1 != state_.bound_level) continue;
      nodes[part] = table_.node(which, depth, positions_);
      if (!nodes[part].valid) return false;
    }
    return true;
  }

  Estimate estimate(std::size_t level) {
    std::array<const PartNode*, model::part_count> parts{};
    for (std::size_t part = 0; part < parts.size(); ++part) parts[part] = &nodes_[level][part];
    return state_.costing.estimate(plan_, parts, table_);
  }

  // `level` axes are fixed.
  void visit(std::size_t level) {
    if (!viable_) return;
    const std::size_t axes = problem_.axes.size();
    if (level == axes) {
      if (axes == 0) return;
      consider(estimate(axes));
      return;
    }
    if (state_.options.prune && level >= state_.bound_level && !worth(estimate(level))) return;
    for (std::uint32_t i = 0; i < problem_.axes[level].values.size(); ++i) {
      if (state_.stopped()) return;
      if (fix(level, i)) visit(level + 1);
    }
  }

  bool worth(const Estimate& estimate) const {
    if (!estimate.feasible) return false;
    if (could_be_kept(estimate)) return true;
    // The sum over open parts is rounded another way than that of one candidate.
    constexpr double rounding = 1e-12;
    return state_.options.front &&
           !front_.dominates(estimate.parameters_high, estimate.speed * (1 + rounding));
  }

  bool could_be_kept(const Estimate& estimate) const {
    return estimate.value > state_.floor && estimate.worst >= state_.worst_floor &&
           estimate.value >= state_.cut.load(std::memory_order_relaxed);
  }

  void consider(const Estimate& estimate) {
    ++priced_;
    if (!estimate.feasible) return;
    const bool good = could_be_kept(estimate) && estimate.value >= best_.cut();
    const bool ahead = state_.options.front && !front_.dominates(estimate.parameters_high, estimate.speed);
    if (!good && !ahead) return;
    if (!feasible_.candidate(values_)) return;
    RankedPoint found{values_, estimate.value, estimate.speed, estimate.parameters_high};
    if (ahead) front_.add(found);
    if (!good) return;
    best_.add(std::move(found));
    state_.raise(best_.cut());
  }

  double bound(std::size_t level) {
    if (!viable_) return 0;
    if (level >= state_.bound_level) {
      const Estimate e = estimate(level);
      return e.feasible ? e.value : 0;
    }
    double most = 0;
    for (std::uint32_t i = 0; i < problem_.axes[level].values.size(); ++i) {
      if (fix(level, i)) most = std::max(most, bound(level + 1));
    }
    return most;
  }

  SearchState& state_;
  const Problem& problem_;
  PartTable table_;
  Feasible feasible_;
  TopList best_;
  ParetoFront front_;
  std::vector<std::uint32_t> positions_;
  std::vector<std::int64_t> values_;
  std::vector<Nodes> nodes_;  // by level
  model::Setup plan_;
  bool viable_ = true;
  double priced_ = 0;
  std::size_t steps_left_ = std::numeric_limits<std::size_t>::max();
};

// Fields that an estimate needs: the plan's, hidden_size and num_layers.
std::size_t bound_level(const Problem& problem) {
  const int last = search_order(model::FieldId::num_layers);
  std::size_t level = 0;
  while (level < problem.axes.size() && search_order(problem.axes[level].field) <= last) ++level;
  return std::max<std::size_t>(level, problem.axes.empty() ? 0 : 1);
}

void make_tasks(SearchState& state, std::size_t threads) {
  const auto& axes = state.problem.axes;
  const int hidden = search_order(model::FieldId::hidden_size);
  constexpr std::size_t per_thread = 16;
  std::size_t count = 1;
  std::size_t level = 0;
  while (level < axes.size() && (search_order(axes[level].field) <= hidden || count < per_thread * threads)) {
    if (level > 0 && count > most_tasks / axes[level].values.size()) break;
    count *= axes[level].values.size();
    ++level;
  }
  state.task_level = level;
  std::vector<std::uint32_t> at(level, 0);
  for (;;) {
    state.tasks.push_back(at);
    std::size_t i = level;
    while (i > 0 && ++at[i - 1] == axes[i - 1].values.size()) at[--i] = 0;
    if (i == 0) break;
  }
  state.finished = std::vector<std::atomic<char>>(state.tasks.size());
}

void report(const SearchState& state, const SearchOptions& options) {
  options.progress(
      {static_cast<double>(state.done.load()) / static_cast<double>(state.tasks.size()), state.cut.load()});
}

}  // namespace

std::vector<double> start_costs(const Problem& problem) {
  return Costing(problem, {}).start_costs();
}

SearchOutcome optimize(const Problem& problem, const SearchOptions& asked) {
  const SearchOptions options = problem.on_stack ? widened(asked) : asked;
  SearchOutcome outcome;
  outcome.candidates = 1;
  for (const Axis& axis : problem.axes) outcome.candidates *= static_cast<double>(axis.values.size());
  if (problem.axes.empty() || outcome.candidates == 0) {
    outcome.candidates = 0;
    return outcome;
  }
  const std::size_t threads =
      options.threads > 0 ? options.threads : std::max<std::size_t>(2, std::thread::hardware_concurrency());
  const Costing costing(problem, options.references, options.memos);
  const Order order(problem);
  SearchState state{problem, options, costing, order, {}, 0, 0, threads, 0, 0, {}, {}, {}, {}, {}};
  if (threads == 1) state.memos = options.memos;
  if (options.better_only) {
    state.floor = costing.start_value() * (1 + least_gain);
    if (problem.basket == GpuAggregate::worst) state.worst_floor = 1;
  }
  state.bound_level = bound_level(problem);
  make_tasks(state, threads);

  std::vector<std::unique_ptr<Worker>> workers;
  const std::size_t useful = std::min(threads, state.tasks.size());
  for (std::size_t i = 0; i < useful; ++i) workers.push_back(std::make_unique<Worker>(state));
  if (useful == 1 && !options.progress) {
    workers.front()->run();
  } else {
    run_watched(
        workers.size(), [&](std::size_t i) { workers[i]->run(); },
        [&] {
          if (options.progress) report(state, options);
        });
  }

  TopList best(order, kept(options), options.distinct);
  ParetoFront front(order);
  for (const auto& worker : workers) {
    for (const RankedPoint& found : worker->best().best()) best.add(found);
    for (const RankedPoint& found : worker->front().points()) front.add(found);
    outcome.priced += worker->priced();
  }
  outcome.best = best.best();
  if (options.distinct) drop_idle_changes(order, outcome.best);
  if (outcome.best.size() > options.keep) outcome.best.resize(options.keep);
  outcome.front = front.points();
  outcome.complete = state.done.load() == state.tasks.size();
  if (!outcome.complete) {
    outcome.bound = outcome.best.empty() ? 0 : outcome.best.front().value;
    try {
      workers.front()->enter_low_memory_mode();
      for (std::size_t task = 0; task < state.tasks.size(); ++task) {
        if (state.finished[task] == 0)
          outcome.bound = std::max(outcome.bound, workers.front()->bound_of(task));
      }
    } catch (const Stopped&) {
      outcome.bound = std::numeric_limits<double>::infinity();
    }
  }
  return problem.on_stack ? reprice_on_stack(problem, asked, costing, order, std::move(outcome)) : outcome;
}

std::vector<double> per_gpu_best_costs(const Problem& problem, const SearchOptions& options) {
  std::vector<double> costs = start_costs(problem);
  if (problem.gpus.size() < 2) return costs;
  for (std::size_t gpu = 0; gpu < problem.gpus.size(); ++gpu) {
    Problem one = problem;
    one.gpus = {problem.gpus[gpu]};
    one.weights = {1};
    if (!problem.prices.empty()) one.prices = {problem.prices[gpu]};
    SearchOptions own = options;
    own.keep = 1;
    own.front = false;
    own.better_only = false;
    own.references = {costs[gpu]};
    const SearchOutcome outcome = optimize(one, own);
    if (!outcome.best.empty()) costs[gpu] /= std::max(outcome.best.front().value, 1e-300);
  }
  return costs;
}

}  // namespace shapelint::suggest
