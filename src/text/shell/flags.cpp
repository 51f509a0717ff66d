// Flags, their values, and where both are written.
#include "text/shell/flags.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"
#include "text/errors.hpp"
#include "text/shell/launch.hpp"
#include "text/shell/paths.hpp"
#include "text/shell/shell.hpp"

namespace shapelint::text::shell {

namespace {

bool is_flag(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  const char next = word[1] == '-' && word.size() > 2 ? word[2] : word[1];
  return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
}

// Where the key of `actor.model.path=x`, or of `+path=x`, begins and ends; nothing where it is another word.
// Without a dot, `name=value` may be anything (a variable of `env`, a value of a flag), except after others
// or after the configuration that it overrides.
std::optional<std::pair<std::size_t, std::size_t>> override_key(std::string_view word, bool is_after_others) {
  const std::size_t begin = std::min(word.find_first_not_of('+'), word.size());
  const std::size_t end = word.find('=', begin);
  if (begin > 2 || end == std::string_view::npos || end == begin) return std::nullopt;
  const std::string_view key = word.substr(begin, end - begin);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const bool is_path = std::all_of(key.begin(), key.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '@' || c == '/';
  });
  if (!is_path || !is_letter(key.front()) || key.back() == '.') return std::nullopt;
  // Each part is a table in that of the one before.
  if (std::count(key.begin(), key.end(), '.') >= max_depth) return std::nullopt;
  const bool is_told = begin > 0 || is_after_others || word.ends_with(".yaml") || word.ends_with(".yml");
  if (!is_told && key.find('.') == std::string_view::npos) return std::nullopt;
  return std::pair(begin, end);
}

// `python train.py configs/base.yml`.
bool is_configuration(std::string_view word) {
  return !word.starts_with('-') && word.find('=') == std::string_view::npos &&
         (word.ends_with(".yml") || word.ends_with(".yaml"));
}

// A variable that is meant to hold more flags, not the value of the flag before it: `$EXTRA_ARGS`, `$@`.
bool may_hold_flags(const Piece& piece) {
  if (piece.name == "@" || piece.name == "*") return true;
  std::string name = piece.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c; });
  for (const std::string_view part : {"ARG", "OPT", "FLAG", "EXTRA", "PARAM"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

// Several words, one of them a flag, where one word is expected: `eval "$CMD"`, `bash -c "…"`.
bool holds_flags(const Text& word) {
  const std::string text = as_string(word);
  charge(text.size() / 8);
  if (text.find_first_of(" \t\n") == std::string::npos) return false;
  // One at the beginning is `--name="two words"`.
  for (std::size_t at = text.find("--", 1); at != std::string::npos; at = text.find("--", at + 2)) {
    const bool begins = std::string_view(" \t\n").find(text[at - 1]) != std::string_view::npos;
    if (begins && is_flag(std::string_view(text).substr(at))) return true;
  }
  return false;
}

// Quotes that another shell would have removed: `bash -c "run --name 'x'"`.
Text without_quotes(Text word) {
  const std::string text = as_string(word);
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front()) {
    return substring(word, 1, text.size() - 1);
  }
  return word;
}

// `$NAME` that is left for another shell to expand.
Text with_inner_variables(Text word) {
  const std::string text = as_string(word);
  const std::size_t dollar = text.find('$');
  if (dollar == std::string::npos || !is_known(word)) return word;
  Piece& piece = word.front();
  piece.reason = fmt::format("`{}` is expanded by another shell", text.substr(dollar));
  piece.known = false;
  piece.text.clear();
  piece.exact = false;
  word.resize(1);
  return word;
}

// Where a command ends that came out of a variable or a text: `eval "$CMD > log &"`.
bool ends_command(std::string_view word) {
  constexpr std::array<std::string_view, 5> ends = {"|", "||", "&", "&&", ";"};
  return std::find(ends.begin(), ends.end(), word) != ends.end();
}

// What follows in such a command is no argument.
bool redirects(std::string_view word) {
  constexpr std::array<std::string_view, 4> signs = {">", ">>", "&>", "2>&1"};
  return std::find(signs.begin(), signs.end(), word) != signs.end();
}

std::vector<Text> all_words(const std::vector<Text>& words) {
  std::vector<Text> all;
  const bool is_eval = !words.empty() && as_string(words.front()) == "eval";
  for (const Text& word : words) {
    charge_copy(word);
    if (!holds_flags(word)) {
      all.push_back(is_eval ? without_quotes(word) : word);
      continue;
    }
    Text open = word;
    for (Piece& piece : open) piece.quoted = false;
    for (Text& each : split_words(open)) all.push_back(with_inner_variables(without_quotes(std::move(each))));
  }
  return all;
}

// Flags that are there or not, with this or that value.
std::vector<Flag> possible_flags(const Text& word, const Piece& open) {
  std::vector<Flag> flags;
  Text names = {open};
  names.front().known = true;
  names.front().quoted = false;
  names.front().text = open.flags;
  for (Text& name : split_words(names)) flags.push_back({std::move(name), {word}});
  return flags;
}

// How many of the outermost uses two texts share: what they came through together.
std::size_t shared_uses(const Piece& a, const Text& beside) {
  if (beside.empty()) return 0;
  const std::vector<Span>& other = beside.front().uses;
  std::size_t count = 0;
  while (count < a.uses.size() && count < other.size() &&
         a.uses[a.uses.size() - 1 - count] == other[other.size() - 1 - count]) {
    ++count;
  }
  return count;
}

// Where a piece stands next to its flag: itself, or the expansion that it came through.
std::pair<Span, bool> location(const Piece& piece, const Text& beside) {
  const std::size_t own = piece.uses.size() - shared_uses(piece, beside);
  return own == 0 ? std::pair(piece.span, false) : std::pair(piece.uses[own - 1], true);
}

struct Places {
  Span written;
  std::optional<Span> use;
};

Places places(const Text& text, const Text& beside) {
  // `""` says nothing about where the rest is written.
  charge(units_per_piece * (1 + text.size()));
  charge_text(as_string(text).size());
  Text word = text;
  if (word.size() > 1) {
    word.erase(
        std::remove_if(word.begin(), word.end(), [](const Piece& p) { return p.known && p.text.empty(); }),
        word.end());
  }
  if (word.empty())
    return {beside.empty() ? Span{} : Span{beside.back().span.end, beside.back().span.end}, {}};
  Span hull = location(word.front(), beside).first;
  bool all_through_uses = true;
  bool adjacent = true;
  // Quotes and backslashes may stand between two pieces that are written together.
  constexpr std::int64_t largest_gap = 3;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto [span, through_use] = location(word[i], beside);
    hull.begin = std::min(hull.begin, span.begin);
    hull.end = std::max(hull.end, span.end);
    all_through_uses = all_through_uses && through_use;
    if (i == 0) continue;
    const std::int64_t gap = word[i].span.begin - word[i - 1].span.end;
    adjacent = adjacent && word[i].uses == word[i - 1].uses && gap >= 0 && gap <= largest_gap;
  }
  if (word.size() > 1 && !adjacent) return {hull, {}};
  Places found{{word.front().span.begin, word.back().span.end}, {}};
  if (all_through_uses) found.use = hull;
  return found;
}

std::string_view as_python_number(std::string_view text, std::string& storage) {
  // Python takes `1_000` and a plus sign; from_chars neither.
  storage.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between_digits = text[i] == '_' && i > 0 && i + 1 < text.size() && text[i - 1] != '_';
    if (!between_digits) storage += text[i];
  }
  std::string_view number = storage;
  if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
  return number;
}

}  // namespace

Span name_span(const Text& name) {
  return places(name, name).written;
}

Span values_span(const Flag& flag) {
  const Span first = places(flag.values.front(), flag.name).written;
  const Span last = places(flag.values.back(), flag.name).written;
  return first.begin <= last.end ? Span{first.begin, last.end} : first;
}

namespace {

// The name of a program or of its subcommand; empty for any other word.
std::string_view program_name(std::string_view word) {
  word.remove_prefix(word.rfind('/') + 1);  // npos + 1: all of it
  const bool is_plain = !word.empty() && word.front() != '-' &&
                        std::all_of(word.begin(), word.end(),
                                    [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_'; });
  return is_plain ? word : std::string_view{};
}

std::vector<std::pair<std::string, Text>> following(const std::vector<Text>& words) {
  constexpr std::size_t most = 16;
  std::vector<std::pair<std::string, Text>> out;
  for (std::size_t i = 0; i + 1 < words.size() && out.size() < most; ++i) {
    const std::string word = as_string(words[i]);
    const std::string_view name = is_known(words[i]) ? program_name(word) : std::string_view{};
    if (!name.empty() && !is_flag(as_string(words[i + 1]))) out.emplace_back(name, words[i + 1]);
  }
  return out;
}

bool starts_python(const std::vector<Text>& command) {
  return std::any_of(command.begin(), command.end(), [](const Text& word) {
    const std::string text = as_string(word);
    return text.substr(text.rfind('/') + 1).starts_with("python");
  });
}

Flags collect(const std::vector<Text>& all) {
  Flags found;
  std::vector<Text> words = all;
  if (const auto container = container_of(all)) {
    found.image = all[container->image];
    for (const Text& each : container->environment) {
      const std::string text = as_string(each);
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) continue;
      found.environment.push_back(
          {substring(each, 0, equals), {without_quotes(substring(each, equals + 1, text.size()))}});
    }
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(container->image) + 1);
    if (!words.empty() && !is_flag(as_string(words.front())))
      found.following.emplace_back("image", words.front());
  }
  for (auto& each : following(words)) found.following.push_back(std::move(each));
  bool takes_values = false;
  bool has_configuration = false;
  bool names_configuration = false;  // as a flag's value: `--config x.yaml batch_size=8`
  for (const Text& word : words) {
    charge_copy(word);
    const std::string text = as_string(word);
    const Piece* open = first_unknown(word);
    if (redirects(text)) break;
    if (text == "--") {  // another command's words follow
      takes_values = false;
      continue;
    }
    if (open != nullptr && text.empty() && !open->flags.empty()) {
      for (Flag& flag : possible_flags(word, *open)) found.flags.push_back(std::move(flag));
      takes_values = false;
      continue;
    }
    const bool is_first_value = takes_values && !found.flags.empty() && found.flags.back().values.empty();
    names_configuration =
        names_configuration ||
        (is_first_value && (is_configuration(text) || as_string(found.flags.back().name) == "--config"));
    if (!is_first_value && is_configuration(text)) {
      if (!has_configuration) found.configuration = word;
      has_configuration = true;
    }
    // `python -m module name=value`: the module's arguments.
    const bool is_after_module = takes_values && !found.flags.empty() &&
                                 found.flags.back().values.size() == 1 &&
                                 as_string(found.flags.back().name) == "-m" && starts_python(found.command);
    if (is_flag(text)) {
      const std::size_t equals = text.find('=');
      if (open != nullptr && equals == std::string::npos) {
        found.arguments.push_back(word);
        takes_values = false;
        continue;
      }
      Flag flag;
      flag.name = substring(word, 0, std::min(equals, text.size()));
      // An unknown value of `--name=` has no length, so it would count as part of the name.
      flag.name.erase(
          std::remove_if(flag.name.begin(), flag.name.end(), [](const Piece& p) { return !p.known; }),
          flag.name.end());
      takes_values = equals == std::string::npos;
      if (!takes_values) flag.values.push_back(without_quotes(substring(word, equals + 1, text.size())));
      found.flags.push_back(std::move(flag));
    } else if (const auto key = is_first_value
                                    ? std::nullopt
                                    : override_key(text, has_configuration || names_configuration ||
                                                             is_after_module || !found.overrides.empty())) {
      found.overrides.push_back({substring(word, key->first, key->second),
                                 {without_quotes(substring(word, key->second + 1, text.size()))}});
    } else if (found.flags.empty()) {
      found.command.push_back(word);
    } else if (!takes_values || text.ends_with(".py") ||
               (open != nullptr && text.empty() && may_hold_flags(*open))) {
      found.arguments.push_back(word);
      takes_values = false;
    } else {
      found.flags.back().values.push_back(word);
    }
  }
  return found;
}

// The words of each command.
std::vector<std::vector<Text>> commands_in(const std::vector<Text>& words) {
  std::vector<std::vector<Text>> commands(1);
  for (Text& word : all_words(words)) {
    const std::string text = as_string(word);
    if (ends_command(text)) {
      commands.emplace_back();
    } else if (text.ends_with(';')) {
      commands.back().push_back(substring(word, 0, text.size() - 1));
      commands.emplace_back();
    } else {
      commands.back().push_back(std::move(word));
    }
  }
  return commands;
}

}  // namespace

Flags collect_flags(const std::vector<Text>& words) {
  return collect(commands_in(words).front());
}

std::vector<Flags> collect_commands(const std::vector<Text>& words) {
  std::vector<Flags> all;
  for (const std::vector<Text>& command : commands_in(words)) {
    const std::string name = command.empty() ? std::string() : as_string(command.front());
    if (all.empty() || !(name.empty() || name.starts_with('-') || is_harmless_command(name)))
      all.push_back(collect(command));
  }
  return all;
}

namespace {

// A path whose end is known, in a folder that is not: `$HOME/models/Llama-3.1-8B`, with variables as they are
// written. Empty for anything else.
std::string open_path(const Text& word) {
  std::size_t after = 0;  // bytes after the last unknown piece
  std::string all;
  for (const Piece& piece : word) {
    if (piece.known) {
      all += piece.text;
      after += piece.text.size();
    } else {
      all += piece.name.empty() ? std::string("$(…)") : "$" + piece.name;
      after = 0;
    }
  }
  const std::string_view end = std::string_view(all).substr(all.size() - after);
  const bool is_path =
      end.size() > 1 && end.front() == '/' && end.find_first_of(" =") == std::string_view::npos;
  return is_path ? all : std::string();
}

}  // namespace

void add_value(TreeBuilder& tree, std::int32_t parent, std::string_view key, Span key_span, const Text& word,
               const Text& beside) {
  const Places where = places(word, beside);
  const auto add = [&](Kind kind) {
    const std::int32_t index = tree.add(parent, kind, key, key_span, where.written);
    if (where.use) tree.set_use(index, *where.use);
    return index;
  };
  if (const Piece* open = first_unknown(word)) {
    if (const std::string path = open_path(word); !path.empty()) {
      tree.set_string(add(Kind::string), path);
      return;
    }
    tree.set_note(add(Kind::unknown), open->reason);
    return;
  }
  const std::string text = as_string(word);
  std::string storage;
  const std::string_view number = as_python_number(text, storage);
  const char* const end = number.data() + number.size();
  std::int64_t integer = 0;
  if (const auto [stop, problem] = std::from_chars(number.data(), end, integer);
      !number.empty() && stop == end && problem == std::errc()) {
    const std::int32_t index = add(Kind::integer);
    tree.set_integer(index, integer);
    if (std::any_of(word.begin(), word.end(), [](const Piece& each) { return each.is_default; }))
      tree.set_note(index, note_of_default);
    return;
  }
  double value = 0;
  if (const auto [stop, problem] = read_decimal(number.data(), end, value);
      !number.empty() && stop == end && problem == std::errc() && std::isfinite(value)) {
    tree.set_number(add(Kind::number), value);
    return;
  }
  if (text == "true" || text == "True" || text == "false" || text == "False") {
    tree.set_boolean(add(Kind::boolean), text == "true" || text == "True");
    return;
  }
  tree.set_string(add(Kind::string), text);
}

}  // namespace shapelint::text::shell
