// Documents out of what a script comes to.
#include "text/shell/shell.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "text/errors.hpp"
#include "text/shell/flags.hpp"
#include "text/shell/grammar/syntax.hpp"
#include "text/shell/launch.hpp"
#include "text/shell/paths.hpp"
#include "text/shell/run.hpp"

namespace shapelint::text::shell {

namespace {

// A script with more command lines than this is not a launch script.
constexpr std::size_t max_documents = 100;

Span span_of(Word word) {
  return {static_cast<std::int64_t>(word.begin), static_cast<std::int64_t>(word.end)};
}

// Where a piece was written: in which of the sources, from where to where.
using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

Place place_of(const Piece& piece) {
  return {piece.included, piece.span.begin, piece.span.end};
}

void add_used(const std::vector<Text>& texts, std::set<Place>& used) {
  for (const Text& text : texts) {
    for (const Piece& piece : text) {
      if (!piece.uses.empty()) used.insert(place_of(piece));
    }
  }
}

// Whether a part of the piece is one of them.
bool is_in_use(const Piece& piece, const std::set<Place>& used) {
  const auto first = used.lower_bound(Place{piece.included, piece.span.begin, piece.span.begin});
  return first != used.end() && std::get<0>(*first) == piece.included &&
         std::get<2>(*first) <= piece.span.end;
}

// The flags that variables hold which no other variable is made of. `only_exported`: of those that are handed
// on to other scripts, and that no command line of this one has.
std::vector<Text> flags_in_variables(const ExecutionPath& outcome, bool only_exported) {
  std::set<Place> used;
  for (const auto& [name, value] : outcome.variables) add_used(value->items, used);
  if (only_exported) {
    for (const auto& line : outcome.commands) add_used(line->words, used);
  }
  // In the order of the file.
  std::vector<std::pair<std::int64_t, const Value*>> holders;
  for (const auto& [name, value] : outcome.variables) {
    charge(units_per_piece);
    if (only_exported && !outcome.exported.contains(name)) continue;
    bool holds = false;
    for (const Text& text : value->items) {
      for (const Piece& piece : text) {
        charge_text(piece.text.size());
        holds = holds ||
                (piece.uses.empty() && !is_in_use(piece, used) && piece.text.find("--") != std::string::npos);
      }
    }
    const auto place = outcome.names.find(name);
    if (holds && place != outcome.names.end()) holders.emplace_back(place->second.begin, value.get());
  }
  std::sort(holders.begin(), holders.end());
  std::vector<Text> words;
  for (const auto& [place, value] : holders) {
    for (const Text& text : value->items) {
      charge_copy(text);
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
void add_open_words(TreeBuilder& tree, std::int32_t root, const ExecutionPath& outcome, const Flags& flags,
                    Span place) {
  const bool any_sourced =
      std::any_of(outcome.commands.begin(), outcome.commands.end(), [](const auto& line) {
        const std::string name = as_string(line->words.front());
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

// The Python file that is run, behind whatever launches it.
const Text* program_of(const Flags& flags) {
  for (const std::vector<Text>* words : {&flags.command, &flags.arguments}) {
    for (const Text& word : *words) {
      if (as_string(word).ends_with(".py")) return &word;
    }
  }
  return nullptr;
}

// Two ways through a script that lead to the same flags are one.
std::string signature(const Flags& flags) {
  std::string all = joined(flags.command);
  for (const std::vector<Flag>* each : {&flags.flags, &flags.overrides}) {
    for (const Flag& flag : *each) {
      all += '\n' + as_string(flag.name);
      for (const Text& value : flag.values) {
        const Piece* open = first_unknown(value);
        all += '\t';
        all += open == nullptr ? as_string(value) : open->reason;
      }
    }
  }
  return all;
}

// The first parts of keys with dots.
std::set<std::string, std::less<>> outer_tables(const std::vector<Flag>& overrides) {
  std::set<std::string, std::less<>> out;
  for (const Flag& each : overrides) {
    const std::string key = as_string(each.name);
    const std::size_t dot = key.find('.');
    if (dot != std::string::npos) out.insert(key.substr(0, dot));
  }
  return out;
}

// Keys with dots as tables in tables. One that is both a value and a table is what it is first; but without a
// dot it chooses a group of Hydra's, of which others change values (`engine=fsdp
// engine.sequence_parallel=2`).
void add_overrides(TreeBuilder& tree, std::int32_t root, const std::vector<Flag>& overrides, Span place) {
  if (overrides.empty()) return;
  charge(units_per_piece * overrides.size());
  std::map<std::string, std::int32_t, std::less<>> tables{
      {"", tree.add(root, Kind::table, "overrides", {}, place)}};
  const std::set<std::string, std::less<>> groups = outer_tables(overrides);
  std::set<std::string, std::less<>> values;
  for (const Flag& each : overrides) {
    const std::string key = as_string(each.name);
    if (groups.contains(key)) continue;
    const Span written = name_span(each.name);
    std::string path;
    std::int32_t parent = tables.find("")->second;
    std::size_t at = 0;
    for (std::size_t dot = key.find('.'); dot != std::string::npos && parent != no_node;
         dot = key.find('.', at)) {
      charge_text(dot);
      path = key.substr(0, dot);
      const auto [table, is_new] = tables.emplace(path, no_node);
      if (is_new && !values.contains(path))
        table->second = tree.add(parent, Kind::table, key.substr(at, dot - at), written, place);
      parent = table->second;
      at = dot + 1;
    }
    const auto table = tables.find(key);
    if (parent == no_node || (table != tables.end() && table->second != no_node)) continue;
    values.insert(key);
    add_value(tree, parent, std::string_view(key).substr(at), written, each.values.front(), each.name);
  }
}

bool has_flags(const Flags& flags) {
  return !flags.flags.empty() || !flags.overrides.empty() || !flags.configuration.empty();
}

bool serves(const Flags& flags) {
  return !flags.image.empty() || std::any_of(flags.following.begin(), flags.following.end(),
                                             [](const auto& each) { return each.first == "serve"; });
}

void add_following(TreeBuilder& tree, std::int32_t root, const Flags& flags, Span place) {
  if (flags.following.empty()) return;
  const std::int32_t table = tree.add(root, Kind::table, "following", {}, place);
  std::set<std::string_view> seen;
  for (const auto& [word, next] : flags.following) {
    if (seen.insert(word).second) add_value(tree, table, word, {}, next, {});
  }
}

void add_variable(TreeBuilder& tree, std::int32_t variables, const std::string& name, Span place,
                  const Value& value) {
  if (value.is_array) {
    const std::int32_t list = tree.add(variables, Kind::list, name, place, place);
    for (const Text& item : value.items) add_value(tree, list, {}, {}, item, {});
  } else if (!value.items.empty()) {
    add_value(tree, variables, name, place, value.items.front(), {});
  }
}

// What becomes a document.
struct Found {
  ExecutionPath* outcome;
  Flags flags;
  Span place;
  std::vector<Prefix> prefixes;
};

// Flags of the script's other lines, as far as this one has none of that name: what a tokenizer was trained
// with.
void add_others(TreeBuilder& tree, std::int32_t root, const Found& found, const std::vector<Found>& all) {
  std::set<std::string> seen;
  for (const Flag& own : found.flags.flags) seen.insert(as_string(own.name));
  std::int32_t table = no_node;
  for (const Found& other : all) {
    if (&other == &found || other.outcome != found.outcome) continue;
    for (const Flag& flag : other.flags.flags) {
      const std::string key = as_string(flag.name);
      if (flag.values.size() != 1 || !seen.insert(key).second) continue;
      if (table == no_node) table = tree.add(root, Kind::table, "others", {}, found.place);
      add_value(tree, table, key, name_span(flag.name), flag.values.front(), flag.name);
    }
  }
}

// Numbers for the ways that words came into a command; 0 for those that are written in it.
class Expansions {
 public:
  std::uint32_t of(const Text& name) {
    if (name.empty() || name.front().uses.empty()) return 0;
    std::vector<std::int64_t> way;
    charge(name.front().uses.size());
    for (const Span& use : name.front().uses) way.insert(way.end(), {use.begin, use.end});
    return numbers_.emplace(std::move(way), static_cast<std::uint32_t>(numbers_.size()) + 1).first->second;
  }

 private:
  std::map<std::vector<std::int64_t>, std::uint32_t> numbers_;
};

TreeBuilder build(std::string_view source, const SlurmJob& job, const Found& found,
                  const std::vector<Found>& all) {
  const ExecutionPath& outcome = *found.outcome;
  const Flags& flags = found.flags;
  const Span place = found.place;
  TreeBuilder tree;
  const std::int32_t root =
      tree.add(no_node, Kind::table, {}, {}, Span{0, static_cast<std::int64_t>(source.size())});
  tree.set_string(tree.add(root, Kind::string, "command", {}, place), joined(flags.command));
  if (const Text* program = program_of(flags)) add_value(tree, root, "program", place, *program, {});
  if (!flags.image.empty()) add_value(tree, root, "image", place, flags.image, {});
  add_following(tree, root, flags, place);
  if (!flags.configuration.empty()) add_value(tree, root, "configuration", place, flags.configuration, {});
  const std::int32_t table = tree.add(root, Kind::table, "flags", {}, place);
  Expansions expansions;
  for (const Flag& flag : flags.flags) {
    const Span name = name_span(flag.name);
    const std::string key = as_string(flag.name);
    const auto index = static_cast<std::int32_t>(tree.size());
    if (flag.values.empty()) {
      tree.set_boolean(tree.add(table, Kind::boolean, key, name, name), true);
    } else if (flag.values.size() == 1) {
      add_value(tree, table, key, name, flag.values.front(), flag.name);
    } else {
      const std::int32_t list = tree.add(table, Kind::list, key, name, values_span(flag));
      for (const Text& value : flag.values) add_value(tree, list, {}, {}, value, flag.name);
    }
    tree.set_expansion(index, expansions.of(flag.name));
  }
  add_overrides(tree, root, flags.overrides, place);
  add_others(tree, root, found, all);
  add_list(tree, root, "arguments", flags.arguments, place);
  add_open_words(tree, root, outcome, flags, place);
  const std::int32_t variables = tree.add(root, Kind::table, "variables", {}, place);
  charge(outcome.variables.size() * (4 + found.prefixes.size()));
  for (const auto& [name, value] : outcome.variables) {
    const bool is_prefix = std::any_of(found.prefixes.begin(), found.prefixes.end(),
                                       [&, &key = name](const Prefix& each) { return each.name == key; });
    if (is_prefix) continue;
    const auto written = outcome.names.find(name);
    add_variable(tree, variables, name, written == outcome.names.end() ? Span{} : written->second, *value);
  }
  for (const Prefix& each : found.prefixes)
    add_variable(tree, variables, each.name, each.name_span, *each.value);
  for (const Flag& each : flags.environment)
    add_value(tree, variables, as_string(each.name), name_span(each.name), each.values.front(), {});
  add_slurm(tree, root, job, place);
  const std::int32_t branches = tree.add(root, Kind::list, "branches", {}, place);
  for (const BranchTaken& each : outcome.branches) {
    tree.set_string(tree.add(branches, Kind::string, {}, {}, span_of(each.label)),
                    source.substr(each.label.begin, each.label.end - each.label.begin));
  }
  return tree;
}

// A branch that all of them take distinguishes none.
void forget_common_branches(const std::vector<Found>& found) {
  const auto takes = [](const Found& each, const BranchTaken& branch) {
    return std::any_of(each.outcome->branches.begin(), each.outcome->branches.end(),
                       [&](const BranchTaken& its) {
                         return its.fork == branch.fork && its.label.begin == branch.label.begin;
                       });
  };
  const std::vector<BranchTaken> branches = found.front().outcome->branches;
  std::size_t all = 0;
  for (const Found& each : found) all += each.outcome->branches.size();
  for (const BranchTaken& branch : branches) {
    charge(2 * all);
    if (!std::all_of(found.begin(), found.end(), [&](const Found& each) { return takes(each, branch); }))
      continue;
    for (const Found& each : found) {
      std::erase_if(each.outcome->branches, [&](const BranchTaken& its) {
        return its.fork == branch.fork && its.label.begin == branch.label.begin;
      });
    }
  }
}

}  // namespace

}  // namespace shapelint::text::shell

namespace shapelint::text {

Result<std::vector<Document>> parse_shell(const std::string& path, const SharedText& source,
                                          const SourceLoader& load) {
  if (const auto problem = check_source(path, source)) return *problem;
  const Budget budget;
  std::vector<Document> documents;
  try {
    const Result<std::vector<shell::Statement>> statements = shell::parse_statements(path, source);
    if (!statements) return statements.error();
    const shell::SlurmJob job = shell::slurm_job(source);
    std::vector<shell::ExecutionPath> paths =
        shell::follow(path, source, *statements, shell::slurm_variables(job), load);
    std::vector<shell::Found> found;
    std::set<std::string> seen;
    const auto add = [&](shell::ExecutionPath& outcome, shell::Flags flags, Span place,
                         const std::vector<shell::Prefix>& prefixes) {
      if (found.size() >= shell::max_documents || !seen.insert(shell::signature(flags)).second) return;
      found.push_back({&outcome, std::move(flags), place, prefixes});
    };
    const auto add_commands = [&](bool (*is_launch)(const shell::Flags&)) {
      for (shell::ExecutionPath& outcome : paths) {
        for (const auto& each : outcome.commands) {
          if (found.size() >= shell::max_documents) return;
          const shell::CommandLine& line = *each;
          const std::string name = shell::as_string(line.words.front());
          if (name.starts_with('-') || shell::is_harmless_command(name)) continue;
          for (shell::Flags& flags : shell::collect_commands(line.words)) {
            if (is_launch(flags)) add(outcome, std::move(flags), shell::span_of(line.extent), line.prefixes);
          }
        }
      }
    };
    add_commands(shell::has_flags);
    // A server may be given its model alone: `vllm serve MODEL`.
    if (found.empty()) add_commands(shell::serves);
    // What variables hold: for another script, or because this one only assembles flags.
    const bool has_lines = !found.empty();
    const Span all{0, static_cast<std::int64_t>(source.size())};
    for (shell::ExecutionPath& outcome : paths) {
      shell::Flags flags = shell::collect_flags(shell::flags_in_variables(outcome, has_lines));
      if (!has_lines || !flags.flags.empty()) add(outcome, std::move(flags), all, {});
    }
    shell::forget_common_branches(found);
    for (const shell::Found& each : found)
      documents.push_back(shell::build(source, job, each, found).finish(path, source));
  } catch (const shell::Stop& stopped) {
    return refused(stopped.error);
  } catch (const Spent& spent) {
    return too_costly(spent, path, 0);
  }
  return documents;
}

}  // namespace shapelint::text
