// Between all that is printed and the process's streams: whatever a file holds, and wherever that is printed,
// no control characters reach a terminal, and no line that a CI runner takes for a command reaches its log.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace shapelint::report {

// Holds a line until it is whole (or flushed), and passes on what is harmless in it: text::printable,
// colours, and what erases a line of a terminal. The reports' own escapes come first and lose nothing; here
// nothing gets past.
class GuardBuffer final : public std::streambuf {
 public:
  GuardBuffer(std::ostream& target, bool is_terminal) : target_(target), is_terminal_(is_terminal) {}
  ~GuardBuffer() override { pass(); }
  GuardBuffer(const GuardBuffer&) = delete;
  GuardBuffer& operator=(const GuardBuffer&) = delete;

  void allow_colour(bool is_allowed) { has_colour_ = is_allowed; }
  // Whether anything came.
  bool is_used() const { return is_used_; }

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  // Whether the target took it.
  bool append(std::string_view text);
  bool pass();
  std::string harmless(std::string_view line) const;
  // Bytes of a sequence that is ours at the beginning of `text`; 0: there is none.
  std::size_t own_sequence(std::string_view text) const;

  std::ostream& target_;
  bool is_terminal_;
  bool has_colour_ = false;
  bool is_line_begin_ = true;
  bool is_used_ = false;
  std::string line_;
};

}  // namespace shapelint::report
