// `shapelint lint`: findings of files and folders.
#include "cli/commands/lint/lint.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "cli/messages.hpp"
#include "cli/model_file.hpp"
#include "formats/discover.hpp"
#include "lint/file.hpp"
#include "lint/known.hpp"
#include "project/configured_reader.hpp"
#include "project/setup.hpp"
#include "rules/book/select.hpp"
#include "text/parse_any.hpp"

namespace shapelint::cli {

namespace {

constexpr std::string_view standard_input = "-";
constexpr std::string_view too_large_mark = "so it is no configuration";

// One file to lint, and what came of it.
struct Job {
  std::string path;  // as messages call it
  bool named = false;
  bool is_stdin = false;
  const LintSetup* setup = nullptr;
  std::string path_in_root;  // with --diff-base; empty for standard input that is no file of the repository
  bool is_changed = true;    // itself; otherwise what it inherits may have changed
  bool is_passed_over = false;
  std::string source;          // of standard input
  std::size_t known_then = 0;  // findings that it had at the revision of --diff-base
  FileOutcome outcome;
};

class Run {
 public:
  Run(const LintOptions& options, Io& io) : options_(options), io_(io) {}

  ExitCode operator()() {
    const auto own = read_own_profiles(options_.gpu, io_);
    if (!own) return ExitCode::error;
    if (!options_.diff_base.empty()) {
      auto base = compare_with(options_.diff_base, io_.files.working_directory());
      if (!base) return failed({{base.error(), {}}});
      base_ = *std::move(base);
    }
    std::vector<report::ReportError> errors;
    find_files(errors);
    choose_setups(*own, errors);
    if (!errors.empty()) return failed(errors);

    read_standard_input();
    lint_all();
    return finish();
  }

 private:
  void say(const std::string& text) {
    if (options_.verbose) io_.err << "note: " << text << '\n';
  }

  ExitCode failed(const std::vector<report::ReportError>& errors) {
    for (const report::ReportError& each : errors) print_error(io_, each.error, each.source);
    return ExitCode::error;
  }

  // The order of the arguments, and files named twice, make no difference.
  void find_files(std::vector<report::ReportError>& errors) {
    std::vector<std::string> paths;
    bool has_stdin = false;
    for (const std::string& path : options_.files) {
      if (path == standard_input) {
        has_stdin = true;
      } else {
        paths.push_back(path);
      }
    }
    const formats::Discovery found = formats::discover(io_.files, paths);
    for (const Error& error : found.errors) unlisted_.push_back({error, {}});
    std::map<std::string, bool> named;
    for (const formats::Found& file : found.files) named[file.path] = named[file.path] || file.named;
    if (has_stdin) add_job(options_.stdin_filename, true, true, errors);
    for (const auto& [path, is_named] : named) add_job(path, is_named, false, errors);
    std::stable_sort(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.path < b.path; });
  }

  void add_job(const std::string& path, bool named, bool is_stdin, std::vector<report::ReportError>& errors) {
    Job job;
    job.path = path;
    job.named = named;
    job.is_stdin = is_stdin;
    if (base_) {
      const auto inside = path_in(*base_, path);
      const bool is_inner = inside && is_in_inner_repository(*base_, *inside);
      if (!is_stdin && (!inside || is_inner)) {
        if (inside && !named) return;
        errors.push_back({{"the file is not in the repository that `--diff-base` is about",
                           is_inner ? "it belongs to a submodule: lint it from there" : "",
                           path,
                           {}},
                          {}});
        return;
      }
      job.path_in_root = is_inner ? std::string{} : inside.value_or("");
      job.is_changed = is_stdin || base_->changed.contains(job.path_in_root);
    }
    jobs_.push_back(std::move(job));
  }

  // One setup for each configuration file that applies to any of the files.
  void choose_setups(const std::vector<text::Document>& own, std::vector<report::ReportError>& errors) {
    std::map<std::string, std::string> config_of_folder;
    const auto config_for = [&](const std::string& path) -> const std::string& {
      const std::string folder = std::filesystem::path(path).parent_path().generic_string();
      const auto [found, is_new] = config_of_folder.try_emplace(folder);
      if (!is_new) return found->second;
      if (!options_.config.empty()) {
        found->second = options_.config;
      } else if (!options_.isolated) {
        found->second = config::find_config(io_.files, path);
      }
      return found->second;
    };
    // Also without any file: what the command line names is checked.
    if (jobs_.empty()) setup_for(options_.isolated ? std::string{} : options_.config, own, errors);
    for (Job& job : jobs_) {
      const std::string& config = config_for(job.path);
      job.setup = setup_for(config, own, errors);
      if (!config.empty()) say(fmt::format("{}: configured by {}", job.path, config));
    }
    std::erase_if(jobs_, [&](const Job& job) {
      if (job.named && !options_.force_exclude) return false;
      const auto& patterns = job.setup->config.exclude;
      const bool is_excluded =
          std::any_of(patterns.begin(), patterns.end(), [&](const config::Pattern& each) {
            return config::matches(each, job.path, io_.files.working_directory());
          });
      if (is_excluded) say(fmt::format("{}: excluded by {}", job.path, job.setup->config.path));
      return is_excluded;
    });
  }

  const LintSetup* setup_for(const std::string& config, const std::vector<text::Document>& own,
                             std::vector<report::ReportError>& errors) {
    const auto [found, is_new] = setups_.try_emplace(config);
    if (is_new) {
      found->second = load_setup(options_, config, own, io_.files, errors);
      found->second->model_cache = hub_folder(io_);
    }
    return found->second.get();
  }

  // Streams are not for several threads.
  void read_standard_input() {
    for (Job& job : jobs_) {
      if (!job.is_stdin) continue;
      auto content = read_all(io_.in, job.path);
      if (content) {
        job.source = *std::move(content);
      } else {
        job.outcome.errors.push_back({content.error(), {}});
      }
    }
  }

  void lint_one(Job& job) const {
    if (!job.outcome.errors.empty()) return;
    std::string source = std::move(job.source);
    if (!job.is_stdin) {
      auto content = read_named(job.path, io_.files);
      if (!content) {
        // A list of what changed names what was deleted, too.
        job.is_passed_over =
            base_ && base_->changed.contains(job.path_in_root) && !io_.files.exists(job.path);
        if (job.is_passed_over) return;
        // A folder holds tokenizers and data sets, too, and they are JSON.
        const bool is_data = content.error().message.find(too_large_mark) != std::string::npos &&
                             text::syntax_by_name(job.path) == text::Syntax::json;
        if (job.named || !is_data) job.outcome.errors.push_back({content.error(), {}});
        return;
      }
      source = *std::move(content);
    }
    if (source.find_first_not_of(" \t\r\n") == std::string::npos) {
      if (job.named) {
        job.outcome.errors.push_back(
            {{"the file is empty", "see examples/ for what a model looks like", job.path, {}}, {}});
      }
      return;
    }
    if (!job.is_changed && !inherits_changes(job, source)) {
      job.is_passed_over = true;
      return;
    }
    job.outcome = lint_text(options_, *job.setup, job.path, source, job.is_stdin, io_.files);
    if (base_ && !job.path_in_root.empty()) {
      job.known_then =
          leave_introduced(options_, *job.setup, *base_, job.path, job.path_in_root, job.outcome, io_.files);
    }
    if (!options_.output.wants(report::Format::json)) forget_operations(job.outcome);
  }

  // Whether any file that this one builds on changed, came or went since the revision.
  bool inherits_changes(const Job& job, const std::string& source) const {
    const RecordingFileSystem files(io_.files);
    if (job.setup->own_dialects != nullptr) {
      formats::read_text(files, job.path, source, {}, *job.setup->own_dialects);
    } else {
      formats::read_text(files, job.path, source);
    }
    return std::any_of(files.asked().begin(), files.asked().end(), [&](const std::string& path) {
      const auto inside = path_in(*base_, path);
      return inside && base_->changed.contains(*inside);
    });
  }

  // Each operation of each step is most of what is known of a file, and only one format prints it.
  static void forget_operations(FileOutcome& outcome) {
    for (report::ModelReport& model : outcome.models) {
      for (rules::GpuReport& gpu : model.result.gpus) {
        // `= {}` would keep the memory.
        gpu.workload.ops = std::vector<model::Op>();
        gpu.before.ops = std::vector<cost::OpCost>();
        gpu.after.ops = std::vector<cost::OpCost>();
      }
    }
  }

  void lint_all() {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < jobs_.size(); i = next++) lint_one(jobs_[i]);
    };
    const std::int64_t processors = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
    const std::int64_t wanted = std::max<std::int64_t>(1, options_.jobs.value_or(processors));
    const auto count = std::min<std::size_t>(static_cast<std::size_t>(wanted), jobs_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
  }

  ExitCode finish() {
    Baselines baselines(options_, io_.files);
    bool has_findings = false;
    bool noted = false;
    std::vector<std::string> notes;
    report::Report report;
    std::vector<report::ReportError> problems;
    report.errors = std::move(unlisted_);
    for (Job& job : jobs_) {
      if (job.is_passed_over) continue;
      FileOutcome& out = job.outcome;
      report.baselined += job.known_then;
      report.baselined += baselines.apply(*job.setup, job.path, out, problems);
      report.suppressed += out.suppressed;
      // Of what was only found, nothing is said unless it is asked for; of what was named, why nothing came
      // of it.
      const bool is_silent = options_.output.quiet && !options_.verbose;
      if (out.errors.empty() && !is_silent && (options_.verbose || (job.named && !has_costs(out)))) {
        for (const std::string& note : out.notes) notes.push_back(note);
        noted = true;
      }
      for (report::ModelReport& model : out.models) {
        for (const rules::Finding& finding : model.result.findings) {
          has_findings = has_findings || finding.severity >= out.fail_level;
        }
        report.models.push_back(std::move(model));
      }
      for (report::ReportError& error : out.errors) report.errors.push_back(std::move(error));
      remember(report.gpus, out.gpus);
    }
    if (report.models.empty() && report.errors.empty() && !noted && !options_.output.quiet && !base_) {
      notes.push_back(
          fmt::format("{}: no configuration of a known dialect is in it", options_.files.front()));
    }
    if (problems.empty()) baselines.write(notes, problems);
    for (report::ReportError& problem : problems) report.errors.push_back(std::move(problem));
    for (const report::ReportError& each : report.errors) print_error(io_, each.error, each.source);
    for (const std::string& note : notes) {
      if (!options_.output.quiet || options_.verbose) io_.err << "note: " << note << '\n';
    }
    report.rules = rule_infos();
    const bool written = options_.write_baseline || write_report(report, options_.output, io_);
    if (!report.errors.empty() || !written) return ExitCode::error;
    return has_findings && !options_.exit_zero ? ExitCode::findings : ExitCode::clean;
  }

  static bool has_costs(const FileOutcome& out) {
    return std::any_of(out.models.begin(), out.models.end(),
                       [](const report::ModelReport& model) { return !model.result.gpus.empty(); });
  }

  static void remember(std::vector<gpu::Gpu>& all, const std::vector<gpu::Gpu>& gpus) {
    for (const gpu::Gpu& gpu : gpus) {
      const auto same = [&](const gpu::Gpu& each) { return each.id == gpu.id; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(gpu);
    }
  }

  // The rules that the command line lets run; a file's own table may leave out more.
  std::vector<report::RuleInfo> rule_infos() const {
    rules::Options selected;
    selected.select = options_.select;
    selected.ignore = options_.ignore;
    std::map<std::string_view, report::RuleInfo> infos;
    for (const auto& [path, setup] : setups_) {
      for (const rules::Rule& rule : setup->rules->rules()) {
        if (!rules::is_selected(rule, selected)) continue;
        infos.try_emplace(
            rule.code,
            report::RuleInfo{rule.code, rule.name, rule.summary, rule.mechanism, rule.why, rule.sources,
                             report::rule_page(setup->config.rule_url.value_or(""), rule.code, rule.name),
                             rule.severity, rule.confidence});
      }
    }
    std::vector<report::RuleInfo> all;
    for (auto& [code, info] : infos) all.push_back(std::move(info));
    return all;
  }

  const LintOptions& options_;
  Io& io_;
  std::optional<GitBase> base_;
  std::vector<Job> jobs_;
  std::vector<report::ReportError> unlisted_;                 // folders that could not be searched
  std::map<std::string, std::unique_ptr<LintSetup>> setups_;  // by the configuration's path
};

}  // namespace

ExitCode lint(const LintOptions& options, Io& io) {
  return Run(options, io)();
}

}  // namespace shapelint::cli
