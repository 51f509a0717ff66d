// git's rules for files that are not part of a project.
#include "formats/gitignore.hpp"

namespace shapelint::formats {

namespace {

// A set `[...]` at the start of `glob`: its length, and whether it holds `c`. Length 0: no closing bracket.
std::size_t match_set(std::string_view glob, char c, bool& holds) {
  std::size_t i = 1;
  const bool negated = i < glob.size() && (glob[i] == '!' || glob[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < glob.size() && (first || glob[i] != ']'); first = false, ++i) {
    if (glob[i] == '\\' && i + 1 < glob.size()) ++i;
    if (i + 2 < glob.size() && glob[i + 1] == '-' && glob[i + 2] != ']') {
      found = found || (glob[i] <= c && c <= glob[i + 2]);
      i += 2;
    } else {
      found = found || glob[i] == c;
    }
  }
  if (i >= glob.size()) return 0;
  holds = found != negated && c != '/';
  return i + 1;
}

// `budget` bounds the backtracking that hostile patterns (`*a*a*a…`) would cause.
bool match(std::string_view glob, std::string_view path, int& budget) {
  while (!glob.empty()) {
    if (--budget < 0) return false;
    if (glob.starts_with("**/")) {
      for (std::string_view rest = path;;) {
        if (match(glob.substr(3), rest, budget)) return true;
        const auto slash = rest.find('/');
        if (slash == std::string_view::npos) return false;
        rest.remove_prefix(slash + 1);
      }
    }
    if (glob == "**") return true;
    if (glob.front() == '*') {
      while (!glob.empty() && glob.front() == '*') glob.remove_prefix(1);
      for (std::size_t taken = 0;; ++taken) {
        if (match(glob, path.substr(taken), budget)) return true;
        if (taken >= path.size() || path[taken] == '/') return false;
      }
    }
    if (path.empty()) return false;
    if (glob.front() == '?') {
      if (path.front() == '/') return false;
      glob.remove_prefix(1);
    } else if (bool holds = false; glob.front() == '[' && match_set(glob, path.front(), holds) > 0) {
      if (!holds) return false;
      glob.remove_prefix(match_set(glob, path.front(), holds));
    } else {
      if (glob.front() == '\\' && glob.size() > 1) glob.remove_prefix(1);
      if (glob.front() != path.front()) return false;
      glob.remove_prefix(1);
    }
    path.remove_prefix(1);
  }
  return path.empty();
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view path) {
  constexpr int most_steps = 20000;
  int budget = most_steps;
  return match(glob, path, budget);
}

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
    if (glob_matches(pattern->glob, pattern->anchored ? path : name)) {
      return pattern->negated ? Verdict::kept : Verdict::ignored;
    }
  }
  return Verdict::silent;
}

}  // namespace shapelint::formats
