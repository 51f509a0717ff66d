// Small texts: names and lists as people read them, quoted strings, patterns with `*`, and did-you-mean.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shapelint {

// `micro-batch-size` for `micro_batch_size`: as options and configurations write it.
std::string dashed(std::string_view name);

// As strings of their own.
template <class Views>
std::vector<std::string> strings(const Views& views) {
  return {views.begin(), views.end()};
}

// "a, b and c".
std::string in_words(std::span<const std::string> parts);

// Appends the degrees of parallelism that are above 1: "TP 2, PP 4".
void append_degrees(std::string& out,
                    std::initializer_list<std::pair<std::string_view, std::int64_t>> degrees,
                    std::string_view separator = ", ");

// Without the blanks at both ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// A string of JSON that is a basic string of TOML 1.0, too. What is not UTF-8 is refused before.
std::string quoted(std::string_view text);

// Whether a byte continues a character that began before it.
constexpr bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// Whether a byte can be part of an identifier: an ASCII letter, a digit or `_`.
constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}
// How often `word` occurs in `text` as a whole identifier.
std::size_t count_word(std::string_view text, std::string_view word);

// With every byte escaped as `%XX` that is not an ASCII letter, a digit or in `allowed` (RFC 3986).
std::string percent_encoded(std::string_view text, std::string_view allowed);

enum class Glob : std::uint8_t {
  path,   // as in .gitignore: `*`, `?` and `[a-z]` stop at `/`, `**` does not, and `\` quotes
  shell,  // as in a shell's `case`: `*`, `?` and `[a-z]`
  name    // `*` only, and case does not matter
};

// Whether the whole of `text` matches. `?` takes a character, of however many bytes. Time grows with the
// product of both lengths at most.
bool glob_matches(std::string_view pattern, std::string_view text, Glob kind);

// Number of single-character insertions, deletions, replacements and swaps of neighbours (Damerau,
// restricted).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name` (ties: the first), or empty when none is near: at most a third of the
// letters may differ. Case and `-`/`_` are not counted as differences.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

// "did you mean `x`?" or an empty string, ready to be an Error's hint.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace shapelint
