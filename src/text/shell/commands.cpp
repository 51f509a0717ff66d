// Single commands, and what they assign.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/strings.hpp"
#include "text/shell/executor.hpp"

namespace shapelint::text::shell {

namespace {

// `eval` and `bash -c` expand once more: what single quotes or backslashes kept is read where it stands.
Text expanded_again(Text text, Expander& expands) {
  Text all;
  for (Piece& piece : text) {
    if (!piece.known || !piece.exact || piece.text.find('$') == std::string::npos) {
      all.push_back(std::move(piece));
      continue;
    }
    const Word written{static_cast<std::size_t>(piece.span.begin), static_cast<std::size_t>(piece.span.end)};
    for (Piece& part : expands.quoted_text(written)) all.push_back(std::move(part));
  }
  return all;
}

// `text` with `%s`, `%d` and `%%` filled in, as printf does it while there are arguments; nothing for other
// formats.
std::optional<std::string> printed(std::string_view format, const std::vector<std::string>& arguments) {
  std::string all;
  std::size_t next = 0;
  do {
    charge_bytewise(format.size());
    charge_bytes(format.size());
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] == '\\') return std::nullopt;
      if (format[i] != '%') {
        all += format[i];
        continue;
      }
      ++i;
      const char kind = i < format.size() ? format[i] : '\0';
      if (kind == '%') {
        all += '%';
      } else if (kind == 's' || kind == 'd') {
        if (next < arguments.size()) {
          charge_text(arguments[next].size());
          charge_bytes(arguments[next].size());
          all += arguments[next];
        }
        ++next;
      } else {
        return std::nullopt;
      }
    }
  } while (next > 0 && next < arguments.size());
  return all;
}

}  // namespace

void SymbolicExecutor::command(const Statement& statement, ExecutionPath& outcome, bool in_loop) {
  const std::string_view first =
      statement.words.empty() ? std::string_view() : slice(statement.words.front());
  if (built_in(first, statement, outcome, in_loop)) return;
  Expander expands = expander(outcome);
  CommandLine line;
  const Span extent = placed(statement.extent);
  line.extent = {static_cast<std::size_t>(extent.begin), static_cast<std::size_t>(extent.end)};
  for (const Assignment& each : statement.assignments) {
    const auto before = outcome.variables.find(each.name);
    const auto value = before == outcome.variables.end() ? nullptr : before->second;
    const auto place = outcome.names.find(each.name);
    const std::optional<Span> written =
        place == outcome.names.end() ? std::nullopt : std::optional(place->second);
    assign(each, outcome);
    line.prefixes.push_back({each.name, outcome.names[each.name], outcome.variables[each.name]});
    if (value) outcome.variables[each.name] = value;
    if (!value) outcome.variables.erase(each.name);
    if (written) outcome.names[each.name] = *written;
    if (!written) outcome.names.erase(each.name);
  }
  for (const Word& word : statement.words) {
    for (Text& text : expands.words(word)) {
      if (add_arguments_of(text, word, line)) continue;
      const bool is_script = first == "eval" || (!line.words.empty() && as_string(line.words.back()) == "-c");
      line.words.push_back(is_script ? expanded_again(std::move(text), expands) : std::move(text));
    }
  }
  if (line.words.empty()) return;
  start(line, statement.extent, outcome);
  outcome.commands.push_back(std::make_shared<const CommandLine>(std::move(line)));
}

// `@file` of argparse: the words of that file, where it is found. They count as written where it is named.
bool SymbolicExecutor::add_arguments_of(const Text& word, Word place, CommandLine& line) {
  const std::string text = is_known(word) ? as_string(word) : std::string();
  if (!text.starts_with('@') || text.size() < 2 || !execution_.load || execution_.sourced >= max_sourced)
    return false;
  const std::optional<SourcedScript> file = execution_.load(text.substr(1), path_);
  if (!file) return false;
  ++execution_.sourced;
  std::string_view left = file->text;
  while (!left.empty()) {
    const std::string_view written = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(written.size() + 1, left.size()));
    const std::size_t comment = trimmed(written).starts_with('#') ? 0 : written.size();
    Piece piece;
    piece.text = written.substr(0, comment);
    piece.span = placed(place);
    piece.exact = false;
    piece.quoted = false;
    piece.included = execution_.sourced;
    charge_copy(piece);
    for (Text& each : split_words({std::move(piece)})) line.words.push_back(std::move(each));
  }
  return true;
}

// What the shell does itself: then it is done, and no command line.
bool SymbolicExecutor::built_in(std::string_view name, const Statement& statement, ExecutionPath& outcome,
                                bool in_loop) {
  const bool declares =
      name == "export" || name == "declare" || name == "local" || name == "readonly" || name == "typeset";
  if (statement.words.empty() || declares) {
    for (const Assignment& each : statement.assignments) {
      assign(each, outcome);
      if (name == "export") outcome.exported.insert(each.name);
    }
    if (name == "export") {
      for (const Word& word : statement.words) outcome.exported.emplace(slice(word));
    }
    return true;
  }
  if ((name == "exit" || name == "return") && !in_loop) {
    outcome.ended = true;
    outcome.returned = name == "return" && calls_ > 0;
    return true;
  }
  if (name == "shift") return shift(statement, outcome, in_loop);
  if (name == "set") return set_arguments(statement, outcome);
  if (name == "read" && read_here_document(statement, outcome)) return true;
  if (name == "read" || name == "mapfile" || name == "readarray" || name == "getopts") {
    for (const Word& word : statement.words)
      set_unknown(slice(word), word, "it is read at run time", outcome);
    return true;
  }
  if (name == "unset") {
    for (const Word& word : statement.words) {
      const auto found = outcome.variables.find(slice(word));
      if (found != outcome.variables.end()) outcome.variables.erase(found);
    }
    return true;
  }
  if (name == "let") {
    for (std::size_t i = 1; i < statement.words.size(); ++i) {
      if (!compute(statement.words[i], outcome)) forget_computed(statement.words[i], outcome);
    }
    return true;
  }
  if (name == "printf" && statement.words.size() > 3 && slice(statement.words[1]) == "-v") {
    print_into(statement, outcome);
    return true;
  }
  return (name == "source" || name == ".") && source(statement, outcome);
}

// `read -r -d '' NAME <<EOF`: all of its lines.
bool SymbolicExecutor::read_here_document(const Statement& statement, ExecutionPath& outcome) {
  const Word lines = statement.here_document;
  const bool takes_all = std::any_of(statement.words.begin(), statement.words.end(),
                                     [&](Word word) { return slice(word) == "''" || slice(word) == "\"\""; });
  const Word name = statement.words.back();
  if (lines.end == lines.begin || !takes_all || !is_name_start(slice(name).front())) return false;
  Expander expands = expander(outcome);
  Text text = statement.here_is_literal ? expands.verbatim(lines) : expands.quoted_text(lines);
  set(std::string(slice(name)), name, Value{false, {std::move(text)}}, outcome);
  return true;
}

// `printf -v NAME FORMAT …`
void SymbolicExecutor::print_into(const Statement& statement, ExecutionPath& outcome) {
  Expander expands = expander(outcome);
  const Word name = statement.words[2];
  const Text format = expands.text(statement.words[3]);
  std::vector<std::string> arguments;
  bool is_told = is_known(format);
  for (std::size_t i = 4; i < statement.words.size(); ++i) {
    for (const Text& text : expands.words(statement.words[i])) {
      is_told = is_told && is_known(text);
      arguments.push_back(as_string(text));
    }
  }
  auto text = is_told ? printed(as_string(format), arguments) : std::nullopt;
  if (text) {
    set_computed(slice(name), name, *std::move(text), outcome);
  } else {
    set_unknown(slice(name), name, "it is printed at run time", outcome);
  }
}

// The path may begin with a folder that only the run knows: what stands behind it is looked for from here.
bool SymbolicExecutor::source(const Statement& statement, ExecutionPath& outcome) {
  constexpr std::size_t file = 1;
  if (!execution_.load || statement.words.size() <= file || depth_ >= max_sourced_depth ||
      execution_.sourced >= max_sourced)
    return false;
  const Text text = expander(outcome).text(statement.words[file]);
  std::string path;
  bool is_behind = false;
  for (const Piece& piece : text) {
    if (piece.known)
      path += piece.text;
    else
      path.clear();
    is_behind = is_behind || !piece.known;
  }
  if (is_behind && !path.starts_with('/')) return false;
  if (is_behind) path.erase(0, path.find_first_not_of('/'));
  const std::optional<SourcedScript> script = path.empty() ? std::nullopt : execution_.load(path, path_);
  if (!script) return false;
  charge(script->text.size());  // it is read at each place that sources it
  charge_bytes(script->text.size());
  const auto statements = parse_statements(script->path, script->text);
  if (!statements) return false;
  for (const Assignment& each : statement.assignments) assign(each, outcome);
  SymbolicExecutor inner(script->path, script->text, *statements, execution_);
  inner.relevant_.insert(relevant_.begin(), relevant_.end());
  inner.depth_ = depth_ + 1;
  inner.included_ = {placed(statement.extent), ++execution_.sourced};
  ExecutionPaths one;
  one.push_back(std::move(outcome));
  inner.run(*statements, one, true);
  outcome = std::move(one.front());
  return true;
}

void SymbolicExecutor::set(const std::string& name, Word word, Value value, ExecutionPath& outcome) const {
  outcome.variables[name] = std::make_shared<const Value>(std::move(value));
  outcome.names[name] = placed(word);
}

void SymbolicExecutor::set_computed(std::string_view name, Word word, std::string text,
                                    ExecutionPath& outcome) const {
  Piece piece;
  piece.text = std::move(text);
  piece.span = placed(word);
  piece.exact = false;
  charge_copy(piece);
  set(std::string(name), word, Value{false, {{std::move(piece)}}}, outcome);
}

void SymbolicExecutor::set_unknown(std::string_view name, Word word, std::string reason,
                                   ExecutionPath& outcome) const {
  if (name.empty() || !is_name_start(name[0])) return;
  Piece piece;
  piece.span = placed(word);
  piece.exact = false;
  piece.known = false;
  piece.name = std::string(name);
  piece.reason = std::move(reason);
  charge_copy(piece);
  set(std::string(name), word, Value{false, {{std::move(piece)}}}, outcome);
}

void SymbolicExecutor::assign(const Assignment& assignment, ExecutionPath& outcome) {
  if (assignment.is_element) {
    return set_unknown(assignment.name, assignment.name_word,
                       "it is set element by element, which is not followed", outcome);
  }
  Expander expands = expander(outcome);
  Value value;
  value.is_array = assignment.is_array;
  const auto found = outcome.variables.find(assignment.name);
  // A single value for an array is its first element.
  const bool is_first_element =
      !assignment.is_array && found != outcome.variables.end() && found->second->is_array;
  if ((assignment.append || is_first_element) && found != outcome.variables.end()) {
    for (const Text& each : found->second->items) charge_copy(each);
    value = *found->second;
    value.is_array = value.is_array || assignment.is_array;
  }
  if (assignment.is_array) {
    for (const Word& word : assignment.items) {
      for (Text& text : expands.words(word)) value.items.push_back(std::move(text));
    }
  } else {
    Text text = expands.text(assignment.value);
    if (value.items.empty()) value.items.emplace_back();
    Text& all = value.items.front();
    if (!assignment.append) all.clear();
    for (Piece& piece : text) all.push_back(std::move(piece));
  }
  set(assignment.name, assignment.name_word, std::move(value), outcome);
}

}  // namespace shapelint::text::shell
