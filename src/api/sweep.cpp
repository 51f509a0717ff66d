// Rows of values to rows of prices.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>

#include <fmt/format.h>

#include "api/load.hpp"
#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "model/fields.hpp"
#include "objects/convert.hpp"
#include "rules/engine/points.hpp"

namespace shapelint::api {

namespace {

constexpr std::size_t block_rows = 4096;

// A column with the number of each row's value among those that are in it.
struct Axis {
  model::FieldId field = model::no_field;
  std::span<const std::int64_t> values;
  std::vector<std::uint32_t> positions;
  std::size_t distinct = 0;
};

void number_values(Axis& axis) {
  std::unordered_map<std::int64_t, std::uint32_t> known;
  axis.positions.reserve(axis.values.size());
  for (const std::int64_t value : axis.values) {
    axis.positions.push_back(
        known.try_emplace(value, static_cast<std::uint32_t>(known.size())).first->second);
  }
  axis.distinct = known.size();
}

std::vector<Axis> axes_of(const std::vector<SweepColumn>& columns, std::vector<Error>& errors) {
  std::vector<Axis> axes;
  if (columns.empty()) errors.push_back(wrong("there are no columns to sweep"));
  for (const SweepColumn& column : columns) {
    const model::FieldId id = model::find_field(column.field);
    if (id == model::no_field) {
      errors.push_back(wrong(fmt::format("unknown field `{}`", column.field),
                             did_you_mean(column.field, model::field_names())));
      continue;
    }
    const model::FieldInfo& field = model::info(id);
    if (field.type != model::FieldType::integer) {
      errors.push_back(wrong(fmt::format("`{}` is not a field of whole numbers", column.field)));
      continue;
    }
    if (std::any_of(axes.begin(), axes.end(), [&](const Axis& each) { return each.field == id; })) {
      errors.push_back(wrong(fmt::format("`{}` is swept a second time", column.field)));
      continue;
    }
    if (column.values.size() != columns.front().values.size() || column.values.empty()) {
      errors.push_back(wrong(
          fmt::format("`{}` has {}, and `{}` has {}", column.field, counted(column.values.size(), "row"),
                      columns.front().field, columns.front().values.size()),
          "columns need equal length, at least one row"));
      continue;
    }
    const auto outside = std::find_if(column.values.begin(), column.values.end(), [&](std::int64_t value) {
      return value < field.minimum || value > field.maximum;
    });
    if (outside != column.values.end()) {
      errors.push_back(wrong(fmt::format("`{}` is {} in row {}, counted from 0", column.field, *outside,
                                         outside - column.values.begin()),
                             fmt::format("a whole number from {} to {}", with_commas(field.minimum),
                                         with_commas(field.maximum))));
      continue;
    }
    axes.push_back({id, column.values, {}, 0});
  }
  return axes;
}

class Sweep {
 public:
  Sweep(const rules::RuleBook& book, const model::Reading& reading, const std::vector<gpu::Gpu>& gpus,
        const std::vector<Axis>& axes)
      : book_(book), reading_(reading), gpus_(gpus), axes_(axes), rows_(axes.front().values.size()) {
    out_.parameters.resize(rows_);
    out_.memory_gib.resize(rows_);
    out_.fails.resize(rows_);
    out_.reasons.emplace_back();
    numbers_.emplace("", 0);
    for (const gpu::Gpu& gpu : gpus) {
      const std::vector<double> none(rows_);
      out_.gpus.push_back({gpu.id, none, none, none, none, none, none, none, none, none});
    }
  }

  // False when `progress` ended it.
  bool run(std::size_t threads, const std::function<bool(double)>& progress) {
    const std::size_t blocks = (rows_ + block_rows - 1) / block_rows;
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    threads = std::min(threads, blocks);
    std::vector<std::thread> others;
    try {
      while (others.size() + 1 < threads) others.emplace_back([this] { guard([this] { work({}); }); });
    } catch (const std::exception&) {
      // The system has no more threads: those that there are do all of it.
    }
    guard([&] { work(progress); });
    for (std::thread& each : others) each.join();
    if (failure_) std::rethrow_exception(failure_);
    return !stopped_;
  }

  SweepResult take() {
    // Threads number reasons as they meet them: from here on in the order of the rows.
    std::vector<std::uint32_t> place(out_.reasons.size(), 0);
    std::vector<std::string> reasons{""};
    for (std::uint32_t& each : out_.fails) {
      if (each == 0) continue;
      if (place[each] == 0) {
        place[each] = static_cast<std::uint32_t>(reasons.size());
        reasons.push_back(out_.reasons[each]);
      }
      each = place[each];
    }
    out_.reasons = std::move(reasons);
    return std::move(out_);
  }

 private:
  template <class Work>
  void guard(Work work) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stopped_ = true;
    }
  }

  void work(const std::function<bool(double)>& progress) {
    std::vector<cost::GridAxis> axes;
    for (const Axis& axis : axes_) axes.push_back({axis.field, axis.distinct});
    rules::Points points(book_, reading_, gpus_, std::move(axes));
    std::vector<std::int64_t> values(axes_.size());
    std::vector<std::uint32_t> positions(axes_.size());
    while (!stopped_) {
      const std::size_t begin = next_.fetch_add(block_rows);
      if (begin >= rows_) return;
      if (progress && !progress(static_cast<double>(begin) / static_cast<double>(rows_))) stopped_ = true;
      for (std::size_t row = begin; row < std::min(rows_, begin + block_rows); ++row) {
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
          values[axis] = axes_[axis].values[row];
          positions[axis] = axes_[axis].positions[row];
        }
        points.move_to(values, positions);
        write(points, row);
      }
    }
  }

  void write(rules::Points& points, std::size_t row) {
    const model::Setup& setup = points.setup();
    if (const std::string& broken = points.broken(); !broken.empty()) out_.fails[row] = number_of(broken);
    out_.parameters[row] = points.parameters();
    out_.memory_gib[row] = points.memory_bytes() / bytes_per_gib;
    const std::span<const cost::StepCost> steps = points.price(false);
    for (std::size_t gpu = 0; gpu < steps.size(); ++gpu) {
      const cost::StepCost& step = steps[gpu];
      SweepOnGpu& out = out_.gpus[gpu];
      out.step_us[row] = step.time_us;
      out.tokens_per_s_per_gpu[row] = rules::tokens_per_s_per_gpu(setup, points.workload(), step);
      out.mfu[row] = step.mfu;
      out.hfu[row] = step.hfu;
      out.compute_us[row] = step.compute_us;
      out.memory_us[row] = step.memory_us;
      out.communication_us[row] = step.communication_us;
      out.overhead_us[row] = step.overhead_us;
      out.bubble_us[row] = step.bubble_us;
    }
  }

  std::uint32_t number_of(const std::string& broken) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] =
        numbers_.try_emplace(broken, static_cast<std::uint32_t>(out_.reasons.size()));
    if (is_new) out_.reasons.push_back(broken);
    return place->second;
  }

  const rules::RuleBook& book_;
  const model::Reading& reading_;
  const std::vector<gpu::Gpu>& gpus_;
  const std::vector<Axis>& axes_;
  std::size_t rows_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::exception_ptr failure_;
  SweepResult out_;
};

}  // namespace

Result<SweepResult> sweep(const FileSystem& files, const Source& source,
                          const std::vector<SweepColumn>& columns, const SweepOptions& options) {
  std::vector<Error> errors;
  std::vector<Axis> axes = axes_of(columns, errors);
  if (!errors.empty()) return errors;
  // The first row completes what the file leaves out.
  ReadOptions read = options.read;
  for (const SweepColumn& column : columns) {
    read.settings.push_back({column.field, std::to_string(column.values.front())});
  }
  const auto loaded = load(files, source, read, options.gpus);
  const Priceable priceable = priceable_models(*loaded);
  if (!priceable.errors.empty()) return priceable.errors;
  const model::Reading* reading = choose_model(priceable, options.model, loaded->path, errors);
  if (reading == nullptr) return errors;
  for (Axis& axis : axes) number_values(axis);
  Sweep sweep(*loaded->configured->rules, *reading, priceable.gpus, axes);
  if (!sweep.run(options.threads, options.progress)) {
    return Error{std::string(code::no_candidates), "the sweep was stopped before its last row", {}, {}};
  }
  return sweep.take();
}

}  // namespace shapelint::api
