// Ends of YAML tokens.
#include "text/yaml/layout.hpp"

#include <algorithm>

namespace shapelint::text::yaml {

namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_blank(char c) {
  return blanks.find(c) != std::string_view::npos;
}

}  // namespace

std::size_t Layout::line_end(std::size_t at) const {
  return std::min(text_.find('\n', at), text_.size());
}

std::size_t Layout::column(std::size_t position) const {
  const std::size_t newline = position == 0 ? std::string_view::npos : text_.rfind('\n', position - 1);
  return newline == std::string_view::npos ? position : position - newline - 1;
}

std::size_t Layout::skip_blanks(std::size_t position) const {
  while (position < text_.size()) {
    if (is_blank(text_[position])) {
      ++position;
    } else if (text_[position] == '#' && (position == 0 || is_blank(text_[position - 1]))) {
      position = line_end(position);
    } else {
      break;
    }
  }
  return position;
}

std::size_t Layout::name_end(std::size_t position) const {
  return std::min(text_.find_first_of(" \t\r\n,[]{}", position), text_.size());
}

std::size_t Layout::skip_properties(std::size_t position) const {
  while (at(position) == '&' || at(position) == '!') {
    if (text_.substr(position, 2) == "!<") {
      position = std::min(text_.find('>', position), text_.size() - 1) + 1;
    } else {
      position = name_end(position);
    }
    position = skip_blanks(position);
  }
  return position;
}

std::optional<std::size_t> Layout::quoted_end(std::size_t position) const {
  const char quote = at(position);
  for (std::size_t i = position + 1; i < text_.size(); ++i) {
    if (quote == '"' && text_[i] == '\\') {
      ++i;
    } else if (text_[i] == quote) {
      if (quote == '"' || at(i + 1) != '\'') return i + 1;
      ++i;
    }
  }
  return std::nullopt;
}

std::size_t Layout::plain_end(std::size_t position, std::string_view value) const {
  // Blanks and breaks are folded, indents dropped; all else reads as it is written, without escapes.
  std::size_t end = position;
  for (const char c : value) {
    if (is_blank(c)) continue;
    while (position < text_.size() && is_blank(text_[position])) ++position;
    if (at(position) != c) break;
    end = ++position;
  }
  return end;
}

std::size_t Layout::block_end(std::size_t position, std::string_view value) const {
  const std::size_t header_end = std::min(text_.find_first_of(blanks, position), text_.size());
  if (std::all_of(value.begin(), value.end(), is_blank)) return header_end;
  return plain_end(line_end(header_end), value);
}

}  // namespace shapelint::text::yaml
