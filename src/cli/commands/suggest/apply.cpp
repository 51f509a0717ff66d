// Writing a suggestion. The changed text is read and linted again before anything is written: it must say
// exactly what was suggested, and have no finding that the file had not.
#include "cli/commands/suggest/suggest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/output.hpp"
#include "formats/edit.hpp"
#include "lint/edits.hpp"
#include "lint/fix_trial.hpp"
#include "lint/phrases.hpp"
#include "report/findings/snippet.hpp"
#include "report/formats.hpp"
#include "rules/scope/launch.hpp"
#include "text/files.hpp"

namespace shapelint::cli {

namespace {

using lint::Computed;

// The model that the suggestion is for, as a text of its file has it.
Result<model::Reading> read_again(const std::string& content, const report::SuggestReport& report,
                                  const ModelFile& file, Io& io) {
  text::OverlayFileSystem files(io.files);
  files.put(report.path, content);
  formats::ReadResult read = project::read_model(
      *file.configured, formats::parse(report.path, content, file.is_stdin), files, file.is_stdin);
  if (read.readings.empty()) {
    return Error{
        read.errors.empty() ? std::string("it cannot be read") : read.errors.front().message, {}, {}, {}};
  }
  const auto same = std::find_if(read.readings.begin(), read.readings.end(), [&](const model::Reading& each) {
    return each.part == report.problem.reading->part;
  });
  if (same == read.readings.end()) return Error{"another model", {}, {}, {}};
  return std::move(*same);
}

// Where the file states how many sequences an optimizer step takes, larger micro-batches are fewer, and so
// are those of more replicas.
bool keeps_batch(const model::Reading& start, const model::Reading& now) {
  return model::extra(start, "fixes_batch") > 0 &&
         rules::global_batch(start.setup.plan) == rules::global_batch(now.setup.plan);
}

// Where the launch states the GPUs, replicas of fewer are more.
bool keeps_gpus(const model::Reading& start, const model::Reading& now) {
  return model::extra(start, "world_size") > 0 &&
         rules::gpus_of_plan(start.setup.plan) == rules::gpus_of_plan(now.setup.plan);
}

// What is still to be changed in `now` so that it says what was suggested.
std::vector<suggest::Change> still_to_change(const model::Reading& now, const report::SuggestReport& report,
                                             const suggest::Suggestion& suggestion) {
  const model::Reading& start = *report.problem.reading;
  auto wrong = suggest::differences(now.setup, suggestion.setup);
  std::erase_if(wrong, [&](const suggest::Change& each) {
    return suggest::is_copy(each.field, report.problem.links, now.setup) ||
           (each.field == model::FieldId::gradient_accumulation && keeps_batch(start, now)) ||
           (each.field == model::FieldId::data && keeps_gpus(start, now));
  });
  return wrong;
}

struct Changed {
  std::string text;
  std::string summary;   // of what was changed instead of a value that is worked out
  std::string obstacle;  // then there is no text
};

// As `lint --fix` changes values; those that a native file leaves out are added to it.
Changed change(const std::string& content, const model::Reading& reading,
               std::span<const suggest::Change> changes, Computed computed) {
  rules::Proposal written;
  std::vector<formats::AddedValue> added;
  for (const suggest::Change& each : changes) {
    if (formats::can_add(reading, each.field)) {
      added.push_back({each.field, each.to});
    } else {
      written.changes.push_back(each);
    }
  }
  lint::ModelReport model;
  model.path = reading.path;
  model.source = content;
  model.reading = reading;
  lint::EditPlan plan = lint::plan_edits(
      written, model, [&](const std::string& path) { return path == model.path ? &model.source : nullptr; },
      computed);
  if (!plan.obstacle.empty()) return {{}, {}, std::move(plan.obstacle)};
  return {formats::add_values(lint::edited(content, std::move(plan.edits)), added),
          plan.is_computed ? std::move(plan.summary) : std::string{},
          {}};
}

// The text that says what was suggested, or why there is none. Values that follow from others are left to
// follow; where they then come to something else, what they are worked out from is changed.
Changed follow(const report::SuggestReport& report, const suggest::Suggestion& suggestion,
               const ModelFile& file, Io& io) {
  const std::vector<suggest::Change>& changes = suggestion.edits.changes;
  const model::Reading& start = *report.problem.reading;
  Changed made = change(file.source.text, start, changes, Computed::follow);
  if (!made.obstacle.empty()) {
    Changed scaled = change(file.source.text, start, changes, Computed::scale);
    if (!scaled.obstacle.empty()) return made;
    made = std::move(scaled);
  }
  constexpr std::string_view otherwise = "the changed file would differ from the suggestion: ";
  for (const bool is_last : {false, true}) {
    const auto now = read_again(made.text, report, file, io);
    if (!now) return {{}, {}, fmt::format("{}{}", otherwise, now.error().message)};
    std::vector<suggest::Change> wrong = still_to_change(*now, report, suggestion);
    if (wrong.empty()) {
      const std::int64_t then = start.setup.plan.gradient_accumulation;
      const std::int64_t left = now->setup.plan.gradient_accumulation;
      if (then != left && keeps_batch(start, *now)) {
        made.summary = fmt::format("gradient_accumulation {} → {} keeps the sequences of a step", then, left);
      }
      return made;
    }
    Changed next = is_last ? Changed{} : change(made.text, *now, wrong, Computed::scale);
    if (is_last || !next.obstacle.empty()) {
      for (suggest::Change& each : wrong) std::swap(each.from, each.to);
      return {{}, {}, fmt::format("{}{}; edit it by hand", otherwise, lint::changes_text(wrong))};
    }
    made = std::move(next);
  }
  return made;
}

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
  Changed changed = follow(report, suggestion, file, io);
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
  const std::string target = options.write ? options.file : options.output;
  if (target.empty()) {
    if (!options.diff) io.raw() << changed.text;
    return ExitCode::clean;
  }
  if (!options.write && io.files.was_read(target)) {
    print_error(io, Error{"the output is an input file and is not overwritten",
                          "`--write` changes it in place",
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
