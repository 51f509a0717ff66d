// JSON written as it comes, without a tree of it in memory.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace shapelint::text {

class JsonWriter {
 public:
  // `indent` spaces for each level; none: all on one line. What is written is safe to print (json_text), and
  // ends without a line feed.
  // With a stream, `out` goes there as it grows, and what is left when the writer goes.
  explicit JsonWriter(std::string& out, std::size_t indent = 0, std::ostream* stream = nullptr)
      : out_(out), indent_(indent), stream_(stream) {}
  ~JsonWriter() { flush(); }
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  void key(std::string_view name);
  void text(std::string_view value);
  void boolean(bool value);
  void integer(std::int64_t value);
  // Whole numbers as they are, others to 9 digits: no figure is known better. What is not finite is null.
  void number(double value);
  void null();
  // A value that is JSON already.
  void raw(std::string_view json);

 private:
  void flush();
  void begin(char bracket);
  void end(char bracket);
  void separate();
  void feed();

  std::string& out_;
  std::size_t indent_;
  std::ostream* stream_;
  std::vector<bool> has_items_;  // of each open bracket
  bool is_after_key_ = false;
};

}  // namespace shapelint::text
