// From what was named on the command line to the files to read.
#include "formats/discover.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "formats/dialect/paths.hpp"
#include "formats/onnx/onnx.hpp"
#include "text/errors.hpp"
#include "text/header/model_header.hpp"
#include "text/parse_any.hpp"

namespace shapelint::formats {

Gitignore::Gitignore(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    Pattern pattern;
    if (line.front() == '!') {
      pattern.negated = true;
      line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
      pattern.folders_only = true;
      line.remove_suffix(1);
    }
    pattern.anchored = line.find('/') != std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty()) continue;
    pattern.glob = line;
    patterns_.push_back(std::move(pattern));
  }
}

Gitignore::Verdict Gitignore::check(std::string_view path, bool is_folder) const {
  const auto slash = path.find_last_of('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
    if (pattern->folders_only && !is_folder) continue;
    if (glob_matches(pattern->glob, pattern->anchored ? path : name, Glob::path)) {
      return pattern->negated ? Verdict::kept : Verdict::ignored;
    }
  }
  return Verdict::silent;
}

namespace {

// Beyond any real project; a search that goes deeper runs in circles.
constexpr int max_levels = 64;
constexpr std::size_t max_files = 500'000;

// Folders of tools: environments, what was built or fetched, caches. Most repositories ignore them; outside
// of one nothing says so. One that is named is searched.
constexpr std::array<std::string_view, 24> tool_folders{".git",          ".hg",
                                                        ".svn",          ".venv",
                                                        "venv",          ".tox",
                                                        ".nox",          ".eggs",
                                                        ".direnv",       ".pyenv",
                                                        "site-packages", "__pycache__",
                                                        ".mypy_cache",   ".ruff_cache",
                                                        ".pytest_cache", ".ipynb_checkpoints",
                                                        "node_modules",  "bower_components",
                                                        "build",         "_build",
                                                        "dist",          "buck-out",
                                                        ".vscode",       ".idea"};

bool is_tool_folder(std::string_view name) {
  return std::find(tool_folders.begin(), tool_folders.end(), name) != tool_folders.end();
}

// What shapelint itself wrote next to configurations.
constexpr std::string_view own_file = "shapelint-proofs.json";

struct Ignores {
  std::string folder;
  Gitignore patterns;
};

class Searcher {
 public:
  Searcher(const text::FileSystem& files, Discovery& out) : files_(files), out_(out) {}

  void add(const std::string& path, bool named) {
    if (seen_.insert(path).second) out_.files.push_back({path, named});
  }

  void search(const std::string& folder) {
    // The rules of the folders above count too, up to the root of the repository.
    std::vector<std::string> above = ancestors(files_, join(folder, "x"));
    if (files_.exists(join(above.back(), ".git"))) {
      for (auto each = above.rbegin(); each != above.rend(); ++each) {
        if (*each != folder) read_ignores(*each);
      }
    }
    walk(folder, 0);
    ignores_.clear();
  }

 private:
  void read_ignores(const std::string& folder) {
    const std::string path = join(folder, ".gitignore");
    if (!files_.exists(path)) return;
    const auto content = files_.read(path, text::max_source_bytes);
    if (content) ignores_.push_back({folder, Gitignore(*content)});
  }

  bool is_ignored(const std::string& path, bool is_folder) const {
    for (auto each = ignores_.rbegin(); each != ignores_.rend(); ++each) {
      if (!is_inside(path, each->folder)) continue;
      const std::string_view relative = each->folder == "."
                                            ? std::string_view(path)
                                            : std::string_view(path).substr(each->folder.size() + 1);
      const auto verdict = each->patterns.check(relative, is_folder);
      if (verdict != Gitignore::Verdict::silent) return verdict == Gitignore::Verdict::ignored;
    }
    return false;
  }

  void walk(const std::string& folder, int level) {
    if (is_full_) return;
    if (level > max_levels) {
      // Nothing is passed over in silence: it may be what was to be checked.
      out_.errors.push_back(
          Error{fmt::format("folders are nested more than {} deep; deeper ones are not searched", max_levels),
                "name a folder further in, or exclude this one in .gitignore",
                folder,
                {},
                ErrorCode::too_large});
      return;
    }
    const auto paths = files_.list(folder);
    if (!paths) {
      out_.errors.push_back(paths.error());
      return;
    }
    const std::size_t rules = ignores_.size();
    read_ignores(folder);
    for (const std::string& listed : *paths) {
      if (is_full_) break;
      const std::string path = join("", listed);
      const std::string_view name = file_name(path);
      if (files_.is_directory(path)) {
        if (is_tool_folder(name)) continue;
        if (!files_.is_link(path) && !is_ignored(path, true)) walk(path, level + 1);
      } else if (name != own_file && text::syntax_by_name(path) && !is_ignored(path, false)) {
        if (out_.files.size() >= max_files) {
          is_full_ = true;
          out_.errors.push_back(
              Error{fmt::format("more than {} files: this one and the following are skipped", max_files),
                    "name fewer folders",
                    path,
                    {},
                    ErrorCode::too_large});
        } else if (files_.is_plain_file(path)) {
          add(path, false);
        } else {
          out_.passed_over.push_back(path);
        }
      }
    }
    ignores_.resize(rules, Ignores{{}, Gitignore("")});
  }

  const text::FileSystem& files_;
  Discovery& out_;
  std::vector<Ignores> ignores_;
  std::set<std::string> seen_;
  bool is_full_ = false;
};

// `examples/gpt3.toml` is not there, `examples/gpt3-2.7b.toml` is.
std::string nearest_file(const std::string& path, const text::FileSystem& files) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  const auto listed = files.list(folder);
  if (!listed) return {};
  std::vector<std::string_view> names;
  for (const std::string& each : *listed) {
    const std::string_view name = std::string_view(each).substr(each.rfind('/') + 1);
    if (!files.is_directory(each)) names.push_back(name);
  }
  const std::string_view near = nearest_name(std::string_view(path).substr(slash + 1), names);
  if (near.empty()) return {};
  return fmt::format("did you mean `{}{}`?", path.substr(0, slash + 1), near);
}

}  // namespace

Discovery discover(const text::FileSystem& files, std::span<const std::string> paths) {
  Discovery out;
  Searcher searcher(files, out);
  for (const std::string& path : paths) {
    if (files.is_directory(path)) {
      searcher.search(join("", path));
    } else {
      searcher.add(path, true);
    }
  }
  return out;
}

Result<std::string> read_named(const std::string& path, const text::FileSystem& files) {
  auto source = text::read_source(files, path, size_limit(path));
  if (source || source.error().code != ErrorCode::not_found) return source;
  Error error = source.error();
  error.hint = nearest_file(path, files);
  return error;
}

std::optional<Error> check_is_filled(const std::string& path, std::string_view source) {
  if (source.find_first_not_of(" \t\r\n") != std::string_view::npos) return std::nullopt;
  return Error{"the file is empty", "see examples/ for model files", path, {}};
}

}  // namespace shapelint::formats
