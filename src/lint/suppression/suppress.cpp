// Comments that silence findings.
#include "lint/suppression/suppress.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "rules/book/select.hpp"
#include "text/document.hpp"
#include "text/parse_any.hpp"

namespace shapelint::lint {

namespace {

constexpr std::string_view marker = "shapelint:";

// A comment, or a rule that it names, is looked for among all there are.
constexpr std::size_t units_per_comment = 20;

using Spans = std::shared_ptr<const std::vector<Span>>;

Spans spans_of(Span one) {
  return std::make_shared<const std::vector<Span>>(1, one);
}

bool overlaps(Span a, Span b) {
  return a.begin < b.end && b.begin < a.end;
}

std::size_t line_begin(std::string_view source, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : source.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

std::size_t line_end(std::string_view source, std::size_t at) {
  std::size_t end = std::min(source.find('\n', at), source.size());
  while (end > at && source[end - 1] == '\r') --end;
  return end;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\xEF\xBB\xBF") == std::string_view::npos;
}

// The parsed text: which bytes are values and keys, to distinguish a comment from a string and the next
// key be found.
class Tree {
 public:
  explicit Tree(const std::vector<text::Document>& documents) {
    for (const text::Document& document : documents) {
      for (std::size_t i = 0; i < document.nodes().size(); ++i) {
        const text::NodeRef node(&document, static_cast<std::int32_t>(i));
        if (!is_container(node)) strings_.push_back(node.span());
        const Span key = node.key_span();
        if (key.end <= key.begin) continue;
        strings_.push_back(key);
        keys_.push_back(node);
      }
    }
    std::sort(strings_.begin(), strings_.end(), [](Span a, Span b) { return a.begin < b.begin; });
    // Where all up to one end: values of aliases may lie within others.
    for (std::size_t i = 1; i < strings_.size(); ++i)
      strings_[i].end = std::max(strings_[i].end, strings_[i - 1].end);
    // Of keys at the same place (a dotted key of TOML) the outermost comes first in the tree.
    std::stable_sort(keys_.begin(), keys_.end(), [](text::NodeRef a, text::NodeRef b) {
      return a.key_span().begin < b.key_span().begin;
    });
  }

  bool is_in_string(Span place) const {
    const auto behind = std::lower_bound(strings_.begin(), strings_.end(), place.end,
                                         [](Span each, std::int64_t end) { return each.begin < end; });
    return behind != strings_.begin() && (behind - 1)->end > place.begin;
  }

  // The values of the first key after a byte: its own, or all that are in its table or list.
  Spans next_key(std::size_t after) {
    const auto next = std::lower_bound(
        keys_.begin(), keys_.end(), static_cast<std::int64_t>(after),
        [](text::NodeRef each, std::int64_t begin) { return each.key_span().begin < begin; });
    if (last_values_ && next - keys_.begin() == last_key_) return last_values_;
    std::vector<Span> spans;
    if (next != keys_.end()) collect(*next, spans);
    last_key_ = next - keys_.begin();
    last_values_ = std::make_shared<const std::vector<Span>>(std::move(spans));
    return last_values_;
  }

 private:
  static bool is_container(text::NodeRef node) {
    return node.is(text::Kind::table) || node.is(text::Kind::list);
  }

  static void collect(const text::NodeRef& node, std::vector<Span>& spans) {
    if (is_container(node)) {
      if (node.is(text::Kind::list)) spans.push_back(node.span());
      for (const text::NodeRef child : node) collect(child, spans);
    } else {
      spans.push_back(node.span());
    }
  }

  std::vector<Span> strings_;  // by beginning, each with the furthest end so far
  std::vector<text::NodeRef> keys_;
  // What was asked for last: thousands of comments may stand before one key.
  std::ptrdiff_t last_key_ = 0;
  Spans last_values_;
};

// Which bytes of a shell script are in quotes, asked for from its beginning to its end.
class Quotes {
 public:
  explicit Quotes(std::string_view source) : source_(source) {}

  bool holds(std::size_t at) {
    for (; at_ < at; ++at_) {
      const char c = source_[at_];
      if (is_comment_) {
        is_comment_ = c != '\n';
      } else if (quote_ == '\0') {
        if (c == '\\') {
          ++at_;
        } else if (c == '\'' || c == '"') {
          quote_ = c;
        } else if (c == '#' && (at_ == 0 || std::string_view(" \t\n;").find(source_[at_ - 1]) !=
                                                std::string_view::npos)) {
          is_comment_ = true;
        }
      } else if (quote_ == '"' && c == '\\') {
        ++at_;
      } else if (c == quote_) {
        quote_ = '\0';
      }
    }
    return quote_ != '\0';
  }

 private:
  std::string_view source_;
  std::size_t at_ = 0;
  char quote_ = '\0';
  bool is_comment_ = false;
};

// The next command of a shell script, with the lines that a backslash continues.
Span next_command(std::string_view source, std::size_t after) {
  for (std::size_t begin = after; begin < source.size();) {
    std::size_t end = line_end(source, begin);
    const std::string_view line = source.substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') {
      begin = std::min(source.find('\n', begin), source.size() - 1) + 1;
      continue;
    }
    while (end > begin && source[end - 1] == '\\' && end + 1 < source.size()) {
      end = line_end(source, std::min(source.find('\n', end), source.size() - 1) + 1);
    }
    return span_of(begin, end);
  }
  return {};
}

void skip_blanks(std::string_view source, std::size_t& at) {
  while (at < source.size() && (source[at] == ' ' || source[at] == '\t')) ++at;
}

bool take(std::string_view source, std::size_t& at, std::string_view word) {
  if (!source.substr(at).starts_with(word)) return false;
  at += word.size();
  return true;
}

// The comment whose word `shapelint:` begins at `at`, when it is one by its form. The line ends at `end`;
// what is behind `next`, where the word stands again, is another comment's.
std::optional<Suppression> parse(std::string_view source, std::size_t at, std::size_t end, std::size_t next,
                                 std::string_view sign) {
  std::size_t begin = at;
  while (begin > 0 && (source[begin - 1] == ' ' || source[begin - 1] == '\t')) --begin;
  if (!source.substr(0, begin).ends_with(sign)) return std::nullopt;
  begin -= sign.size();
  Suppression out;
  const std::string_view line = source.substr(0, std::min(end, next));
  out.comment = span_of(begin, end);
  std::size_t i = at + marker.size();
  skip_blanks(line, i);
  out.whole_file = take(line, i, "file-ignore");
  if (!out.whole_file && !take(line, i, "ignore")) return std::nullopt;
  const std::size_t close = line.find(']', i);
  if (!take(line, i, "[") || close == std::string_view::npos) return out;
  while (i < close) {
    skip_blanks(line, i);
    std::size_t stop = std::min(line.find(',', i), close);
    std::size_t last = stop;
    while (last > i && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
    if (last > i) {
      charge(units_per_comment);
      charge_bytes(2 * sizeof(Suppression::Rule) + (last - i));
      out.rules.push_back({std::string(line.substr(i, last - i)), span_of(i, last)});
    }
    i = stop + 1;
  }
  i = close + 1;
  skip_blanks(line, i);
  out.reason = line.substr(std::min(i, line.size()));
  return out;
}

}  // namespace

std::vector<Suppression> read_suppressions(const text::Source& file) {
  std::vector<Suppression> all;
  const std::string_view source = file.text;
  if (!file.documents || source.find(marker) == std::string_view::npos) return all;
  const bool is_shell = file.syntax == text::Syntax::shell;
  const std::string_view sign = file.syntax == text::Syntax::json ? "//" : "#";
  Tree tree(*file.documents);
  Quotes quotes(source);
  std::size_t line = 0;  // its beginning, and
  std::size_t end = 0;
  std::optional<Span> command;  // of a shell script: the next one
  for (std::size_t at = source.find(marker), next = 0; at != std::string_view::npos; at = next) {
    next = source.find(marker, at + marker.size());
    if (at >= end) {
      line = line_begin(source, at);
      end = line_end(source, at);
    }
    // A place in a string has no need of the rest.
    if (!is_shell && tree.is_in_string(span_of(at, at + marker.size()))) continue;
    std::optional<Suppression> found = parse(source, at, end, next, sign);
    if (!found) continue;
    const auto begin = static_cast<std::size_t>(found->comment.begin);
    const bool is_string = is_shell ? quotes.holds(begin) : tree.is_in_string(found->comment);
    if (is_string) continue;
    if (found->whole_file) {
      // Nothing to find out.
    } else if (!is_blank(source.substr(line, begin - line))) {
      found->covered = spans_of(span_of(line, end));
    } else if (is_shell) {
      // Once one is missing, all later ones are.
      const bool is_passed = command && command->end > 0 && command->begin < static_cast<std::int64_t>(begin);
      if (!command || is_passed) command = next_command(source, std::min(end, source.size() - 1) + 1);
      found->covered = spans_of(*command);
    } else {
      found->covered = tree.next_key(begin);
    }
    charge(units_per_comment);
    charge_bytes(2 * sizeof(Suppression));
    all.push_back(*std::move(found));
  }
  return all;
}

std::optional<Error> too_many_unused(const std::vector<rules::Finding>& unused) {
  if (unused.size() <= most_unused) return std::nullopt;
  return Error{fmt::format("more than {} comments silence nothing",
                           with_commas(static_cast<std::int64_t>(most_unused))),
               "remove them", unused.back().path, unused.back().span, ErrorCode::too_large};
}

bool covers(const Suppression& suppression, const rules::Finding& finding) {
  if (suppression.whole_file) return true;
  return suppression.covered && std::any_of(suppression.covered->begin(), suppression.covered->end(),
                                            [&](Span span) { return overlaps(span, finding.span); });
}

bool answers(std::string_view selector, const rules::Finding& finding) {
  return finding.code.starts_with(selector) || finding.rule == rules::current_name(selector) ||
         selector == "ALL";
}

rules::Finding unused_finding(const std::string& path, Span span, std::string message, std::string note) {
  rules::Finding finding;
  finding.code = unused_code;
  finding.rule = unused_rule;
  finding.severity = rules::Severity::info;
  finding.confidence = rules::Confidence::certain;
  finding.message = std::move(message);
  finding.note = std::move(note);
  finding.path = path;
  finding.span = span;
  return finding;
}

bool has_run(std::string_view selector, const rules::RuleBook& book, const rules::Options& options) {
  return std::any_of(book.rules().begin(), book.rules().end(), [&](const rules::Rule& rule) {
    rules::Finding would_be;
    would_be.code = rule.code;
    would_be.rule = rule.name;
    return answers(selector, would_be) && rules::is_selected(rule, options);
  });
}

namespace {

// A note on a selector that silenced nothing; nothing if its rules did not run.
std::optional<Error> complaint_about(const std::string& selector, const rules::RuleBook& book,
                                     const rules::Options& options) {
  if (auto unknown = rules::check_selector(book, selector)) return unknown;
  if (!has_run(selector, book, options)) return std::nullopt;
  return Error{fmt::format("`{}` reports nothing here", selector), "remove the comment", {}, {}};
}

}  // namespace

std::size_t apply_suppressions(const std::vector<Suppression>& suppressions, const std::string& path,
                               const std::vector<std::vector<rules::Finding>*>& lists,
                               const rules::RuleBook& book, const rules::Options& options,
                               std::vector<rules::Finding>& unused) {
  std::size_t removed = 0;
  std::vector<std::vector<char>> used;
  for (const Suppression& each : suppressions) used.emplace_back(each.rules.size(), '\0');
  for (std::vector<rules::Finding>* list : lists) {
    removed += std::erase_if(*list, [&](const rules::Finding& finding) {
      if (!finding.path.empty() && finding.path != path) return false;
      bool silenced = false;
      bool is_covered = false;
      for (std::size_t i = 0; i < suppressions.size(); ++i) {
        // Comments before one key are asked once.
        const bool is_same = i > 0 && suppressions[i].covered && !suppressions[i].whole_file &&
                             suppressions[i].covered == suppressions[i - 1].covered;
        if (!is_same) {
          charge(1 + (suppressions[i].covered ? suppressions[i].covered->size() / 8 : 0));
          is_covered = covers(suppressions[i], finding);
        }
        if (!is_covered) continue;
        charge(1 + suppressions[i].rules.size());
        for (std::size_t j = 0; j < suppressions[i].rules.size(); ++j) {
          if (!answers(suppressions[i].rules[j].selector, finding)) continue;
          used[i][j] = '\1';
          silenced = true;
        }
      }
      return silenced;
    });
  }
  std::map<std::string_view, std::optional<Error>> complaints;  // by selector
  for (std::size_t i = 0; i < suppressions.size() && unused.size() <= most_unused; ++i) {
    if (suppressions[i].rules.empty()) {
      unused.push_back(unused_finding(path, suppressions[i].comment,
                                      "the comment names no rule and has no effect",
                                      "write `ignore[SL101]`, then why"));
    }
    for (std::size_t j = 0; j < suppressions[i].rules.size() && unused.size() <= most_unused; ++j) {
      const std::string& selector = suppressions[i].rules[j].selector;
      const Span span = suppressions[i].rules[j].span;
      if (used[i][j] != '\0') continue;
      const auto [found, is_new] = complaints.try_emplace(selector);
      if (is_new) found->second = complaint_about(selector, book, options);
      if (found->second)
        unused.push_back(unused_finding(path, span, found->second->message, found->second->hint));
    }
  }
  return removed;
}

std::size_t ignore_keys(const project::FileSettings& file, std::vector<rules::Finding>& findings,
                        UsedKeys& used) {
  return std::erase_if(findings, [&](const rules::Finding& finding) {
    bool silenced = false;
    for (const project::KeyIgnore* each : file.ignore_keys) {
      if (each->key != finding.key_path) continue;
      for (std::size_t i = 0; i < each->rules.size(); ++i) {
        if (!answers(each->rules[i].value, finding)) continue;
        used.emplace(each, i);
        silenced = true;
      }
    }
    return silenced;
  });
}

std::vector<rules::Finding> unused_keys(const project::FileSettings& file, const rules::RuleBook& book,
                                        const rules::Options& options, const std::string& path,
                                        const UsedKeys& used) {
  std::vector<rules::Finding> unused;
  for (const project::KeyIgnore* each : file.ignore_keys) {
    const std::string& glob = each->match.glob;
    if (glob.find_first_of("*?[") != std::string::npos || glob.find('/') == std::string::npos) continue;
    for (std::size_t i = 0; i < each->rules.size(); ++i) {
      const project::Name& rule = each->rules[i];
      if (used.contains({each, i}) || !has_run(rule.value, book, options)) continue;
      unused.push_back(
          unused_finding(rule.path, rule.span,
                         fmt::format("`{}` reports nothing at `{}` of {}", rule.value, each->key, path),
                         "remove the entry of `ignore-keys`"));
    }
  }
  return unused;
}

}  // namespace shapelint::lint
