// Which profiler's file it is.
#include "trace/read.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "gpu/registry.hpp"

namespace shapelint::trace {

std::optional<std::string> gpu_of(std::string_view device, std::span<const text::Document> own) {
  std::string name;
  for (const char c : device)
    name += c == ' ' || c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 6> makers{"nvidia-",  "amd-",      "tesla-",
                                                   "geforce-", "instinct-", "radeon-"};
  for (const std::string_view maker : makers) {
    if (name.starts_with(maker)) name.erase(0, maker.size());
  }
  // A laptop's GPU is another chip than the card that it is named after.
  if (name.find("laptop") != std::string::npos) return std::nullopt;
  // "h100-80gb-hbm3", then "h100-80gb", then "h100".
  while (!name.empty()) {
    if (const auto found = gpu::find_gpu(name, own)) return found->id;
    const std::size_t last = name.rfind('-');
    if (last == std::string::npos) break;
    name.erase(last);
  }
  return std::nullopt;
}

namespace {

constexpr std::string_view sqlite_magic = "SQLite format 3";

}  // namespace

Result<Trace> read_trace(const text::FileSystem& files, const std::string& path, std::istream& in,
                         const ProgressCallback& on_progress) {
  if (path != "-") {
    if (!files.exists(path)) return files.read(path, 1).error();
    std::int64_t bytes = 0;
    const auto start = files.read_start(path, sqlite_magic.size(), bytes);
    if (!start) return start.error();
    if (*start == sqlite_magic)
      return read_nsight((std::filesystem::path(files.working_directory()) / path).string(), path,
                         on_progress);
    if (path.ends_with(".nsys-rep")) {
      return Error{"is Nsight Systems' own report",
                   fmt::format("`nsys export --type sqlite {}` writes the database that is read", path),
                   path,
                   {}};
    }
  }
  auto packed = open_source(files, path, in, on_progress);
  if (!packed) return packed.error();
  auto source = unpacked(path, *std::move(packed));
  if (!source) return source.error();
  return read_chrome(path, **source);
}

}  // namespace shapelint::trace
