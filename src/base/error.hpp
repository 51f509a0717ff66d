// The one error type. An error that a user can cause is a value: what was seen, where, and what to try.
// Functions return Result<T>; functions that can find several errors at once take a std::vector<Error>&.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace shapelint {

// Half-open range of bytes in a source text.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

constexpr Span span_of(std::size_t begin, std::size_t end) {
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)};
}

// For callers that act on the kind of an error; its message is for people.
enum class ErrorCode : std::uint8_t {
  other,
  not_found,     // there is no such file
  is_directory,  // where a file was asked for
  not_readable,
  not_writable,
  too_large,     // beyond a limit that no configuration reaches
  syntax,        // the text is not of its language
  unknown_name,  // of a key, field, GPU, rule …: the hint may say what was meant
};

// Message style: lower case, no full stop, backticks around code; what was seen first, then the hint.
struct Error {
  std::string message;
  std::string hint;          // empty when there is nothing helpful to add
  std::string path;          // file that `span` refers to; empty for the command line
  std::optional<Span> span;  // absent when the error is about the file as a whole
  ErrorCode code = ErrorCode::other;
};

inline Error with_code(Error error, ErrorCode code) {
  error.code = code;
  return error;
}

// Either a value or the error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit by design, as in std::expected
  Result(Error error) : state_(std::move(error)) {}  // NOLINT
  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(value()); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  T& value() {
    assert(*this);
    return *std::get_if<T>(&state_);
  }
  const T& value() const {
    assert(*this);
    return *std::get_if<T>(&state_);
  }
  const Error& error() const {
    assert(!*this);
    return *std::get_if<Error>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace shapelint
