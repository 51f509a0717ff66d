// What changed in a git repository since a revision.
#include "cli/git.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "cli/process.hpp"

namespace shapelint::cli {

namespace {

namespace fs = std::filesystem;

// Paths ended by zero bytes, as git's -z prints them.
void add_paths(const std::string& listing, std::set<std::string>& paths) {
  for (std::size_t begin = 0; begin < listing.size();) {
    const std::size_t end = std::min(listing.find('\0', begin), listing.size());
    paths.insert(listing.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

Result<GitBase> compare_with(const std::string& revision) {
  GitBase base;
  const auto top = run_process({"git", "rev-parse", "--show-toplevel"});
  if (!top) return top.error();
  if (top->exit_code != 0) {
    return Error{"`--diff-base` was given outside of a git repository", {}, {}, {}};
  }
  base.root = top->out.substr(0, top->out.find_last_not_of('\n') + 1);
  // `--end-of-options`: a revision that begins with a dash is no option.
  const auto commit = run_process({"git", "-C", base.root, "rev-parse", "--verify", "--quiet",
                                   "--end-of-options", revision + "^{commit}"});
  if (!commit) return commit.error();
  if (commit->exit_code != 0) {
    return Error{fmt::format("git knows no revision `{}`", revision),
                 "a branch, a tag or a commit; in CI it may have to be fetched first",
                 {},
                 {}};
  }
  base.commit = commit->out.substr(0, commit->out.find('\n'));
  const auto changed =
      run_process({"git", "-C", base.root, "diff", "--name-only", "--no-renames", "-z", base.commit, "--"});
  if (!changed) return changed.error();
  const auto untracked =
      run_process({"git", "-C", base.root, "ls-files", "--others", "--exclude-standard", "-z"});
  if (!untracked) return untracked.error();
  if (changed->exit_code != 0 || untracked->exit_code != 0) {
    return Error{fmt::format("git could not compare the working tree with `{}`", revision), {}, {}, {}};
  }
  add_paths(changed->out, base.changed);
  add_paths(untracked->out, base.changed);
  return base;
}

std::optional<std::string> path_in(const GitBase& base, const std::string& path) {
  std::error_code problem;
  const fs::path file(path);
  const fs::path folder =
      fs::weakly_canonical(file.has_parent_path() ? file.parent_path() : fs::path("."), problem);
  if (problem) return std::nullopt;
  const fs::path relative =
      (folder / file.filename()).lexically_relative(fs::weakly_canonical(base.root, problem));
  if (problem || relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative.generic_string();
}

std::optional<std::string> text_at(const GitBase& base, const std::string& path_in_root) {
  auto shown = run_process(
      {"git", "-C", base.root, "cat-file", "blob", fmt::format("{}:{}", base.commit, path_in_root)});
  if (!shown || shown->exit_code != 0) return std::nullopt;
  return std::move(shown->out);
}

}  // namespace shapelint::cli
