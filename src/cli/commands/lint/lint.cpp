// `shapelint lint`: findings of files and folders.
#include "cli/commands/lint/lint.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/lint/watch.hpp"
#include "cli/model_input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "contracts/stack.hpp"
#include "lint/fix.hpp"
#include "lint/phrases.hpp"
#include "project/applied.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

constexpr std::string_view standard_input = "-";

std::string text_of(const lint::BaselineNote& note) {
  switch (note.kind) {
    case lint::BaselineNote::Kind::written:
      return fmt::format("{}: {} written", note.path, counted(note.findings, "finding"));
    case lint::BaselineNote::Kind::pruned:
      return fmt::format("{}: {} taken out", note.path, counted(note.findings, "finding"));
    case lint::BaselineNote::Kind::is_stale:
      break;
  }
  return fmt::format("{}: {} no longer found; `--prune-baseline` removes them", note.path,
                     counted(note.findings, "finding is|findings are"));
}

// Whoever names a folder takes it that something in it is looked at. Where files were left out on purpose,
// or are passed over because that is asked for, nothing to look at is fine.
bool is_unchecked(const lint::RunOutcome& outcome, const LintOptions& options) {
  return outcome.is_empty && !outcome.is_excluded && !options.run.allow_unrecognised &&
         !options.files.empty();
}

void print_notes(const lint::RunOutcome& outcome, const LintOptions& options, Io& io) {
  // What a file in the repository hides is shown to whoever relies on there being no finding.
  for (const std::string& each : outcome.refuted) print_note(io, each);
  if (options.output.quiet && !options.output.verbose) return;
  bool said = false;
  const auto say = [&](std::string_view text) {
    print_note(io, text);
    said = true;
  };
  for (const lint::Note& note : outcome.notes) {
    if (options.output.verbose || !note.is_detail) say(note.text);
  }
  if (outcome.is_empty && !said && !options.output.quiet && !is_unchecked(outcome, options)) {
    say(fmt::format("{}: it contains no configuration in a known format", options.files.front()));
  }
  for (const lint::BaselineNote& note : outcome.baselines) say(text_of(note));
}

lint::RunOutcome run_with_progress(lint::RunRequest request, const project::Project& project, Io& io) {
  Progress progress(io, [](std::size_t done, std::size_t total) {
    return total == 0 ? std::string("looking for files")
                      : fmt::format("{} of {}", with_commas(static_cast<std::int64_t>(done)),
                                    counted(total, "file"));
  });
  request.on_progress = [&](std::size_t done, std::size_t total) { progress.at(done, total); };
  return lint::lint_files(request, project);
}

}  // namespace

lint::RunRequest run_request(const LintOptions& options, Io& io) {
  lint::RunRequest request = options.run;
  for (const std::string& path : options.files) {
    if (path != standard_input) {
      request.paths.push_back(path);
    } else if (request.texts.empty()) {
      request.texts.push_back({options.stdin_filename, read_all(io.in, options.stdin_filename)});
    }
  }
  for (const auto& [format, path] : options.output.files) request.outputs.push_back(path);
  request.wants_jobs = options.output.wants(report::Format::text);
  request.keep_operations = options.output.parts.operations && options.output.wants(report::Format::json);
  return request;
}

ExitCode tell(lint::RunOutcome outcome, const LintOptions& options, Io& io) {
  if (options.output.verbose) {
    for (const std::string& choice : outcome.choices) print_note(io, choice);
  }
  const auto& errors = outcome.refused.empty() ? outcome.report.errors : outcome.refused;
  const bool has_errors = !errors.empty();
  for (const text::LocatedError& each : errors) print_error(io, each.error, each.source);
  if (!outcome.refused.empty()) return ExitCode::error;
  print_notes(outcome, options, io);
  const bool unchecked = is_unchecked(outcome, options);
  if (unchecked) {
    Error error{"nothing could be checked: no complete configuration of a known format",
                "list the files with `--verbose`, skip them with `--allow-unrecognised`",
                options.files.front(),
                {}};
    print_error(io, error, {});
    if (options.output.format == report::Format::json || options.output.format == report::Format::compact)
      outcome.report.errors.push_back({std::move(error), {}});
  }
  const bool written = options.run.baseline.write ? write_files(outcome.report, options.output, io)
                                                  : write_report(outcome.report, options.output, io);
  if (has_errors || !written || unchecked) return ExitCode::error;
  return outcome.has_findings && !options.exit_zero ? ExitCode::findings : ExitCode::clean;
}

namespace {

// Notes on the versions of packages that the command names, once for all files.
void tell_versions(const LintOptions& options, const project::Project& project, Io& io) {
  std::vector<std::string> named;
  for (const std::string& each : options.project.request.stack) {
    if (contracts::is_package(each)) named.push_back(each);
  }
  if (named.empty() || options.output.quiet) return;
  const contracts::Book& book = project::contracts_of(project.here());
  std::vector<Error> reported;  // by those who check names
  for (const std::string& note :
       contracts::version_notes(book, contracts::parse_stack(book, named, reported)))
    print_note(io, note);
}

}  // namespace

namespace {

ExitCode lint_once(const LintOptions& options, Io& io) {
  auto request = request_of(options.project, io);
  if (!request) return ExitCode::error;
  const project::Project project(*std::move(request), io.files);
  tell_versions(options, project, io);
  const lint::RunRequest run = run_request(options, io);
  lint::RunOutcome outcome = run_with_progress(run, project, io);
  if (options.output.wants(report::Format::text)) lint::mark_fixable(run, project, io.files, outcome.report);
  return tell(std::move(outcome), options, io);
}

// Which of the files is a pipe by now, or cannot be read; opening a pipe would wait for who writes to it.
std::optional<Error> unreadable_one(const std::vector<std::string>& paths, const text::FileSystem& files) {
  for (const std::string& path : paths) {
    std::int64_t bytes = 0;
    if (!files.exists(path) || files.is_directory(path)) continue;
    if (auto start = files.read_start(path, 1, bytes); !start) return start.error();
  }
  return std::nullopt;
}

// Until the process is ended, or nothing can be watched.
ExitCode lint_and_watch(const LintOptions& options, Io& io) {
  std::set<std::string> own;
  for (const auto& [format, path] : options.output.files)
    own.insert(std::filesystem::path(path).filename().string());
  for (const std::string& path : options.files) {
    if (path != standard_input && io.files.exists(path)) continue;
    print_error(io, fmt::format("`--watch`: file or folder `{}` does not exist", path),
                "a published model and standard input do not change");
    return ExitCode::error;
  }
  FolderWatch watch(options.files, std::move(own));
  for (bool is_first = true;; is_first = false) {
    // Before the files are read, so that no change is missed.
    if (const auto begun = watch.begin(); !begun) {
      print_error(io, begun.error());
      return ExitCode::error;
    }
    if (const auto unreadable = unreadable_one(options.files, io.files); !unreadable) {
      lint_once(options, io);
    } else {
      print_error(io, *unreadable);
      if (is_first) return ExitCode::error;
    }
    io.out.flush();
    print_note(io, "waiting for changes");
    const auto changed = watch.wait();
    if (!changed) {
      print_error(io, changed.error());
      return ExitCode::error;
    }
    print_note(io, fmt::format("{} changed", text::one_line(*changed)));
  }
}

}  // namespace

ExitCode lint(const LintOptions& options, Io& io) {
  const bool fixes = options.fix || options.diff || options.unsafe_fixes;
  const bool writes_baseline = options.run.baseline.write || options.run.baseline.prune;
  if (options.watch && (fixes || writes_baseline)) {
    print_error(io, "`--watch` writes no fixes and no baseline", "leave one of them out");
    return ExitCode::error;
  }
  if (options.watch) return lint_and_watch(options, io);
  return fixes ? fix(options, io) : lint_once(options, io);
}

}  // namespace shapelint::cli
