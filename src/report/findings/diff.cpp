// A unified diff. Lines are matched greedily from the nearest equal line on: right for texts that differ in
// few places, which is all that is asked here.
#include "report/findings/diff.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace shapelint::report {

namespace {

constexpr std::size_t context_lines = 3;

// With their line feeds, so that a missing one at the end is a difference.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

struct DiffLine {
  char kind;  // ' ', '-', '+'
  std::string_view text;
};

std::vector<DiffLine> compare(const std::vector<std::string_view>& a,
                              const std::vector<std::string_view>& b) {
  std::vector<DiffLine> out;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      out.push_back({' ', a[i]});
      ++i;
      ++j;
      continue;
    }
    // The nearest pair of equal lines ahead, by the number of lines skipped.
    std::size_t skip_a = a.size() - i;
    std::size_t skip_b = b.size() - j;
    for (std::size_t total = 1; total < skip_a + skip_b; ++total) {
      bool found = false;
      // No more of either than is left.
      const std::size_t first = total < b.size() - j ? 0 : total - (b.size() - j) + 1;
      for (std::size_t x = first; x <= total && i + x < a.size() && !found; ++x) {
        const std::size_t y = total - x;
        if (a[i + x] == b[j + y]) {
          skip_a = x;
          skip_b = y;
          found = true;
        }
      }
      if (found) break;
    }
    for (std::size_t x = 0; x < skip_a; ++x) out.push_back({'-', a[i++]});
    for (std::size_t y = 0; y < skip_b; ++y) out.push_back({'+', b[j++]});
  }
  return out;
}

}  // namespace

std::string unified_diff(std::string_view old_name, std::string_view new_name, std::string_view old_text,
                         std::string_view new_text) {
  if (old_text == new_text) return {};
  const std::vector<DiffLine> lines = compare(lines_of(old_text), lines_of(new_text));
  std::string out = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
  std::size_t old_line = 1;
  std::size_t new_line = 1;
  std::size_t at = 0;
  while (at < lines.size()) {
    std::size_t first = at;
    while (first < lines.size() && lines[first].kind == ' ') ++first;
    if (first == lines.size()) break;
    const std::size_t begin = first - at > context_lines ? first - context_lines : at;
    // Changes that are nearer than two contexts share a hunk.
    std::size_t end = first;
    for (std::size_t i = first, same = 0; i < lines.size() && same <= 2 * context_lines; ++i) {
      same = lines[i].kind == ' ' ? same + 1 : 0;
      if (same == 0) end = i + 1;
    }
    end = std::min(end + context_lines, lines.size());
    for (; at < begin; ++at) {
      ++old_line;
      ++new_line;
    }
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    std::string body;
    for (; at < end; ++at) {
      const DiffLine& line = lines[at];
      old_count += line.kind != '+' ? 1 : 0;
      new_count += line.kind != '-' ? 1 : 0;
      body += line.kind;
      body += line.text;
      if (!line.text.ends_with('\n')) body += "\n\\ No newline at end of file\n";
    }
    out += fmt::format("@@ -{},{} +{},{} @@\n", old_count == 0 ? old_line - 1 : old_line, old_count,
                       new_count == 0 ? new_line - 1 : new_line, new_count);
    out += body;
    old_line += old_count;
    new_line += new_count;
  }
  return out;
}

}  // namespace shapelint::report
