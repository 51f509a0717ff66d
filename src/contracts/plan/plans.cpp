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
#include "model/derive.hpp"
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

// A choice of one alternative of each axis.
struct Variant {
  std::vector<std::size_t> alternatives;
  model::Reading reading;
  std::shared_ptr<KnownBytes> bytes = std::make_shared<KnownBytes>();
};

// As if the command line gave these values.
model::Reading with_values(model::Reading reading, const std::vector<Pin>& values) {
  for (const Pin& each : values) {
    model::set(reading.setup, each.field, each.value);
    reading.origins[each.field].kind = model::Origin::Kind::command_line;
  }
  model::rederive(reading.setup, reading.origins);
  return reading;
}

std::vector<Variant> variants_of(const TrainingQuestion& question, const model::Reading& reading) {
  std::vector<Variant> out{{{}, reading}};
  for (const auto& axis : question.axes) {
    std::vector<Variant> longer;
    for (const Variant& each : out) {
      for (std::size_t i = 0; i < axis.size(); ++i) {
        Variant& added = longer.emplace_back(Variant{each.alternatives, with_values(each.reading, axis[i])});
        added.alternatives.push_back(i);
      }
    }
    out = std::move(longer);
  }
  return out;
}

// Training plans of all variants on all GPUs. Searches are numbered by variant, then by GPU.
class TrainingPlanner {
 public:
  TrainingPlanner(const PlanSubject& subject, const GpuCounts& counts, const TrainingQuestion& question,
                  const PlanRun& run)
      : subject_(subject),
        counts_(counts),
        question_(question),
        run_(run),
        pins_(pins_of(subject.reading)),
        variants_(variants_of(question, subject.reading)),
        num_gpus_(subject.gpus.size()),
        items_(counts.is_auto ? 1 : counts.values.size()),
        found_(variants_.size() * num_gpus_ * items_),
        known_(variants_.size() * num_gpus_) {}

  TrainingPlans plans() {
    out_.sequences = question_.sequences
                         ? *question_.sequences
                         : rules::step_sequences(subject_.reading) * replicas_of(subject_, counts_);
    if (question_.measured_step_us > 0) out_.measured_scale = question_.measured_step_us / own(0).step_us;
    search_all();
    if (out_.ended) return std::move(out_);
    for (std::size_t at = 0; at < num_gpus_ * items_; ++at) out_.counts.push_back(best_of_variants(at));
    choose();
    if (!out_.best) return std::move(out_);
    change_choices();
    TrainingCount& best = out_.counts[*out_.best];
    const model::Plan& own_plan = subject_.reading.setup.plan;
    if (rules::gpus_of_plan(own_plan) == best.gpus && rules::global_batch(own_plan) == out_.sequences)
      best.own = own(*out_.best / items_);
    out_.in_file = ways_to(subject_.dialect, subject_.reading, best.answer.best.front().setup);
    return std::move(out_);
  }

 private:
  std::unique_ptr<TrainingSearch> make(std::size_t search) const {
    const Variant& variant = variants_[search / num_gpus_];
    return std::make_unique<TrainingSearch>(variant.reading, subject_.gpus[search % num_gpus_],
                                            subject_.rules, subject_.stack,
                                            can_set_in(subject_.dialect, subject_.reading), variant.bytes);
  }
  // The file's own plan.
  TrainingPlan own(std::size_t gpu) const {
    return TrainingSearch(subject_.reading, subject_.gpus[gpu], subject_.rules, subject_.stack, {}).own();
  }
  TrainingCount find(TrainingSearch& search, std::size_t of, std::int64_t count) {
    const std::size_t variant = of / num_gpus_;
    const gpu::Gpu& gpu = subject_.gpus[of % num_gpus_];
    TrainingCount out{gpu.id, count, subject_.prices[of % num_gpus_], {}};
    if (variants_.size() > 1 && !gpu::can_multiply(gpu, variants_[variant].reading.setup.plan.dtype))
      return out;
    TrainingRequest request{count, out_.sequences, pins_, question_.keep, !counts_.is_auto};
    request.ended = &is_ended_;
    out.answer = search.search(request);
    for (TrainingPlan& each : out.answer.best) each.variant = variant;
    return out;
  }
  void fill(TrainingSearch& search, std::size_t of, std::size_t item) {
    TrainingCount& filled = found_[of * items_ + item];
    if (!counts_.is_auto) {
      filled = find(search, of, counts_.values[item]);
      return;
    }
    // The fewest that train it.
    for (std::optional<std::int64_t> n = 1; n; n = next_count(*n)) {
      filled = find(search, of, *n);
      if (!filled.answer.best.empty()) return;
    }
  }
  void search_all() {
    const auto work = [&](TrainingSearch& search, std::size_t of, std::size_t item) {
      fill(search, of, item);
    };
    if (counts_.is_auto || found_.size() > 1) {
      const auto make_one = [&](std::size_t search) { return make(search); };
      out_.ended = !share_out<TrainingSearch>(run_, known_.size(), items_, make_one, work, &known_);
      return;
    }
    known_[0].push_back(make(0));
    run_watched(
        1, [&](std::size_t) { work(*known_[0].front(), 0, 0); },
        [&] {
          if (run_.progress && !is_ended_ && !run_.progress(0, 1)) is_ended_ = true;
        });
    out_.ended = is_ended_;
  }
  // Of a GPU and a number of them; where the fewest are asked for, of the variants that need no more.
  TrainingCount best_of_variants(std::size_t at) {
    std::vector<const TrainingCount*> same;
    for (std::size_t variant = 0; variant < variants_.size(); ++variant)
      same.push_back(&found_[variant * num_gpus_ * items_ + at]);
    const auto rank = [](const TrainingCount* each) {
      return std::pair(each->answer.best.empty(), each->gpus);
    };
    const auto least = **std::min_element(same.begin(), same.end(),
                                          [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
    TrainingCount out = least;
    out.answer = {};
    for (const TrainingCount* each : same) {
      out.answer.searched += each->answer.searched;
      double& bytes = out.answer.least_bytes;
      if (each->answer.least_bytes > 0 && (bytes <= 0 || each->answer.least_bytes < bytes))
        bytes = each->answer.least_bytes;
      out.answer.violated.insert(each->answer.violated.begin(), each->answer.violated.end());
      if (each->gpus != least.gpus) continue;
      out.answer.best.insert(out.answer.best.end(), each->answer.best.begin(), each->answer.best.end());
    }
    std::vector<TrainingPlan>& best = out.answer.best;
    std::stable_sort(best.begin(), best.end(),
                     [](const TrainingPlan& a, const TrainingPlan& b) { return a.step_us < b.step_us; });
    if (best.size() > question_.keep) best.resize(question_.keep);
    return out;
  }
  // What the host updates is not priced: it is best only where all else is too large.
  void choose() {
    for (const bool may_offload : {false, true}) {
      out_.best = most(out_.counts, [&](const TrainingCount& each) {
        if (each.answer.best.empty()) return 0.0;
        const TrainingPlan& plan = each.answer.best.front();
        const bool is_free_of_it = may_offload || plan.setup.plan.offload_optimizer == 0;
        return is_free_of_it ? plan.tokens_per_s / hourly(each.gpus, each.price) : 0.0;
      });
      if (out_.best) return;
    }
  }
  // The best plan without each choice of the best one, and with each other alternative.
  void change_choices() {
    TrainingCount& best = out_.counts[*out_.best];
    const TrainingRequest asked{best.gpus, out_.sequences, pins_};
    const std::size_t variant = best.answer.best.front().variant;
    const std::size_t search = variant * num_gpus_ + *out_.best / items_;
    std::vector<std::unique_ptr<TrainingSearch>>& searches = known_[search];
    if (searches.empty()) searches.push_back(make(search));
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
      return make(search);
    };
    share_out<TrainingSearch>({run_.threads}, 1, choices.size(), make_or_take,
                              [&](TrainingSearch& own, std::size_t, std::size_t i) {
                                best.ablations[i] = own.without(asked, choices[i]);
                              });
    for (std::size_t axis = 0; axis < question_.axes.size(); ++axis) add_alternatives(best, variant, axis);
  }
  void add_alternatives(TrainingCount& best, std::size_t variant, std::size_t axis) {
    const std::vector<std::size_t>& own_choice = variants_[variant].alternatives;
    for (std::size_t other = 0; other < variants_.size(); ++other) {
      std::vector<std::size_t> choice = variants_[other].alternatives;
      if (choice[axis] == own_choice[axis]) continue;
      const std::vector<Pin>& values = question_.axes[axis][choice[axis]];
      choice[axis] = own_choice[axis];
      if (choice != own_choice) continue;
      const TrainingCount& found = found_[other * num_gpus_ * items_ + *out_.best];
      Ablation& added = best.ablations.emplace_back();
      const auto& own_values = question_.axes[axis][own_choice[axis]];
      for (std::size_t i = values.size(); i-- > 0;)
        if (values[i].value != own_values[i].value) added.without = values[i];
      if (found.gpus == best.gpus && !found.answer.best.empty()) added.plan = found.answer.best.front();
    }
  }

  const PlanSubject& subject_;
  const GpuCounts& counts_;
  const TrainingQuestion& question_;
  const PlanRun& run_;
  std::vector<Pin> pins_;
  std::vector<Variant> variants_;
  std::size_t num_gpus_;
  std::size_t items_;                 // numbers of GPUs
  std::vector<TrainingCount> found_;  // by search, then by number
  Searches<TrainingSearch> known_;
  std::atomic<bool> is_ended_{false};
  TrainingPlans out_;
};

}  // namespace

TrainingPlans plan_training(const PlanSubject& subject, const GpuCounts& counts,
                            const TrainingQuestion& question, const PlanRun& run) {
  return TrainingPlanner(subject, counts, question, run).plans();
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
