// What the language server protocol wants of texts.
#include "lsp/text.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/utf8.hpp"

namespace shapelint::lsp {

namespace {

// Longest message taken; a client that sends more is broken.
constexpr std::int64_t longest_message = 256LL * 1024 * 1024;

// UTF-16 code units that a byte of UTF-8 begins: 0 within a character, 2 past the basic plane.
std::int64_t units(char byte, PositionEncoding encoding) {
  if (encoding == PositionEncoding::utf8) return 1;
  if (is_continuation(byte)) return 0;
  constexpr unsigned char first_of_four = 0xF0;
  return static_cast<unsigned char>(byte) >= first_of_four ? 2 : 1;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Position position_of(std::string_view text, std::int64_t offset, PositionEncoding encoding) {
  const auto at =
      static_cast<std::size_t>(std::clamp<std::int64_t>(offset, 0, static_cast<std::int64_t>(text.size())));
  Position position;
  for (std::size_t i = 0; i < at; ++i) {
    if (text[i] == '\n') {
      ++position.line;
      position.character = 0;
    } else {
      position.character += units(text[i], encoding);
    }
  }
  return position;
}

std::int64_t offset_of(std::string_view text, Position position, PositionEncoding encoding) {
  std::size_t at = 0;
  for (std::int64_t line = 0; line < position.line; ++line) {
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos) return static_cast<std::int64_t>(text.size());
    at = newline + 1;
  }
  std::int64_t character = 0;
  while (at < text.size() && text[at] != '\n') {
    const std::int64_t width = units(text[at], encoding);
    if (width > 0 && character >= position.character) break;
    character += width;
    ++at;
  }
  return static_cast<std::int64_t>(at);
}

std::string path_of_uri(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return std::string(uri);
  uri.remove_prefix(scheme.size());
  uri.remove_prefix(std::min(uri.find('/'), uri.size()));  // a host's name
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const int high = i + 2 < uri.size() ? hex_value(uri[i + 1]) : -1;
    const int low = i + 2 < uri.size() ? hex_value(uri[i + 2]) : -1;
    if (uri[i] == '%' && high >= 0 && low >= 0) {
      path += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

std::optional<std::string> read_message(std::istream& in) {
  constexpr std::string_view length_header = "Content-Length:";
  std::int64_t length = -1;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) break;
    if (!line.starts_with(length_header)) continue;
    std::string_view value = std::string_view(line).substr(length_header.size());
    while (value.starts_with(' ')) value.remove_prefix(1);
    length = parse_integer(value).value_or(-1);
  }
  if (!in || length < 0 || length > longest_message) return std::nullopt;
  std::string content(static_cast<std::size_t>(length), '\0');
  in.read(content.data(), length);
  if (in.gcount() != length) return std::nullopt;
  return content;
}

void write_message(std::ostream& out, std::string_view content) {
  out << fmt::format("Content-Length: {}\r\n\r\n", content.size()) << content << std::flush;
}

}  // namespace shapelint::lsp
