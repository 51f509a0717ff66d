// Limits, and errors in numbers that people can read.
#include "text/errors.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "text/printable.hpp"
#include "text/source.hpp"

namespace shapelint::text {

std::optional<Error> check_source(const std::string& path, std::string_view source) {
  if (static_cast<std::int64_t>(source.size()) > max_source_bytes) {
    return Error{fmt::format("the file has {} MB", source.size() / 1000000),
                 fmt::format("a configuration has at most {} MB", max_source_bytes / 1000000),
                 path,
                 {},
                 ErrorCode::too_large};
  }
  if (std::count(source.begin(), source.end(), '\n') > max_lines) {
    return Error{fmt::format("the file has more than {} lines", max_lines),
                 "a configuration is smaller",
                 path,
                 {},
                 ErrorCode::too_large};
  }
  const std::int64_t invalid = first_invalid_utf8(source);
  if (invalid < 0) return std::nullopt;
  const auto byte = static_cast<unsigned char>(source[static_cast<std::size_t>(invalid)]);
  return Error{fmt::format("byte {:#04x} is not valid UTF-8", static_cast<unsigned>(byte)),
               {},
               path,
               Span{invalid, invalid + 1},
               ErrorCode::syntax};
}

Error refused(Error error) {
  if (error.code == ErrorCode::other) error.code = ErrorCode::syntax;
  return error;
}

Error too_deep(const std::string& path, std::int64_t at) {
  return Error{fmt::format("tables and lists are nested more than {} deep", max_depth),
               {},
               path,
               Span{at, at + 1},
               ErrorCode::too_large};
}

Error too_many_values(const std::string& path, std::int64_t at) {
  return Error{fmt::format("the file holds more than {} values", max_values),
               "a configuration is smaller; aliases that repeat each other multiply", path, Span{at, at + 1},
               ErrorCode::too_large};
}

namespace {

Error& error_of(Error& error) {
  return error;
}
Error& error_of(LocatedError& located) {
  return located.error;
}

// Of a value that a message repeats, which may be all of a file.
constexpr std::size_t longest_message = 1000;

template <class Each>
void leave_first(std::vector<Each>& errors) {
  for (Each& each : errors) {
    for (std::string* text : {&error_of(each).message, &error_of(each).hint}) {
      if (text->size() > longest_message) *text = shortened(*text, longest_message);
    }
  }
  if (errors.size() <= max_reported_errors) return;
  std::map<std::string, std::size_t> found;  // by path
  std::vector<Each> kept;
  for (Each& each : errors) {
    // What has no place is about a file as a whole, as the error is that counts.
    const Error& error = error_of(each);
    if (!error.span || ++found[error.path] <= max_reported_errors) kept.push_back(std::move(each));
  }
  for (const auto& [path, count] : found) {
    if (count <= max_reported_errors) continue;
    Error& rest = error_of(kept.emplace_back());
    rest.message =
        fmt::format("{} not listed", counted(count - max_reported_errors, "more error is|more errors are"));
    rest.path = path;
  }
  errors = std::move(kept);
}

}  // namespace

void summarize_rest(std::vector<Error>& errors) {
  leave_first(errors);
}

void summarize_rest(std::vector<LocatedError>& errors) {
  leave_first(errors);
}

}  // namespace shapelint::text
