// Limits that every reader keeps, which no configuration needs to pass, and what is said of files that pass
// them or cannot be read.
#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/error.hpp"
#include "text/source.hpp"

namespace shapelint::text {

// Largest configuration file that is read. Real ones are under 1 MB; a larger one is a mistake (a data set, a
// checkpoint), and spans are stored in 32 bits.
inline constexpr std::int64_t max_source_bytes = std::int64_t{16} * 1024 * 1024;

// Most lines of one file: what looks for places in it keeps a few words for each.
inline constexpr std::int64_t max_lines = 4'000'000;

// Deepest nesting of tables and lists, of brackets and of commands; real files stay under 20. Every reader
// that calls itself holds it, and gets through with a stack of 256 KiB.
inline constexpr int max_depth = 64;

// Most values of one file, after aliases are expanded. The largest public file holds about 100,000. What a
// reader needs for each keeps the whole program under 300 MB.
inline constexpr std::int64_t max_values = 500'000;

// The error for a text that is too large or not UTF-8, with the place of the byte; nothing when it is fine.
std::optional<Error> check_source(const std::string& path, std::string_view source);

// The error of a parser about a text that it refuses: one of syntax, unless the text is too large for it.
Error refused(Error error);

Error too_deep(const std::string& path, std::int64_t at);
Error too_many_values(const std::string& path, std::int64_t at);

// At the statement or value that was being worked out. There is no answer then, also not for what stands
// before.
inline Error too_costly(const Spent& spent, const std::string& path, std::int64_t at) {
  return Error{spent.what(), "what builds a model by a program is read as far as it is literal", path,
               Span{at, at + 1}, ErrorCode::too_large};
}

inline Error file_error(const std::string& path, ErrorCode code, std::string message) {
  return Error{std::move(message), {}, path, {}, code};
}

inline Error is_a_directory(const std::string& path) {
  return file_error(path, ErrorCode::is_directory, "is a directory, not a file");
}

// `cause` is of errno.
inline Error not_readable(const std::string& path, int cause) {
  const bool is_absent = cause == ENOENT || cause == ENOTDIR;  // a folder of its path may be a file
  return file_error(path, is_absent ? ErrorCode::not_found : ErrorCode::not_readable,
                    fmt::format("cannot be read: {}", std::generic_category().message(cause)));
}

inline Error too_large(const std::string& path, std::int64_t max_bytes) {
  return file_error(path, ErrorCode::too_large,
                    fmt::format("the file is larger than {} MB: not a configuration", max_bytes / 1000000));
}

struct LocatedError {
  Error error;
  SharedText source;  // the text that the error's place refers to; empty when it has none
};

// One by one; who has more of them in a file has another problem than each.
inline constexpr std::size_t max_reported_errors = 100;

// Leaves, of the errors about each file, the first max_reported_errors and one that counts the others.
void summarize_rest(std::vector<Error>& errors);
void summarize_rest(std::vector<LocatedError>& errors);

}  // namespace shapelint::text
