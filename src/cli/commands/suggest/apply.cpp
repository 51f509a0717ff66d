// Writing a suggestion. The changed text is read again before anything is written: it must say exactly what
// was suggested.
#include "cli/commands/suggest/apply.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/messages.hpp"
#include "formats/edit.hpp"
#include "lint/phrases.hpp"
#include "report/findings/diff.hpp"
#include "report/report.hpp"
#include "text/overlay.hpp"

namespace shapelint::cli {

namespace {

// What the changed text says otherwise than was suggested.
std::string contradiction(const std::string& changed, const report::SuggestReport& report,
                          const suggest::Suggestion& suggestion, const ModelFile& file, Io& io) {
  text::OverlayFileSystem files(io.files);
  files.put(report.path, changed);
  const formats::ReadResult read =
      project::read_model(*file.configured, formats::parse(report.path, changed), files);
  if (read.readings.empty()) {
    return read.errors.empty() ? std::string("it cannot be read") : read.errors.front().message;
  }
  const auto same = std::find_if(read.readings.begin(), read.readings.end(), [&](const model::Reading& each) {
    return each.part == report.problem.reading->part;
  });
  if (same == read.readings.end()) return "another model";
  auto wrong = suggest::differences(suggestion.setup, same->setup);
  std::erase_if(wrong, [&](const suggest::Change& each) {
    return suggest::is_copy(each.field, report.problem.links, same->setup);
  });
  return lint::changes_text(wrong);
}

}  // namespace

ExitCode apply_suggestion(const report::SuggestReport& report, const SuggestOptions& options,
                          const ModelFile& file, Io& io) {
  const auto number = static_cast<std::size_t>(options.apply.value_or(1));
  if (number > report.answer.suggestions.size()) {
    const suggest::Answer& answer = report.answer;
    print_error(
        io, fmt::format("there is no suggestion {}", number),
        answer.suggestions.empty() && answer.doubtful > 0
            ? fmt::format("nothing is faster than now as far as anyone can tell: the best would gain {}",
                          lint::share(answer.doubtful_gain, answer.doubtful_error))
            : fmt::format("the search found {}", answer.suggestions.size()));
    return ExitCode::error;
  }
  const suggest::Suggestion& suggestion = report.answer.suggestions[number - 1];
  std::vector<formats::ValueEdit> edits;
  for (const suggest::Change& each : suggestion.edits.changes)
    edits.push_back({each.field, each.from, each.to});
  std::vector<Error> errors;
  const auto changed = formats::edit_values(file.source.text, *report.problem.reading, edits, errors);
  for (const Error& error : errors) print_error(io, error, file.source.text);
  if (!changed) return ExitCode::error;
  if (options.file != "-") {
    const std::string wrong = contradiction(*changed, report, suggestion, file, io);
    if (!wrong.empty()) {
      print_error(io, fmt::format("the changed file would say something else than was suggested: {}", wrong),
                  "edit it by hand");
      return ExitCode::error;
    }
  }
  if (options.diff) {
    io.out << report::unified_diff(file.path, options.output.empty() ? file.path : options.output,
                                   file.source.text, *changed);
    if (!options.apply) return ExitCode::clean;
  }
  const std::string target = options.write ? options.file : options.output;
  if (target.empty()) {
    if (!options.diff) io.raw() << *changed;
    return ExitCode::clean;
  }
  if (!options.write && io.files.was_read(target)) {
    print_error(io, Error{"the output is a file that was read, and stays as it is",
                          "`--write` changes it in place",
                          target,
                          {}});
    return ExitCode::error;
  }
  const auto written = io.files.write(target, *changed);
  if (!written) {
    print_error(io, written.error());
    return ExitCode::error;
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
