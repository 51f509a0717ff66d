// What a fix writes, in the words of the file.
#include "lint/written.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "lint/edits.hpp"
#include "lint/fix.hpp"
#include "lint/fix_trial.hpp"
#include "lint/phrases.hpp"
#include "text/printable.hpp"

namespace shapelint::lint {

namespace {

bool is_of_key(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// The key before a value and what stands between, as the file writes them: `"hidden_size": ` is
// `hidden_size: `. Empty where the value has no key on its line.
std::string key_before(std::string_view source, std::int64_t at) {
  constexpr std::string_view between = " \t=:\"'";
  const std::string_view before = source.substr(0, static_cast<std::size_t>(at));
  const std::size_t end = before.find_last_not_of(between);
  if (end == std::string_view::npos || !is_of_key(before[end])) return {};
  std::size_t begin = end;
  while (begin > 0 && is_of_key(before[begin - 1])) --begin;
  const std::string_view sign = before.substr(end + 1);
  if (sign.empty()) return {};
  std::string out(before.substr(begin, end + 1 - begin));
  if (sign.find(':') != std::string_view::npos) return out + ": ";
  if (sign.find('=') == std::string_view::npos) return out + " ";
  return out + (sign.find(' ') == std::string_view::npos ? "=" : " = ");
}

// What is written in the places of all changes; empty where some have none.
std::string literals_text(const rules::Proposal& proposal, const ModelReport& model) {
  std::vector<TextEdit> edits = edits_of(proposal, model);
  if (edits.size() != proposal.changes.size()) return {};
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.span.begin < b.span.begin; });
  std::string out;
  for (const TextEdit& edit : edits) {
    const std::string key = key_before(model.source, edit.span.begin);
    if (key.empty()) return {};
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", text::one_line(key), text::one_line(edit.text));
  }
  return out;
}

}  // namespace

Written written(const rules::Finding& finding, std::size_t which, const ModelReport& model) {
  const rules::Proposal& proposal = finding.proposals[which];
  Written out;
  if (which == 0) out.how = text::one_line(finding.how);
  // A framework's own flags or keys come first in `how`, as code.
  std::string flags;
  const std::size_t end = std::min(out.how.find("; "), out.how.size());
  if (out.how.starts_with('`') && out.how[end - 1] == '`') {
    flags = out.how.substr(0, end);
    std::erase(flags, '`');
    out.how.erase(0, std::min(end + 2, out.how.size()));
  }
  out.text = literals_text(proposal, model);
  if (out.text.empty()) out.text = flags.empty() ? changes_text(proposal.changes) : flags;
  if (proposal.or_multiple_of > 0)
    out.text += fmt::format(" (or another multiple of {})", proposal.or_multiple_of);
  if (const std::string follows = implied_text(proposal); !follows.empty())
    out.text += fmt::format(" ({})", follows);
  return out;
}

bool is_fixable(const rules::Finding& finding, const ModelReport& model) {
  if (finding.proposals.empty() || finding.severity < std::min(rules::Severity::warning, model.fail_level))
    return false;
  if (model.fixable) return model.fixable->contains(key_in_file(finding));
  const rules::Proposal& first = finding.proposals.front();
  return is_safe(first, model.reading) && !edits_of(first, model).empty();
}

}  // namespace shapelint::lint
