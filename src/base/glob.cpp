// Matching of globs, without recursion: behind a later `*` the earlier ones are settled.
#include "base/glob.hpp"

#include <cctype>

#include "base/budget.hpp"
#include "base/utf8.hpp"

namespace shapelint {

namespace {

constexpr std::size_t none = std::string_view::npos;

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// A set `[...]` at `at`: where it ends, and whether it holds `c`. `none`: no closing bracket.
std::size_t match_set(std::string_view pattern, std::size_t at, char c, Glob kind, bool& holds) {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size() && (first || pattern[i] != ']'); first = false, ++i) {
    if (kind == Glob::path && pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      found = found || (pattern[i] <= c && c <= pattern[i + 2]);
      i += 2;
    } else {
      found = found || pattern[i] == c;
    }
  }
  charge((i - at) / 4);
  if (i >= pattern.size()) return none;
  holds = found != negated && !(kind == Glob::path && c == '/');
  return i + 1;
}

// One element of the pattern (no `*`) against the character at `t`: moves both behind it when it matches.
bool match_one(std::string_view pattern, std::string_view text, Glob kind, std::size_t& p, std::size_t& t) {
  if (p >= pattern.size()) return false;
  if (kind == Glob::name) {
    if (!same_letter(pattern[p], text[t])) return false;
    ++p;
    ++t;
    return true;
  }
  if (pattern[p] == '?') {
    if (kind == Glob::path && text[t] == '/') return false;
    ++p;
    do ++t;
    while (t < text.size() && is_continuation(text[t]));
    return true;
  }
  if (pattern[p] == '[') {
    bool holds = false;
    const std::size_t end = match_set(pattern, p, text[t], kind, holds);
    if (end != none) {
      if (!holds) return false;
      p = end;
      ++t;
      return true;
    }
  }
  const std::size_t quoted = kind == Glob::path && pattern[p] == '\\' && p + 1 < pattern.size() ? 1 : 0;
  if (pattern[p + quoted] != text[t]) return false;
  p += quoted + 1;
  ++t;
  return true;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text, Glob kind) {
  const bool path = kind == Glob::path;
  charge_text(pattern.size() + text.size());
  std::size_t steps = 0;
  std::size_t p = 0;
  std::size_t t = 0;
  // Behind the last `*` and the last `**/`, and how much of the text they take.
  std::size_t star = none;
  std::size_t star_end = 0;
  std::size_t folders = none;
  std::size_t folders_end = 0;
  for (;;) {
    // Behind a `*` the rest is tried at every character, and a set is as long as it likes.
    constexpr std::size_t steps_per_charge = 64;
    constexpr std::size_t steps_per_unit = 4;
    if (++steps % steps_per_charge == 0) charge(steps_per_charge / steps_per_unit);
    if (path && (p == 0 || pattern[p - 1] == '/') && pattern.substr(p).starts_with("**/")) {
      folders = p += 3;
      folders_end = t;
      star = none;
      continue;
    }
    if (path && pattern.substr(p) == "**") return true;
    if (p < pattern.size() && pattern[p] == '*') {
      p = pattern.find_first_not_of('*', p);
      if (p == none) p = pattern.size();
      star = p;
      star_end = t;
      continue;
    }
    if (t == text.size() ? p == pattern.size() : match_one(pattern, text, kind, p, t)) {
      if (t == text.size() && p == pattern.size()) return true;
      continue;
    }
    if (star != none && star_end < text.size() && !(path && text[star_end] == '/')) {
      p = star;
      t = ++star_end;
      continue;
    }
    if (folders == none) return false;
    const std::size_t slash = text.find('/', folders_end);
    if (slash == none) return false;
    p = folders;
    t = folders_end = slash + 1;
    star = none;
  }
}

}  // namespace shapelint
