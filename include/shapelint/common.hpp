// What everything else of the library uses: places in a text, errors, and a value or errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// What the library exports where it is built as a shared one.
#if defined(__GNUC__) || defined(__clang__)
#define SHAPELINT_API __attribute__((visibility("default")))
#else
#define SHAPELINT_API
#endif

namespace shapelint::api {

struct Place {
  std::int64_t line = 1;    // from 1
  std::int64_t column = 1;  // from 1, in Unicode code points
};

// Some bytes of a text, the last one not included.
struct Range {
  std::int64_t begin_byte = 0;
  std::int64_t end_byte = 0;
  Place begin;
  Place end;
};

// Message and hint are lower case and without a full stop: what was seen, and what to try.
struct Error {
  // What kind it is; these names stay:
  //   not-found       there is no such file or folder
  //   too-large       a file beyond what any configuration reaches
  //   unreadable      a file or folder that cannot be read for another reason
  //   invalid-file    what a model's file says: its syntax, its keys, its values
  //   invalid-config  the same of the linter's configuration, or of the rules, GPUs and formats that it adds
  //   invalid-option  what the caller asked for: an unknown name, a value out of bounds
  //   no-model        nothing in the file is a model that is understood
  //   incomplete      the file, and the caller, leave out what a prediction needs
  //   unable          the GPU cannot do what the model asks of it
  //   no-candidates   no combination is allowed by all conditions of a search
  std::string code;
  std::string message;
  std::string hint;              // may be empty
  std::string path;              // of the file that it is about; empty: of none
  std::optional<Range> range{};  // in that file; absent: the file as a whole
};

// `model.toml:3:15: error: the message; the hint`, on one line.
SHAPELINT_API std::string to_string(const Error& error);

// A value, or all that kept it from being there.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}                          // NOLINT: as in std::expected
  Result(Error error) : state_(std::vector<Error>{std::move(error)}) {}  // NOLINT
  Result(std::vector<Error> errors) : state_(std::move(errors)) {}       // NOLINT: at least one
  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  // Only where there is a value (else std::bad_variant_access).
  T& value() { return std::get<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  // Only where there is none.
  const std::vector<Error>& errors() const { return std::get<std::vector<Error>>(state_); }

 private:
  std::variant<T, std::vector<Error>> state_;
};

}  // namespace shapelint::api
