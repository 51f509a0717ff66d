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

namespace shapelint::cli {

namespace {

// One file in memory over the others, so that what it inherits from is found.
class Overlay final : public text::FileSystem {
 public:
  Overlay(const text::FileSystem& below, std::string path, std::string content)
      : below_(below), path_(std::move(path)), content_(std::move(content)) {}
  std::string working_directory() const override { return below_.working_directory(); }
  Result<std::string> read(const std::string& path, std::int64_t max_bytes) const override {
    if (path == path_) return content_;
    return below_.read(path, max_bytes);
  }
  Result<bool> write(const std::string& path, std::string_view) const override {
    return Error{"read only", {}, path, std::nullopt};
  }
  bool is_directory(const std::string& path) const override { return below_.is_directory(path); }
  bool exists(const std::string& path) const override { return path == path_ || below_.exists(path); }
  Result<std::vector<std::string>> list(const std::string& folder) const override {
    return below_.list(folder);
  }

 private:
  const text::FileSystem& below_;
  std::string path_;
  std::string content_;
};

// What the changed text says otherwise than was suggested.
std::string contradiction(const std::string& changed, const report::SuggestReport& report,
                          const suggest::Suggestion& suggestion, const ModelFile& file, Io& io) {
  const Overlay files(io.files, report.path, changed);
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
    print_error(io, fmt::format("there is no suggestion {}", number),
                fmt::format("the search found {}", report.answer.suggestions.size()));
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
    if (!options.diff) io.out << *changed;
    return ExitCode::clean;
  }
  const auto written = io.files.write(target, *changed);
  if (!written) {
    print_error(io, written.error());
    return ExitCode::error;
  }
  return ExitCode::clean;
}

}  // namespace shapelint::cli
