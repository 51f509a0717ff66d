// `shapelint suggest`: the best shapes near the given one.
#include "cli/commands/suggest/suggest.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "report/suggestions/suggestions.hpp"
#include "suggest/answer.hpp"
#include "suggest/family.hpp"

namespace shapelint::cli {

namespace {

constexpr std::int64_t max_threads = 1024;
constexpr std::int64_t max_suggestions = 10'000;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Ends the search at the time limit or on Ctrl-C, and shows how far it is on a terminal.
class Watch {
 public:
  Watch(const SuggestOptions& options, Io& io)
      : io_(io),
        limit_s_(options.time_limit_s),
        interrupted_(io.on_interrupt ? io.on_interrupt() : nullptr) {}
  ~Watch() { clear(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void set(suggest::SearchOptions& search) {
    search.stop = &stop_;
    search.progress = [this](const suggest::Progress& progress) { tick(progress); };
  }

 private:
  void tick(const suggest::Progress& progress) {
    const double elapsed_s = seconds_since(start_);
    if ((limit_s_ && elapsed_s >= *limit_s_) || (interrupted_ != nullptr && interrupted_->load()))
      stop_ = true;
    constexpr double quiet_s = 1;
    if (!io_.err_is_terminal || elapsed_s < quiet_s) return;
    const double left_s = progress.done > 0 ? elapsed_s * (1 - progress.done) / progress.done : 0;
    io_.err << fmt::format("\r{:>4.0f} % searched, {} left \x1b[K", 100 * progress.done,
                           progress.done > 0 ? fmt::format("{:.0f} s", std::ceil(left_s)) : std::string("?"))
            << std::flush;
    shown_ = true;
  }
  void clear() {
    if (shown_) io_.err << "\r\x1b[K" << std::flush;
  }

  Io& io_;
  std::optional<double> limit_s_;
  const std::atomic<bool>* interrupted_;
  std::atomic<bool> stop_{false};
  Clock::time_point start_ = Clock::now();
  bool shown_ = false;
};

bool check_usage(const SuggestOptions& options, Io& io) {
  const auto wrong = [&](const std::string& message, const std::string& hint) {
    print_error(io, message, hint);
    return false;
  };
  bool good = true;
  if (options.top < 1 || options.top > max_suggestions) {
    good =
        wrong(fmt::format("`--top {}` is not a number of suggestions", options.top), "expected 1 to 10,000");
  }
  if (options.threads && (*options.threads < 1 || *options.threads > max_threads)) {
    good = wrong(fmt::format("`--threads {}` is not a number of threads", *options.threads),
                 "expected 1 to 1,024");
  }
  const auto& multiple = options.project.request.head_multiple;
  if (multiple && (*multiple < 1 || *multiple > rules::largest_head_multiple)) {
    good = wrong(fmt::format("`--head-multiple {}` is not a multiple of heads", *multiple),
                 "expected 1 to 1,024");
  }
  if (options.apply && (*options.apply < 1 || *options.apply > options.top)) {
    good = wrong(fmt::format("`--apply {}` is not among the first {}", *options.apply, options.top),
                 "suggestions are numbered from 1; `--top` lists more");
  }
  const bool edits = options.apply || options.diff;
  if (!edits && (options.write || !options.output.empty())) {
    good = wrong("`--write` and `--output` need a suggestion to write", "choose it with `--apply N`");
  }
  if (options.write && !options.output.empty()) {
    good = wrong("both `--write` and `--output` are given", "give one of them");
  }
  if (options.write && options.file == "-") good = wrong("standard input cannot be written", "`--output`");
  if (!options.output.empty() && options.output == options.file) {
    good = wrong(fmt::format("`--output {}` is the file itself", options.output),
                 "`--write` changes it in place");
  }
  return good;
}

}  // namespace

ExitCode suggest_shapes(const SuggestOptions& options, Io& io) {
  if (!check_usage(options, io)) return ExitCode::error;
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  const bool has_conditions = check_conditions(options, io);
  if (!are_configured(project, {&options.file, 1}, io)) return ExitCode::error;
  const auto input = read_model_input({options.file, options.model}, project, io);
  if (!input || !has_conditions) return ExitCode::error;
  std::vector<Error> errors;
  suggest::Problem problem = make_problem(*input, options, io.files, errors);
  if (!options.family.empty()) {
    for (const Error& error : errors) print_error(io, error);
    return errors.empty() ? suggest_family(problem, options, io) : ExitCode::error;
  }
  suggest::AxesRequest axes = options.axes;
  axes.shape = problem.shape;
  for (const std::string& text : options.ranges) {
    auto range = suggest::parse_range(text, true);
    if (range) {
      axes.ranges.push_back(*std::move(range));
    } else {
      errors.push_back(range.error());
    }
  }
  suggest::set_axes(problem, axes, errors);
  for (const Error& error : errors) print_error(io, error);
  if (!errors.empty()) return ExitCode::error;

  suggest::SearchOptions search;
  search.keep = static_cast<std::size_t>(options.top);
  search.distinct = !options.every;
  search.better_only = problem.broken.empty();  // else anything that runs is better
  search.threads = static_cast<std::size_t>(options.threads.value_or(0));
  suggest::SearchOutcome outcome;
  {
    Watch watch(options, io);
    watch.set(search);
    search.references = suggest::per_gpu_best_costs(problem, search);
    outcome = suggest::optimize(problem, search);
  }
  // Nothing found and no front: no combination meets the constraints.
  if (outcome.best.empty() && outcome.front.empty() && outcome.complete) {
    const std::vector<std::string> culprits = suggest::unsatisfiable(problem);
    if (!culprits.empty()) {
      print_error(io,
                  fmt::format("no allowed combination among {}",
                              with_commas(static_cast<std::int64_t>(outcome.candidates))),
                  culprits.size() == 1 ? fmt::format("all of them break {}", culprits.front())
                                       : fmt::format("each breaks one of {}", fmt::join(culprits, " and ")));
      return ExitCode::error;
    }
  }
  const report::SuggestReport report{problem.reading->name, input->file.path, problem,
                                     suggest::explain(problem, outcome, search)};
  if (options.apply || options.diff) return apply_suggestion(report, options, input->file, &project, io);
  switch (options.format) {
    case 0:
      io.out << report::suggestions_text(report, out_style(io));
      break;
    case 1:
      io.out << report::suggestions_json(report);
      break;
    case 2:
      io.out << report::suggestions_csv(report);
      break;
    default:
      io.out << report::suggestions_toml(report);
      break;
  }
  return ExitCode::clean;
}

ExitCode suggest_family(const suggest::Problem& problem, const SuggestOptions& options, Io& io) {
  std::vector<std::int64_t> sizes;
  bool failed = false;
  for (const std::string& text : options.family) {
    const auto size = suggest::parse_size(text);
    if (size) {
      sizes.push_back(*size);
      continue;
    }
    print_error(io, fmt::format("`{}` is not a number of parameters", text),
                "expected a number such as 125m, 1.3b or 350000000");
    failed = true;
  }
  if (!options.axes.vary.empty() || !options.axes.fix.empty() || !options.ranges.empty() || options.apply ||
      options.diff) {
    print_error(io, "`--family` chooses all dimensions itself",
                "it excludes `--vary`, `--fix`, `--range`, `--apply` and `--diff`");
    failed = true;
  }
  if (problem.start.model.mla.kv_lora_rank > 0) {
    print_error(io, "`--family` needs one `head_dim`, and MLA has separate ones for Q/K and V");
    failed = true;
  }
  if (failed) return ExitCode::error;
  suggest::SearchOptions search;
  search.threads = static_cast<std::size_t>(options.threads.value_or(0));
  const suggest::Family family = suggest::find_family(problem, sizes, search);
  const bool none =
      std::none_of(family.members.begin(), family.members.end(), [](const auto& rung) { return rung.found; });
  if (none) {
    print_error(io, "no size of the family has a shape that meets the constraints",
                "allow a larger change with `--params`");
    return ExitCode::error;
  }
  std::vector<std::string> gpus;
  for (const gpu::Gpu* gpu : problem.gpus) gpus.push_back(gpu->id);
  switch (options.format) {
    case 0:
      io.out << report::family_text(family, gpus, out_style(io));
      break;
    case 1:
      io.out << report::family_json(family, gpus);
      break;
    case 2:
      io.out << report::family_csv(family, gpus);
      break;
    default:
      io.out << report::family_toml(family);
      break;
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
