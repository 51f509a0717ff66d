// `shapelint lint --fix` and `--diff`: writing what was fixed, and saying so.
#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/lint/lint.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "lint/fix.hpp"
#include "lint/phrases.hpp"
#include "report/findings/snippet.hpp"
#include "text/files.hpp"
#include "text/printable.hpp"
#include "text/replace.hpp"

namespace shapelint::cli {

namespace {

// Wrong usage, or nothing.
std::optional<Error> refused(const LintOptions& options, const lint::RunRequest& run) {
  const auto error = [](std::string message, std::string hint) {
    return Error{std::move(message), std::move(hint), {}, std::nullopt};
  };
  if (!options.fix && !options.diff)
    return error("`--unsafe-fixes` fixes nothing alone", "add `--fix` or `--diff`");
  if (options.run.baseline.write || options.run.baseline.prune) {
    return error(fmt::format("`--{}-baseline` and fixing exclude each other",
                             options.run.baseline.write ? "write" : "prune"),
                 "fix first, then check what remains");
  }
  if (options.diff && !options.output.files.empty()) {
    return error("`--diff` makes no report, so there is nothing for `--output`", "leave one of them out");
  }
  const bool is_for_people =
      options.output.format == report::Format::text || options.output.format == report::Format::concise;
  if (options.diff && !is_for_people) {
    return error("`--diff` prints a diff, so there is nothing for `--format`", "leave one of them out");
  }
  if (!run.texts.empty() && !run.paths.empty()) {
    return error("standard input is fixed alone", "name the files in a separate run");
  }
  return std::nullopt;
}

// As for linting, which goes before fixing and comes after it.
lint::FixOutcome fix_with_progress(lint::FixRequest request, const project::Project& project,
                                   text::OverlayFileSystem& files, Io& io) {
  std::atomic<bool> is_fixing{false};
  Progress progress(io, [&](std::size_t done, std::size_t total) {
    return total == 0 ? std::string("looking for files")
                      : fmt::format("{}: {} of {}", is_fixing ? "fixing" : "linting",
                                    with_commas(static_cast<std::int64_t>(done)), counted(total, "file"));
  });
  request.run.on_progress = [&](std::size_t done, std::size_t total) {
    is_fixing = false;
    progress.at(done, total);
  };
  request.on_fix = [&](std::size_t done, std::size_t total) {
    is_fixing = true;
    progress.at(done, total);
  };
  return lint::fix_files(request, project, files);
}

std::string codes_text(const std::vector<std::string>& codes) {
  std::string out;
  for (const std::string& code : codes) {
    if (out.find(code) == std::string::npos) out += (out.empty() ? "" : ", ") + code;
  }
  return out;
}

// `kept`: files that could not be written, of which nothing is fixed.
void print_summary(const lint::FixOutcome& outcome, const std::set<std::string>& kept,
                   const LintOptions& options, Io& io) {
  if (options.output.quiet && !options.output.verbose) return;
  const std::string_view would = options.diff ? "would fix" : "fixed";
  std::size_t fixed = 0;
  for (const lint::Fix& each : outcome.fixes) {
    if (kept.contains(std::filesystem::path(each.path).lexically_normal().string())) continue;
    // A change that makes a finding smaller is followed by the one that removes it.
    io.err << text::one_line(fmt::format("{}: {}:{}:{}: {}{}", would, each.path, each.place.line,
                                         each.place.column, each.changes,
                                         each.codes.empty() ? "" : " (" + codes_text(each.codes) + ")"))
           << '\n';
    fixed += each.codes.size();
  }
  for (const lint::RemainingFinding& each : outcome.left) {
    io.err << text::one_line(fmt::format("not fixed: {}:{}:{}: {} {}", each.path, each.place.line,
                                         each.place.column, each.code, each.reason))
           << '\n';
  }
  if (fixed == 0 && outcome.unsafe_left == 0) return;
  std::string line =
      fixed == 0 ? fmt::format("{} nothing", options.diff ? "Would fix" : "Fixed")
                 : fmt::format("{} {} in {}", options.diff ? "Would fix" : "Fixed", counted(fixed, "finding"),
                               counted(outcome.files.size() - kept.size(), "file"));
  if (outcome.unsafe_left > 0) line += fmt::format("; {} more with --unsafe-fixes", outcome.unsafe_left);
  io.err << line << '\n';
}

}  // namespace

ExitCode fix(const LintOptions& options, Io& io) {
  lint::FixRequest request;
  request.run = run_request(options, io);
  request.unsafe = options.unsafe_fixes;
  const bool is_stdin = !request.run.texts.empty();
  if (const auto error = refused(options, request.run)) {
    print_error(io, *error);
    return ExitCode::error;
  }
  auto project_request = request_of(options.project, io);
  if (!project_request) return ExitCode::error;
  text::OverlayFileSystem files(io.files);
  const project::Project project(*std::move(project_request), files);
  const lint::FixOutcome outcome = fix_with_progress(request, project, files, io);
  if (!outcome.run.refused.empty()) return tell(outcome.run, options, io);
  if (options.diff) {
    for (const text::LocatedError& each : outcome.run.report.errors) print_error(io, each.error, each.source);
    for (const lint::FixedFile& file : outcome.files) {
      io.out << report::unified_diff(file.path, file.path, file.before, file.after);
    }
    print_summary(outcome, {}, options, io);
    if (!outcome.run.report.errors.empty()) return ExitCode::error;
    return outcome.files.empty() || options.exit_zero ? ExitCode::clean : ExitCode::findings;
  }
  // What is fixed of standard input is the result, so everything else goes to standard error.
  Io beside{
      io.in,        io.err,      io.err, io.files, io.environment, io.err_is_terminal, io.err_is_terminal,
      io.err_color, io.err_color};
  std::set<std::string> kept;
  if (is_stdin) {
    const auto& given = request.run.texts.front();
    if (given.source) io.raw() << (outcome.files.empty() ? *given.source : outcome.files.front().after);
  } else {
    // Also where nothing is to be fixed any more: an earlier run may have been killed.
    std::set<std::string> folders;
    for (const lint::ModelReport& model : outcome.run.report.models) {
      const std::string folder = model.path.substr(0, model.path.rfind('/') + 1);
      if (!folders.insert(folder).second) continue;
      text::remove_stale_temporaries((std::filesystem::path(io.files.working_directory()) / folder).string());
    }
    for (const lint::FixedFile& file : outcome.files) {
      if (!write_over(file.path, file.before, file.after, io)) kept.insert(file.path);
    }
  }
  const ExitCode code = tell(outcome.run, options, is_stdin ? beside : io);
  print_summary(outcome, kept, options, io);
  return kept.empty() ? code : ExitCode::error;
}

}  // namespace shapelint::cli
