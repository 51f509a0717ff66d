// Comments that silence findings: `# shapelint: ignore[SL101] reason` and `# shapelint: file-ignore[SL101]`.
//
// After a value, the comment holds for its line; on a line of its own, for the next key and all that is in
// it; `file-ignore`, wherever it stands, for the whole file. TOML, YAML and shell scripts have `#`, JSON with
// comments has `//`. At least one rule is named: a code, a name, or the beginning of a code.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "project/config.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/lint.hpp"
#include "rules/finding.hpp"
#include "text/parse_any.hpp"

namespace shapelint::lint {

struct Suppression {
  struct Rule {
    std::string selector;
    Span span;
  };
  Span comment;             // from its `#` to the end of the line
  std::vector<Rule> rules;  // empty: the comment names none, and silences nothing
  std::string reason;
  bool whole_file = false;
  // Of `ignore`: the values, or the line, that it holds for; shared by all comments before one key.
  std::shared_ptr<const std::vector<Span>> covered;
};

// The suppressions of a text, in its order. What looks like one inside a string is not one.
std::vector<Suppression> read_suppressions(const text::Source& source);

// Most comments of one file, and rules in them, that silence nothing: each is reported.
inline constexpr std::size_t most_unused = 1000;

// The error of a file that has more, at the first of those; of `unused` as apply_suppressions left it.
std::optional<Error> too_many_unused(const std::vector<rules::Finding>& unused);

bool covers(const Suppression& suppression, const rules::Finding& finding);

// Whether a selector (code, name, beginning of a code, `ALL`) means the finding's rule.
bool answers(std::string_view selector, const rules::Finding& finding);

// Takes away the findings that a suppression covers and returns how many that were. `lists` are the findings
// of all models of the file. Appended to `unused`: a finding for each rule of a suppression that silenced
// nothing although it ran, for each that does not exist, and for a suppression that names none.
std::size_t apply_suppressions(const std::vector<Suppression>& suppressions, const std::string& path,
                               const std::vector<std::vector<rules::Finding>*>& lists,
                               const rules::RuleBook& book, const rules::Options& options,
                               std::vector<rules::Finding>& unused);

// The finding (SL900) of a suppression that is of no use.
rules::Finding unused_finding(const std::string& path, Span span, std::string message, std::string note);

// Whether a rule that the selector means was run.
bool has_run(std::string_view selector, const rules::RuleBook& book, const rules::Options& options);

inline constexpr std::string_view unused_code = "SL900";
inline constexpr std::string_view unused_rule = "unused-suppression";

// [[ignore-keys]]: suppressions by key path, for files that cannot hold comments.

// Entries, and which of their rules, that silenced something.
using UsedKeys = std::set<std::pair<const project::KeyIgnore*, std::size_t>>;

// Takes away what the entries for a file silence, and returns how many findings that were.
std::size_t ignore_keys(const project::FileSettings& file, std::vector<rules::Finding>& findings,
                        UsedKeys& used);

// Findings (SL900) about entries for this file alone that silenced nothing, although their rules ran. An
// entry whose pattern may mean other files, too, may be needed there.
std::vector<rules::Finding> unused_keys(const project::FileSettings& file, const rules::RuleBook& book,
                                        const rules::Options& options, const std::string& path,
                                        const UsedKeys& used);

}  // namespace shapelint::lint
