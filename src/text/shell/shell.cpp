// Documents out of what a script comes to.
#include "text/shell/shell.hpp"

#include <algorithm>
#include <set>

#include "text/shell/flags.hpp"
#include "text/shell/outcomes.hpp"
#include "text/shell/run.hpp"
#include "text/shell/syntax.hpp"

namespace shapelint::text::shell {

namespace {

// A script with more command lines than this is no launch script.
constexpr std::size_t max_documents = 100;

Span span_of(Word word) {
  return {static_cast<std::int64_t>(word.begin), static_cast<std::int64_t>(word.end)};
}

// The flags that variables hold which no other variable is made of.
std::vector<Text> flags_in_variables(const Outcome& outcome) {
  std::set<Span, bool (*)(const Span&, const Span&)> used([](const Span& a, const Span& b) {
    return a.begin < b.begin || (a.begin == b.begin && a.end < b.end);
  });
  for (const auto& [name, value] : outcome.variables) {
    for (const Text& text : value->items) {
      for (const Piece& piece : text) {
        if (!piece.uses.empty()) used.insert(piece.span);
      }
    }
  }
  // In the order of the file.
  std::vector<std::pair<std::int64_t, const Value*>> holders;
  for (const auto& [name, value] : outcome.variables) {
    bool holds = false;
    for (const Text& text : value->items) {
      for (const Piece& piece : text) {
        holds = holds || (piece.uses.empty() && !used.contains(piece.span) &&
                          piece.text.find("--") != std::string::npos);
      }
    }
    const auto place = outcome.names.find(name);
    if (holds && place != outcome.names.end()) holders.emplace_back(place->second.begin, value.get());
  }
  std::sort(holders.begin(), holders.end());
  std::vector<Text> words;
  for (const auto& [place, value] : holders) {
    for (const Text& text : value->items) {
      Text open = text;
      if (!value->is_array) {
        for (Piece& piece : open) piece.quoted = false;
      }
      for (Text& word : split_words(open)) words.push_back(std::move(word));
    }
  }
  return words;
}

void add_list(TreeBuilder& tree, std::int32_t root, std::string_view key, const std::vector<Text>& words,
              Span place) {
  const std::int32_t list = tree.add(root, Kind::list, key, {}, place);
  for (const Text& word : words) add_value(tree, list, {}, {}, word, {});
}

// The files that a script runs as parts of itself, and the words of the command that may hold what they set:
// `source env.sh` and `python train.py $ARGS`. Both or neither.
void add_open_words(TreeBuilder& tree, std::int32_t root, const Outcome& outcome, const Flags& flags,
                    Span place) {
  const bool any_sourced =
      std::any_of(outcome.commands.begin(), outcome.commands.end(), [](const CommandLine& line) {
        const std::string name = as_string(line.words.front());
        return name == "source" || name == ".";
      });
  if (!any_sourced) return;
  std::vector<Text> open;
  for (const std::vector<Text>* words : {&flags.command, &flags.arguments}) {
    for (const Text& word : *words) {
      const Piece* piece = first_unknown(word);
      if (piece != nullptr && as_string(word).empty() && piece->name != "@" && piece->name != "*")
        open.push_back(word);
    }
  }
  if (!open.empty()) add_list(tree, root, "open", open, place);
}

std::string joined(const std::vector<Text>& words) {
  std::string all;
  for (const Text& word : words) {
    if (!all.empty()) all += ' ';
    all += as_string(word);
  }
  return all;
}

// Two ways through a script that lead to the same flags are one.
std::string signature(const Flags& flags) {
  std::string all = joined(flags.command);
  for (const Flag& flag : flags.flags) {
    all += '\n' + as_string(flag.name);
    for (const Text& value : flag.values) {
      const Piece* open = first_unknown(value);
      all += '\t';
      all += open == nullptr ? as_string(value) : open->reason;
    }
  }
  return all;
}

TreeBuilder build(std::string_view source, const Outcome& outcome, const Flags& flags, Span place) {
  TreeBuilder tree;
  const std::int32_t root =
      tree.add(no_node, Kind::table, {}, {}, Span{0, static_cast<std::int64_t>(source.size())});
  tree.set_string(tree.add(root, Kind::string, "command", {}, place), joined(flags.command));
  const std::int32_t table = tree.add(root, Kind::table, "flags", {}, place);
  for (const Flag& flag : flags.flags) {
    const Span name = name_span(flag.name);
    const std::string key = as_string(flag.name);
    if (flag.values.empty()) {
      tree.set_boolean(tree.add(table, Kind::boolean, key, name, name), true);
    } else if (flag.values.size() == 1) {
      add_value(tree, table, key, name, flag.values.front(), flag.name);
    } else {
      const std::int32_t list = tree.add(table, Kind::list, key, name, values_span(flag));
      for (const Text& value : flag.values) add_value(tree, list, {}, {}, value, flag.name);
    }
  }
  add_list(tree, root, "arguments", flags.arguments, place);
  add_open_words(tree, root, outcome, flags, place);
  const std::int32_t variables = tree.add(root, Kind::table, "variables", {}, place);
  for (const auto& [name, value] : outcome.variables) {
    const auto found = outcome.names.find(name);
    const Span key_span = found == outcome.names.end() ? Span{} : found->second;
    if (value->is_array) {
      const std::int32_t list = tree.add(variables, Kind::list, name, key_span, key_span);
      for (const Text& item : value->items) add_value(tree, list, {}, {}, item, {});
    } else if (!value->items.empty()) {
      add_value(tree, variables, name, key_span, value->items.front(), {});
    }
  }
  const std::int32_t branches = tree.add(root, Kind::list, "branches", {}, place);
  for (const Word& branch : outcome.branches) {
    tree.set_string(tree.add(branches, Kind::string, {}, {}, span_of(branch)),
                    source.substr(branch.begin, branch.end - branch.begin));
  }
  return tree;
}

}  // namespace

}  // namespace shapelint::text::shell

namespace shapelint::text {

Result<std::vector<Document>> parse_shell(std::string path, SharedText source) {
  if (const auto problem = check_source(path, source)) return *problem;
  const Result<std::vector<shell::Statement>> statements = shell::parse_statements(path, source);
  if (!statements) return statements.error();
  std::vector<Document> documents;
  try {
    std::vector<shell::Outcome> outcomes = shell::follow(path, source, *statements);
    if (outcomes.size() == 1) outcomes.front().branches.clear();
    std::set<std::string> seen;
    const auto add = [&](const shell::Outcome& outcome, const shell::Flags& flags, Span place) {
      if (documents.size() >= shell::max_documents || !seen.insert(shell::signature(flags)).second) return;
      Document document = shell::build(source, outcome, flags, place).finish(path, source);
      documents.push_back(std::move(document));
    };
    for (const shell::Outcome& outcome : outcomes) {
      for (const shell::CommandLine& line : outcome.commands) {
        const std::string name = shell::as_string(line.words.front());
        if (name.starts_with('-') || shell::is_harmless_command(name)) continue;
        const shell::Flags flags = shell::collect_flags(line.words);
        if (!flags.flags.empty()) add(outcome, flags, shell::span_of(line.extent));
      }
    }
    if (documents.empty()) {
      const shell::Outcome& outcome = outcomes.front();
      add(outcome, shell::collect_flags(shell::flags_in_variables(outcome)),
          Span{0, static_cast<std::int64_t>(source.size())});
    }
  } catch (const shell::Stop& stopped) {
    return refused(stopped.error);
  }
  return documents;
}

}  // namespace shapelint::text
