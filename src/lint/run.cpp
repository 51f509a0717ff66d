// Many files: found, linted by several threads, and what is known of them left out.
#include "lint/run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <iterator>
#include <map>
#include <new>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/threads.hpp"
#include "formats/discover.hpp"
#include "gpu/registry.hpp"
#include "lint/file.hpp"
#include "lint/suppression/git.hpp"
#include "project/applied.hpp"
#include "project/named.hpp"
#include "rules/book/select.hpp"
#include "text/files.hpp"
#include "text/parse_any.hpp"

namespace shapelint::lint {

void for_each_in_threads(std::size_t count, std::optional<std::int64_t> jobs,
                         const std::function<void(const IndexSource&)>& work) {
  if (count == 0) return;
  std::atomic<std::size_t> begun{0};
  const IndexSource next = [&]() -> std::optional<std::size_t> {
    const std::size_t index = begun++;
    return index < count ? std::optional(index) : std::nullopt;
  };
  const std::int64_t processors = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  const std::int64_t wanted = std::max<std::int64_t>(1, jobs.value_or(processors));
  const auto number = std::min<std::size_t>(static_cast<std::size_t>(wanted), count);
  run_in_threads(number, [&] { work(next); });
}

namespace {

// Size of all files that are read in one run: a checkout of configurations has some 100 MB.
constexpr std::int64_t max_project_bytes = std::int64_t{4} << 30;

// The work of all files of one run: five that take as much as a file may, and what others take on top. Files
// of real projects take a fifth of that.
constexpr std::int64_t max_project_work = 5 * max_work;
constexpr std::int64_t max_work_for_each = 100'000;

// One file to lint, and what came of it.
struct Job {
  std::string path;  // as messages call it
  bool named = false;
  const GivenText* given = nullptr;  // instead of a file
  const project::Configured* configured = nullptr;
  std::string path_in_root;  // with a revision; empty for a given text that is no file of the repository
  bool is_changed = true;    // itself; otherwise what it inherits may have changed
  bool is_passed_over = false;
  bool is_left_out = false;        // the files of the run hold too much, or take too much
  std::set<std::string> built_on;  // files that it asked for, where outputs are to be distinguished
  std::size_t known_then = 0;      // findings that it had at the revision
  FileOutcome outcome;
};

bool has_costs(const FileOutcome& out) {
  return std::any_of(out.models.begin(), out.models.end(),
                     [](const ModelReport& model) { return !model.result.gpus.empty(); });
}

void forget_operations(FileOutcome& outcome) {
  for (ModelReport& model : outcome.models) {
    for (rules::GpuReport& gpu : model.result.gpus) {
      // `= {}` would keep the memory.
      gpu.workload.ops = std::vector<model::Op>();
      gpu.before.ops = std::vector<cost::OpCost>();
      gpu.after.ops = std::vector<cost::OpCost>();
    }
  }
}

// Takes out of the findings what people are not shown.
void hide(const project::Applied& applied, ModelReport& model) {
  std::vector<rules::Finding>& findings = model.result.findings;
  const auto first = std::stable_partition(findings.begin(), findings.end(), [&](const auto& finding) {
    return rules::is_shown(finding, applied.rules);
  });
  model.hidden.assign(std::make_move_iterator(first), std::make_move_iterator(findings.end()));
  findings.erase(first, findings.end());
  model.hides_from_programs = applied.min_severity_stated;
}

void add_jobs(ModelReport& model, const std::vector<gpu::Gpu>& gpus) {
  if (model.rules == nullptr) return;
  // No layout runs a shape that cannot be built, and no number of GPUs is missing then.
  const std::vector<rules::Finding>& findings = model.result.findings;
  if (std::any_of(findings.begin(), findings.end(),
                  [](const rules::Finding& each) { return each.certain_to_fail && each.gpu.empty(); }))
    return;
  const bool is_open = lacks_mode_and_layout(model.reading);
  for (const rules::GpuReport& each : model.result.gpus) {
    const gpu::Gpu* gpu = gpu::find_by_id(gpus, each.gpu);
    if (gpu == nullptr) continue;
    if (is_open) {
      for (JobPlan& job : jobs_of(model.reading, *gpu, *model.rules)) model.jobs.push_back(std::move(job));
    } else if (std::optional<JobPlan> least = min_plan(model.reading, *gpu, *model.rules)) {
      model.least.push_back(*std::move(least));
    }
  }
}

class Run {
 public:
  Run(const RunRequest& request, const project::Project& project)
      : request_(request), project_(project), files_(project.files()), baselines_(request.baseline, files_) {}

  RunOutcome operator()() {
    if (!request_.diff_base.empty()) {
      auto base = compare_with(request_.diff_base, files_.working_directory());
      if (!base) {
        out_.refused.push_back({base.error(), {}});
        return std::move(out_);
      }
      base_ = *std::move(base);
    }
    if (!request_.bases.empty()) {
      then_.emplace(files_);
      for (const auto& [path, text] : request_.bases) {
        then_->put(path, text);
        bases_.insert_or_assign(then_->absolute(path), text);
      }
    }
    try {
      // Patterns of .gitignore files and configurations, each looked at for each file.
      const Budget budget;
      looked_at_ = request_.paths.empty() ? std::string() : request_.paths.front();
      find_files();
      choose_configurations();
      if (budget.is_spent()) return std::move(out_);  // what was refused says so
    } catch (const Spent&) {
      for (text::LocatedError& error : project_.errors()) out_.refused.push_back(std::move(error));
      // One configuration that takes too much says what did.
      if (!out_.refused.empty() && project_.all().size() == 1) return std::move(out_);
      out_.refused.push_back(
          {Error{"too many files, configurations and patterns: this one and the following are skipped",
                 "name fewer folders",
                 looked_at_,
                 {},
                 ErrorCode::too_large},
           {}});
      return std::move(out_);
    }
    for (const Job& job : jobs_) baselines_.check(job.configured->config, out_.refused);
    if (!out_.refused.empty()) return std::move(out_);
    lint_all();
    check_outputs();
    if (out_.refused.empty()) finish();
    return std::move(out_);
  }

 private:
  // The order of the paths, and files named twice, make no difference.
  void find_files() {
    std::vector<std::string> paths;
    for (const std::string& name : request_.paths) {
      Result<std::string> path = project::path_named(project_, name);
      if (path) {
        paths.push_back(*std::move(path));
      } else {
        out_.report.errors.push_back({path.error(), {}});
      }
    }
    const formats::Discovery found = formats::discover(files_, paths);
    if (!found.passed_over.empty()) {
      const std::size_t others = found.passed_over.size() - 1;
      out_.notes.push_back(
          {fmt::format("{}{}: no regular file, or a link out of the tree, is passed over unless it "
                       "is named",
                       found.passed_over.front(), others == 0 ? "" : fmt::format(" and {} more", others)),
           false});
    }
    for (const Error& error : found.errors) out_.report.errors.push_back({error, {}});
    std::map<std::string, bool> named;
    for (const formats::DiscoveredFile& file : found.files) named[file.path] = named[file.path] || file.named;
    for (const GivenText& text : request_.texts) add_job(text.path, true, &text);
    for (const auto& [path, is_named] : named) add_job(path, is_named, nullptr);
    std::stable_sort(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.path < b.path; });
  }

  void add_job(const std::string& path, bool named, const GivenText* given) {
    Job job;
    job.path = path;
    job.named = named;
    job.given = given;
    if (base_) {
      const auto inside = path_in(*base_, path);
      const bool is_inner = inside && is_in_inner_repository(*base_, *inside);
      if (given == nullptr && (!inside || is_inner)) {
        if (inside && !named) return;
        out_.refused.push_back({{"the file is not in the repository that `--diff-base` is about",
                                 is_inner ? "it belongs to a submodule: lint it from there" : "",
                                 path,
                                 {}},
                                {}});
        return;
      }
      job.path_in_root = is_inner ? std::string{} : inside.value_or("");
      job.is_changed = given != nullptr || base_->changed.contains(job.path_in_root);
    }
    jobs_.push_back(std::move(job));
  }

  void choose_configurations() {
    // Also without any file: what the request names is checked.
    if (jobs_.empty()) project_.here();
    for (Job& job : jobs_) {
      looked_at_ = job.path;
      charge();
      job.configured = &project_.of(job.path);
      const std::string& config = job.configured->config.path;
      if (!config.empty()) out_.choices.push_back(fmt::format("{}: configured by {}", job.path, config));
    }
    for (text::LocatedError& error : project_.errors()) out_.refused.push_back(std::move(error));
    std::vector<project::Pattern> given;
    for (const std::string& glob : request_.exclude) given.push_back({files_.working_directory(), glob});
    std::erase_if(jobs_, [&](const Job& job) {
      looked_at_ = job.path;
      if (job.named && !request_.force_exclude) return false;
      const project::Config& config = job.configured->config;
      const auto is_in = [&](const std::vector<project::Pattern>& patterns) {
        return std::any_of(patterns.begin(), patterns.end(), [&](const project::Pattern& each) {
          return project::matches(each, job.path, files_.working_directory());
        });
      };
      const bool by_option = is_in(given);
      if (!by_option && !is_in(config.exclude)) return false;
      out_.is_excluded = true;
      out_.choices.push_back(
          fmt::format("{}: excluded by {}", job.path, by_option ? "`--exclude`" : config.path));
      return true;
    });
  }

  // The job's text; nothing when there is none to lint.
  std::optional<std::string> text_of(Job& job) const {
    auto content = job.given != nullptr ? job.given->source : project::text_named(project_, job.path);
    if (content) {
      auto empty = formats::check_is_filled(job.path, *content);
      if (!empty) return *std::move(content);
      // Every Python package has empty files, and a hook is given all files.
      if (request_.allow_unrecognised) {
        job.outcome.notes.push_back(fmt::format("{}: {}", job.path, empty->message));
      } else if (job.named) {
        job.outcome.errors.push_back({*std::move(empty), {}});
      }
      return std::nullopt;
    }
    // A list of what changed names what was deleted, too.
    job.is_passed_over =
        content.error().code == ErrorCode::not_found && base_ && base_->changed.contains(job.path_in_root);
    if (job.is_passed_over) return std::nullopt;
    // A folder holds tokenizers and data sets, too, and they are JSON.
    const bool is_data =
        content.error().code == ErrorCode::too_large && text::syntax_by_name(job.path) == text::Syntax::json;
    if (job.named || !is_data) job.outcome.errors.push_back({content.error(), {}});
    return std::nullopt;
  }

  void lint_one(Job& job) const {
    std::optional<std::string> content = text_of(job);
    if (!content) return;
    job.is_left_out = (read_bytes_ += static_cast<std::int64_t>(content->size())) > max_project_bytes ||
                      work_ > max_work_of_all();
    if (job.is_left_out) return;
    // One account for all that is read for the file, and as it was before.
    const Budget budget;
    const text::Source source = look_at(job, *std::move(content));
    work_ += budget.used();
    if (!budget.is_spent()) return;
    // Whatever was made of it is not all that it says: no answer, be it named or not.
    job.outcome = {};
    job.is_passed_over = false;
    job.outcome.errors.push_back({project::too_costly(budget, source), source.text});
  }

  std::int64_t max_work_of_all() const {
    return max_project_work + max_work_for_each * static_cast<std::int64_t>(jobs_.size());
  }

  text::Source look_at(Job& job, std::string content) const {
    TextOptions options;
    options.no_ignores = request_.no_ignores;
    options.assume_native = job.given != nullptr && job.given->assume_native;
    text::Source source = formats::parse(job.path, std::move(content), options.assume_native);
    if (!job.is_changed && !inherits_changes(job, source)) {
      job.is_passed_over = true;
      job.outcome.recognised = true;  // as far as is known: it may be an input anyway
      return source;
    }
    if (request_.outputs.empty()) {
      job.outcome = lint_text(*job.configured, source, files_, options);
    } else {
      const RecordingFileSystem files(files_);
      job.outcome = lint_text(*job.configured, source, files, options);
      job.built_on = files.asked();
    }
    if (base_ && !job.path_in_root.empty()) {
      options.assume_native = false;
      job.known_then = keep_only_new_findings(*job.configured, *base_, job.path, job.path_in_root,
                                              job.outcome, files_, options);
    }
    const std::string* base = base_of(job);
    if (base != nullptr) {
      job.known_then +=
          keep_only_new_findings(*job.configured, formats::parse(job.path, *base, options.assume_native),
                                 job.path, job.outcome, *then_, options);
    }
    if (!request_.keep_operations) forget_operations(job.outcome);
    return source;
  }

  // What the file was, as the caller says.
  const std::string* base_of(const Job& job) const {
    if (!then_) return nullptr;
    const auto found = bases_.find(then_->absolute(job.path));
    return found == bases_.end() ? nullptr : &found->second;
  }

  // Whether any file that this one builds on changed, came or went since the revision.
  bool inherits_changes(const Job& job, const text::Source& source) const {
    const RecordingFileSystem files(files_);
    project::read_model(*job.configured, source, files);
    return std::any_of(files.asked().begin(), files.asked().end(), [&](const std::string& path) {
      const auto inside = path_in(*base_, path);
      return inside && base_->changed.contains(*inside);
    });
  }

  void lint_all() {
    std::atomic<std::size_t> done{0};
    for_each_in_threads(jobs_.size(), request_.jobs, [&](const IndexSource& next) {
      for (auto i = next(); i; i = next()) {
        lint_or_fail(jobs_[*i]);
        const std::size_t count = ++done;
        if (request_.on_progress) request_.on_progress(count, jobs_.size());
      }
    });
  }

  // An unexpected exception fails the file, not the run.
  void lint_or_fail(Job& job) const {
    const auto fail = [&](std::string message) {
      job.outcome = {};
      job.outcome.errors.push_back({{std::move(message), {}, job.path, {}}, {}});
    };
    try {
      lint_one(job);
    } catch (const Spent& spent) {
      fail(spent.what());
    } catch (const std::bad_alloc&) {
      fail("there is not enough memory for this file");
    } catch (const std::exception& problem) {
      fail(fmt::format("internal error: {}", problem.what()));
    }
  }

  void check_outputs() {
    for (const std::string& output : request_.outputs) {
      if (!is_input(output)) continue;
      out_.refused.push_back(
          {{"the output is an input file and is not overwritten", "name another file", output, {}}, {}});
    }
  }

  // A report of an earlier run that is found in a folder again is read, and no input.
  bool is_input(const std::string& output) const {
    if (!files_.was_read(output)) return false;
    bool is_found = false;
    for (const Job& job : jobs_) {
      const std::vector<std::string>& configs = job.configured->config.sources;
      const auto is_it = [&](const std::string& path) { return is_same_file(path, output); };
      if (std::any_of(configs.begin(), configs.end(), is_it)) return true;
      if (std::any_of(job.built_on.begin(), job.built_on.end(), is_it)) return true;
      if (!is_it(job.path)) continue;
      if (job.named || job.outcome.recognised) return true;
      is_found = true;
    }
    return !is_found;
  }

  bool is_same_file(const std::string& a, const std::string& b) const {
    const std::filesystem::path here(files_.working_directory());
    std::error_code problem;
    return std::filesystem::equivalent(here / a, here / b, problem);
  }

  // Which files those are depends on which was read first, but not whether there are any.
  void tell_left_out() {
    const auto first =
        std::find_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.is_left_out; });
    if (first == jobs_.end()) return;
    const auto count = std::count_if(first, jobs_.end(), [](const Job& job) { return job.is_left_out; });
    const std::string why = work_ > max_work_of_all()
                                ? "the files take too long to read"
                                : fmt::format("the files hold more than {} GB", max_project_bytes >> 30);
    out_.report.errors.push_back(
        {Error{fmt::format("{}; this one{} left out", why,
                           count == 1 ? " is" : fmt::format(" and {} more are", count - 1)),
               "name fewer folders",
               first->path,
               {},
               ErrorCode::too_large},
         {}});
  }

  void finish() {
    Report& report = out_.report;
    std::vector<text::LocatedError> problems;
    bool is_explained = false;
    tell_left_out();
    for (Job& job : jobs_) {
      if (job.is_passed_over || job.is_left_out) continue;
      FileOutcome& out = job.outcome;
      report.baselined += job.known_then;
      report.baselined += baselines_.apply(job.configured->config, job.path, out, problems);
      report.suppressed += out.suppressed;
      out_.refuted.insert(out_.refuted.end(), out.refuted.begin(), out.refuted.end());
      if (out.errors.empty()) {
        const bool is_checked = !out.models.empty();
        const bool is_refused =
            !is_checked && !request_.allow_unrecognised && (job.named || is_broken_model(job.path, out));
        if (is_refused) report.errors.push_back(not_understood(job.path, out));
        // For a named file the reason is stated.
        const bool is_detail = !job.named || is_refused || has_costs(out) || request_.allow_unrecognised;
        for (std::string& note : out.notes) out_.notes.push_back({std::move(note), is_detail});
        is_explained = is_explained || !is_detail;
        const bool is_passed_over = !is_refused && !has_costs(out);
        if (is_passed_over) ++(out.recognised ? report.not_whole : report.not_recognised);
      }
      for (ModelReport& model : out.models) {
        for (const rules::Finding& finding : model.result.findings) {
          const bool fails = finding.severity >= out.applied.fail_level && !request_.baseline.write;
          out_.has_findings = out_.has_findings || fails;
        }
        hide(out.applied, model);
        report.models.push_back(std::move(model));
      }
      for (text::LocatedError& error : out.errors) report.errors.push_back(std::move(error));
      for (gpu::Gpu& gpu : out.gpus) gpu::add(report.gpus, std::move(gpu));
    }
    out_.is_empty = report.models.empty() && report.errors.empty() && !is_explained && !base_;
    if (problems.empty()) baselines_.write(out_.baselines, problems);
    for (text::LocatedError& problem : problems) report.errors.push_back(std::move(problem));
    report.rules = rules_of(report, project_.all());
    if (!request_.wants_jobs || jobs_.size() != 1) return;
    for (ModelReport& model : report.models) add_jobs(model, report.gpus);
  }

  const RunRequest& request_;
  const project::Project& project_;
  const text::FileSystem& files_;
  Baselines baselines_;
  std::optional<GitBase> base_;
  std::optional<text::OverlayFileSystem> then_;  // the files with the caller's texts of before
  std::map<std::string, std::string> bases_;     // these texts, by one spelling of their paths
  std::vector<Job> jobs_;
  std::string looked_at_;  // before anything is linted, for the error that there is too much
  mutable std::atomic<std::int64_t> read_bytes_{0};
  mutable std::atomic<std::int64_t> work_{0};
  RunOutcome out_;
};

}  // namespace

RunOutcome lint_files(const RunRequest& request, const project::Project& project) {
  RunOutcome outcome = Run(request, project)();
  for (const Note& note : outcome.notes) outcome.report.notes.push_back(note.text);
  return outcome;
}

}  // namespace shapelint::lint
