// Trees, and what leaves them.
#include "text/read_sandbox.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <sys/stat.h>

namespace shapelint::text {

namespace fs = std::filesystem;

namespace {

// Absolute, and without `//`, `.` and `..`, as nearly all are.
bool is_normal(std::string_view path) {
  for (std::size_t slash = path.find('/'); slash < path.size(); slash = path.find('/', slash + 1)) {
    const std::string_view name = path.substr(slash + 1, path.find('/', slash + 1) - slash - 1);
    if (name == "." || name == ".." || (name.empty() && slash + 1 < path.size())) return false;
  }
  return path.starts_with('/');
}

std::string normal(const std::string& path) {
  std::string out = is_normal(path) ? path : fs::path(path).lexically_normal().generic_string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

// Of a normal path.
std::string parent(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return {};
  return std::string(path.substr(0, std::max<std::size_t>(slash, 1)));
}

bool is_below(const std::string& path, const std::string& folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_repository(const std::string& folder) {
  struct stat about {};
  return ::stat((folder + "/.git").c_str(), &about) == 0;
}

// Around a real folder; empty when there is none.
std::string repository_around(std::string folder) {
  for (;; folder = parent(folder)) {
    if (is_repository(folder)) return folder;
    if (folder == parent(folder)) return {};
  }
}

// `…/models--org--name` of a file in one of its snapshots: they are links to the blobs next to them.
std::string cached_model_around(const std::string& folder) {
  const auto snapshots = folder.rfind("/snapshots/");
  if (snapshots == std::string::npos) return {};
  const std::string model = folder.substr(0, snapshots);
  return fs::path(model).filename().string().starts_with("models--") ? model : std::string{};
}

}  // namespace

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : std::string{};
}

std::vector<std::string> paths_in(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  for (const std::string& argument : arguments) {
    paths.push_back(argument);
    for (auto at = argument.find('='); at != std::string::npos; at = argument.find('=', at + 1)) {
      paths.push_back(argument.substr(at + 1));
    }
  }
  std::erase(paths, std::string{});
  return paths;
}

ReadSandbox::ReadSandbox(const std::string& working_directory, const std::vector<std::string>& named) {
  const std::string here = real_path(working_directory);
  add(normal(working_directory), here);
  for (const std::string& path : named) {
    const std::string whole = normal(path);
    std::error_code problem;
    const std::string folder = fs::is_directory(whole, problem) ? whole : parent(whole);
    if (named_.insert(whole).second && !trees_.contains(folder)) add(folder, here);
  }
}

void ReadSandbox::add(const std::string& folder, const std::string& within) {
  const std::string real = real_path(folder);
  if (real.empty()) return;
  std::string tree = repository_around(real);
  if (tree.empty()) tree = within != "/" && is_below(real, within) ? within : real;
  if (tree == "/") return;  // a server's working directory: it says nothing of what it is about
  trees_[folder] = tree;
  trees_[tree] = tree;
}

bool ReadSandbox::is_named(const std::string& absolute_path) const {
  return named_.contains(normal(absolute_path));
}

std::string ReadSandbox::tree_of(const std::string& folder) const {
  for (std::string each = folder;; each = parent(each)) {
    const auto found = trees_.find(each);
    if (found != trees_.end()) return found->second;
    if (each == parent(each)) break;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [known, is_new] = tree_of_.try_emplace(folder);
  if (!is_new) return known->second;
  // The closest repository, from above: behind a link that leaves a repository there may be another one,
  // which is not that of the link.
  std::string& tree = known->second;
  fs::path above;
  for (const fs::path& part : fs::path(folder)) {
    above /= part;
    if (!is_repository(above.generic_string())) continue;
    const std::string real = real_path(above.generic_string());
    if (!tree.empty() && !is_below(real, tree)) break;
    tree = real;
  }
  return tree;
}

std::string ReadSandbox::folder_around(const std::string& absolute_path) const {
  std::string own = parent(normal(absolute_path));
  for (std::string each = own;; each = parent(each)) {
    const auto found = trees_.find(each);
    if (found != trees_.end()) return is_below(own, found->second) ? found->second : each;
    if (each == parent(each)) return own;
  }
}

bool ReadSandbox::allows(const std::string& absolute_path, const std::string& real_path) const {
  const std::string folder = parent(normal(absolute_path));
  const std::string tree = tree_of(folder);
  if (tree.empty() || is_below(real_path, tree)) return true;
  const std::string model = cached_model_around(text::real_path(folder));
  return !model.empty() && is_below(real_path, model);
}

}  // namespace shapelint::text
