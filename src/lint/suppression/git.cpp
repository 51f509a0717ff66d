// What changed in a git repository since a revision.
#include "lint/suppression/git.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "lint/process.hpp"
#include "text/errors.hpp"

namespace shapelint::lint {

namespace {

namespace fs = std::filesystem;

// As git has it; more files than that include each other in no repository.
constexpr int max_levels = 10;
constexpr std::size_t max_includes = 100;

// Size of a reference or a path in `.git`.
constexpr std::size_t max_settings_bytes = 1U << 16U;

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
  line.resize(max_settings_bytes);
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
  if (level > max_levels || ++seen > max_includes) return std::nullopt;
  // From where there is no repository.
  const auto listed =
      run_process({"git", "-C", "/", "config", "--no-includes", "--file", settings.generic_string(), "-z",
                   "--get-regexp", "^include(if\\..*)?\\.path$"},
                  {"GIT_DIR=/dev/null"}, max_settings_bytes, false, git_limit_ms);
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

std::vector<std::string> user_ignore_options() {
  std::vector<std::string> options;
  const char* const home = std::getenv("HOME");
  const char* const configured = std::getenv("XDG_CONFIG_HOME");
  const std::string folder = configured != nullptr && *configured != '\0' ? configured
                             : home != nullptr                            ? std::string(home) + "/.config"
                                                                          : std::string();
  for (const auto& [setting, usual] :
       {std::pair("core.excludesFile", "ignore"), std::pair("core.attributesFile", "attributes")}) {
    const auto own = run_process({"git", "-C", "/", "config", "--global", "--get", setting},
                                 {"GIT_DIR=/dev/null"}, max_settings_bytes, false, git_limit_ms);
    std::string path = own && own->exit_code == 0 ? own->out.substr(0, own->out.find('\n')) : std::string();
    if (path.empty() && !folder.empty()) path = folder + "/git/" + usual;
    options.insert(options.end(), {"-c", fmt::format("{}={}", setting, path.empty() ? "/dev/null" : path)});
  }
  return options;
}

namespace {

namespace fs = std::filesystem;

// Fields ended by zero bytes, as git's -z prints them.
std::vector<std::string> fields_of(const std::string& listing) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin < listing.size();) {
    const std::size_t end = std::min(listing.find('\0', begin), listing.size());
    fields.push_back(listing.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

}  // namespace

void add_changes(const std::string& listing, GitBase& base) {
  const std::vector<std::string> fields = fields_of(listing);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const bool has_two = fields[i].starts_with('R') || fields[i].starts_with('C');
    base.changed.insert(fields[i + 1]);
    if (!has_two || i + 2 >= fields.size()) continue;
    base.changed.insert(fields[i + 2]);
    base.renamed[fields[i + 2]] = fields[i + 1];
    ++i;
  }
}

namespace {

// What a repository's own settings could have git run: they may be a stranger's, whoever checked the
// repository out.
const std::vector<std::string>& harmless() {
  static const std::vector<std::string> settings{
      "-c",        "core.fsmonitor=",           // a program
      "-c",        "core.hooksPath=/dev/null",  // post-index-change and others
      "-c",        "core.pager=cat",
      "-c",        "safe.bareRepository=explicit",  // none that lies as a folder in the tree
      "--no-pager"};
  return settings;
}

// No index is written, nothing is fetched (a missing object of a partial clone would be, by a program of the
// settings), nothing is asked.
const std::vector<std::string>& harmless_environment() {
  static const std::vector<std::string> variables{"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
                                                  "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
                                                  "GIT_NO_REPLACE_OBJECTS=1"};
  return variables;
}

Result<ProcessResult> run_git(const std::string& folder, const std::vector<std::string>& settings,
                              const std::vector<std::string>& arguments,
                              std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max()) {
  std::vector<std::string> all{"git", "-C", folder};
  all.insert(all.end(), harmless().begin(), harmless().end());
  all.insert(all.end(), settings.begin(), settings.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_process(all, harmless_environment(), most_bytes, false, git_limit_ms);
}

// Programs that change a file's content on its way into git (`filter.lfs.clean`), each switched off by its
// name: git runs them when it compares a file with a revision.
Result<std::vector<std::string>> without_filters(const std::string& root) {
  const auto listed = run_git(root, {}, {"config", "-z", "--name-only", "--get-regexp", "^filter\\."});
  if (!listed) return listed.error();
  std::vector<std::string> settings;
  for (const std::string& key : fields_of(listed->out)) {
    // Where `-c` would end the name.
    if (key.find('=') != std::string::npos) {
      return Error{"a filter of this git repository has `=` in its name and cannot be switched off",
                   "remove it from the repository's settings (`.git/config`)",
                   {},
                   {}};
    }
    const std::string filter = key.substr(0, key.rfind('.'));
    for (const char* setting : {".clean=", ".smudge=", ".process=", ".required=false"}) {
      settings.insert(settings.end(), {"-c", filter + setting});
    }
  }
  return settings;
}

}  // namespace

Result<GitBase> compare_with(const std::string& revision, const std::string& here) {
  GitBase base;
  base.here = here;
  if (auto problem = check_git_files(here)) return *std::move(problem);
  const auto top = run_git(here, {}, {"rev-parse", "--show-toplevel"});
  if (!top) return top.error();
  if (top->exit_code != 0) {
    return Error{"`--diff-base` was given outside of a git repository", {}, {}, {}};
  }
  base.root = top->out.substr(0, top->out.find_last_not_of('\n') + 1);
  // `--end-of-options`: a revision that begins with a dash is no option.
  const auto commit = run_git(
      base.root, {}, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!commit) return commit.error();
  if (commit->exit_code != 0) {
    const auto head = run_git(base.root, {}, {"rev-parse", "--verify", "--quiet", "HEAD"});
    const bool has_commits = head && head->exit_code == 0;
    return Error{fmt::format("unknown git revision `{}`", revision),
                 has_commits ? "a branch, a tag or a commit; in CI it may have to be fetched first"
                             : "the repository has no commit yet; lint without `--diff-base`",
                 {},
                 {}};
  }
  base.commit = commit->out.substr(0, commit->out.find('\n'));
  const auto filters = without_filters(base.root);
  if (!filters) return filters.error();
  std::vector<std::string> settings = user_ignore_options();
  settings.insert(settings.end(), filters->begin(), filters->end());
  // `-O`: instead of diff.orderFile.
  const auto changed = run_git(base.root, settings,
                               {"diff", "-O/dev/null", "--name-status", "--find-renames", "--no-ext-diff",
                                "--no-textconv", "--ignore-submodules=all", "-z", base.commit, "--"});
  if (!changed) return changed.error();
  const auto untracked = run_git(base.root, settings, {"ls-files", "--others", "--exclude-standard", "-z"});
  if (!untracked) return untracked.error();
  if (changed->exit_code != 0 || untracked->exit_code != 0) {
    return Error{fmt::format("git could not compare the working tree with `{}`", revision), {}, {}, {}};
  }
  add_changes(changed->out, base);
  for (std::string& path : fields_of(untracked->out)) base.changed.insert(std::move(path));
  return base;
}

std::optional<std::string> path_in(const GitBase& base, const std::string& path) {
  std::error_code problem;
  const fs::path file = fs::path(base.here) / path;
  const fs::path folder = fs::weakly_canonical(file.parent_path(), problem);
  if (problem) return std::nullopt;
  const fs::path relative =
      (folder / file.filename()).lexically_relative(fs::weakly_canonical(base.root, problem));
  if (problem || relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative.generic_string();
}

std::string path_from_here(const GitBase& base, const std::string& path_in_root) {
  std::error_code problem;
  const fs::path absolute = fs::weakly_canonical(base.root, problem) / path_in_root;
  const fs::path relative = absolute.lexically_relative(base.here);
  return (problem || relative.empty() ? absolute : relative).generic_string();
}

std::optional<std::string> text_at(const GitBase& base, const std::string& path_in_root) {
  auto shown = run_git(base.root, {}, {"cat-file", "blob", fmt::format("{}:{}", base.commit, path_in_root)},
                       text::max_source_bytes + 1);
  if (!shown || shown->exit_code != 0) return std::nullopt;
  return std::move(shown->out);
}

bool is_in_inner_repository(const GitBase& base, const std::string& path_in_root) {
  std::error_code problem;
  for (fs::path folder = fs::path(path_in_root).parent_path(); !folder.empty();
       folder = folder.parent_path()) {
    if (fs::exists(fs::path(base.root) / folder / ".git", problem)) return true;
  }
  return false;
}

std::optional<std::string> RevisionFileSystem::changed(const std::string& path) const {
  auto inside = path_in(base_, path);
  if (inside && !base_.changed.contains(*inside)) inside.reset();
  return inside;
}

Result<std::string> RevisionFileSystem::read(const std::string& path, std::int64_t max_bytes) const {
  const auto inside = changed(path);
  if (!inside) return now_.read(path, max_bytes);
  auto content = text_at(base_, *inside);
  if (!content) return Error{"was not there at that revision", {}, path, {}};
  if (static_cast<std::int64_t>(content->size()) > max_bytes) {
    return Error{"was too large at that revision", {}, path, {}};
  }
  return *std::move(content);
}

Result<bool> RevisionFileSystem::write(const std::string& path, std::string_view content) const {
  (void)content;
  return Error{"is of another revision and cannot be written", {}, path, {}};
}

bool RevisionFileSystem::exists(const std::string& path) const {
  const auto inside = changed(path);
  if (!inside) return now_.exists(path);
  const auto found = run_git(base_.root, {}, {"cat-file", "-e", fmt::format("{}:{}", base_.commit, *inside)});
  return found && found->exit_code == 0;
}

}  // namespace shapelint::lint
