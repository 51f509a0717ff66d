// Paths as text.
#include "formats/dialect/paths.hpp"

#include <cctype>

namespace shapelint::formats {

namespace {

constexpr std::size_t max_ancestors = 32;

}  // namespace

std::string folder_of(std::string_view path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string_view file_name(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string extension(std::string_view path) {
  const std::string_view name = file_name(path);
  const auto dot = name.find_last_of('.');
  if (dot == std::string_view::npos) return {};
  std::string out(name.substr(dot + 1));
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string join(std::string_view folder, std::string_view name) {
  const std::string whole = name.starts_with('/') || folder.empty() || folder == "."
                                ? std::string(name)
                                : std::string(folder) + "/" + std::string(name);
  const bool absolute = whole.starts_with('/');
  std::vector<std::string_view> parts;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !absolute) {
      parts.push_back(part);
    }
  }
  std::string out = absolute ? "/" : "";
  for (const std::string_view part : parts) {
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

bool is_inside(std::string_view path, std::string_view folder) {
  if (folder == ".") return !path.starts_with('/') && path != ".." && !path.starts_with("../");
  if (folder == "/") return path.starts_with('/');
  return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

std::vector<std::string> ancestors(const text::FileSystem& files, const std::string& path) {
  std::vector<std::string> out;
  std::string folder = join("", folder_of(path));
  while (out.size() < max_ancestors) {
    out.push_back(folder);
    if (files.exists(join(folder, ".git"))) return out;
    const std::string above = folder == "." ? "." : folder_of(folder);
    if (above == folder || folder.ends_with("..")) break;
    folder = above;
  }
  // Nothing says how far a project reaches that was named from elsewhere, and the whole machine is above it.
  if (path.starts_with('/')) {
    const std::string around = files.folder_around(path);
    while (out.size() > 1 && !is_inside(out.back(), around)) out.pop_back();
  }
  return out;
}

std::string end_inside(const text::FileSystem& files, const std::vector<std::string>& folders,
                       std::string_view path) {
  for (std::size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
    std::string end = join("", path.substr(at + 1));
    if (end.find('/') == std::string::npos) break;
    if (end.find('$') != std::string::npos || end.starts_with('/') || end.starts_with("..")) continue;
    for (const std::string& folder : folders) {
      const std::string whole = join(folder, end);
      if (files.exists(whole) && !files.is_directory(whole)) return end;
    }
  }
  return {};
}

}  // namespace shapelint::formats
