// `shapelint sweep`: predictions over a grid, row by row as they are made.
#include "cli/commands/sweep/sweep.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/roofline/roofline.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/project_options.hpp"
#include "suggest/edit/axes.hpp"

namespace shapelint::cli {

namespace {

constexpr double max_points = 1e15;

struct Shard {
  std::int64_t number = 1;
  std::int64_t count = 1;
};

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto number = parse_integer(text.substr(0, slash));
  const auto count = parse_integer(text.substr(slash + 1));
  constexpr std::int64_t most = 1'000'000;
  if (!number || !count || *number < 1 || *count < *number || *count > most) return std::nullopt;
  return Shard{*number, *count};
}

// First point of a shard (numbers from 0): contiguous, sizes differ by one at most.
std::int64_t first_point(std::int64_t points, std::int64_t number, std::int64_t count) {
  return points / count * number + std::min(number, points % count);
}

// Rows on a terminal tell themselves how far it is.
void watch_rows(std::optional<Progress>& progress, Io& io) {
  if (io.out_is_terminal) return;
  progress.emplace(io, [](std::size_t done, std::size_t total) {
    return total == 0 ? std::string("predicting")
                      : fmt::format("{} of {}", with_commas(static_cast<std::int64_t>(done)),
                                    counted(total, "point"));
  });
}

// Blocks of points, each written by one thread and printed in their order.
class Blocks {
 public:
  Blocks(const Grid& grid, std::int64_t first, std::int64_t end) : grid_(grid), first_(first), end_(end) {
    count_ = (end - first + block_points - 1) / block_points;
  }

  // Called after each block that is written.
  std::function<void(std::size_t done, std::size_t total)> on_progress;

  // False when the output takes no more.
  bool print(std::ostream& out) {
    const auto processors = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    slots_.resize(static_cast<std::size_t>(std::min(processors, count_)));
    if (slots_.size() <= 1) return print_alone(out);
    std::vector<std::thread> threads;
    try {
      for (std::size_t i = 0; i < slots_.size(); ++i) threads.emplace_back([this, i] { work(i); });
    } catch (const std::exception&) {
      // The system has no more: one thread writes what it can, all of it.
      end(threads);
      return print_alone(out);
    }
    std::string text;
    for (std::int64_t block = 0; block < count_ && out; ++block) {
      Slot& slot = slots_[static_cast<std::size_t>(block) % slots_.size()];
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return slot.full; });
      text.swap(slot.text);  // the memory of a block goes round
      slot.full = false;
      lock.unlock();
      changed_.notify_all();
      out << text;
      tell(block);
    }
    end(threads);
    return static_cast<bool>(out);
  }

 private:
  void end(std::vector<std::thread>& threads) {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  static constexpr std::int64_t block_points = 4096;
  struct Slot {
    std::string text;
    bool full = false;
  };

  void tell(std::int64_t block) const {
    if (!on_progress) return;
    const std::int64_t done = std::min(end_, first_ + (block + 1) * block_points) - first_;
    on_progress(static_cast<std::size_t>(done), static_cast<std::size_t>(end_ - first_));
  }

  void append(RowWriter& writer, std::int64_t block, std::string& text) const {
    const std::int64_t begin = first_ + block * block_points;
    const std::int64_t end = std::min(end_, begin + block_points);
    for (std::int64_t point = begin; point < end; ++point) writer.append(point, nullptr, text);
  }

  bool print_alone(std::ostream& out) const {
    RowWriter writer(grid_);
    std::string text;
    for (std::int64_t block = 0; block < count_ && out; ++block) {
      text.clear();
      append(writer, block, text);
      out << text;
      tell(block);
    }
    return static_cast<bool>(out);
  }

  // Every so many blocks, into one slot.
  void work(std::size_t number) {
    RowWriter writer(grid_);
    Slot& slot = slots_[number];
    std::string text;
    for (auto block = static_cast<std::int64_t>(number); block < count_;
         block += static_cast<std::int64_t>(slots_.size())) {
      text.clear();
      append(writer, block, text);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !slot.full || stopped_; });
      if (stopped_) return;
      text.swap(slot.text);
      slot.full = true;
      lock.unlock();
      changed_.notify_all();
    }
  }

  const Grid& grid_;
  std::int64_t first_;
  std::int64_t end_;
  std::int64_t count_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  bool stopped_ = false;
};

}  // namespace

std::vector<Option> sweep_options(SweepOptions& options) {
  std::vector<Option> all{
      model_file_option(options.file),
      model_option(options.model),
      {.names = "--over",
       .value = "FIELD=LOW:HIGH:STEP",
       .doc = "sweep a field over these values; also FIELD=A,B,C. Several make a grid, the last varies "
              "fastest",
       .set = into(options.over),
       .many = true,
       .required = true},
      {.names = "--shard",
       .value = "I/N",
       .doc = "print the I-th of N equal parts of the grid; the parts in order are the whole output",
       .set = into(options.shard)},
      {.names = "--plot",
       .value = "FILE.svg",
       .doc = "also draw throughput against the last swept field, with tile and wave edges; FILE.png writes "
              "both (needs rsvg-convert or resvg)",
       .set = into(options.plot)},
  };
  append(all, model_input_options(options.project));
  return all;
}

ExitCode sweep(const SweepOptions& options, Io& io) {
  std::vector<Error> errors;
  std::vector<model::Override> firsts;
  std::vector<suggest::RangeRequest> over;
  double points = 1;
  for (const std::string& text : options.over) {
    auto range = suggest::parse_range(text, false);
    if (!range) {
      errors.push_back(range.error());
      continue;
    }
    const auto same = [&](const suggest::RangeRequest& each) { return each.field == range->field; };
    if (std::any_of(over.begin(), over.end(), same)) {
      errors.push_back({fmt::format("`--over {}` sweeps a field a second time", text), {}, {}, std::nullopt});
    }
    points *= static_cast<double>(range->values.size());
    over.push_back(*std::move(range));
    firsts.push_back({over.back().field, over.back().values.front(), "--over"});
  }
  const auto shard = parse_shard(options.shard);
  if (!shard) {
    errors.push_back({fmt::format("`--shard {}` is not a part I/N", options.shard),
                      "expected a part such as `2/8`",
                      {},
                      std::nullopt});
  }
  if (!has_drawing_ending(options.plot, "--plot", io)) return ExitCode::error;
  if (!options.plot.empty() && options.shard != "1/1") {
    errors.push_back({"`--plot` needs the whole grid", "leave `--shard` out", {}, std::nullopt});
  }
  if (points > max_points) errors.push_back({"the grid has more than 10^15 points", {}, {}, std::nullopt});
  for (const Error& error : errors) print_error(io, error);
  if (!errors.empty()) return ExitCode::error;
  const auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  project::Request at_first = *request;
  at_first.overrides.insert(at_first.overrides.end(), firsts.begin(), firsts.end());
  const project::Project project(std::move(at_first), io.files);
  if (!are_configured(project, {&options.file, 1}, io)) return ExitCode::error;
  const auto input = read_model_input({options.file, options.model, false}, project, io);
  if (!input) return ExitCode::error;

  const model::Reading& reading = input->reading();
  const auto all = static_cast<std::int64_t>(points);
  const Grid grid{&reading, &*input->file.configured->rules, over, input->gpus(), all};
  const std::int64_t first = first_point(all, shard->number - 1, shard->count);
  const std::int64_t end = first_point(all, shard->number, shard->count);
  std::optional<Progress> progress;
  if (options.plot.empty()) {
    watch_rows(progress, io);
    if (shard->number == 1) io.out << header(grid);
    Blocks blocks(grid, first, end);
    if (progress) {
      blocks.on_progress = [&](std::size_t done, std::size_t total) { progress->at(done, total); };
    }
    return blocks.print(io.out) ? ExitCode::clean : ExitCode::error;
  }

  // What the file says, without the first values of the grid.
  const project::Project plain(*request, io.files);
  const ModelFile stated = options.file == "-" ? ModelFile{} : read_model_file(options.file, "", plain, io);
  const model::Setup& start =
      input->model < stated.readings.size() ? stated.readings[input->model].setup : reading.setup;
  SweepPlot plot(grid.over, input->gpus(), start, reading.name.empty() ? options.file : reading.name);
  constexpr double max_plotted = 1e5;
  if (plot.lines() > most_lines || points > max_plotted) {
    print_error(io,
                fmt::format("`--plot` would draw {} of {}", counted(plot.lines(), "line"),
                            counted(over.back().values.size(), "point")),
                fmt::format("at most {} lines: use fewer GPUs or values of the other fields", most_lines));
    return ExitCode::error;
  }
  RowWriter writer(grid);
  watch_rows(progress, io);
  io.out << header(grid);
  for (std::int64_t point = first; point < end; ++point) {
    std::string rows;
    writer.append(point, &plot, rows);
    io.out << rows;
    if (!io.out) return ExitCode::error;
    if (progress) progress->at(static_cast<std::size_t>(point + 1), static_cast<std::size_t>(end));
  }
  progress.reset();
  return write_drawing(options.plot, std::move(plot).svg(), io) ? ExitCode::clean : ExitCode::error;
}

}  // namespace shapelint::cli
