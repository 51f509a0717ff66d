// What the language server protocol wants of texts: positions, addresses and messages.
// Source: Language Server Protocol 3.17, "Base Protocol", "Text Documents" and "URI".
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace shapelint::lsp {

// Lines and characters count from 0; characters are UTF-16 code units, or bytes where the client asked for
// it.
enum class PositionEncoding : std::uint8_t { utf16, utf8 };

struct Position {
  std::int64_t line = 0;
  std::int64_t character = 0;
};

Position position_of(std::string_view text, std::int64_t offset, PositionEncoding encoding);
std::int64_t offset_of(std::string_view text, Position position, PositionEncoding encoding);

// `file:///a%20b.toml` to `/a b.toml`; other addresses (a file that is not saved yet) stay as they are.
std::string path_of_uri(std::string_view uri);

// The next message's content; nothing at the end of the stream or when it is no message.
std::optional<std::string> read_message(std::istream& in);
void write_message(std::ostream& out, std::string_view content);

}  // namespace shapelint::lsp
