// What changed in a git repository since a revision.
#include "lint/left_out/git.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "lint/left_out/git_settings.hpp"
#include "lint/process.hpp"
#include "text/limits.hpp"

namespace shapelint::lint {

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
                   "take it out of the repository's settings (`.git/config`)",
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
    return Error{fmt::format("git knows no revision `{}`", revision),
                 has_commits ? "a branch, a tag or a commit; in CI it may have to be fetched first"
                             : "the repository has no commit yet; lint without `--diff-base`",
                 {},
                 {}};
  }
  base.commit = commit->out.substr(0, commit->out.find('\n'));
  const auto filters = without_filters(base.root);
  if (!filters) return filters.error();
  std::vector<std::string> settings = own_lists();
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
