// A report as one sorted list of single problems: what the formats for machines have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "objects/convert.hpp"
#include "report/formats.hpp"
#include "report/together.hpp"
#include "text/source.hpp"

namespace shapelint::report {

// A place in a file. Columns count Unicode code points from 1; the end is one past the last.
struct Region {
  text::Place begin;
  text::Place end;
  Span span;
};

// New text for some bytes of the file.
struct Edit {
  Region region;
  std::string text;
};

// One way out, as the edits that make it.
struct ItemFix {
  std::string description;
  std::vector<Edit> edits;
};

struct Item {
  const lint::ModelReport* model = nullptr;  // null for a file that could not be read
  const rules::Finding* finding = nullptr;   // the same
  const Error* error = nullptr;              // null for a finding
  FindingRelation tie{};                     // for people; programs get every finding on its own
  std::string models;       // for people, of a file with several: whose it is, "score and update"
  text::SharedText source;  // text of the file; empty when it is not known
  std::string path;         // `/` between its parts, no `./` in front
  std::string code;         // SL101; `unreadable` for an error
  std::string rule;         // its name
  rules::Severity severity = rules::Severity::error;
  std::string message;               // one line: what is wrong
  std::string label;                 // one line: what it leads to, or why; also the first of `details`
  std::vector<std::string> details;  // one line each: "costs 7.3 % of the step (measured)", "fix: …"
  std::optional<Region> region;      // absent when nothing in the file states the value
  std::string url;                   // of the rule's page; empty: there is none
  std::vector<ItemFix> fixes;        // proposals that this file alone can take, best first
};

// What people are shown, with what else was not looked at, or all that programs get
// (lint::for_programs).
enum class Which : std::uint8_t { shown, shown_and_gaps, for_programs };

// Findings and errors, sorted by path, line, column, code and message.
std::vector<Item> items(const lint::Report& report, Which which = Which::shown);

// Its message behind the models that it is of, where the file has several.
std::string message_with_models(const Item& item);

// What a format calls each severity.
struct SeverityWords {
  std::string_view info;
  std::string_view warning;
  std::string_view error;
};
std::string_view word_of(rules::Severity severity, const SeverityWords& words);

using api::tidy_path;

// What stays the same when lines are added above or the file is reformatted: path (when asked for), rule,
// GPU, key path and value. With the path it is the public Finding::id.
std::string fingerprint(const Item& item, bool with_path);

// The value at the finding's place as the file writes it; empty when it is not in the file.
std::string_view stated_value(const Item& item);

}  // namespace shapelint::report
