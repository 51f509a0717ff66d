// What everything else of the library uses: places in a text, errors, and a value or errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

// Every result struct is followed by its description: for each member its name in JSON, Python and
// TypeScript, a line of documentation, and when it is absent. Writers, schemas and documentation are derived
// from these (src/objects).
enum class When : std::uint8_t {
  always,
  unless_empty,  // absent if empty, 0 or false
  or_null        // null if empty or 0: it applies but is unknown
};

// A field's value: a whole number, a boolean, or the name of a choice. A figure may be any number.
using Scalar = std::variant<std::int64_t, bool, std::string, double>;
// As a native file states it: `4096`, `true`, `bf16`.
SHAPELINT_API std::string to_string(const Scalar& value);

struct Place {
  std::int64_t line = 1;
  std::int64_t column = 1;
  std::int64_t byte = 0;
};
template <class Visitor>
void describe(Visitor& of, const Place*) {
  of.type("Place", "A place in a text.");
  of("line", &Place::line, "from 1");
  of("column", &Place::column, "from 1, in Unicode code points");
  of("byte", &Place::byte, "from 0");
}

struct Range {
  Place start;
  Place end;
};
template <class Visitor>
void describe(Visitor& of, const Range*) {
  of.type("Range", "Some bytes of a text.");
  of("start", &Range::start, "");
  of("end", &Range::end, "exclusive");
}

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
  std::string hint;
  std::string path;
  std::optional<Range> range{};
};
template <class Visitor>
void describe(Visitor& of, const Error*) {
  of.type("Problem", "Reason for a missing result.");
  of("code", &Error::code,
     "not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option, no-model, incomplete, "
     "unable, no-candidates");
  of("message", &Error::message, "what is wrong");
  of("hint", &Error::hint, "what to try", When::unless_empty);
  of("path", &Error::path, "of the file", When::unless_empty);
  of("range", &Error::range, "in that file; absent: the whole file");
}

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
