// Where the tokens of a YAML text end: yaml-cpp says where values begin, and nothing more.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace shapelint::text::yaml {

// All positions are bytes of the text.
class Layout {
 public:
  explicit Layout(std::string_view text) : text_(text) {}

  // Past the tags and anchors (`!!int`, `&base`) that may stand before a value.
  std::size_t skip_properties(std::size_t at) const;
  // Past blanks, line breaks and comments.
  std::size_t skip_blanks(std::size_t at) const;

  // One past the closing quote of the string that opens at `at`; nothing when it is never closed.
  std::optional<std::size_t> quoted_end(std::size_t at) const;
  // One past the last character of an unquoted scalar, which is known to read as `value`.
  std::size_t plain_end(std::size_t at, std::string_view value) const;
  // The same for a block scalar, whose `|` or `>` is at `at`.
  std::size_t block_end(std::size_t at, std::string_view value) const;
  // One past an alias or an anchor.
  std::size_t name_end(std::size_t at) const;

  std::size_t column(std::size_t at) const;
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

 private:
  std::size_t line_end(std::size_t at) const;
  std::string_view text_;
};

}  // namespace shapelint::text::yaml
