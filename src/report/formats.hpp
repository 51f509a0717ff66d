// Every output format: pure functions from a report to bytes, each in a file of its name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lint/report.hpp"
#include "model/fields.hpp"
#include "report/style.hpp"
#include "rules/finding.hpp"

namespace shapelint::report {

enum class Format : std::uint8_t {
  text,
  concise,
  json,
  compact,
  json_lines,
  sarif,
  github,
  gitlab,
  junit,
  checkstyle,
  rdjson,
  markdown
};

// In the order of Format.
inline constexpr std::array<std::string_view, 12> format_names{
    "text",   "concise", "json",  "compact",    "json-lines", "sarif",
    "github", "gitlab",  "junit", "checkstyle", "rdjson",     "markdown"};

// Parts of json() that make it several times as long and few readers need.
struct JsonParts {
  bool fields = false;      // every field of each model, with where its value comes from
  bool operations = false;  // every operation of each step, with its cost
};

struct RenderOptions {
  Style style;           // text and concise
  bool quiet = false;    // text and concise: only findings that fail, nothing when there are none
  bool verbose = false;  // text: of several files, too, each finding in full and each model's closing lines
  JsonParts parts{};     // json
};

// The whole output in one format, ending with a line feed when it is not empty. Valid UTF-8.
std::string render(Format format, const lint::Report& report, const RenderOptions& options = {});

// `path:line:column: severity: message [CODE]`, one line each.
std::string concise(const lint::Report& report, const RenderOptions& options);
// One JSON object on one line, for readers with little room: of each model the plan, the step, the memory and
// what people are shown. docs/schema/shapelint-compact.schema.json describes it.
std::string compact(const lint::Report& report);
// One JSON object per line: the findings as in json() with their path, then the errors.
std::string json_lines(const lint::Report& report);
// SARIF 2.1.0 (OASIS) with what GitHub's code scanning asks for.
std::string sarif(const lint::Report& report);
// Workflow commands of GitHub Actions; the most severe first, since only ten of a kind are shown.
std::string github(const lint::Report& report);
// GitLab's code quality report, a subset of Code Climate's.
std::string gitlab(const lint::Report& report);
std::string junit(const lint::Report& report);
std::string checkstyle(const lint::Report& report);
// reviewdog's diagnostic format.
std::string rdjson(const lint::Report& report);
// A comment on a pull request: GitHub takes at most 65,536 characters, so later rows may be left out.
std::string markdown(const lint::Report& report);

// How often each rule was found, most frequent first: a table, or a JSON array.
std::string statistics(const lint::Report& report, const Style& style);
std::string statistics_json(const lint::Report& report);

// What the formats share.

struct Counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
};

void add(const rules::Finding& finding, Counts& counts);
Counts count(const std::vector<rules::Finding>& findings);

// A text as a field: one line, quoted where it must be (RFC 4180). What a spreadsheet would take for a
// formula
// (`=`, `+`, `-` or `@` in front, and no number) gets an apostrophe in front, which spreadsheets take for
// text.
std::string csv_field(std::string_view text);

}  // namespace shapelint::report
