// What is said of files that cannot be read.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/error.hpp"

namespace shapelint::text {

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

}  // namespace shapelint::text
