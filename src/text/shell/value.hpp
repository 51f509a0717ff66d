// Values of shell variables and words: text that knows, piece by piece, where it was written.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/error.hpp"

namespace shapelint::text::shell {

struct Piece {
  std::string text;         // empty when unknown
  Span span;                // where it was written
  bool exact = true;        // `text` is what stands at `span`, byte for byte
  bool quoted = true;       // blanks in it do not separate words
  bool known = true;        // otherwise only the run decides, and `reason` says why
  bool not_given = false;   // unknown, and absent when the script starts without arguments and environment
  bool is_default = false;  // what `${NAME:-1}` falls back on, without that environment
  std::string name;         // of the variable, when unknown
  std::string reason;
  std::string flags;          // of an unknown one: those that it may hold, with blanks between them
  std::int64_t included = 0;  // 0, or in which sourced script it was written, and where
  std::vector<Span> uses;     // the expansions it came through, the innermost first
};

using Text = std::vector<Piece>;

// Cost of copying a piece, without its texts: several strings and a vector.
inline constexpr std::size_t units_per_piece = 10;

inline std::size_t bytes_of(const Piece& piece) {
  return sizeof(Piece) + piece.text.size() + piece.name.size() + piece.reason.size() + piece.flags.size() +
         piece.uses.size() * sizeof(Span);
}

// Copying texts, before it is done; what is made of a script lives until the script is read. Throws Spent.
inline void charge_copy(const Piece& piece) {
  const std::size_t bytes = bytes_of(piece);
  charge(units_per_piece + bytes / 64);
  charge_bytes(bytes);
}
inline void charge_copy(const Text& text) {
  for (const Piece& piece : text) charge_copy(piece);
}

// Looking at each byte of a text.
inline void charge_bytewise(std::size_t bytes) {
  charge(1 + bytes / 8);
}

struct Value {
  bool is_array = false;
  std::vector<Text> items;  // one when it is no array
};

using Variables = std::map<std::string, std::shared_ptr<const Value>, std::less<>>;

inline bool is_known(const Text& text) {
  charge(1 + text.size() / 8);
  for (const Piece& piece : text) {
    if (!piece.known) return false;
  }
  return true;
}

inline std::string as_string(const Text& text) {
  std::string all;
  for (const Piece& piece : text) {
    charge_text(piece.text.size());
    all += piece.text;
  }
  return all;
}

inline const Piece* first_unknown(const Text& text) {
  for (const Piece& piece : text) {
    if (!piece.known) return &piece;
  }
  return nullptr;
}

// Blanks outside of quotes separate words; a word that is empty stays only when it is quoted.
std::vector<Text> split_words(const Text& text);

// The part of a text between two positions of as_string. Unknown pieces have no length; those at the ends
// belong to it.
Text substring(const Text& text, std::size_t begin, std::size_t end);

// Integer arithmetic of `$((…))` after its expansions. `lookup` gives the value of a name. Nothing for what
// is no such expression, a division by zero, or a result past 64 bits. A name is worked out again wherever it
// stands, and charged.
std::optional<std::int64_t> evaluate_arithmetic(std::string_view expression, const Variables& variables);

}  // namespace shapelint::text::shell
