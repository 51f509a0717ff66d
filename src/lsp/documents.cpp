// What is said of open files.
#include "lsp/documents.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "lsp/annotations.hpp"

namespace shapelint::lsp {

namespace {

int severity_of(api::Severity severity) {
  constexpr int error = 1;
  constexpr int warning = 2;
  constexpr int information = 3;
  switch (severity) {
    case api::Severity::info:
      return information;
    case api::Severity::warning:
      return warning;
    case api::Severity::error:
      break;
  }
  return error;
}

// By place, code and message.
void sort(std::vector<api::Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [&](const api::Finding& a, const api::Finding& b) {
    const api::Place first = a.range ? a.range->start : api::Place{0, 0, 0};
    const api::Place second = b.range ? b.range->start : api::Place{0, 0, 0};
    return std::tie(a.path, first.line, first.column, a.code, a.message) <
           std::tie(b.path, second.line, second.column, b.code, b.message);
  });
}

// With the fewest changes, and then with the fewest parameters more or less; null where none is an edit.
const api::Proposal* smallest_of(const std::vector<api::Proposal>& proposals) {
  const auto size = [](const api::Proposal& each) {
    const std::int64_t grown = each.parameters_after - each.parameters_before;
    return std::pair(each.changes.size() + each.implied.size(), grown < 0 ? -grown : grown);
  };
  const api::Proposal* smallest = nullptr;
  for (const api::Proposal& each : proposals) {
    if (each.edits.empty()) continue;
    if (smallest == nullptr || size(each) < size(*smallest)) smallest = &each;
  }
  return smallest;
}

// A network of thousands of layers is as large as the results of a hundred transformers.
std::size_t count_as_documents(const api::LintResult& result) {
  constexpr std::size_t usual_operations = 100;
  std::size_t operations = 0;
  for (const api::LintedStep& each : result.steps) operations += each.operations.size();
  return 1 + operations / usual_operations;
}

}  // namespace

Documents::Documents(api::LintOptions options, const api::FileSystem& files)
    : options_(std::move(options)), files_(files) {
  options_.with_operations = true;
  options_.with_known = true;  // an editor shows what is there
}

bool Documents::open(const std::string& uri, std::string text, std::optional<std::int64_t> version) {
  OpenFile& file = open_[uri] = {};
  file.path = path_of_uri(uri);
  return change(uri, {{std::nullopt, std::move(text)}}, version);
}

bool Documents::change(const std::string& uri, const std::vector<TextChange>& changes,
                       std::optional<std::int64_t> version) {
  OpenFile& file = open_.at(uri);
  std::size_t edited_bytes = 0;
  for (const TextChange& each : changes) {
    if (!each.range) file.is_lost = false;
    if (file.is_lost) continue;
    apply(each, encoding_, file.text);
    if (each.range) edited_bytes += file.text.size();
    if (file.text.size() > largest_document || edited_bytes > max_edited_bytes) lose(uri);
  }
  file.version = version;
  file.is_due = true;
  file.is_understood = false;
  file.is_let_go = false;
  return !file.is_lost;
}

void Documents::lose(const std::string& uri) {
  const auto found = open_.find(uri);
  if (found == open_.end()) return;
  OpenFile fresh;
  fresh.path = std::move(found->second.path);
  fresh.is_lost = true;
  found->second = std::move(fresh);
}

void Documents::relint() {
  for (auto& [uri, file] : open_) file.is_due = true;
}

std::optional<std::string> Documents::due() const {
  for (const auto& [uri, file] : open_) {
    if (file.is_due) return uri;
  }
  return std::nullopt;
}

// A text that cannot be understood keeps the findings of the last one that could, with its own errors.
std::vector<Diagnostic> Documents::lint(const std::string& uri) {
  OpenFile& file = open_.at(uri);
  file.is_due = false;
  file.is_understood = false;
  file.is_let_go = false;
  api::LintOptions options = options_;
  // What was a model a moment ago and cannot be parsed now is being edited, whatever it looks like meanwhile.
  options.expect_models = file.has_models;
  options.with_fields = true;
  // Most files that are opened are no models.
  options.allow_unrecognised = !options.expect_models;
  // An empty buffer is one in which nothing was written yet.
  const bool is_blank = file.text.find_first_not_of(" \t\r\n") == std::string::npos;
  api::LintResult result;
  if (!is_blank) result = api::lint(files_, {{file.path, file.text}}, options);
  sort(result.findings);
  std::vector<Diagnostic> diagnostics;
  for (const api::Error& error : result.errors) diagnostics.push_back(diagnostic(error, file));
  for (const api::Finding& each : result.findings) diagnostics.push_back(diagnostic(each, file));
  if (!result.errors.empty()) {
    diagnostics.insert(diagnostics.end(), file.good.begin(), file.good.end());
    return diagnostics;
  }
  file.good = diagnostics;
  file.has_models = !result.models.empty();
  file.result = std::move(result);
  file.is_understood = true;
  keep(uri);
  return diagnostics;
}

// Lets the results go that were worked out longest ago.
void Documents::keep(const std::string& uri) {
  std::erase(kept_, uri);
  kept_.push_back(uri);
  const auto count = [&](const std::string& each) {
    const auto found = open_.find(each);
    return found == open_.end() ? 1 : count_as_documents(found->second.result);
  };
  std::size_t all = 0;
  for (const std::string& each : kept_) all += count(each);
  for (; all > max_results && kept_.size() > 1; kept_.pop_front()) {
    all -= count(kept_.front());
    const auto oldest = open_.find(kept_.front());
    if (oldest == open_.end()) continue;
    oldest->second.is_let_go = oldest->second.is_understood;
    oldest->second.is_understood = false;
    oldest->second.result = {};
  }
}

const Documents::OpenFile* Documents::find(const std::string& uri) {
  const auto found = open_.find(uri);
  if (found != open_.end() && found->second.is_let_go) lint(uri);
  return found == open_.end() || !found->second.is_understood ? nullptr : &found->second;
}

std::optional<HoverText> Documents::hover(const std::string& uri, Position position) {
  const OpenFile* file = find(uri);
  if (file == nullptr) return std::nullopt;
  const std::int64_t at = offset_of(file->text, position, encoding_);
  for (std::size_t model = 0; model < file->result.models.size(); ++model) {
    Hover found = hover_at(file->result, model, at);
    if (!found.text.empty()) return HoverText{std::move(found.text), range(file->text, found.range)};
  }
  return std::nullopt;
}

std::vector<Action> Documents::actions(const std::string& uri, const TextRange& asked) {
  std::vector<Action> actions;
  const OpenFile* file = find(uri);
  if (file == nullptr) return actions;
  const std::int64_t begin = offset_of(file->text, asked.begin, encoding_);
  const std::int64_t end = offset_of(file->text, asked.end, encoding_);
  for (const api::Finding& finding : file->result.findings) {
    if (finding.path != file->path || !finding.range || finding.range->start.byte > end ||
        finding.range->end.byte < begin) {
      continue;
    }
    const api::Proposal* smallest = smallest_of(finding.proposals);
    for (const api::Proposal& proposal : finding.proposals) {
      if (proposal.edits.empty()) continue;
      Action action{proposal.summary, diagnostic(finding, *file), {}, &proposal == smallest};
      for (const api::Edit& edit : proposal.edits) {
        action.edits.push_back({range(file->text, edit.range), edit.new_text});
      }
      actions.push_back(std::move(action));
    }
    if (const auto comment = ignoring(finding, file->path, file->text)) {
      const TextRange place =
          range(file->text, api::Range{{0, 0, comment->offset_byte}, {0, 0, comment->offset_byte}});
      actions.push_back({comment->title, diagnostic(finding, *file), {{place, comment->text}}, false});
    }
  }
  return actions;
}

std::vector<Hint> Documents::hints(const std::string& uri, const TextRange& asked) {
  std::vector<Hint> hints;
  const OpenFile* file = find(uri);
  if (file == nullptr) return hints;
  const std::int64_t begin = offset_of(file->text, asked.begin, encoding_);
  const std::int64_t end = offset_of(file->text, asked.end, encoding_);
  for (std::size_t model = 0; model < file->result.models.size(); ++model) {
    for (InlayHint& each : hints_of(file->result, model)) {
      if (each.offset_byte < begin || each.offset_byte > end) continue;
      hints.push_back({position_of(file->text, each.offset_byte, encoding_), std::move(each.label),
                       std::move(each.tooltip)});
    }
  }
  return hints;
}

Offer Documents::completions(const std::string& uri, Position position) const {
  const auto found = open_.find(uri);
  if (found == open_.end()) return {};
  const auto& [path, text] = std::tie(found->second.path, found->second.text);
  const std::int64_t offset = offset_of(text, position, encoding_);
  Completions offered;
  if (path.ends_with(".toml")) {
    offered = completions_at(text, offset);
  } else if (const std::vector<api::LintedModel>& models = found->second.result.models; !models.empty()) {
    // What it was when it was understood last.
    offered = dialect_completions_at(text, offset, path.ends_with(".json"), models.front().dialect);
  }
  return {range(text, api::Range{{0, 0, offered.begin_byte}, {0, 0, offered.end_byte}}),
          std::move(offered.items)};
}

TextRange Documents::range(const std::string& text, const std::optional<api::Range>& range) const {
  return {position_of(text, range ? range->start.byte : 0, encoding_),
          position_of(text, range ? range->end.byte : 0, encoding_)};
}

// For a value in an inherited file, its place is stated.
Diagnostic Documents::diagnostic(const api::Finding& finding, const OpenFile& file) const {
  const bool is_here = finding.path == file.path;
  std::string message = finding.message;
  if (!is_here && finding.range) {
    message = fmt::format("{}:{}: {}", finding.path, finding.range->start.line, message);
  }
  if (!finding.label.empty()) message += "\n" + finding.label;
  if (!finding.note.empty()) message += "\nnote: " + finding.note;
  if (!finding.why.empty()) message += "\nwhy: " + finding.why;
  if (!finding.cost.empty()) message += "\ncost: " + finding.cost;
  for (const api::Proposal& proposal : finding.proposals) message += "\nfix: " + proposal.summary;
  if (!finding.how.empty()) message += "\nhow: " + finding.how;
  return {range(file.text, is_here ? finding.range : std::nullopt), severity_of(finding.severity),
          finding.code, std::move(message), finding.url};
}

// For an error elsewhere (in the configuration) the path is stated, since it has no place in this file; one
// in what the server was started with is in no file.
Diagnostic Documents::diagnostic(const api::Error& error, const OpenFile& file) const {
  const bool is_here = error.path == file.path;
  std::string message = is_here || error.path.empty() ? error.message : error.path + ": " + error.message;
  if (!error.hint.empty()) message += "\nhelp: " + error.hint;
  return {range(file.text, is_here ? error.range : std::nullopt),
          severity_of(api::Severity::error),
          error.path.empty() ? error.code : "unreadable",
          std::move(message),
          {}};
}

}  // namespace shapelint::lsp
