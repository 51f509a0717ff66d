// One file from its text to its findings.
#include "lint/file.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "formats/dialect/known.hpp"
#include "formats/dialect/paths.hpp"
#include "formats/read.hpp"
#include "formats/remarks.hpp"
#include "gpu/registry.hpp"
#include "lint/phrases.hpp"
#include "lint/proofs/settle.hpp"
#include "lint/stack/findings.hpp"
#include "lint/step_state.hpp"
#include "lint/suppression/suppress.hpp"
#include "model/reading.hpp"
#include "project/applied.hpp"
#include "rules/book/select.hpp"
#include "rules/engine/lint.hpp"
#include "rules/engine/merge.hpp"
#include "text/errors.hpp"

namespace shapelint::lint {

namespace {

// GPUs that have no unit for the number format are left out: one that was named is a mistake of the file, or
// of the command line where that asks for the format.
void check_dtype(project::Applied& applied, const model::Reading& reading, const std::string& path,
                 std::vector<model::Remark>& remarks, std::vector<Error>& errors) {
  const DType dtype = reading.setup.plan.dtype;
  const std::vector<gpu::Gpu> unable = project::remove_unsupported_gpus(applied, reading);
  if (unable.empty()) return;
  if (auto remark = rules::remark_on_format(reading, unable)) {
    // Models of one file may share what states the format.
    formats::add_remarks({*std::move(remark)}, remarks);
    return;
  }
  errors.push_back(gpu::cannot_multiply(unable, dtype));
  errors.back().path = path;
}

void set_severities(const project::Config& config, std::vector<rules::Finding>& findings) {
  for (rules::Finding& finding : findings) {
    for (const project::SeveritySetting& each : config.severities) {
      if (each.severity && answers(each.rule.value, finding)) finding.severity = *each.severity;
    }
  }
}

// What comments silence, and those that silence nothing.
void suppress(const TextOptions& options, const project::Configured& configured,
              const rules::Options& selected, const text::Source& source, std::vector<rules::Finding> unused,
              std::vector<Error>& errors, FileOutcome& out) {
  if (options.no_ignores || out.models.empty()) return;
  std::vector<std::vector<rules::Finding>*> lists;
  for (ModelReport& model : out.models) lists.push_back(&model.result.findings);
  const std::vector<Suppression> comments = read_suppressions(source);
  out.suppressed += apply_suppressions(comments, source.path, lists, *configured.rules, selected, unused);
  if (auto error = too_many_unused(unused)) return errors.push_back(*std::move(error));
  const rules::Rule* rule = configured.rules->find(unused_code);
  if (rule != nullptr && !rules::is_selected(*rule, selected)) return;
  set_severities(configured.config, unused);
  std::vector<rules::Finding>& findings = out.models.front().result.findings;
  findings.insert(findings.end(), unused.begin(), unused.end());
}

// What is likely a mistake in the file whatever it costs. It is listed with the file's first model; where
// there is none that can be costed, with one that has nothing else.
void look_at_remarks(const TextOptions& options, const project::Configured& configured,
                     const project::FileSettings& file, const rules::Options& selected,
                     const text::Source& source, const formats::ReadResult& read, UsedKeys& used,
                     FileOutcome& out) {
  std::vector<rules::Finding> found = rules::check_remarks(*configured.rules, read.remarks, selected);
  set_severities(configured.config, found);
  if (!options.no_ignores) out.suppressed += ignore_keys(file, found, used);
  const bool any_unresolved =
      std::any_of(read.remarks.begin(), read.remarks.end(),
                  [](const model::Remark& each) { return each.kind == model::Remark::Kind::unresolved; });
  if (found.empty() && !any_unresolved) return;
  if (out.models.empty()) {
    ModelReport model;
    model.path = source.path;
    model.source = source.text;
    model.rules = configured.rules;
    model.rule_url = configured.config.rule_url.value_or("");
    model.reading.path = source.path;
    model.reading.name = source.path;
    model.reading.dialect = read.dialect;
    model.reading.remarks = read.remarks;
    out.models.push_back(std::move(model));
  }
  std::vector<rules::Finding>& findings = out.models.front().result.findings;
  findings.insert(findings.end(), found.begin(), found.end());
  rules::sort_findings(findings);
}

std::string why_incomplete(const model::Reading& reading) {
  const std::vector<model::FieldId> missing = model::missing_sizes(reading);
  const std::string why = formats::why_unknown(reading);
  const std::string what = missing.empty() ? "" : fmt::format("unknown: {}", names_text(missing));
  const std::string both = what + (what.empty() || why.empty() ? "" : "; ") + why;
  return fmt::format("too little is known about the model to predict a step{}",
                     both.empty() ? "" : fmt::format(" ({})", both));
}

std::vector<std::string> notes_of(const formats::ReadResult& read, const std::string& path) {
  std::vector<std::string> notes;
  // The models of one file have most of them in common.
  std::unordered_set<std::string> told;
  const auto add = [&](std::string note) {
    if (told.insert(note).second) notes.push_back(std::move(note));
  };
  const auto add_all = [&](const std::vector<model::Note>& list) {
    for (const model::Note& each : list)
      add(fmt::format("{}: {}", each.path.empty() ? path : each.path, each.message));
  };
  add_all(read.notes);
  for (const model::Reading& reading : read.readings) {
    add_all(reading.notes);
    if (!reading.complete) add(fmt::format("{}: {}", path, why_incomplete(reading)));
  }
  return notes;
}

// The texts of files that this one inherits from, where a finding points into them.
void add_sources(ModelReport& model, const text::FileSystem& files) {
  for (const rules::Finding& finding : model.result.findings) {
    if (finding.path.empty() || source_of(model, finding.path) != nullptr) continue;
    auto inherited = files.read(finding.path, text::max_source_bytes);
    if (inherited) model.other_sources.emplace(finding.path, *std::move(inherited));
  }
}

// Whoever asks for decoding: what has no such step is linted in its one pass.
void lint_in_one_pass(model::Reading& reading, const std::string& name, std::vector<std::string>& notes) {
  const bool is_network = !reading.setup.model.conv.empty();
  if (reading.setup.plan.mode != model::Mode::decode || is_network) return;
  if (model::decodes(reading.setup.model)) return;
  formats::read_in_one_pass(reading, std::string(model::no_decoding));
  notes.push_back(fmt::format("{}: {}; linted as `prefill`", name, model::no_decoding));
}

FileOutcome work_out(const project::Configured& configured, const text::Source& source,
                     const text::FileSystem& files, const TextOptions& options) {
  FileOutcome out;
  const std::string& path = source.path;
  const project::FileSettings file = project::settings_for(configured.config, path);
  formats::ReadResult read = project::read_model(configured, source, files, options.assume_native);
  std::vector<Error> errors = std::move(read.errors);
  out.notes = notes_of(read, path);
  const project::Applied applied = project::what_applies(configured, path, read.lint, errors);
  out.recognised = read.recognised;
  if (!source.documents && !read.recognised) out.broken = {source.documents.error(), source.text};
  UsedKeys used_keys;
  for (model::Reading& reading : read.readings) {
    if (!reading.complete || !errors.empty()) continue;
    lint_in_one_pass(reading, read.readings.size() > 1 ? fmt::format("{} ({})", path, reading.part) : path,
                     out.notes);
    project::Applied own = applied;
    check_dtype(own, reading, path, read.remarks, errors);
    if (!errors.empty() || own.gpus.empty()) continue;
    ModelReport model;
    model.path = path;
    model.source = source.text;
    model.rules = configured.rules;
    model.min_gain = own.rules.min_gain;
    model.rule_url = configured.config.rule_url.value_or("");
    const project::ShapeChoice shape = project::shape_of(own.shape, reading, files);
    own.rules.policy.shape = shape.shape;
    const bool gpus_assumed = own.gpus_from == project::GpusFrom::assumption;
    if (gpus_assumed) reading.extras.push_back({"gpu_is_assumed", 1, {}});  // for rules
    model.shape_note = project::shape_note(shape);
    const FileStack stack = stack_of(configured, own, reading, files);
    model.result = stack.on_stack
                       ? rules::lint(*configured.rules, reading, own.gpus, own.rules, *stack.on_stack)
                       : rules::lint(*configured.rules, reading, own.gpus, own.rules);
    model.gpus_assumed = gpus_assumed && !model.result.gpus.empty();  // predicted for any
    model.reading = std::move(reading);
    model.gpus_left_out = std::move(own.left_out);
    add_words(configured, model);
    add_how(configured, model);
    errors = model.result.errors;
    Settled settled;
    if (!options.no_proofs && !options.no_ignores)
      settled = settle(own.gpus, own.rules, stack.on_stack.get(), files, model, errors);
    out.suppressed += settled.left_out;
    out.refuted.insert(out.refuted.end(), settled.notes.begin(), settled.notes.end());
    add_contracts(configured, own, stack, model);
    rules::drop_combined_of_errors(model.result);
    drop_times(own.gpus, model);
    set_severities(configured.config, model.result.findings);
    if (!options.no_ignores) out.suppressed += ignore_keys(file, model.result.findings, used_keys);
    add_sources(model, files);
    for (const gpu::Gpu& gpu : own.gpus) gpu::add(out.gpus, gpu);
    out.models.push_back(std::move(model));
  }
  if (errors.empty()) look_at_remarks(options, configured, file, applied.rules, source, read, used_keys, out);
  suppress(options, configured, applied.rules, source,
           unused_keys(file, *configured.rules, applied.rules, path, used_keys), errors, out);
  if (!out.models.empty()) add_sources(out.models.front(), files);
  out.applied = applied;
  for (ModelReport& model : out.models) model.fail_level = applied.fail_level;
  text::summarize_rest(errors);
  for (Error& error : errors) {
    // It may be about a value of a file that this one builds on.
    text::SharedText shown = error.path == path ? source.text : text::SharedText{};
    if (error.span && error.path != path) {
      if (auto other = files.read(error.path, text::max_source_bytes)) shown = *std::move(other);
    }
    out.errors.push_back({std::move(error), std::move(shown)});
  }
  return out;
}

}  // namespace

FileOutcome lint_text(const project::Configured& configured, const text::Source& source,
                      const text::FileSystem& files, const TextOptions& options) {
  const Budget budget;
  FileOutcome out;
  try {
    out = work_out(configured, source, files, options);
  } catch (const Spent&) {
    // Told below, also where something has caught it.
  }
  if (!budget.is_spent()) return out;
  out = {};
  out.errors.push_back({project::too_costly(budget, source), source.text});
  return out;
}

text::LocatedError not_understood(const std::string& path, const FileOutcome& outcome) {
  std::string_view why = "too little is known about the model to predict a step";
  const std::string about_it = path + ": ";
  for (const std::string_view note : outcome.notes) {
    if (note.starts_with(about_it)) why = note.substr(about_it.size());
  }
  const std::string message = fmt::format("{}, so nothing in it was checked", why);
  const std::string passes_over = "skip such files with `--allow-unrecognised`";
  // Keys of a broken text were not searched.
  if (outcome.broken)
    return {{message, passes_over, path, outcome.broken->error.span}, outcome.broken->source};
  const std::string_view reason =
      outcome.recognised ? "`shapelint show --verbose` prints the values that were read"
                         : "`shapelint show --why` prints the keys that the nearest formats need";
  return {{message, fmt::format("{}; {}", reason, passes_over), path, {}}, {}};
}

bool is_broken_model(const std::string& path, const FileOutcome& outcome) {
  return outcome.broken && formats::file_name(path) == "config.json";
}

}  // namespace shapelint::lint
