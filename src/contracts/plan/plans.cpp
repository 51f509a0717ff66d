// Searches shared out over threads, and the best of what they find.
#include "contracts/plan/plans.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/threads.hpp"
#include "formats/dialect/edit_instructions.hpp"
#include "model/fields.hpp"
#include "rules/scope/launch.hpp"
#include "suggest/problem.hpp"

namespace shapelint::contracts {

namespace {

using model::FieldId;

// Degrees and the like that the command line gives are no choice of the plan's.
std::vector<Pin> pins_of(const model::Reading& reading) {
  std::vector<Pin> out;
  for (const FieldId field : chosen_in_training()) {
    if (model::origin(reading, field).kind == model::Origin::Kind::command_line)
      out.push_back({field, model::get(reading.setup, field)});
  }
  return out;
}

// What the file's framework has keys for; everything where the file is of no framework. For one thread.
CanSet can_set_in(const formats::Dialect* dialect, const model::Reading& reading) {
  if (dialect == nullptr) return {};
  const auto has = [dialect, &reading](FieldId field, std::int64_t value) {
    return !formats::setting_syntax(*dialect, reading, field, model::get(reading.setup, field), value, true)
                .empty();
  };
  if (!has(FieldId::micro_batch_size, reading.setup.plan.micro_batch_size + 1) && !has(FieldId::tensor, 2))
    return {};
  using Known = std::map<std::pair<int, std::int64_t>, bool>;
  return [has, known = std::make_shared<Known>()](FieldId field, std::int64_t value) {
    const auto [entry, is_new] = known->try_emplace({static_cast<int>(field), value}, false);
    if (is_new) entry->second = has(field, value);
    return entry->second;
  };
}

std::size_t threads_of(const PlanRun& run) {
  return run.threads > 0 ? run.threads : std::max(1U, std::thread::hardware_concurrency());
}

// `work(search, gpu, item)` of all, by threads that each have their own of `Search`, made by `make(gpu)` and
// kept by GPU, as they know what they have looked at. False when `progress` ended it.
template <class Search>
using Searches = std::vector<std::vector<std::unique_ptr<Search>>>;
template <class Search>
bool share_out(const PlanRun& run, std::size_t gpus, std::size_t items,
               const std::function<std::unique_ptr<Search>(std::size_t)>& make,
               const std::function<void(Search&, std::size_t, std::size_t)>& work,
               Searches<Search>* kept = nullptr) {
  std::mutex sharing;
  std::vector<std::size_t> left(gpus, items);  // of each GPU; the last item, which takes longest, goes first
  std::vector<bool> is_taken(gpus, false);
  std::atomic<std::size_t> done{0};
  std::atomic<bool> ended{false};
  const auto tick = [&] {
    if (run.progress && !ended && !run.progress(done, gpus * items)) ended = true;
  };
  const auto share = [&](std::size_t) {
    std::vector<std::unique_ptr<Search>> own(gpus);
    // A GPU whose search this thread has, else one that no thread has taken, else that with most left.
    const auto rank = [&](std::size_t gpu) {
      return std::tuple(own[gpu] != nullptr, !is_taken[gpu], left[gpu]);
    };
    const auto next = [&]() -> std::optional<std::pair<std::size_t, std::size_t>> {
      const std::lock_guard lock(sharing);
      std::optional<std::size_t> best;
      for (std::size_t gpu = 0; gpu < gpus; ++gpu)
        if (left[gpu] > 0 && (!best || rank(gpu) > rank(*best))) best = gpu;
      if (!best) return std::nullopt;
      is_taken[*best] = true;
      return std::pair(*best, --left[*best]);
    };
    for (auto item = next(); item && !ended; item = next()) {
      const std::size_t gpu = item->first;
      if (!own[gpu]) own[gpu] = make(gpu);
      work(*own[gpu], gpu, item->second);
      ++done;
    }
    if (kept == nullptr) return;
    const std::lock_guard lock(sharing);
    for (std::size_t gpu = 0; gpu < gpus; ++gpu)
      if (own[gpu]) (*kept)[gpu].push_back(std::move(own[gpu]));
  };
  run_watched(std::min(gpus * items, threads_of(run)), share, tick);
  return !ended;
}

// A batch that is a rank's is that of each replica, where the launch alone says how many there are: those of
// the largest number of GPUs that is asked for.
std::int64_t replicas_of(const PlanSubject& subject, const GpuCounts& counts) {
  const model::Reading& reading = subject.reading;
  const bool is_of_run =
      model::is_stated(reading, FieldId::data) || model::extra(reading, "world_size") > 0 ||
      model::extra(reading, "fixes_batch") > 0 || model::extra(reading, "shared_batch") > 0;
  const bool is_stated = model::is_stated(reading, FieldId::micro_batch_size) ||
                         model::is_stated(reading, FieldId::gradient_accumulation);
  if (subject.dialect == nullptr || is_of_run || !is_stated || counts.values.empty()) return 1;
  const model::Plan& plan = reading.setup.plan;
  return std::max<std::int64_t>(1, counts.values.back() / (plan.tensor * plan.pipeline * plan.context));
}

// How the file states the plan, by its own keys where it has some.
std::vector<std::string> ways_to(const formats::Dialect* dialect, const model::Reading& reading,
                                 const model::Setup& setup) {
  const bool is_launched = dialect != nullptr && reading.dialect != "published";
  std::vector<std::string> out;
  for (const suggest::Change& each : suggest::edits_between(reading, setup).changes) {
    std::string way;
    if (dialect != nullptr)
      way = formats::setting_syntax(*dialect, reading, each.field, each.from, each.to, true);
    if (way.empty() && is_launched && each.field == FieldId::data) {
      way = fmt::format("launch on {}", counted(rules::gpus_of_plan(setup.plan), "GPU"));
    } else if (way.empty()) {
      const std::string_view quote = model::info(each.field).choices.empty() ? "" : "\"";
      way = fmt::format("`{0} = {2}{1}{2}`", model::info(each.field).name,
                        model::value_text(each.field, each.to), quote);
    }
    // One key may stand for two fields: torchtitan's tensor parallelism is sequence parallel.
    const std::string key = way.substr(0, way.find_first_of(" ="));
    const bool is_said = std::any_of(out.begin(), out.end(), [&](const std::string& said) {
      return said.substr(0, said.find_first_of(" =")) == key && key.starts_with('`');
    });
    if (!is_said) out.push_back(std::move(way));
  }
  return out;
}

double hourly(std::int64_t gpus, double price) {
  return static_cast<double>(gpus) * (price > 0 ? price : 1.0);
}

// The place of what has most `value`; none where no value is above 0.
template <class Counts, class Value>
std::optional<std::size_t> most(const Counts& counts, const Value& value) {
  std::optional<std::size_t> out;
  double best = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double each = value(counts[i]);
    if (each <= best) continue;
    best = each;
    out = i;
  }
  return out;
}

}  // namespace

TrainingPlans plan_training(const PlanSubject& subject, const GpuCounts& counts,
                            const TrainingQuestion& question, const PlanRun& run) {
  const model::Reading& reading = subject.reading;
  const std::size_t gpus = subject.gpus.size();
  const std::vector<Pin> pins = pins_of(reading);
  TrainingPlans out;
  out.sequences = question.sequences ? *question.sequences
                                     : rules::step_sequences(reading) * replicas_of(subject, counts);
  const auto bytes = std::make_shared<KnownBytes>();
  const auto make = [&](std::size_t gpu) {
    return std::make_unique<TrainingSearch>(reading, subject.gpus[gpu], subject.rules, subject.stack,
                                            can_set_in(subject.dialect, reading), bytes);
  };
  std::atomic<bool> is_ended{false};
  const auto find = [&](TrainingSearch& search, std::size_t gpu, std::int64_t count) {
    TrainingRequest request{count, out.sequences, pins, question.keep, !counts.is_auto};
    request.ended = &is_ended;
    return TrainingCount{subject.gpus[gpu].id, count, subject.prices[gpu], search.search(request)};
  };
  const std::size_t items = counts.is_auto ? 1 : counts.values.size();
  out.counts.resize(gpus * items);
  const auto fill = [&](TrainingSearch& search, std::size_t gpu, std::size_t item) {
    TrainingCount& filled = out.counts[gpu * items + item];
    if (!counts.is_auto) {
      filled = find(search, gpu, counts.values[item]);
      return;
    }
    // The fewest that train it.
    for (std::optional<std::int64_t> n = 1; n; n = next_count(*n)) {
      filled = find(search, gpu, *n);
      if (!filled.answer.best.empty()) return;
    }
  };
  if (question.measured_step_us > 0) out.measured_scale = question.measured_step_us / make(0)->own().step_us;
  Searches<TrainingSearch> known(gpus);
  if (!counts.is_auto && gpus * items == 1) {
    known[0].push_back(make(0));
    run_watched(
        1, [&](std::size_t) { fill(*known[0].front(), 0, 0); },
        [&] {
          if (run.progress && !is_ended && !run.progress(0, 1)) is_ended = true;
        });
    out.ended = is_ended;
  } else {
    out.ended = !share_out<TrainingSearch>(run, gpus, items, make, fill, &known);
  }
  if (out.ended) return out;
  // What the host updates is not priced: it is best only where all else is too large.
  for (const bool may_offload : {false, true}) {
    out.best = most(out.counts, [&](const TrainingCount& each) {
      if (each.answer.best.empty()) return 0.0;
      const TrainingPlan& plan = each.answer.best.front();
      const bool is_free_of_it = may_offload || plan.setup.plan.offload_optimizer == 0;
      return is_free_of_it ? plan.tokens_per_s / hourly(each.gpus, each.price) : 0.0;
    });
    if (out.best) break;
  }
  if (!out.best) return out;
  TrainingCount& best = out.counts[*out.best];
  const TrainingRequest asked{best.gpus, out.sequences, pins};
  const std::size_t best_gpu = *out.best / items;
  std::vector<std::unique_ptr<TrainingSearch>>& searches = known[best_gpu];
  if (searches.empty()) searches.push_back(make(best_gpu));
  std::vector<Pin> choices = without_choices(asked, best.answer.best.front());
  std::erase_if(choices, [&](const Pin& each) { return !searches.front()->allows(asked, each); });
  best.ablations.resize(choices.size());
  // Threads go on with the searches that there are.
  std::mutex taking;
  const auto make_or_take = [&](std::size_t) {
    {
      const std::lock_guard lock(taking);
      if (!searches.empty()) {
        std::unique_ptr<TrainingSearch> taken = std::move(searches.back());
        searches.pop_back();
        return taken;
      }
    }
    return make(best_gpu);
  };
  share_out<TrainingSearch>({run.threads}, 1, choices.size(), make_or_take,
                            [&](TrainingSearch& own, std::size_t, std::size_t i) {
                              best.ablations[i] = own.without(asked, choices[i]);
                            });
  const model::Plan& own = reading.setup.plan;
  if (rules::gpus_of_plan(own) == best.gpus && rules::global_batch(own) == out.sequences)
    best.own = make_or_take(0)->own();
  out.in_file = ways_to(subject.dialect, reading, best.answer.best.front().setup);
  return out;
}

ServingPlans plan_serving(const PlanSubject& subject, const GpuCounts& counts, ServingRequest request,
                          const PlanRun& run) {
  request.pins = pins_of(subject.reading);
  const auto chunk = FieldId::prefill_tokens;
  if (model::origin(subject.reading, chunk).kind == model::Origin::Kind::command_line)
    request.pins.push_back({chunk, model::get(subject.reading.setup, chunk)});
  const std::size_t gpus = subject.gpus.size();
  ServingPlans out;
  out.counts.resize(gpus * counts.values.size());
  const auto multiplies = [&](std::size_t gpu, const Format& each) {
    return gpu::can_multiply(subject.gpus[gpu], each.dtype);
  };
  out.ended = !share_out<ServingSearch>(
      run, gpus, counts.values.size(),
      [&](std::size_t gpu) {
        ServingRequest of = request;
        std::erase_if(of.formats, [&](const Format& each) { return !multiplies(gpu, each); });
        return std::make_unique<ServingSearch>(subject.reading, subject.gpus[gpu], subject.rules,
                                               subject.stack, of);
      },
      [&](ServingSearch& search, std::size_t gpu, std::size_t item) {
        const std::int64_t count = counts.values[item];
        const bool has_format =
            request.formats.empty() || std::any_of(request.formats.begin(), request.formats.end(),
                                                   [&](const Format& each) { return multiplies(gpu, each); });
        out.counts[gpu * counts.values.size() + item] = {subject.gpus[gpu].id, count, subject.prices[gpu],
                                                         has_format ? search.search(count) : ServingAnswer{}};
      });
  if (out.ended) return out;
  // For a rate the least money an hour, else most tokens for the money; without prices of a GPU.
  out.best = most(out.counts, [&](const ServingCount& each) {
    if (!each.answer.cheapest) return 0.0;
    const ServingPlan& plan = *each.answer.cheapest;
    return request.requests_per_s > 0 ? 1 / hourly(plan.gpus, each.price)
                                      : plan.tokens_per_s_per_gpu / hourly(1, each.price);
  });
  return out;
}

}  // namespace shapelint::contracts
