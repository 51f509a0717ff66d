// Which profiler's file it is.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "trace/formats.hpp"

namespace shapelint::trace {

namespace {

constexpr std::string_view sqlite_magic = "SQLite format 3";

}  // namespace

Result<Trace> read_trace(const text::FileSystem& files, const std::string& path, std::istream& in,
                         const Told& told) {
  if (path != "-") {
    if (!files.exists(path)) return files.read(path, 1).error();
    std::int64_t bytes = 0;
    const auto start = files.read_start(path, sqlite_magic.size(), bytes);
    if (!start) return start.error();
    if (*start == sqlite_magic)
      return read_nsight((std::filesystem::path(files.working_directory()) / path).string(), path, told);
    if (path.ends_with(".nsys-rep")) {
      return Error{"is Nsight Systems' own report",
                   fmt::format("`nsys export --type sqlite {}` writes the database that is read", path),
                   path,
                   {}};
    }
  }
  auto packed = open_source(files, path, in, told);
  if (!packed) return packed.error();
  auto source = unpacked(path, *std::move(packed));
  if (!source) return source.error();
  return read_chrome(path, **source);
}

}  // namespace shapelint::trace
