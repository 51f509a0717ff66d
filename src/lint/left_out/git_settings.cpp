// Looking at a repository's files without git.
#include "lint/left_out/git_settings.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/words.hpp"

namespace shapelint::lint {

namespace {

namespace fs = std::filesystem;

// As git has it; more files than that include each other in no repository.
constexpr int most_levels = 10;
constexpr std::size_t most_includes = 100;

// Of a reference or a path in `.git`.
constexpr std::size_t most_bytes = 1U << 16U;

// Whether opening it may wait for ever. A socket is refused at once.
bool may_wait(const fs::path& path) {
  std::error_code problem;
  const fs::file_type type = fs::status(path, problem).type();
  return type == fs::file_type::fifo || type == fs::file_type::character;
}

Error waits(const fs::path& path) {
  return Error{"it is a pipe or a device where git reads a file",
               "lint without `--diff-base`, or remove it",
               path.generic_string(),
               {}};
}

std::string first_line(const fs::path& path) {
  std::string line;
  if (may_wait(path)) return line;
  std::ifstream file(path);
  line.resize(most_bytes);
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  return std::string(trimmed(line.substr(0, line.find('\n'))));
}

// The folder of the repository's own files: `.git`, or where that leads as a file (worktrees, submodules).
fs::path git_folder(const std::string& here) {
  std::error_code problem;
  for (fs::path folder = here;; folder = folder.parent_path()) {
    fs::path git = folder / ".git";
    const fs::file_status status = fs::status(git, problem);
    if (fs::is_directory(status)) return git;
    if (fs::exists(status)) {
      constexpr std::string_view sign = "gitdir:";
      const std::string line = first_line(git);
      if (!line.starts_with(sign)) return may_wait(git) ? git : fs::path();
      return folder / std::string(trimmed(std::string_view(line).substr(sign.size())));
    }
    if (folder == folder.parent_path()) return {};
  }
}

// Its contents except the objects, of which there are many.
std::optional<Error> check_folder(const fs::path& folder) {
  std::error_code problem;
  if (may_wait(folder)) return waits(folder);
  fs::recursive_directory_iterator each(folder, problem);
  for (; !problem && each != fs::recursive_directory_iterator(); each.increment(problem)) {
    const fs::path& path = each->path();
    const std::string name = path.filename().generic_string();
    if (each.depth() == 0 && (name == "modules" || name == "worktrees" || name == "lfs"))
      each.disable_recursion_pending();
    if (each.depth() == 1 && path.parent_path().filename() == "objects" && name != "info" && name != "pack")
      each.disable_recursion_pending();
    if (may_wait(path)) return waits(path);
  }
  return std::nullopt;
}

std::optional<Error> check_includes(const fs::path& settings, int level, std::size_t& seen) {
  std::error_code problem;
  if (!fs::exists(settings, problem)) return std::nullopt;
  if (may_wait(settings)) return waits(settings);
  if (level > most_levels || ++seen > most_includes) return std::nullopt;
  // From where there is no repository.
  const auto listed =
      run_process({"git", "-C", "/", "config", "--no-includes", "--file", settings.generic_string(), "-z",
                   "--get-regexp", "^include(if\\..*)?\\.path$"},
                  {"GIT_DIR=/dev/null"}, most_bytes, false, git_limit_ms);
  if (!listed) return listed.error();
  const std::string& out = listed->out;
  for (std::size_t begin = 0; begin < out.size();) {
    const std::size_t end = std::min(out.find('\0', begin), out.size());
    const std::string entry = out.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t feed = entry.find('\n');
    if (feed == std::string::npos) continue;
    std::string path = entry.substr(feed + 1);
    if (path.starts_with("~/")) {
      const char* const home = std::getenv("HOME");
      path = (home == nullptr ? std::string() : std::string(home)) + path.substr(1);
    }
    if (auto error = check_includes(settings.parent_path() / path, level + 1, seen)) return error;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> check_git_files(const std::string& here) {
  const fs::path folder = git_folder(here);
  if (folder.empty()) return std::nullopt;
  std::vector<fs::path> folders{folder};
  // Of a worktree: those that all have in common.
  if (const std::string common = first_line(folder / "commondir"); !common.empty())
    folders.push_back(folder / common);
  std::size_t seen = 0;
  for (const fs::path& each : folders) {
    if (auto error = check_folder(each)) return error;
    for (const char* name : {"config", "config.worktree"}) {
      if (auto error = check_includes(each / name, 0, seen)) return error;
    }
  }
  return std::nullopt;
}

std::vector<std::string> own_lists() {
  std::vector<std::string> options;
  const char* const home = std::getenv("HOME");
  const char* const configured = std::getenv("XDG_CONFIG_HOME");
  const std::string folder = configured != nullptr && *configured != '\0' ? configured
                             : home != nullptr                            ? std::string(home) + "/.config"
                                                                          : std::string();
  for (const auto& [setting, usual] :
       {std::pair("core.excludesFile", "ignore"), std::pair("core.attributesFile", "attributes")}) {
    const auto own = run_process({"git", "-C", "/", "config", "--global", "--get", setting},
                                 {"GIT_DIR=/dev/null"}, most_bytes, false, git_limit_ms);
    std::string path = own && own->exit_code == 0 ? own->out.substr(0, own->out.find('\n')) : std::string();
    if (path.empty() && !folder.empty()) path = folder + "/git/" + usual;
    options.insert(options.end(), {"-c", fmt::format("{}={}", setting, path.empty() ? "/dev/null" : path)});
  }
  return options;
}

}  // namespace shapelint::lint
