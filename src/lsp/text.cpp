// What the language server protocol wants of texts.
#include "lsp/text.hpp"

#include <algorithm>
#include <utility>

#include "base/strings.hpp"

namespace shapelint::lsp {

namespace {

// UTF-16 code units that a byte of UTF-8 begins: 0 within a character, 2 past the basic plane.
std::int64_t units(char byte, PositionEncoding encoding) {
  if (encoding == PositionEncoding::utf8) return 1;
  if (is_continuation(byte)) return 0;
  constexpr unsigned char first_of_four = 0xF0;
  return static_cast<unsigned char>(byte) >= first_of_four ? 2 : 1;
}

// Goes from line to line.
struct Lines {
  explicit Lines(std::string_view of) : text(of), feed(of.find('\n')), carriage(of.find('\r')) {}
  // Of this line, without what ends it.
  std::size_t end() const { return std::min({feed, carriage, text.size()}); }
  // False: this is the last one.
  bool next() {
    const std::size_t last = end();
    if (last == text.size()) return false;
    begin = last + (carriage == last && feed == last + 1 ? 2 : 1);
    if (feed < begin) feed = text.find('\n', begin);
    if (carriage < begin) carriage = text.find('\r', begin);
    return true;
  }

  std::string_view text;
  std::size_t begin = 0;
  std::size_t feed;      // the next `\n`
  std::size_t carriage;  // the next `\r`
};

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
  Lines lines(text);
  Position position;
  std::size_t begin = 0;
  while (lines.next() && lines.begin <= at) {
    begin = lines.begin;
    ++position.line;
  }
  // Within what ends the line there are no characters.
  for (std::size_t i = begin; i < at && text[i] != '\n' && text[i] != '\r'; ++i) {
    position.character += units(text[i], encoding);
  }
  return position;
}

std::int64_t offset_of(std::string_view text, Position position, PositionEncoding encoding) {
  Lines lines(text);
  for (std::int64_t line = 0; line < position.line; ++line) {
    if (!lines.next()) return static_cast<std::int64_t>(text.size());
  }
  std::size_t at = lines.begin;
  std::int64_t left = position.character;
  while (at < lines.end()) {
    std::size_t next = at + 1;
    while (next < lines.end() && is_continuation(text[next])) ++next;
    std::int64_t width = 0;
    for (std::size_t i = at; i < next; ++i) width += units(text[i], encoding);
    if (width > left) break;
    left -= width;
    at = next;
  }
  return static_cast<std::int64_t>(at);
}

void apply(const TextChange& change, PositionEncoding encoding, std::string& text) {
  if (!change.range) {
    text = change.text;
    return;
  }
  std::int64_t begin = offset_of(text, change.range->begin, encoding);
  std::int64_t end = offset_of(text, change.range->end, encoding);
  if (end < begin) std::swap(begin, end);
  text.replace(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin), change.text);
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

}  // namespace shapelint::lsp
