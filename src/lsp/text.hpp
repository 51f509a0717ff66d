// What the language server protocol wants of texts: positions, changes and addresses.
// Source: Language Server Protocol 3.17, "Text Documents" and "URI".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shapelint::lsp {

// Lines and characters count from 0; characters are UTF-16 code units, or bytes where the client asked for
// it. Lines end with `\n`, `\r\n` or `\r`.
enum class PositionEncoding : std::uint8_t { utf16, utf8 };

struct Position {
  std::int64_t line = 0;
  std::int64_t character = 0;
};

struct TextRange {
  Position begin;
  Position end;
};

// New text for a range of the old one; without a range for all of it.
struct TextChange {
  std::optional<TextRange> range;
  std::string text;
};

Position position_of(std::string_view text, std::int64_t offset, PositionEncoding encoding);
// A character past the end of its line is that end, a line past the last one the end of the text, and a place
// within a character its beginning.
std::int64_t offset_of(std::string_view text, Position position, PositionEncoding encoding);

// A range that ends before it begins is meant the other way around.
void apply(const TextChange& change, PositionEncoding encoding, std::string& text);

// `file:///a%20b.toml` to `/a b.toml`; other addresses (a file that is not saved yet) stay as they are.
std::string path_of_uri(std::string_view uri);

}  // namespace shapelint::lsp
