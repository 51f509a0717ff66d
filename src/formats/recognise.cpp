// Which dialect a configuration is written in.
#include "formats/recognise.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"

namespace shapelint::formats {

namespace {

// `NAN`, `INF`, `ON` and the like are meant as values, and a name of more characters is text.
constexpr std::size_t shortest_word = 5;
constexpr std::size_t longest_word = 64;

bool is_capital(char c) {
  return (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_of_word(char c) {
  return is_capital(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// None where it is longer than `longest_word`.
std::string_view word_at(std::string_view source, std::size_t position) {
  const std::size_t least = position - std::min(position, longest_word);
  const std::size_t most = std::min(source.size(), position + longest_word);
  std::size_t begin = position;
  while (begin > least && is_of_word(source[begin - 1])) --begin;
  std::size_t end = position;
  while (end < most && is_of_word(source[end])) ++end;
  return end - begin > longest_word ? std::string_view() : source.substr(begin, end - begin);
}

}  // namespace

std::string_view placeholder_at(std::string_view source, Span problem) {
  if (source.empty()) return {};
  const std::size_t at = std::min(static_cast<std::size_t>(problem.begin), source.size() - 1);
  const std::string_view word = word_at(source, at);
  const bool is_name =
      std::all_of(word.begin(), word.end(), [](char c) { return is_capital(c) || (c >= '0' && c <= '9'); });
  if (word.size() >= shortest_word && is_name && is_capital(word.front())) return word;
  constexpr std::string_view variable = "${";  // of a shell that writes the file
  if (source.substr(at).starts_with(variable)) return source.substr(at, variable.size());
  const std::size_t line_end = std::min(source.find('\n', at), source.size());
  const std::size_t before = at == 0 ? std::string_view::npos : source.rfind('\n', at - 1);
  const std::size_t line_begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view line =
      source.substr(std::min(line_begin, line_end), line_end - std::min(line_begin, line_end));
  for (const std::string_view opening : {"{{", "{%", "<%"}) {
    const std::size_t found = line.find(opening);
    if (found != std::string_view::npos) return line.substr(found, opening.size());
  }
  return {};
}

namespace {

using text::NodeRef;

// Keys of a dialect that must be seen in a broken text before it is called one of its files.
constexpr std::ptrdiff_t keys_for_broken = 3;

}  // namespace

bool holds(const View& view, const KeyTest& test) {
  for (const NodeRef node : view.find_all(test.path)) {
    if (test.kind && !node.is(*test.kind)) continue;
    if (test.equals.empty()) return true;
    std::string text(node.as_string().value_or(""));
    if (const auto value = node.as_integer()) text = std::to_string(*value);
    if (const auto value = node.as_boolean()) text = *value ? "true" : "false";
    if (matches_any(test.equals, text)) return true;
  }
  return false;
}

namespace {

bool holds(const View& view, const Test& test, std::string_view path) {
  if (!test.file.empty() && !matches_any(test.file, path)) return false;
  for (const KeyTest& each : test.has) {
    if (!holds(view, each)) return false;
  }
  for (const KeyTest& each : test.lacks) {
    if (holds(view, each)) return false;
  }
  if (test.any.empty()) return true;
  std::int64_t found = 0;
  for (const KeyTest& each : test.any) {
    if (holds(view, each) && ++found >= test.at_least) return true;
  }
  return false;
}

}  // namespace

const Dialect* recognise(const Dialects& dialects, const text::Document& document, std::string_view syntax) {
  for (const auto& dialect : dialects.listed()) {
    if (!dialect->supports_syntax(syntax)) continue;
    View view(dialect->flags());
    view.add({&document, {}, {}});
    for (const Test& test : dialect->recognise()) {
      if (holds(view, test, document.path())) return &dialect->whole();
    }
  }
  return nullptr;
}

namespace {

Match match(const Dialect& dialect, const Test& test, const View& view, std::string_view path) {
  Match out{&dialect, &test, {}, {}, {}, {}, 0, test.file.empty() || matches_any(test.file, path)};
  for (const KeyTest& each : test.has) (holds(view, each) ? out.found : out.missing).push_back(&each);
  std::int64_t any = 0;
  for (const KeyTest& each : test.any) {
    const bool is_there = holds(view, each);
    (is_there ? out.found : out.open).push_back(&each);
    any += is_there ? 1 : 0;
  }
  if (!test.any.empty()) out.more = std::max<std::int64_t>(0, test.at_least - any);
  for (const KeyTest& each : test.lacks) {
    if (holds(view, each)) out.against.push_back(&each);
  }
  return out;
}

std::int64_t lacking(const Match& match) {
  return static_cast<std::int64_t>(match.missing.size() + match.against.size()) + match.more +
         (match.file_fits ? 0 : 1);
}

}  // namespace

std::vector<Match> nearest_dialects(const Dialects& dialects, const text::Document& document,
                                    std::string_view syntax) {
  std::vector<Match> all;
  for (const auto& listed : dialects.listed()) {
    if (!listed->supports_syntax(syntax)) continue;
    const Dialect& dialect = listed->whole();
    View view(dialect.flags);
    view.add({&document, {}, {}});
    std::optional<Match> best;
    for (const Test& test : dialect.recognise) {
      Match next = match(dialect, test, view, document.path());
      if (next.found.empty()) continue;
      const bool is_nearer = !best || lacking(next) < lacking(*best) ||
                             (lacking(next) == lacking(*best) && next.found.size() > best->found.size());
      if (is_nearer) best = std::move(next);
    }
    if (best) all.push_back(*std::move(best));
  }
  std::stable_sort(all.begin(), all.end(), [](const Match& a, const Match& b) {
    if (a.holds() != b.holds()) return a.holds();
    if (a.holds()) return false;
    return lacking(a) != lacking(b) ? lacking(a) < lacking(b) : a.found.size() > b.found.size();
  });
  return all;
}

std::string written(const KeyTest& test) {
  std::string out;
  for (const std::string& component : test.path.components) out += (out.empty() ? "" : ".") + component;
  if (!test.equals.empty()) return out + " = " + test.equals;
  return test.kind ? fmt::format("{} ({})", out, text::describe(*test.kind)) : out;
}

namespace {

// The last key of a test that files write: `vit` of `vit.*`, `recipe` of `recipe()`.
std::string_view last_key(const KeyTest& test) {
  const auto& all = test.path.components;
  const auto is_word = [](const std::string& each) { return !each.empty() && is_of_word(each.front()); };
  const auto last = std::find_if(all.rbegin(), all.rend(), is_word);
  if (last == all.rend()) return {};
  const std::string_view key = *last;
  return key.ends_with("()") ? key.substr(0, key.size() - 2) : key;
}

using Keys = std::set<std::string, std::less<>>;

// How files write the last key of a test; none where it has no word. Flags are written with dashes, too.
std::vector<std::string> spellings(const KeyTest& test, bool is_flag) {
  const std::string key(last_key(test));
  if (key.empty()) return {};
  return is_flag ? std::vector{key, dashed(key)} : std::vector{key};
}

// The last keys of all tests of dialects with this syntax, as files of each write them.
Keys tested_keys(const Dialects& dialects, std::string_view syntax) {
  Keys out;
  for (const auto& dialect : dialects.listed()) {
    if (!dialect->supports_syntax(syntax)) continue;
    for (const Test& test : dialect->recognise()) {
      for (const std::vector<KeyTest>* tests : {&test.has, &test.any}) {
        for (const KeyTest& each : *tests) {
          for (std::string& spelling : spellings(each, dialect->flags())) out.insert(std::move(spelling));
        }
      }
    }
  }
  return out;
}

// Those of `keys` that are words of a text. It is read once: it may be large, and the keys are many.
Keys keys_in(std::string_view source, const Keys& keys) {
  Keys out;
  const auto add = [&](std::string_view word) {
    if (const auto key = keys.find(word); key != keys.end()) out.insert(*key);
  };
  const auto is_joined = [](char c) { return is_of_word(c) || c == '-'; };
  for (std::size_t at = 0; at < source.size();) {
    if (!is_of_word(source[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < source.size() && is_joined(source[end])) ++end;
    const std::string_view joined = source.substr(at, end - at);
    add(joined);
    for (std::size_t begin = 0; begin < joined.size();) {
      const std::size_t dash = std::min(joined.find('-', begin), joined.size());
      add(joined.substr(begin, dash - begin));
      begin = dash + 1;
    }
    at = end;
  }
  return out;
}

}  // namespace

const Dialect* recognise_broken(const Dialects& dialects, std::string_view source, std::string_view path,
                                std::string_view syntax) {
  const Keys keys = keys_in(source, tested_keys(dialects, syntax));
  for (const auto& dialect : dialects.listed()) {
    if (!dialect->supports_syntax(syntax)) continue;
    const auto is_there = [&](const KeyTest& test) {
      const auto all = spellings(test, dialect->flags());
      return std::any_of(all.begin(), all.end(), [&](const auto& each) { return keys.contains(each); });
    };
    for (const Test& test : dialect->recognise()) {
      if (!test.file.empty() && !matches_any(test.file, path)) continue;
      const auto found = std::count_if(test.has.begin(), test.has.end(), is_there);
      const auto more = std::count_if(test.any.begin(), test.any.end(), is_there);
      const bool holds = found == static_cast<std::ptrdiff_t>(test.has.size()) &&
                         (test.any.empty() || more >= test.at_least);
      if (holds && found + more >= keys_for_broken) return &dialect->whole();
    }
  }
  return nullptr;
}

}  // namespace shapelint::formats
