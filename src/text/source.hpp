// Where a byte of a text is, for people: line and column, worked out only when something is printed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shapelint::text {

struct Place {
  std::int64_t line = 1;    // 1-based
  std::int64_t column = 1;  // 1-based, in Unicode code points
};

// The place of byte `offset` (clamped to the text). Lines end at "\n"; a byte-order mark has no column.
Place place_of(std::string_view text, std::int64_t offset);

// The line that holds byte `offset`, without its line ending.
std::string_view line_at(std::string_view text, std::int64_t offset);

// Byte offset of a 1-based line and 1-based column in code points, clamped to the text.
std::int64_t offset_of(std::string_view text, Place place);

// The same for many places of one UTF-8 text, none of which is looked for from the beginning.
class Places {
 public:
  explicit Places(std::string_view text);
  Place place(std::int64_t offset) const;
  std::int64_t offset(Place place) const;
  // The byte at which a character (a code point) begins, counted from 0 and behind a byte-order mark; the end
  // of the text for those past it.
  std::int64_t byte(std::int64_t character) const;

 private:
  struct Line {
    std::int64_t begin;      // its first byte
    std::int64_t character;  // and character
  };
  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<std::int64_t> marks_;  // the byte of every so many characters
};

// Offset of the first byte that is not valid UTF-8, or -1.
std::int64_t first_invalid_utf8(std::string_view text);

// A text that trees, errors and reports hold together, without copies of it.

// Never changes. Reads as a string wherever one is looked at.
class SharedText {
 public:
  SharedText();
  SharedText(std::string text);                                    // NOLINT: implicit by design
  SharedText(const char* text) : SharedText(std::string(text)) {}  // NOLINT

  const std::string& str() const;
  operator const std::string&() const { return str(); }  // NOLINT
  operator std::string_view() const { return str(); }    // NOLINT
  bool empty() const { return str().empty(); }
  std::size_t size() const { return str().size(); }
  // Lines and columns in it, worked out when they are first asked for.
  const Places& places() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace shapelint::text
