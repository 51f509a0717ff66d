// A script is written of what a file holds, and read as any other; its places are then those of the file.
#include "formats/commands.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "formats/dialect/paths.hpp"
#include "formats/dialect/values.hpp"
#include "formats/dialect/view.hpp"
#include "formats/recognise.hpp"
#include "text/errors.hpp"
#include "text/shell/shell.hpp"
#include "text/yaml/yaml.hpp"

namespace shapelint::formats {

namespace {

using text::Kind;
using text::NodeRef;

// A manifest holds a handful; more than this is no file that somebody runs.
constexpr std::size_t max_commands = 100;

// Bytes of the script, and of the file, which are the same; or that stand for `instead` of them.
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t in_file = 0;
  std::int64_t instead = 0;
};

// A script with what is known of where its parts stand in the file.
class Script {
 public:
  explicit Script(std::string_view source) : source_(source) {}

  void raw(std::string_view text) { text_ += text; }

  // What stands for the text at `place`.
  void standing_for(std::string_view text, Span place) {
    segments_.push_back({text_.size(), text_.size() + text.size(), place.begin, place.end - place.begin});
    raw(text);
  }

  // `text`, which stands in the file within `place`: line by line, since block scalars are indented there.
  // Returns where the last line ends in the file.
  std::int64_t copied(std::string_view text, Span place) {
    std::size_t from = static_cast<std::size_t>(std::max<std::int64_t>(0, place.begin));
    const std::size_t to =
        std::min(source_.size(), static_cast<std::size_t>(std::max(place.begin, place.end)));
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = trimmed(text.substr(0, end));
      const std::size_t at =
          line.empty() || from >= to ? std::string_view::npos : source_.substr(0, to).find(line, from);
      const std::size_t indent = line.empty() ? end : static_cast<std::size_t>(line.data() - text.data());
      text_ += text.substr(0, indent);
      if (at != std::string_view::npos) {
        segments_.push_back({text_.size(), text_.size() + line.size(), static_cast<std::int64_t>(at)});
        from = at + line.size();
      }
      text_ += text.substr(indent, std::min(end + 1, text.size()) - indent);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return static_cast<std::int64_t>(from);
  }

  // One word, whatever it holds. `$` is left to the shell, and so is Kubernetes' `$(NAME)`.
  void word(std::string_view text, Span place) {
    const bool expands = text.find('$') != std::string_view::npos;
    std::string inner;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const std::size_t close = c == '$' && text.substr(i + 1, 1) == "(" ? text.find(')', i) : text.npos;
      if (close != text.npos) {
        inner += fmt::format("${{{}}}", text.substr(i + 2, close - i - 2));
        i = close;
      } else if (expands && (c == '"' || c == '`' || c == '\\')) {
        inner += fmt::format("\\{}", c);
      } else if (!expands && c == '\'') {
        inner += "'\\''";
      } else {
        inner += c;
      }
    }
    raw(expands ? "\"" : "'");
    copied(inner, place);
    raw(expands ? "\"" : "'");
  }

  const std::string& text() const { return text_; }

  // Of the file; nothing where it is of no part that stands there.
  Span in_file(std::uint32_t begin, std::uint32_t end, Span otherwise) const {
    for (const Segment& each : segments_) {
      if (begin < each.begin || begin > each.end || end < begin) continue;
      if (begin == each.end && end > begin) continue;
      if (each.instead > 0) return {each.in_file, each.in_file + each.instead};
      const std::size_t last = std::min<std::size_t>(end, each.end);
      return {each.in_file + static_cast<std::int64_t>(begin - each.begin),
              each.in_file + static_cast<std::int64_t>(last - each.begin)};
    }
    return otherwise;
  }

 private:
  std::string_view source_;
  std::string text_;
  std::vector<Segment> segments_;
};

bool is_name(std::string_view text) {
  return !text.empty() && text.front() > '9' && std::all_of(text.begin(), text.end(), is_name_character);
}

// `NAME: value`, `- NAME=value` and `- name: NAME` with `value: …`.
void set_environment(NodeRef node, Script& script) {
  const auto set = [&](std::string_view name, std::string_view value, Span place) {
    if (!is_name(name) || value.find('\n') != std::string_view::npos) return;
    script.raw(fmt::format("export {}=", name));
    script.word(value, place);
    script.raw("\n");
  };
  for (const NodeRef each : node) {
    if (const auto text = each.as_string(); text && each.key().empty()) {
      const auto equals = text->find('=');
      if (equals != std::string_view::npos)
        set(text->substr(0, equals), text->substr(equals + 1), each.span());
    } else if (each.is(Kind::table)) {
      if (const NodeRef value = each["value"])
        set(written_form(each["name"]), written_form(value), value.span());
    } else {
      set(each.key(), written_form(each), each.span());
    }
  }
}

bool ends_in_script(std::vector<std::string> words) {
  constexpr std::array<std::string_view, 4> shells = {"sh", "bash", "zsh", "ash"};
  if (!words.empty() && words.back() == "--") words.pop_back();
  if (words.size() < 2) return false;
  const std::string_view shell = std::string_view(words.front()).substr(words.front().rfind('/') + 1);
  const std::string& last = words.back();
  return std::find(shells.begin(), shells.end(), shell) != shells.end() && last.starts_with('-') &&
         last.ends_with('c');
}

class Writer {
 public:
  Writer(const Command& command, const View& view, const Place& place, std::string_view source)
      : command_(command), view_(view), place_(place), script_(source) {}

  // The script, or nothing where nothing is started there.
  std::optional<Script> script() {
    set_environment(find(command_.environment), script_);
    if (const NodeRef lines = find(command_.script)) {
      add_script(lines);
      return script_;
    }
    const NodeRef program = find(command_.program);
    const NodeRef words = find(command_.words);
    const std::string image = first_text(command_.image);
    const bool has_program = program.size() > 0 || !written_form(program).empty();
    if (has_program) {
      begin_program(program, words);
    } else if (std::string starts = started(); !starts.empty()) {
      script_.raw(starts);
    } else if (!image.empty()) {
      script_.raw(fmt::format("docker run {}", image));
    } else {
      return std::nullopt;
    }
    if (is_script_) return script_;
    add_model();
    add_words(words);
    for (const CommandOption& each : command_.options) add_option(each);
    add_flags(find(command_.flags));
    script_.raw(" " + command_.ends + "\n");
    return script_;
  }

 private:
  NodeRef find(const std::vector<KeyPath>& paths) const { return view_.find_first(paths, place_); }

  std::string first_text(const std::vector<KeyPath>& paths) const {
    for (const KeyPath& path : paths) {
      if (std::string text = written_form(view_.find(path, place_)); !text.empty()) return text;
    }
    return {};
  }

  std::string started() const {
    const std::string by = first_text(command_.starts_by);
    for (const auto& [pattern, words] : command_.starts) {
      if (matches_any(pattern, by)) return words;
    }
    return {};
  }

  void add_script(NodeRef lines) {
    for (const NodeRef each : lines) {
      script_.copied(written_form(each), each.span());
      script_.raw("\n");
    }
    if (lines.size() == 0) script_.copied(written_form(lines), lines.span());
    script_.raw("\n");
  }

  // `["bash", "-c"]` and a script behind it, here or among the words.
  void begin_program(NodeRef program, NodeRef words) {
    std::vector<std::string> before;
    for (const NodeRef each : program) {
      if (ends_in_script(before) && written_form(each) != "--") {
        script_.raw("\n");
        script_.copied(written_form(each), each.span());
        script_.raw("\n");
        is_script_ = true;
        return;
      }
      before.push_back(written_form(each));
    }
    if (ends_in_script(before)) {
      is_script_ = true;
      add_script(words);
      return;
    }
    add_words(program);
  }

  void add_words(NodeRef node) {
    for (const NodeRef each : node) {
      if (!each.is(Kind::table) && !each.is(Kind::list)) add_word(written_form(each), each.span());
    }
    if (node.size() > 0) return;
    // Words in one text, whose lines are one.
    std::string text = written_form(node);
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.empty()) return;
    script_.raw(" ");
    std::string_view rest = text;
    // Each on its own: a folded text stands in several lines of the file.
    Span place = node.span();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      const std::string_view word = rest.substr(0, end);
      if (word != "\\") place.begin = script_.copied(word, place);
      script_.raw(" ");
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  void add_model() {
    const NodeRef node = find(command_.model);
    std::string name = written_form(node);
    if (name.empty()) return;
    for (const std::string_view scheme : {"hf://", "huggingface://"}) {
      if (name.starts_with(scheme)) name.erase(0, scheme.size());
    }
    add_word(name, node.span());
  }

  void add_option(const CommandOption& option) {
    const NodeRef node = find(option.keys);
    const std::string value = written_form(node);
    if (value.empty() || node.as_boolean() == false) return;
    if (!option.map.empty()) {
      const auto found = std::find_if(option.map.begin(), option.map.end(),
                                      [&](const auto& each) { return matches_any(each.first, value); });
      if (found == option.map.end()) return;
      script_.raw(fmt::format(" {} ", option.flag));
      script_.standing_for(found->second, node.span());
      return;
    }
    script_.raw(" " + option.flag);
    if (!node.is(Kind::boolean)) add_word(value, node.span());
  }

  // Each key a flag: `tensorParallelSize` and `tensor_parallel_size` are one.
  void add_flags(NodeRef table) {
    for (const NodeRef each : table) {
      const std::string value = written_form(each);
      if (value.empty() || each.as_boolean() == false) continue;
      std::string flag;
      for (const char c : each.key()) {
        if (c >= 'A' && c <= 'Z') flag += '-';
        flag += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c == '_' ? '-' : c;
      }
      script_.raw(" --");
      script_.copied(flag, each.key_span());
      if (!each.is(Kind::boolean)) add_word(value, each.span());
    }
  }

  void add_word(const std::string& text, Span place) {
    script_.raw(" ");
    script_.word(text, place);
  }

  const Command& command_;
  const View& view_;
  const Place& place_;
  Script script_;
  bool is_script_ = false;
};

// The same tree with the places of the file.
text::Document in_file(const text::Document& of_script, const Script& script, const text::Document& file,
                       Span otherwise) {
  std::vector<text::Node> nodes(of_script.nodes().begin(), of_script.nodes().end());
  for (text::Node& each : nodes) {
    const auto move = [&](std::uint32_t& begin, std::uint32_t& end, Span none) {
      const Span there = script.in_file(begin, end, none);
      begin = static_cast<std::uint32_t>(there.begin);
      end = static_cast<std::uint32_t>(there.end);
    };
    if (each.key_end > each.key_begin) move(each.key_begin, each.key_end, otherwise);
    move(each.value_begin, each.value_end, otherwise);
    if (each.use_end > each.use_begin) move(each.use_begin, each.use_end, otherwise);
  }
  return {std::string(file.path()), file.shared_source(), std::move(nodes), std::string(of_script.pool())};
}

// Tables at any depth that have what a command needs.
void collect(const Command& command, const View& view, NodeRef node, Place& place, std::vector<Place>& out) {
  if (out.size() >= max_commands) return;
  if (node.is(Kind::table) && view.find_first(command.needs, place) && !view.find_first(command.lacks, place))
    out.push_back(place);
  std::size_t index = 0;
  for (const NodeRef child : node) {
    place.push_back(node.is(Kind::list) ? fmt::format("[{}]", index++) : std::string(child.key()));
    collect(command, view, child, place, out);
    place.pop_back();
  }
}

// A script whose lines are a table in YAML is a file of its own, which no shell runs.
bool is_file(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return false;
  const auto parsed = text::parse_yaml({}, std::string(text));
  return parsed && parsed->size() == 1 && parsed->front().root().is(Kind::table);
}

// What `parse` makes of the scripts that `write` gives for each place of the dialect's commands.
template <typename Write, typename Parse>
std::vector<text::Document> held(const Dialect& dialect, const text::Document& document, const Write& write,
                                 const Parse& parse) {
  std::vector<text::Document> out;
  View view(false);
  view.add({&document, {}, {}});
  for (const Command& command : dialect.commands) {
    const auto is_so = [&](const KeyTest& test) { return holds(view, test); };
    if (!std::all_of(command.when.begin(), command.when.end(), is_so)) continue;
    std::vector<Place> places;
    Place place;
    collect(command, view, document.root(), place, places);
    for (const Place& each : places) {
      const std::optional<Script> script = write(command, view, each);
      if (!script) continue;
      const auto parsed = parse(std::string(document.path()), script->text());
      if (!parsed) continue;
      const Span otherwise = view.find({each, true}, {}).span();
      for (const text::Document& one : *parsed) {
        if (out.size() < max_commands) out.push_back(in_file(one, *script, document, otherwise));
      }
    }
  }
  return out;
}

}  // namespace

std::vector<text::Document> held_commands(const Dialect& dialect, const text::Document& document) {
  const auto write = [&](const Command& command, const View& view, const Place& place) {
    const auto lines = view.find_first(command.script, place).as_string();
    return lines && is_file(*lines) ? std::nullopt : Writer(command, view, place, document.source()).script();
  };
  return held(dialect, document, write, [](const std::string& path, const std::string& script) {
    return text::parse_shell(path, script);
  });
}

std::vector<text::Document> held_files(const Dialect& dialect, const text::Document& document) {
  const auto write = [&](const Command& command, const View& view,
                         const Place& place) -> std::optional<Script> {
    const NodeRef node = view.find_first(command.script, place);
    const auto lines = node.as_string();
    if (!lines || !is_file(*lines)) return std::nullopt;
    Script script(document.source());
    script.copied(*lines, node.span());
    return script;
  };
  return held(dialect, document, write, [](const std::string& path, const std::string& script) {
    return text::parse_yaml(path, script);
  });
}

namespace {

// The word at the beginning of a command, or behind assignments; `@file`, whose words are arguments; and
// another script that is run.
bool may_source(std::string_view text) {
  return text.find("source ") != std::string_view::npos || text.find("\n. ") != std::string_view::npos ||
         text.find(" @") != std::string_view::npos || text.starts_with(". ") ||
         text.find(".sh") != std::string_view::npos || text.find(".slurm") != std::string_view::npos ||
         text.find(".sbatch") != std::string_view::npos;
}

}  // namespace

std::optional<text::Source> with_sourced_scripts(const text::FileSystem& files, const text::Source& source) {
  if (source.syntax != text::Syntax::shell || !source.documents || !may_source(source.text))
    return std::nullopt;
  const std::vector<std::string> folders = ancestors(files, source.path);
  bool any_found = false;
  const auto find = [&](const std::string& path,
                        const std::string& from) -> std::optional<text::SourcedScript> {
    std::vector<std::string> places = {folder_of(from)};
    places.insert(places.end(), folders.begin(), folders.end());
    for (const std::string& folder : places) {
      const std::string candidate = join(folder, path);
      if (candidate == join("", source.path) || !is_inside(candidate, folders.back()) ||
          !files.exists(candidate) || files.is_directory(candidate))
        continue;
      Result<std::string> content = files.read(candidate, text::max_source_bytes);
      if (!content) continue;
      any_found = true;
      return text::SourcedScript{candidate, *std::move(content)};
    }
    return std::nullopt;
  };
  const auto load = [&](const std::string& path,
                        const std::string& from) -> std::optional<text::SourcedScript> {
    if (!path.starts_with('/')) return find(path, from);
    std::vector<std::string> places = {folder_of(from)};
    places.insert(places.end(), folders.begin(), folders.end());
    const std::string end = end_inside(files, places, path);
    return end.empty() ? std::nullopt : find(end, from);
  };
  text::Source followed = source;
  followed.documents = text::parse_shell(source.path, source.text, load);
  if (!any_found || !followed.documents) return std::nullopt;
  return followed;
}

}  // namespace shapelint::formats
