// Expansion of words.
#include "text/shell/expand.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "text/errors.hpp"
#include "text/printable.hpp"
#include "text/shell/launch.hpp"

namespace shapelint::text::shell {

// `$(cat <<EOF … EOF)`.
bool Expander::here_document(Word command, bool quoted, Word use, Sink& sink) {
  std::size_t at = scanner_.skip_blanks(command.begin);
  constexpr std::string_view sign = "<<";
  if (!slice(at, command.end).starts_with("cat ")) return false;
  at = scanner_.skip_blanks(at + 4);
  if (!slice(at, command.end).starts_with(sign) || scanner_.at(at + 2) == '<') return false;
  at += sign.size();
  const bool strips_tabs = scanner_.at(at) == '-';
  at = scanner_.skip_blanks(at + (strips_tabs ? 1 : 0));
  const std::size_t end = scanner_.word_end(at, 0);
  std::string last;
  for (const char c : slice(at, end)) {
    if (std::string_view("'\"\\").find(c) == std::string_view::npos) last += c;
  }
  const bool is_literal = last.size() < end - at;
  const std::size_t begin = source_.find('\n', end) + 1;
  if (begin == 0 || scanner_.skip_blanks(end) + 1 != begin) return false;
  for (at = begin; at < command.end;) {
    const std::size_t stop = std::min(source_.find('\n', at), command.end);
    std::string_view line = slice(at, stop);
    if (strips_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    if (line == last) {
      const Word lines{begin, at};
      insert(is_literal ? verbatim(lines) : quoted_text(lines), use, quoted, sink);
      return true;
    }
    at = stop + 1;
  }
  return false;
}

// `$(echo …)` and `$(IFS=,; echo …)`, whose output the words give, and `$(expr …)`; of other commands it is
// not known.
bool Expander::substitute(Word command, bool quoted, Word use, Sink& sink) {
  if (here_document(command, quoted, use, sink)) return true;
  std::size_t at = scanner_.skip_blanks(command.begin);
  constexpr std::string_view expr = "expr ";
  if (slice(at, command.end).starts_with(expr)) {
    const auto value = arithmetic({at + expr.size(), command.end});
    if (value) computed(use, fmt::format("{}", *value), quoted, sink);
    return value.has_value();
  }
  std::string joint = " ";
  constexpr std::string_view separator = "IFS=";
  constexpr std::string_view echo = "echo ";
  if (slice(at, command.end).starts_with(separator)) {
    const std::size_t end = scanner_.word_end(at, 0);
    const Text value = text({at + separator.size(), end});
    if (!is_known(value)) return false;
    joint = as_string(value).substr(0, 1);
    at = scanner_.skip_blanks(end);
    if (scanner_.at(at) != ';') return false;
    at = scanner_.skip_blanks(at + 1);
  }
  if (!slice(at, command.end).starts_with(echo)) return false;
  at += echo.size();
  std::swap(joint_, joint);
  std::string output;
  bool is_told = true;
  for (at = scanner_.skip_blanks(at); is_told && at < command.end; at = scanner_.skip_blanks(at)) {
    const std::size_t end = scanner_.word_end(at, 0);
    is_told = end > at && end <= command.end && scanner_.at(at) != '-';
    if (!is_told) break;
    for (const Text& each : words({at, end})) {
      is_told = is_told && is_known(each);
      if (!output.empty()) output += ' ';
      charge_bytes(as_string(each).size());
      output += as_string(each);
    }
    at = end;
  }
  std::swap(joint_, joint);
  if (is_told) computed(use, std::move(output), quoted, sink);
  return is_told;
}

namespace {

bool is_special_parameter(char c) {
  return c != '\0' && std::string_view("0123456789@*#?$!-").find(c) != std::string_view::npos;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

// More than any source has, so that a place in one of several is one number.
constexpr std::int64_t most_source_bytes = std::int64_t{1} << 32;

}  // namespace

void Expander::place(Piece& piece, std::size_t begin, std::size_t end) const {
  piece.span = span_of(begin, end);
  if (included_ == nullptr) return;
  piece.included = included_->number * most_source_bytes + static_cast<std::int64_t>(begin);
  piece.span = included_->place;
  piece.exact = false;
}

void Expander::push(Piece piece, Sink& sink) {
  charge_copy(piece);
  sink.current.push_back(std::move(piece));
}

void Expander::literal(std::size_t begin, std::size_t end, Sink& sink) {
  if (begin == end) return;
  Piece piece;
  piece.text = std::string(slice(begin, end));
  place(piece, begin, end);
  push(std::move(piece), sink);
}

// `""` is a word although there is nothing in it.
void Expander::empty_quotes(std::size_t at, Sink& sink) {
  Piece piece;
  place(piece, at, at);
  push(std::move(piece), sink);
}

void Expander::unknown(Word use, std::string_view name, std::string reason, bool not_given, Sink& sink) {
  Piece piece;
  place(piece, use.begin, use.end);
  piece.exact = false;
  piece.known = false;
  piece.not_given = not_given;
  piece.name = std::string(name);
  piece.reason = std::move(reason);
  push(std::move(piece), sink);
}

void Expander::not_set(Word use, std::string_view name, Sink& sink) {
  // OmegaConf's word for a variable, in a YAML file whose values are the words of a command.
  constexpr std::string_view resolver = "${oc.env:";
  const std::string_view written = source_.substr(use.begin, use.end - use.begin);
  if (written.starts_with(resolver)) {
    const std::string_view inside = written.substr(resolver.size());
    name = inside.substr(0, inside.find_first_of(",}"));
  }
  if (name.size() == 1 && is_special_parameter(name[0])) {
    unknown(use, name, fmt::format("`${}` is known only when the script runs", name), true, sink);
  } else {
    unknown(use, name, fmt::format("the variable `{}` is not set in this file", name), true, sink);
  }
}

void Expander::computed(Word use, std::string text, bool quoted, Sink& sink) {
  Piece piece;
  piece.text = std::move(text);
  place(piece, use.begin, use.end);
  piece.exact = false;
  piece.quoted = quoted;
  push(std::move(piece), sink);
}

void Expander::insert(const Text& text, Word use, bool quoted, Sink& sink) {
  for (Piece piece : text) {
    piece.quoted = quoted;
    piece.uses.push_back(included_ == nullptr ? span_of(use.begin, use.end) : included_->place);
    push(std::move(piece), sink);
  }
}

// `joined`: `[*]`, or where only one text is possible.
void Expander::insert_array(const Value& value, Word use, bool quoted, bool joined, Sink& sink) {
  bool first = true;
  for (const Text& item : value.items) {
    if (!first && (joined || !sink.splits)) {
      Piece blank;
      blank.text = joint_;
      place(blank, use.begin, use.end);
      blank.exact = false;
      blank.quoted = quoted;
      push(std::move(blank), sink);
    } else if (!first) {
      for (Text& word : split_words(sink.current)) sink.fields.push_back(std::move(word));
      sink.current.clear();
    }
    first = false;
    if (quoted && item.empty()) empty_quotes(use.begin, sink);
    insert(item, use, quoted, sink);
  }
}

void Expander::walk(std::size_t i, std::size_t end, bool quoted, Sink& sink, int depth) {
  if (depth > max_depth) {
    scanner_.stop(i, i + 1, fmt::format("expansions are nested more than {} deep", max_depth));
  }
  charge(units_per_piece + (end - i) / 4);  // byte by byte
  std::size_t run = i;                      // where the literal text began that is not passed on yet
  const auto flush = [&](std::size_t next) {
    literal(run, std::min(i, end), sink);
    i = std::min(next, end);
    run = i;
  };
  while (i < end) {
    const char c = source_[i];
    if (c == '\\') {
      if (const std::size_t size = scanner_.continuation_size(i); size > 0) {
        flush(i + size);
      } else if (i + 1 >= end ||
                 (quoted && std::string_view("$`\"\\").find(source_[i + 1]) == std::string_view::npos)) {
        ++i;
      } else {
        const std::size_t escaped = i + 1;
        flush(escaped);
        i = std::min(escaped + 1, end);  // the escaped character begins the next run
      }
    } else if (c == '\'' && !quoted) {
      const std::size_t close = std::min(scanner_.single_quoted_end(i), end);
      const std::size_t open = i;
      flush(close);
      literal(open + 1, std::max(close - 1, open + 1), sink);
      if (close - open <= 2) empty_quotes(open + 1, sink);
    } else if (c == '"') {
      // Inside of `"${NAME:-"default"}"` quotes open again.
      const std::size_t close = std::min(scanner_.double_quoted_end(i, depth), end);
      const std::size_t open = i;
      flush(close);
      const std::size_t before = sink.current.size();
      walk(open + 1, std::max(close - 1, open + 1), true, sink, depth + 1);
      // An array without elements makes no word, even in quotes.
      const bool is_array = slice(open, close).find("[@]") != std::string_view::npos;
      if (sink.current.size() == before && !is_array) empty_quotes(open + 1, sink);
    } else if (c == '`') {
      const std::size_t close = std::min(scanner_.backquoted_end(i), end);
      const Word use{i, close};
      flush(close);
      unknown(use, {}, "it is the output of a command", false, sink);
    } else if (c == '$' && !quoted && scanner_.at(i + 1) == '\'') {
      flush(i + 1);
    } else if (c == '$') {
      const std::size_t close = std::min(scanner_.expansion_end(i, depth), end);
      if (close == i + 1) {
        ++i;
        continue;
      }
      const std::size_t open = i;
      flush(close);
      expansion(open, close, quoted, sink, depth);
    } else {
      ++i;
    }
  }
  flush(end);
}

void Expander::expansion(std::size_t begin, std::size_t end, bool quoted, Sink& sink, int depth) {
  const std::string_view written = slice(begin, end);
  const bool is_old = written.starts_with("$[");
  if (is_old || (written.starts_with("$((") && written.ends_with("))"))) {
    const Word inside = is_old ? Word{begin + 2, end - 1} : Word{begin + 3, end - 2};
    if (const auto value = arithmetic(inside)) {
      computed({begin, end}, fmt::format("{}", *value), quoted, sink);
    } else {
      unknown({begin, end}, {}, fmt::format("`{}` depends on unknown values", shortened(written, 40)), false,
              sink);
    }
  } else if (written.starts_with("$(") && substitute({begin + 2, end - 1}, quoted, {begin, end}, sink)) {
    return;
  } else if (written.starts_with("$(")) {
    unknown({begin, end}, {}, "it is the output of a command", false, sink);
  } else if (written.starts_with("${")) {
    parameter(begin, end, quoted, sink, depth);
  } else {
    const std::string_view name = written.substr(1);
    const auto found = variables_.find(name);
    const bool is_all = name == "@" || name == "*";
    if (found == variables_.end()) {
      not_set({begin, end}, name, sink);
    } else if (is_all) {
      insert_array(*found->second, {begin, end}, quoted, name == "*" && quoted, sink);
    } else if (!found->second->items.empty()) {
      insert(found->second->items.front(), {begin, end}, quoted, sink);
    }
  }
}

// `${…}` at [begin, end).
void Expander::parameter(std::size_t begin, std::size_t end, bool quoted, Sink& sink, int depth) {
  const Word use{begin, end};
  const std::size_t stop = end - 1;  // the closing brace
  std::size_t i = begin + 2;
  const char first = scanner_.at(i);
  const bool wants_size = first == '#' && i + 1 < stop;
  const bool is_indirect = first == '!' && i + 1 < stop;
  if (wants_size || is_indirect) ++i;
  const std::size_t name_begin = i;
  if (is_name_start(scanner_.at(i))) {
    while (i < stop && is_name(scanner_.at(i))) ++i;
  } else if (is_special_parameter(scanner_.at(i)) && i < stop) {
    ++i;
  }
  const std::string_view name = slice(name_begin, i);
  const auto cannot_follow = [&] {
    unknown(use, name, fmt::format("`{}` is not followed", slice(begin, end)), false, sink);
  };
  if (name.empty() || is_indirect) return cannot_follow();
  const auto found = variables_.find(name);
  const Value* value = found == variables_.end() ? nullptr : found->second.get();

  std::string_view index;
  if (scanner_.at(i) == '[') {
    const std::size_t close = i + slice(i, stop).find(']');
    if (close >= stop || close < i) return cannot_follow();
    index = slice(i + 1, close);
    i = close + 1;
  }
  if (value != nullptr && (name == "@" || name == "*")) index = name;
  const bool is_whole_array = index == "@" || index == "*";
  Text element;
  if (value != nullptr && !value->items.empty() && !is_whole_array) {
    std::size_t position = 0;
    if (!index.empty()) {
      const auto wanted = evaluate_arithmetic(index, variables_);
      if (!wanted || *wanted < 0 || static_cast<std::size_t>(*wanted) >= value->items.size())
        return cannot_follow();
      position = static_cast<std::size_t>(*wanted);
    }
    charge_copy(value->items[position]);
    element = value->items[position];
  }
  if (wants_size) {
    if (value == nullptr || i != stop || !is_known(element)) return cannot_follow();
    const std::size_t size = is_whole_array ? value->items.size() : character_count(as_string(element));
    return computed(use, fmt::format("{}", size), quoted, sink);
  }
  const auto insert_value = [&] {
    if (is_whole_array) {
      insert_array(*value, use, quoted, index == "*" && quoted, sink);
    } else {
      insert(element, use, quoted, sink);
    }
  };
  if (i == stop) {
    // An array that is not set here would hold flags; `@` is what such things are called.
    if (value == nullptr && is_whole_array) {
      return unknown(use, "@", fmt::format("the variable `{}` is not set in this file", name), true, sink);
    }
    if (value == nullptr) return not_set(use, name, sink);
    return insert_value();
  }

  std::string_view rest = slice(i, stop);
  const bool minds_empty = rest.starts_with(':');
  const std::string_view sign = rest.substr(minds_empty ? 1 : 0, 1);
  const std::size_t word = i + (minds_empty ? 2 : 1);
  if (sign == "-" || sign == "=" || sign == "+" || sign == "?") {
    const Piece* open = first_unknown(element);
    const bool is_absent =
        value == nullptr || (open != nullptr && open->not_given && as_string(element).empty());
    const bool is_empty =
        value != nullptr &&
        (is_whole_array ? value->items.empty()
                        : element.empty() || (is_known(element) && as_string(element).empty()));
    const bool counts_as_set = !is_absent && !(minds_empty && is_empty);
    if (sign == "+") {
      if (counts_as_set) walk(word, stop, quoted, sink, depth + 1);
    } else if (counts_as_set) {
      insert_value();
    } else if (sign == "?" || (value == nullptr && is_set_by_cluster(name))) {
      not_set(use, name, sink);
    } else {
      if (sign == "=") {
        Sink assigned;
        assigned.splits = false;
        walk(word, stop, quoted, assigned, depth + 1);
        for (Piece& piece : assigned.current) piece.is_default = true;
        variables_[std::string(name)] =
            std::make_shared<const Value>(Value{false, {std::move(assigned.current)}});
      }
      const std::size_t before = sink.current.size();
      walk(word, stop, quoted, sink, depth + 1);
      for (std::size_t each = before; each < sink.current.size(); ++each)
        sink.current[each].is_default = true;
    }
    return;
  }
  if (value == nullptr) return not_set(use, name, sink);
  if (is_whole_array && minds_empty) {
    // `${@:2}`, `${NAME[@]:1}`: from there on; `$@` counts from 1.
    const auto from = evaluate_arithmetic(rest.substr(1), variables_);
    const std::int64_t first_item = name == index ? 1 : 0;
    if (!from || *from < first_item) return cannot_follow();
    const auto skipped = std::min(static_cast<std::size_t>(*from - first_item), value->items.size());
    for (std::size_t each = skipped; each < value->items.size(); ++each) charge_copy(value->items[each]);
    const Value part{true, {value->items.begin() + static_cast<std::ptrdiff_t>(skipped), value->items.end()}};
    return insert_array(part, use, quoted, index == "*" && quoted, sink);
  }
  if (!is_known(element) || is_whole_array) return insert_value();
  std::string text = as_string(element);
  if (rest == ",,") {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    return computed(use, std::move(text), quoted, sink);
  }
  if (rest == "^^") {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c; });
    return computed(use, std::move(text), quoted, sink);
  }
  if (rest.starts_with('%') || rest.starts_with('#')) {
    const bool longest = rest.size() > 1 && rest[1] == rest[0];
    const bool from_end = rest[0] == '%';
    const Text pattern = quoted_text({i + (longest ? 2U : 1U), stop});
    if (!is_known(pattern)) return cannot_follow();
    const std::string glob = as_string(pattern);
    for (std::size_t n = 0; n <= text.size(); ++n) {
      const std::size_t size = longest ? text.size() - n : n;
      const std::string_view part = from_end ? std::string_view(text).substr(text.size() - size)
                                             : std::string_view(text).substr(0, size);
      if (!glob_matches(glob, part, Glob::shell)) continue;
      return computed(use, from_end ? text.substr(0, text.size() - size) : text.substr(size), quoted, sink);
    }
    return computed(use, std::move(text), quoted, sink);
  }
  cannot_follow();
}

std::vector<Text> Expander::words(Word word) {
  Sink sink;
  walk(word.begin, word.end, false, sink, 0);
  for (Text& each : split_words(sink.current)) sink.fields.push_back(std::move(each));
  return std::move(sink.fields);
}

Text Expander::text(Word word) {
  Sink sink;
  sink.splits = false;
  walk(word.begin, word.end, false, sink, 0);
  return std::move(sink.current);
}

Text Expander::quoted_text(Word word) {
  Sink sink;
  sink.splits = false;
  walk(word.begin, word.end, true, sink, 0);
  return std::move(sink.current);
}

Text Expander::verbatim(Word word) {
  Sink sink;
  literal(word.begin, word.end, sink);
  return std::move(sink.current);
}

std::optional<std::int64_t> Expander::arithmetic(Word expression) {
  const Text expanded = quoted_text(expression);
  if (!is_known(expanded)) return std::nullopt;
  return evaluate_arithmetic(as_string(expanded), variables_);
}

}  // namespace shapelint::text::shell
