// Names, lists, escapes, patterns with `*`, and the nearest of several names.
#include "base/strings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/budget.hpp"

namespace shapelint {

std::string dashed(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string in_words(std::span<const std::string> parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return out;
}

void append_degrees(std::string& out,
                    std::initializer_list<std::pair<std::string_view, std::int64_t>> degrees,
                    std::string_view separator) {
  for (const auto& [name, degree] : degrees) {
    if (degree > 1) out += fmt::format("{}{} {}", out.empty() ? "" : separator, name, degree);
  }
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::size_t count_word(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_name_character(text[at - 1]);
    const bool ends = end == text.size() || !is_name_character(text[end]);
    if (begins && ends) ++count;
  }
  return count;
}

std::string percent_encoded(std::string_view text, std::string_view allowed) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (is_name_character(c) && c != '_') || allowed.find(c) != std::string_view::npos;
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      out += c;
    }
  }
  return out + '"';
}

namespace {

constexpr std::size_t none = std::string_view::npos;

// Of ASCII, and not through the locale: it is asked for each character of each kernel's name.
constexpr char small(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_letter(char a, char b) {
  return a == b || small(a) == small(b);
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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // What both begin or end with takes no edit.
  const auto same = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  a.remove_prefix(static_cast<std::size_t>(same));
  b.remove_prefix(static_cast<std::size_t>(same));
  const auto same_end = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin();
  a.remove_suffix(static_cast<std::size_t>(same_end));
  b.remove_suffix(static_cast<std::size_t>(same_end));
  if (a.empty() || b.empty()) return a.size() + b.size();
  charge(1 + a.size() * b.size() / 4);
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> rows(3 * width);
  std::size_t* before_last = rows.data();
  std::size_t* last = before_last + width;
  std::size_t* row = last + width;
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

namespace {

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return out;
}

// Names longer than this are not typos of anything; comparing them would only cost time.
constexpr std::size_t longest_name = 64;

// What other programs call a thing of ours; too far from our name to be a typo of it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> other_names{{{"bfloat16", "bf16"},
                                                                                    {"float16", "fp16"},
                                                                                    {"half", "fp16"},
                                                                                    {"float32", "fp32"},
                                                                                    {"float", "fp32"},
                                                                                    {"tensorfloat32", "tf32"},
                                                                                    {"float8", "fp8"},
                                                                                    {"float4", "fp4"}}};

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > longest_name) return {};
  charge(2 * candidates.size());
  const std::string wanted = folded(name);
  for (const auto& [other, ours] : other_names) {
    const auto found = std::find(candidates.begin(), candidates.end(), ours);
    if (wanted == other && found != candidates.end()) return *found;
  }
  std::string_view best;
  std::pair<std::ptrdiff_t, std::ptrdiff_t> best_shared;  // characters that both begin with, and end with
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::string other = folded(candidate);
    // Each character more or less is an edit: most names need no look at their characters.
    const std::size_t longer = std::max(wanted.size(), other.size());
    if (longer - std::min(wanted.size(), other.size()) > best_distance) continue;
    const std::size_t distance = edit_distance(wanted, other);
    // Of two as near: the one that begins as the name does (`h10` is `h100`, not `a10`), then the one that
    // ends so (`parms` is `params`, not `parts`).
    const std::pair shared{
        std::mismatch(wanted.begin(), wanted.end(), other.begin(), other.end()).first - wanted.begin(),
        std::mismatch(wanted.rbegin(), wanted.rend(), other.rbegin(), other.rend()).first - wanted.rbegin()};
    if (distance < best_distance || (distance == best_distance && !best.empty() && shared > best_shared)) {
      best = candidate;
      best_distance = distance;
      best_shared = shared;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view best = nearest_name(name, candidates);
  if (best.empty()) return {};
  return "did you mean `" + std::string(best) + "`?";
}

}  // namespace shapelint
