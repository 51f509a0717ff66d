// Why a file was taken for what it was, or for nothing.
#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/show/reading.hpp"
#include "formats/recognise.hpp"
#include "report/wrap.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

using formats::KeyTest;
using formats::Match;

constexpr std::size_t most_matches = 3;
constexpr std::size_t most_keys = 8;

std::string listed(const std::vector<const KeyTest*>& tests) {
  std::string out;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (i == most_keys) return out + ", …";
    out += fmt::format("{}`{}`", i == 0 ? "" : ", ", formats::written(*tests[i]));
  }
  return out;
}

std::string sentence(const Match& match) {
  std::string out = fmt::format("it has {}", listed(match.found));
  if (!match.missing.empty()) out += fmt::format("; it has not {}", listed(match.missing));
  if (match.more > 0) out += fmt::format("; {} more would do of {}", match.more, listed(match.open));
  if (!match.against.empty()) out += fmt::format("; against it speaks {}", listed(match.against));
  if (!match.file_fits) out += fmt::format("; such files are called `{}`", match.test->file);
  return out;
}

// The first keys of a file, for who writes a dialect for it.
std::string keys_of(const text::Document& document) {
  std::string out;
  std::size_t count = 0;
  const auto add = [&](const std::string& key) {
    if (++count <= 2 * most_keys) out += fmt::format("{}`{}`", count == 1 ? "" : ", ", text::one_line(key));
  };
  for (const text::NodeRef each : document.root()) {
    if (each.kind() != text::Kind::table || each.size() == 0) {
      add(each.path());
      continue;
    }
    for (const text::NodeRef inner : each) add(inner.path());
  }
  return count > 2 * most_keys ? out + ", …" : out;
}

}  // namespace

std::string why_text(const text::Source& source, const formats::Dialects& dialects,
                     const report::Style& style) {
  const std::string path = text::one_line(source.path);
  if (!source.syntax) return fmt::format("{}: it is of no syntax that configurations are written in\n", path);
  if (!source.documents) return fmt::format("{}: {}\n", path, source.documents.error().message);
  // A script has a document for each command line: those that are understood say it all.
  std::vector<std::string> known;
  std::string unknown;
  const auto add = [&](const text::Document& document) {
    const std::vector<Match> matches =
        formats::nearest_dialects(dialects, document, text::name(*source.syntax));
    const auto line = [&](std::string_view head, const Match& match) {
      return report::wrap(fmt::format("{}{} ({}): {}", head, match.dialect->title, match.dialect->name,
                                      sentence(match)),
                          4, 4, style) +
             '\n';
    };
    if (!matches.empty() && matches.front().holds()) {
      std::string told = line(path + " is a ", matches.front());
      if (std::find(known.begin(), known.end(), told) == known.end()) known.push_back(std::move(told));
      return;
    }
    if (!unknown.empty()) return;
    unknown = fmt::format("{}: it is of no dialect that is known\n", path);
    for (std::size_t i = 0; i < matches.size() && i < most_matches; ++i)
      unknown += line("  near to ", matches[i]);
    unknown += report::wrap("  its keys: " + keys_of(document), 4, 4, style) + '\n';
    unknown +=
        "  docs/adding-a-format.md says how to write a dialect; `shapelint formats` lists those there are\n";
  };
  for (const text::Document& document : *source.documents) add(document);
  std::string out;
  for (const std::string& each : known) out += each;
  return known.empty() ? unknown : out;
}

}  // namespace shapelint::cli
