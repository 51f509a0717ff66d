// Texts with places: splitting, cutting, matching.
#include "text/shell/value.hpp"

#include <algorithm>

namespace shapelint::text::shell {

namespace {

constexpr std::string_view word_separators = " \t\r\n";

// A piece's characters [begin, end); the place shrinks with them where that is possible.
Piece cut(const Piece& piece, std::size_t begin, std::size_t end) {
  Piece part;
  part.text = piece.text.substr(begin, end - begin);
  part.span = piece.span;
  part.exact = piece.exact;
  part.quoted = piece.quoted;
  part.known = piece.known;
  part.not_given = piece.not_given;
  part.is_default = piece.is_default;
  part.name = piece.name;
  part.reason = piece.reason;
  part.flags = piece.flags;
  part.included = piece.included;
  part.uses = piece.uses;
  charge_copy(part);
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
      charge_copy(piece);
      word.push_back(piece);
      started = true;
      continue;
    }
    charge_text(piece.text.size());
    std::size_t at = 0;
    while (at < piece.text.size()) {
      if (word_separators.find(piece.text[at]) != std::string_view::npos) {
        finish();
        ++at;
        continue;
      }
      const std::size_t end = std::min(piece.text.find_first_of(word_separators, at), piece.text.size());
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
  charge(1 + text.size());
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

}  // namespace shapelint::text::shell
