// Writing a suggestion. The changed text is read and linted again before anything is written: it must say
// exactly what was suggested, and have no finding that the file had not.
#include "cli/commands/suggest/suggest.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"
#include "lint/fix_trial.hpp"
#include "lint/phrases.hpp"
#include "lint/rewrite.hpp"
#include "report/findings/snippet.hpp"
#include "report/formats.hpp"
#include "text/files.hpp"

namespace shapelint::cli {

namespace {

// What the linter has against the changed text, by all rules: as `lint --fix` judges its changes.
std::string objection(const report::SuggestReport& report, const std::string& text, const ModelFile& file,
                      const project::Project& project, Io& io) {
  project::Request request = project.request();
  request.select.clear();
  request.ignore.clear();
  text::OverlayFileSystem files(io.files);
  files.put(report.path, file.source.text.str());
  lint::TextOptions options;
  options.assume_native = file.is_stdin;
  lint::FixTrial bench(std::move(request), files, options);
  return bench.objection(report.path, text, rules::Severity::error);
}

}  // namespace

ExitCode apply_suggestion(const report::SuggestReport& report, const SuggestOptions& options,
                          const ModelFile& file, const project::Project* project, Io& io) {
  const auto number = static_cast<std::size_t>(options.apply.value_or(1));
  if (number > report.answer.suggestions.size()) {
    const suggest::Answer& answer = report.answer;
    print_error(io, fmt::format("no suggestion {}", number),
                answer.suggestions.empty() && answer.doubtful > 0
                    ? fmt::format("no shape is faster beyond the prediction error: the best would gain {}",
                                  lint::share(answer.doubtful_gain, answer.doubtful_error))
                    : fmt::format("the search found {}", answer.suggestions.size()));
    return ExitCode::error;
  }
  const suggest::Suggestion& suggestion = report.answer.suggestions[number - 1];
  lint::Rewritten changed =
      lint::rewrite({*report.problem.reading, file.source.text, suggestion.setup, suggestion.edits.changes,
                     report.problem.links, *file.configured, io.files, file.is_stdin});
  if (changed.obstacle.empty() && project != nullptr)
    changed.obstacle = objection(report, changed.text, file, *project, io);
  if (!changed.obstacle.empty()) {
    print_error(io, Error{changed.obstacle, {}, report.path, {}});
    return ExitCode::error;
  }
  if (!changed.summary.empty()) print_note(io, fmt::format("{}: {}", report.path, changed.summary));
  if (options.diff) {
    io.out << report::unified_diff(file.path, options.output.empty() ? file.path : options.output,
                                   file.source.text, changed.text);
    if (!options.apply) return ExitCode::clean;
  }
  if (options.write) {
    const bool is_written = write_over(options.file, file.source.text.str(), changed.text, io);
    return is_written ? ExitCode::clean : ExitCode::error;
  }
  const std::string& target = options.output;
  if (target.empty()) {
    if (!options.diff) io.raw() << changed.text;
    return ExitCode::clean;
  }
  if (io.files.was_read(target)) {
    print_error(io, Error{"the output is an input file and is not overwritten",
                          "`suggest --write` changes a file in place",
                          target,
                          {}});
    return ExitCode::error;
  }
  const auto written = io.files.write(target, changed.text);
  if (!written) {
    print_error(io, written.error());
    return ExitCode::error;
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
