// What is printed, made harmless.
#include "report/guard.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "text/printable.hpp"

namespace shapelint::report {

GuardBuffer::int_type GuardBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  return append({&byte, 1}) ? c : traits_type::eof();
}

std::streamsize GuardBuffer::xsputn(const char* text, std::streamsize size) {
  return append({text, static_cast<std::size_t>(size)}) ? size : 0;
}

int GuardBuffer::sync() {
  pass();
  return target_.flush() ? 0 : -1;
}

namespace {

// Whether each of eight characters is printable ASCII: none below a blank, none above `~`. A borrow reaches
// the next character only from one that is not printable itself.
bool is_printable(std::uint64_t eight) {
  constexpr std::uint64_t each = 0x0101010101010101;
  constexpr std::uint64_t high = 0x80 * each;
  return ((eight | (eight - ' ' * each) | (eight + each)) & high) == 0;
}

// Nothing in it needs a look at its lines. Eight characters at a time: rows come by the million.
bool is_plain(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::size_t at = 0;
    for (std::uint64_t eight = 0; at + sizeof eight <= end; at += sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if (!is_printable(eight)) return false;
    }
    for (; at < end; ++at) {
      if (text[at] < ' ' || text[at] >= 0x7F) return false;
    }
    if (text.substr(0, end).find("##") != std::string_view::npos) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

}  // namespace

bool GuardBuffer::append(std::string_view text) {
  is_used_ = is_used_ || !text.empty();
  // Whole lines of which none can begin with a colon go as they are.
  const std::size_t end = text.rfind('\n') + 1;  // npos + 1: none
  if (line_.empty() && is_plain(text.substr(0, end)) &&
      text.substr(0, end).find(':') == std::string_view::npos) {
    target_ << text.substr(0, end);
    is_line_begin_ = is_line_begin_ || end > 0;
    line_ = text.substr(end);
    return static_cast<bool>(target_);
  }
  for (std::size_t feed = text.find('\n'); feed != std::string_view::npos; feed = text.find('\n')) {
    line_ += text.substr(0, feed + 1);
    text.remove_prefix(feed + 1);
    if (!pass()) return false;
  }
  line_ += text;
  return true;
}

bool GuardBuffer::pass() {
  if (line_.empty()) return true;
  target_ << harmless(line_);
  // Of a line that is not whole, something that is no blank and no colon keeps what follows from beginning
  // one.
  is_line_begin_ =
      line_.back() == '\n' || (is_line_begin_ && line_.find_first_not_of(" \t\r:") == std::string::npos);
  line_.clear();
  return static_cast<bool>(target_);
}

std::size_t GuardBuffer::own_sequence(std::string_view text) const {
  if (text.front() == '\t') return 1;
  if (text.front() == '\r') return is_terminal_ || text.substr(1).starts_with('\n') ? 1 : 0;
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = std::min(text.find_first_not_of("0123456789;", 2), text.size());
  if (end == text.size()) return 0;
  const bool is_ours = (text[end] == 'm' && has_colour_) || (text[end] == 'K' && is_terminal_);
  return is_ours ? end + 1 : 0;
}

std::string GuardBuffer::harmless(std::string_view line) const {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  if (is_plain(line) && line.substr(first, 1) != ":") return std::string(line);
  const std::string without = text::without_commands(line, is_line_begin_);
  std::string out;
  for (std::string_view left = without; !left.empty();) {
    if (const std::size_t size = own_sequence(left); size > 0) {
      out += left.substr(0, size);
      left.remove_prefix(size);
      continue;
    }
    const std::size_t end = std::min(left.find_first_of("\t\r\x1b", 1), left.size());
    out += text::printable(left.substr(0, end));
    left.remove_prefix(end);
  }
  return out;
}

}  // namespace shapelint::report
