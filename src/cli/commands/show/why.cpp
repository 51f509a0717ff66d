// Why a file was taken for what it was, or for nothing.
#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "cli/commands/show/show.hpp"
#include "formats/recognise.hpp"
#include "report/style.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

using formats::KeyTest;
using formats::Match;

constexpr std::size_t max_matches = 3;
constexpr std::size_t max_keys = 8;

std::string listed(const std::vector<const KeyTest*>& tests) {
  std::string out;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (i == max_keys) return out + ", …";
    out += fmt::format("{}`{}`", i == 0 ? "" : ", ", formats::written(*tests[i]));
  }
  return out;
}

std::string sentence(const Match& match) {
  std::string out = fmt::format("it has {}", listed(match.found));
  if (!match.missing.empty()) out += fmt::format("; missing: {}", listed(match.missing));
  if (match.more > 0) out += fmt::format("; {} more needed of {}", match.more, listed(match.open));
  if (!match.against.empty()) out += fmt::format("; ruled out by {}", listed(match.against));
  if (!match.file_fits) out += fmt::format("; such files are called `{}`", match.test->file);
  return out;
}

// A value of the file, for who writes a dialect for it.
struct Leaf {
  std::string key;
  std::string value;
};

constexpr std::size_t max_leaves = 20;
constexpr std::size_t max_leaves_verbose = 400;
constexpr int deepest = 8;

std::string value_of(text::NodeRef node) {
  constexpr std::size_t longest = 40;
  if (const auto value = node.as_boolean()) return *value ? "true" : "false";
  if (const auto value = node.as_integer()) return fmt::format("{}", *value);
  if (const auto value = node.as_number()) return exact(*value);
  if (const auto value = node.as_string()) {
    const std::string line = text::one_line(*value);
    return line.size() <= longest ? "\"" + line + "\""
                                  : "\"" + text::one_line(value->substr(0, longest)) + "…\"";
  }
  if (node.is(text::Kind::unknown)) return fmt::format("unknown: {}", text::one_line(node.note()));
  if (node.is(text::Kind::list))
    return node.size() == 0 ? "an empty list" : fmt::format("a list of {}", counted(node.size(), "item"));
  return std::string(text::describe(node.kind()));
}

void collect(text::NodeRef node, int depth, std::vector<Leaf>& leaves) {
  for (const text::NodeRef each : node) {
    if (leaves.size() >= max_leaves_verbose) return;
    const bool holds_more = each.is(text::Kind::table) && each.size() > 0 && depth < deepest;
    if (holds_more) {
      collect(each, depth + 1, leaves);
    } else {
      leaves.push_back({text::one_line(each.path()), value_of(each)});
    }
  }
}

// Of sizes and names, by the last part of the key.
bool tells_of_a_model(const Leaf& leaf) {
  constexpr std::string_view parts[] = {"hidden", "layer", "head",   "vocab", "embd", "embed",
                                        "dim",    "ffn",   "width",  "depth", "seq",  "batch",
                                        "model",  "arch",  "expert", "length"};
  const std::string_view last = std::string_view(leaf.key).substr(leaf.key.rfind('.') + 1);
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return last.find(part) != std::string_view::npos; });
}

// What a dialect would be made of: those that tell of a model first, where there are too many.
std::string keys_of(const text::Document& document, bool all) {
  std::vector<Leaf> leaves;
  collect(document.root(), 0, leaves);
  const std::size_t most = all ? max_leaves_verbose : max_leaves;
  const std::size_t count = leaves.size();
  if (count > most) {
    std::stable_partition(leaves.begin(), leaves.end(), tells_of_a_model);
    leaves.resize(most);
  }
  std::string out =
      count > most ? "  keys, those that may describe a model first (`--verbose` lists all):\n" : "  keys:\n";
  for (const Leaf& each : leaves) out += fmt::format("    {} = {}\n", each.key, each.value);
  return out;
}

}  // namespace

std::string why_text(const text::Source& source, const formats::Dialects& dialects, bool verbose,
                     const report::Style& style) {
  const std::string path = text::one_line(source.path);
  if (!source.syntax) return fmt::format("{}: not TOML, JSON, YAML, Python or shell\n", path);
  if (!source.documents) return fmt::format("{}: {}\n", path, source.documents.error().message);
  // A script has a document for each command line: those that are understood say it all.
  std::vector<std::string> known;
  std::string unknown;
  std::size_t largest = 0;
  const auto size_of = [](const text::Document& document) {
    return document.root()["flags"].size() + document.root()["overrides"].size();
  };
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
      std::string reason = line(path + " is a ", matches.front());
      if (std::find(known.begin(), known.end(), reason) == known.end()) known.push_back(std::move(reason));
      return;
    }
    // The most informative of several command lines.
    if (!unknown.empty() && size_of(document) <= largest) return;
    largest = size_of(document);
    unknown = fmt::format("{}: unrecognized config format\n", path);
    for (std::size_t i = 0; i < matches.size() && i < max_matches; ++i)
      unknown += line("  similar to ", matches[i]);
    unknown += keys_of(document, verbose);
    unknown += report::wrap(
                   "  to add a format: a TOML file in a folder of `format-folders` "
                   "(docs/contributing/format.md; `shapelint formats NAME` shows an example)",
                   4, 4, style) +
               '\n';
  };
  for (const text::Document& document : *source.documents) add(document);
  std::string out;
  for (const std::string& each : known) out += each;
  return known.empty() ? unknown : out;
}

}  // namespace shapelint::cli
