// Messages behind their headers, cut out of a stream of bytes.
// Source: Language Server Protocol 3.17, "Base Protocol".
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::lsp {

// Longest message that is kept: the largest document with every byte of it escaped, and some room.
inline constexpr std::int64_t longest_message = 128LL * 1024 * 1024;

struct Frame {
  std::string content;
  std::string problem;  // why there is no content; empty where there is one
};

// Takes bytes as they come, in pieces of any size, and holds no more than has come. What is no frame is
// reported once; the next one that begins after it is found.
class Frames {
 public:
  void push(std::string_view bytes);
  // The next whole one; nothing until more bytes come.
  std::optional<Frame> next();

 private:
  bool read_headers();  // false: more bytes are needed
  void take_header(std::string_view line);
  void end_headers();

  std::string bytes_;
  std::size_t at_ = 0;       // what was read of them
  std::size_t scanned_ = 0;  // no line ends before this
  // For the message that is being read.
  bool in_body_ = false;
  bool has_headers_ = false;
  bool says_length_ = false;
  bool is_in_other_encoding_ = false;
  std::int64_t left_ = 0;  // bytes of the body
  std::string problem_;
};

// Whether a text would, as JSON, be nested deeper or have more values than any message of an editor: parsed
// it takes many times its length, and for every level some of the stack.
bool is_too_much(std::string_view json);

// At least one message, and with it those that are there already; none at the end of the stream.
std::vector<Frame> read_waiting(std::istream& in, Frames& frames);

void write_message(std::ostream& out, std::string_view content);

}  // namespace shapelint::lsp
