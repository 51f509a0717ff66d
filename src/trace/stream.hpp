// A file as a stream of bytes, unpacked on the way where it is gzip's.
#pragma once

#include <istream>
#include <memory>
#include <streambuf>
#include <string>

#include "base/error.hpp"
#include "text/files.hpp"
#include "trace/trace.hpp"

namespace shapelint::trace {

// What a reader that goes through gigabytes reads from: a buffer at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to `size` bytes; 0: the end. An error is reported at the end.
  virtual std::size_t read(char* into, std::size_t size) = 0;
  virtual const std::string& problem() const = 0;
};

// `in`: what `-` reads. Regular files are read piece by piece; what lives in memory only is taken whole.
Result<std::unique_ptr<ByteSource>> open_source(const text::FileSystem& files, const std::string& path,
                                                std::istream& in, const ProgressCallback& on_progress);
// The same bytes unpacked, when they begin as gzip does.
Result<std::unique_ptr<ByteSource>> unpacked(const std::string& path, std::unique_ptr<ByteSource> packed);

// For parsers that take a stream.
class SourceBuffer : public std::streambuf {
 public:
  explicit SourceBuffer(ByteSource& source);
  // Fails once so many bytes came without a call of this: one token that long is no trace's.
  void note_progress() { since_ = 0; }
  bool is_endless() const { return endless_; }

 protected:
  int_type underflow() override;

 private:
  ByteSource& source_;
  std::string buffer_;
  std::size_t since_ = 0;
  bool endless_ = false;
};

}  // namespace shapelint::trace
