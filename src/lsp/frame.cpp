// Messages behind their headers.
#include "lsp/frame.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"

namespace shapelint::lsp {

namespace {

constexpr std::string_view length_header = "content-length";
constexpr std::string_view type_header = "content-type";
// An unterminated line keeps only this many of its last bytes: a header may be among them.
constexpr std::size_t longest_line = 4096;
// Messages of editors nest about ten deep, and a change at each of 100,000 cursors has a million values.
constexpr int deepest_message = 100;
constexpr std::int64_t most_values = 2'000'000;
// What waits on the input is taken together up to this; not beyond, since parsed it takes many times as much.
constexpr std::size_t max_waiting_bytes = std::size_t{16} * 1024 * 1024;
// Room that is given back after a long message.
constexpr std::size_t max_spare_room = std::size_t{1024} * 1024;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
  });
}

// `application/vscode-jsonrpc; charset=utf-8`: UTF-8 is the only encoding that the protocol has.
bool is_other_encoding(std::string_view type) {
  const std::string text = lower(type);
  constexpr std::string_view charset = "charset=";
  const std::size_t at = text.find(charset);
  if (at == std::string::npos) return false;
  std::string_view value = trimmed(std::string_view(text).substr(at + charset.size()));
  value = trimmed(value.substr(0, value.find(';')));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  return value != "utf-8" && value != "utf8";
}

}  // namespace

void Frames::push(std::string_view bytes) {
  bytes_.erase(0, at_);
  scanned_ -= std::min(scanned_, at_);
  at_ = 0;
  if (bytes_.empty() && bytes_.capacity() > max_spare_room) bytes_.shrink_to_fit();
  bytes_ += bytes;
}

std::optional<Frame> Frames::next() {
  if (!in_body_ && !read_headers()) return std::nullopt;
  const auto here = static_cast<std::int64_t>(bytes_.size() - at_);
  Frame frame;
  if (problem_.empty()) {
    if (here < left_) return std::nullopt;
    frame.content = bytes_.substr(at_, static_cast<std::size_t>(left_));
    at_ += static_cast<std::size_t>(left_);
  } else {
    // What is refused is passed over as it comes.
    const std::int64_t passed = std::min(here, left_);
    at_ += static_cast<std::size_t>(passed);
    left_ -= passed;
    if (left_ > 0) return std::nullopt;
    frame.problem = std::move(problem_);
  }
  scanned_ = at_;
  in_body_ = has_headers_ = says_length_ = is_in_other_encoding_ = false;
  left_ = 0;
  problem_.clear();
  return frame;
}

bool Frames::read_headers() {
  while (true) {
    const std::size_t end = bytes_.find('\n', std::max(at_, scanned_));
    if (end == std::string::npos) {
      scanned_ = bytes_.size();
      if (scanned_ - at_ > longest_line) at_ = scanned_ - longest_line;
      return false;
    }
    if (end - at_ > longest_line) at_ = end - longest_line;  // as if it had come in pieces
    const std::string_view line = trimmed(std::string_view(bytes_).substr(at_, end - at_));
    at_ = end + 1;
    scanned_ = at_;
    if (!line.empty()) {
      has_headers_ = true;
      take_header(line);
    } else if (has_headers_) {
      end_headers();
      return true;
    }
  }
}

void Frames::take_header(std::string_view line) {
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_name(line.substr(0, colon))) {
    // The rest of a message whose length was wrong: the next one's header follows it without a line break.
    const std::size_t at = lower(line).rfind(fmt::format("{}:", length_header));
    if (at == std::string::npos) return;
    line.remove_prefix(at);
    colon = length_header.size();
  }
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == length_header) {
    says_length_ = true;
    left_ = parse_integer(value).value_or(-1);
  } else if (name == type_header) {
    is_in_other_encoding_ = is_other_encoding(value);
  }
}

void Frames::end_headers() {
  in_body_ = true;
  if (!says_length_) {
    problem_ = "the message has no Content-Length";
  } else if (left_ < 0) {
    problem_ = "the Content-Length is not a length";
    left_ = 0;
  } else if (left_ > longest_message) {
    problem_ = fmt::format("the message has {} bytes, and at most {} are read", left_, longest_message);
  } else if (is_in_other_encoding_) {
    problem_ = "the message is in another encoding than UTF-8";
  }
}

bool is_too_much(std::string_view json) {
  int depth = 0;
  std::int64_t values = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      if (c == '"') is_quoted = false;
      continue;
    }
    is_quoted = c == '"';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == '[' || c == '{' || c == ',' || c == ':') ++values;
    if (depth > deepest_message || values > most_values) return true;
  }
  return false;
}

std::vector<Frame> read_waiting(std::istream& in, Frames& frames) {
  std::vector<Frame> waiting;
  std::streambuf& input = *in.rdbuf();
  std::size_t taken = 0;
  while (waiting.empty() || (taken < max_waiting_bytes && input.in_avail() > 0)) {
    // Waits for a byte, and takes with it those that need no waiting.
    constexpr int end = std::char_traits<char>::eof();
    if (input.sgetc() == end) break;
    std::array<char, 65536> piece{};
    const std::streamsize ready =
        std::clamp<std::streamsize>(input.in_avail(), 1, static_cast<std::streamsize>(piece.size()));
    const auto got = static_cast<std::size_t>(input.sgetn(piece.data(), ready));
    taken += got;
    frames.push({piece.data(), got});
    while (std::optional<Frame> frame = frames.next()) waiting.push_back(*std::move(frame));
  }
  return waiting;
}

void write_message(std::ostream& out, std::string_view content) {
  out << fmt::format("Content-Length: {}\r\n\r\n", content.size()) << content << std::flush;
}

}  // namespace shapelint::lsp
