// What changed in a git repository since a revision.
#include "lint/git.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "lint/process.hpp"

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

// A letter and a path each; R and its score are followed by the old path and the new one (git-diff,
// "--name-status").
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

}  // namespace

Result<GitBase> compare_with(const std::string& revision, const std::string& here) {
  GitBase base;
  base.here = here;
  const auto top = run_process({"git", "-C", here, "rev-parse", "--show-toplevel"});
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
    const auto head = run_process({"git", "-C", base.root, "rev-parse", "--verify", "--quiet", "HEAD"});
    const bool has_commits = head && head->exit_code == 0;
    return Error{fmt::format("git knows no revision `{}`", revision),
                 has_commits ? "a branch, a tag or a commit; in CI it may have to be fetched first"
                             : "the repository has no commit yet; lint without `--diff-base`",
                 {},
                 {}};
  }
  base.commit = commit->out.substr(0, commit->out.find('\n'));
  const auto changed = run_process({"git", "-C", base.root, "diff", "--name-status", "--find-renames",
                                    "--no-ext-diff", "-z", base.commit, "--"});
  if (!changed) return changed.error();
  const auto untracked =
      run_process({"git", "-C", base.root, "ls-files", "--others", "--exclude-standard", "-z"});
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
  auto shown = run_process(
      {"git", "-C", base.root, "cat-file", "blob", fmt::format("{}:{}", base.commit, path_in_root)});
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
  const auto found =
      run_process({"git", "-C", base_.root, "cat-file", "-e", fmt::format("{}:{}", base_.commit, *inside)});
  return found && found->exit_code == 0;
}

}  // namespace shapelint::lint
