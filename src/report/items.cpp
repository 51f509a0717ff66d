// A report as one sorted list of single problems.
#include "report/items.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "lint/edits.hpp"
#include "lint/phrases.hpp"
#include "text/printable.hpp"

namespace shapelint::report {

namespace {

Region region_of(const text::SharedText& source, Span span) {
  return {source.places().place(span.begin), source.places().place(span.end), span};
}

// An address as it may stand in a link: what is no character of one (RFC 3986), and what could end a link of
// Markdown, as an escape.
std::string url_of(std::string_view text) {
  return percent_encoded(text, "-._~:/?#@!$&*+,;=%");
}

std::vector<ItemFix> fixes_of(const rules::Finding& finding, const lint::ModelReport& model) {
  std::vector<ItemFix> fixes;
  for (const rules::Proposal& proposal : finding.proposals) {
    ItemFix fix{text::one_line(lint::proposal_text(proposal, model.result.gpus.size())), {}};
    for (lint::TextEdit& edit : lint::edits_of(proposal, model)) {
      fix.edits.push_back({region_of(model.source, edit.span), std::move(edit.text)});
    }
    if (!fix.edits.empty()) fixes.push_back(std::move(fix));
  }
  return fixes;
}

Item item_of(const rules::Finding& finding, const lint::ModelReport& model, FindingRelation tie = {}) {
  Item item;
  item.model = &model;
  item.finding = &finding;
  item.code = text::one_line(finding.code);
  item.rule = text::one_line(finding.rule);
  item.severity = finding.severity;
  item.url = url_of(lint::rule_page(model.rule_url, finding.code, finding.rule));
  item.message = text::one_line(finding.message);
  item.label = text::one_line(finding.label);
  if (!item.label.empty()) item.details.push_back(item.label);
  const std::string& path = finding.path.empty() ? model.path : finding.path;
  item.path = tidy_path(path);
  if (const text::SharedText* source = lint::source_of(model, path)) {
    item.source = *source;
    if (finding.span.end > finding.span.begin) item.region = region_of(*source, finding.span);
  }
  const std::string cost = lint::cost_text(finding, model.result.gpus.size());
  if (const std::string note = lint::note_text(finding); !note.empty())
    item.details.push_back("note: " + note);
  if (!finding.why.empty()) item.details.push_back("why: " + finding.why);
  if (!cost.empty()) item.details.push_back("cost: " + cost);
  if (!tie.duplicates.empty()) item.details.push_back("also: " + others_text(model, tie.duplicates));
  const bool is_mended = tie.fixed_by != nullptr;
  if (is_mended) {
    item.details.push_back("fix: " + fixed_by_text(tie));
  } else {
    for (const rules::Proposal& proposal : finding.proposals) {
      item.details.push_back("fix: " + lint::proposal_text(proposal, model.result.gpus.size()));
      const bool is_first = &proposal == &finding.proposals.front();
      if (is_first && !tie.also_fixes.empty()) item.details.push_back("also fixes: " + also_fixed_text(tie));
    }
  }
  if (!finding.assumed.empty()) {
    item.details.push_back("assumed: " + lint::values_text(finding.assumed, model.reading.setup));
  }
  if (!finding.how.empty() && !is_mended) item.details.push_back("how: " + finding.how);
  for (std::string& detail : item.details) detail = text::one_line(detail);
  // A finding in a file that this one inherits from has no edits: they would go into another file.
  if (path == model.path) item.fixes = fixes_of(finding, model);
  item.tie = std::move(tie);
  return item;
}

Item item_of(const text::LocatedError& each) {
  Item item;
  item.error = &each.error;
  item.source = each.source;
  item.path = tidy_path(each.error.path);
  item.code = "unreadable";
  item.rule = "unreadable";
  item.message = text::one_line(each.error.message);
  if (!each.error.hint.empty()) item.details.push_back(text::one_line("help: " + each.error.hint));
  if (each.error.span && !each.source.empty()) item.region = region_of(each.source, *each.error.span);
  return item;
}

bool before(const Item& a, const Item& b) {
  const text::Place first = a.region ? a.region->begin : text::Place{0, 0};
  const text::Place second = b.region ? b.region->begin : text::Place{0, 0};
  return std::tie(a.path, first.line, first.column, a.code, a.message) <
         std::tie(b.path, second.line, second.column, b.code, b.message);
}

}  // namespace

std::vector<Item> items(const lint::Report& report, Which which) {
  std::vector<Item> all;
  // A test of JUnit is one over many runs, whatever other models do.
  const lint::Report none;
  const DuplicateFindings duplicates(which == Which::shown ? report : none);
  for (const lint::ModelReport& model : report.models) {
    if (which == Which::for_programs) {
      for (const rules::Finding* finding : lint::for_programs(model)) all.push_back(item_of(*finding, model));
    } else {
      const std::vector<const rules::Finding*> shown = duplicates.primaries(model);
      auto ties = relations_of(shown, duplicates);
      const bool is_one = is_one_of_several(model, report);
      for (const rules::Finding* finding : shown) {
        all.push_back(item_of(*finding, model, ties[finding]));
        if (is_one) all.back().models = names_beside(model, ties[finding].duplicates);
      }
    }
    if (which != Which::shown_and_gaps) continue;
    for (const rules::Finding& finding : model.hidden) {
      if (finding.brief.empty()) continue;
      all.push_back(item_of(finding, model));
      if (is_one_of_several(model, report)) all.back().models = name_beside(model);
    }
  }
  for (const text::LocatedError& error : report.errors) all.push_back(item_of(error));
  std::stable_sort(all.begin(), all.end(), before);
  return all;
}

std::string message_with_models(const Item& item) {
  return item.models.empty() ? item.message : fmt::format("{}: {}", item.models, item.message);
}

std::string_view word_of(rules::Severity severity, const SeverityWords& words) {
  switch (severity) {
    case rules::Severity::error:
      return words.error;
    case rules::Severity::warning:
      return words.warning;
    case rules::Severity::info:
      return words.info;
  }
  return words.info;
}

std::string_view stated_value(const Item& item) {
  if (!item.region) return {};
  const Span span = item.region->span;
  if (span.begin < 0 || span.end > static_cast<std::int64_t>(item.source.size())) return {};
  return std::string_view(item.source)
      .substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin));
}

std::string fingerprint(const Item& item, bool with_path) {
  const std::string_view gpu =
      item.finding != nullptr ? std::string_view(item.finding->gpu) : std::string_view{};
  const std::string_view key_path = item.finding != nullptr ? item.finding->key_path : item.message;
  const std::string_view value = stated_value(item);
  return with_path ? api::fingerprint_of({item.path, item.code, gpu, key_path, value})
                   : api::fingerprint_of({item.code, gpu, key_path, value});
}

}  // namespace shapelint::report
