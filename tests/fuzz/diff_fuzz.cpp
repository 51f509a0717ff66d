// Fuzz target of what is told of changes: git's list of changed files, and the unified diff of a file, which
// must turn the old text into the new one. The first byte chooses; a zero byte stands between the two texts.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lint/suppression/git.hpp"
#include "report/findings/snippet.hpp"
#include "tests/fuzz/check.hpp"

namespace {

using namespace shapelint;

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.remove_prefix(line.size());
  return line;
}

std::size_t take_number(std::string_view& text, char before) {
  const std::size_t at = text.find(before);
  fuzz::require(at != std::string_view::npos);
  std::size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
  fuzz::require(problem == std::errc{});
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// `old` with a unified diff applied, as patch(1) does.
std::string patched(std::string_view old, std::string_view diff) {
  fuzz::require(take_line(diff) == "--- old\n");
  fuzz::require(take_line(diff) == "+++ new\n");
  std::string out;
  std::size_t line = 1;  // of the old text, that comes next
  while (!diff.empty()) {
    std::string_view header = take_line(diff);
    fuzz::require(header.starts_with("@@ -"));
    std::size_t first = take_number(header, '-');
    std::size_t left = take_number(header, ',');
    take_number(header, '+');
    std::size_t made = take_number(header, ',');
    if (left == 0) ++first;  // the line that new ones come after
    fuzz::require(first >= line);
    for (; line < first; ++line) out += take_line(old);
    while (left > 0 || made > 0) {
      fuzz::require(!diff.empty());
      std::string text(take_line(diff));
      if (diff.starts_with('\\')) {
        take_line(diff);
        text.pop_back();
      }
      const char kind = text.front();
      text.erase(0, 1);
      if (kind != '+') {
        fuzz::require(left-- > 0 && !old.empty() && take_line(old) == text);
        ++line;
      }
      if (kind != '-') {
        fuzz::require(made-- > 0);
        out += text;
      }
    }
  }
  out += old;
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    lint::GitBase base;
    lint::add_changes(text, base);
    for (const auto& [now, then] : base.renamed) {
      fuzz::require(base.changed.contains(now) && base.changed.contains(then));
    }
    return 0;
  }
  const std::size_t zero = text.find('\0');
  if (zero == std::string::npos) return 0;
  const std::string old = text.substr(0, zero);
  const std::string now = text.substr(zero + 1);
  const std::string diff = report::unified_diff("old", "new", old, now);
  fuzz::require(diff.empty() == (old == now));
  if (!diff.empty()) fuzz::require(patched(old, diff) == now);
  return 0;
}
