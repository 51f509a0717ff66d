// Texts with places: splitting, cutting, matching.
#include "text/shell/value.hpp"

#include <algorithm>

namespace shapelint::text::shell {

namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// A piece's characters [begin, end); the place shrinks with them where that is possible.
Piece cut(const Piece& piece, std::size_t begin, std::size_t end) {
  Piece part = piece;
  part.text = piece.text.substr(begin, end - begin);
  if (piece.exact) {
    part.span.begin = piece.span.begin + static_cast<std::int64_t>(begin);
    part.span.end = piece.span.begin + static_cast<std::int64_t>(end);
  }
  return part;
}

}  // namespace

std::vector<Text> split_words(const Text& text) {
  std::vector<Text> words;
  Text word;
  bool started = false;
  const auto finish = [&] {
    if (started) words.push_back(std::move(word));
    word.clear();
    started = false;
  };
  for (const Piece& piece : text) {
    if (piece.quoted || !piece.known) {
      word.push_back(piece);
      started = true;
      continue;
    }
    std::size_t at = 0;
    while (at < piece.text.size()) {
      if (blanks.find(piece.text[at]) != std::string_view::npos) {
        finish();
        ++at;
        continue;
      }
      const std::size_t end = std::min(piece.text.find_first_of(blanks, at), piece.text.size());
      word.push_back(cut(piece, at, end));
      started = true;
      at = end;
    }
  }
  finish();
  return words;
}

Text substring(const Text& text, std::size_t begin, std::size_t end) {
  Text part;
  std::size_t at = 0;
  for (const Piece& piece : text) {
    const std::size_t stop = at + piece.text.size();
    if (!piece.known) {
      if (at >= begin && at <= end) part.push_back(piece);
    } else if (stop > begin && at < end) {
      part.push_back(cut(piece, std::max(begin, at) - at, std::min(end, stop) - at));
    }
    at = stop;
  }
  return part;
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // Greedy with one point to come back to: a later `*` makes an earlier one settled.
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    bool matched = false;
    std::size_t next = p + 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '?') {
      matched = true;
    } else if (p < pattern.size() && pattern[p] == '[' &&
               pattern.find(']', p + 2) != std::string_view::npos) {
      const std::size_t close = pattern.find(']', p + 2);
      const bool negated = pattern[p + 1] == '!' || pattern[p + 1] == '^';
      for (std::size_t i = p + (negated ? 2 : 1); i < close; ++i) {
        const bool is_range = i + 2 < close && pattern[i + 1] == '-';
        matched = matched ||
                  (is_range ? text[t] >= pattern[i] && text[t] <= pattern[i + 2] : text[t] == pattern[i]);
        if (is_range) i += 2;
      }
      matched = matched != negated;
      next = close + 1;
    } else if (p < pattern.size()) {
      matched = pattern[p] == text[t];
    }
    if (matched) {
      // A character may take several bytes.
      do ++t;
      while (p < pattern.size() && pattern[p] == '?' && t < text.size() && is_continuation(text[t]));
      p = next;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace shapelint::text::shell
