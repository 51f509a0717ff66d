// Files piece by piece, and gzip's through zlib.
#include "trace/stream.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "text/errors.hpp"

#ifdef SHAPELINT_ZLIB
#include <zlib.h>
#endif

namespace shapelint::trace {

namespace {

constexpr std::size_t piece = std::size_t{1} << 18U;
constexpr std::size_t longest_token = std::size_t{64} << 20U;
constexpr std::string_view gzip_magic = "\x1f\x8b";

// A stream of the standard library, and how far it is.
class StreamSource : public ByteSource {
 public:
  StreamSource(std::unique_ptr<std::istream> owned, std::istream& in, std::size_t total,
               ProgressCallback on_progress)
      : owned_(std::move(owned)), in_(in), total_(total), on_progress_(std::move(on_progress)) {}

  std::size_t read(char* into, std::size_t size) override {
    in_.read(into, static_cast<std::streamsize>(size));
    const auto got = static_cast<std::size_t>(in_.gcount());
    if (got < size && in_.bad()) problem_ = "cannot be read to its end";
    done_ += got;
    if (on_progress_) on_progress_(done_, total_);
    return got;
  }
  const std::string& problem() const override { return problem_; }

 private:
  std::unique_ptr<std::istream> owned_;
  std::istream& in_;
  std::size_t total_;
  std::size_t done_ = 0;
  ProgressCallback on_progress_;
  std::string problem_;
};

// What was read to look at, and then the rest.
class Pushed : public ByteSource {
 public:
  Pushed(std::string first, std::unique_ptr<ByteSource> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}
  std::size_t read(char* into, std::size_t size) override {
    if (at_ == first_.size()) return rest_->read(into, size);
    const std::size_t got = first_.copy(into, size, at_);
    at_ += got;
    return got;
  }
  const std::string& problem() const override { return rest_->problem(); }

 private:
  std::string first_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

#ifdef SHAPELINT_ZLIB
class Gunzip : public ByteSource {
 public:
  explicit Gunzip(std::unique_ptr<ByteSource> packed) : packed_(std::move(packed)), input_(piece, '\0') {
    constexpr int gzip_only = 16;
    if (inflateInit2(&state_, MAX_WBITS + gzip_only) != Z_OK) fail("not enough memory to unpack it");
  }
  ~Gunzip() override { inflateEnd(&state_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  std::size_t read(char* into, std::size_t size) override {
    state_.next_out = reinterpret_cast<Bytef*>(into);
    state_.avail_out = static_cast<uInt>(size);
    while (!has_ended_ && state_.avail_out > 0) {
      if (state_.avail_in == 0 && !fill()) break;
      const int code = inflate(&state_, Z_NO_FLUSH);
      const std::size_t at = unpacked_ + size - state_.avail_out;
      if (code == Z_STREAM_END) {
        // Members may follow one another, as `cat a.gz b.gz` leaves them.
        members_end_ = at;
        in_member_ = false;
        inflateReset(&state_);
      } else if (code == Z_OK) {
        in_member_ = true;
      } else if (code != Z_BUF_ERROR) {
        // As gzip itself does, what follows a whole member and is none is left alone.
        has_ended_ = true;
        if (members_end_ == 0 || at > members_end_) {
          fail(fmt::format("is damaged: gzip reports `{}` at byte {} of the unpacked data",
                           state_.msg == nullptr ? "error" : state_.msg, at));
        }
      }
    }
    const std::size_t got = size - state_.avail_out;
    unpacked_ += got;
    return got;
  }
  const std::string& problem() const override { return problem_; }

 private:
  void fail(std::string problem) {
    problem_ = std::move(problem);
    has_ended_ = true;
  }

  bool fill() {
    const std::size_t got = packed_->read(input_.data(), input_.size());
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    state_.avail_in = static_cast<uInt>(got);
    if (got > 0) return true;
    has_ended_ = true;
    problem_ = packed_->problem();
    if (problem_.empty() && in_member_)
      problem_ = "is truncated: the gzip trailer is missing, so writing or copying it was interrupted";
    return false;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string input_;
  z_stream state_{};
  std::size_t unpacked_ = 0;
  std::size_t members_end_ = 0;
  bool in_member_ = true;
  bool has_ended_ = false;
  std::string problem_;
};
#endif

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const text::FileSystem& files, const std::string& path,
                                                std::istream& in, const ProgressCallback& on_progress) {
  if (path == "-")
    return std::unique_ptr<ByteSource>(std::make_unique<StreamSource>(nullptr, in, 0, on_progress));
  std::int64_t bytes = 0;
  const auto start = files.read_start(path, 1, bytes);
  if (!start) return start.error();
  namespace fs = std::filesystem;
  auto file = std::make_unique<std::ifstream>(fs::path(files.working_directory()) / path, std::ios::binary);
  const auto total = static_cast<std::size_t>(bytes);
  if (*file) {
    std::istream& stream = *file;
    return std::unique_ptr<ByteSource>(
        std::make_unique<StreamSource>(std::move(file), stream, total, on_progress));
  }
  auto content = files.read(path, text::max_source_bytes);
  if (!content) return content.error();
  auto whole = std::make_unique<std::istringstream>(*std::move(content));
  std::istream& stream = *whole;
  return std::unique_ptr<ByteSource>(
      std::make_unique<StreamSource>(std::move(whole), stream, total, on_progress));
}

Result<std::unique_ptr<ByteSource>> unpacked([[maybe_unused]] const std::string& path,
                                             std::unique_ptr<ByteSource> packed) {
  std::string first(gzip_magic.size(), '\0');
  first.resize(packed->read(first.data(), first.size()));
  const bool is_gzip = first == gzip_magic;
  std::unique_ptr<ByteSource> all = std::make_unique<Pushed>(std::move(first), std::move(packed));
  if (!is_gzip) return all;
#ifdef SHAPELINT_ZLIB
  return std::unique_ptr<ByteSource>(std::make_unique<Gunzip>(std::move(all)));
#else
  return Error{"is gzip-compressed, and this shapelint was built without zlib",
               fmt::format("`gzip -dc {} | shapelint profile - …` reads it", path),
               path,
               {}};
#endif
}

SourceBuffer::SourceBuffer(ByteSource& source) : source_(source), buffer_(piece, '\0') {}

SourceBuffer::int_type SourceBuffer::underflow() {
  since_ += static_cast<std::size_t>(egptr() - eback());
  endless_ = endless_ || since_ > longest_token;
  const std::size_t got = endless_ ? 0 : source_.read(buffer_.data(), buffer_.size());
  if (got == 0) return traits_type::eof();
  setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
  return traits_type::to_int_type(*gptr());
}

}  // namespace shapelint::trace
