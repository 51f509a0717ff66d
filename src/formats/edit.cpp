// Adding values to a text.
#include "formats/edit.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "formats/dialect/edit_instructions.hpp"
#include "text/document.hpp"
#include "text/source.hpp"
#include "text/toml/toml.hpp"

namespace shapelint::formats {

namespace {

// The table at a dotted path; absent where there is none.
text::NodeRef table_of(const text::Document& document, std::string_view path) {
  text::NodeRef at = document.root();
  while (!path.empty() && at) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    at = at[path.substr(0, dot)];
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

// Behind the last plain key of the native file's table `section`.
std::int64_t place_in_table(std::string_view source, const text::Document& document,
                            std::string_view section) {
  std::int64_t end = -1;
  for (const text::NodeRef child : table_of(document, section)) {
    if (child.kind() != text::Kind::table) end = std::max(end, child.span().end);
  }
  if (end < 0) return -1;
  const std::size_t line_end = source.find('\n', static_cast<std::size_t>(end));
  return line_end == std::string_view::npos ? static_cast<std::int64_t>(source.size())
                                            : static_cast<std::int64_t>(line_end + 1);
}

// One of an instruction's settings: `tp: 4` below the tables.
struct Setting {
  std::string text;
  std::string key;
  std::string value;   // empty: a flag without one, or a key alone
  std::string tables;  // with dots; empty: none
};

// `--tp 4`, `tp: 4`, `"tp": 4`, `tp = 4`, `tp=4`.
Setting setting_of(std::string text, std::string tables) {
  constexpr std::array<std::string_view, 5> separators{"\": ", ": ", " = ", "=", " "};
  Setting out{std::move(text), {}, {}, std::move(tables)};
  const bool is_flag = out.text.starts_with('-') && out.text.find(": ") == std::string::npos;
  for (const std::string_view each : separators) {
    if ((each == " ") != is_flag) continue;
    const std::size_t at = out.text.find(each);
    if (at == std::string::npos) continue;
    out.key = out.text.substr(0, at);
    out.value = out.text.substr(at + each.size());
    break;
  }
  if (out.key.empty()) out.key = out.text;
  if (out.key.starts_with('"')) out.key.erase(0, 1);
  return out;
}

// Takes `text` off the front.
bool takes(std::string_view& rest, std::string_view text) {
  if (!rest.starts_with(text)) return false;
  rest.remove_prefix(text.size());
  return true;
}

// What stands between backticks at the front.
std::optional<std::string> quoted(std::string_view& rest) {
  const std::size_t end = rest.starts_with('`') ? rest.find('`', 1) : std::string_view::npos;
  if (end == std::string_view::npos) return std::nullopt;
  std::string out(rest.substr(1, end - 1));
  rest.remove_prefix(end + 1);
  return out;
}

// None where the instruction says more than settings.
std::vector<Setting> settings_of(std::string_view rest) {
  constexpr std::array<std::string_view, 5> joints{" with ", ", with ", " and ", ", ", ", in layers of "};
  rest = rest.substr(0, rest.find(" or `"));
  std::vector<Setting> out;
  for (;;) {
    auto text = quoted(rest);
    if (!text) return {};
    std::string tables;
    if (takes(rest, " under ")) tables = quoted(rest).value_or(std::string());
    out.push_back(setting_of(*std::move(text), std::move(tables)));
    if (rest.starts_with(" (")) rest.remove_prefix(std::min(rest.find(')') + 1, rest.size()));  // whose it is
    if (rest.empty()) return out;
    if (std::none_of(joints.begin(), joints.end(), [&](std::string_view each) { return takes(rest, each); }))
      return {};
  }
}

// A key of the file that stands in the table of another.
struct Neighbour {
  std::string table;
  Span key;
  Span value;  // where it is used
};

bool ends_with_tables(std::string_view table, std::string_view tables) {
  return table == tables || (table.ends_with(tables) && table[table.size() - tables.size() - 1] == '.');
}

// The last stated key in the table of a setting; without a table in the outermost that is stated.
std::optional<Neighbour> neighbour_of(const Setting& setting, const model::Reading& reading) {
  std::optional<Neighbour> best;
  for (const model::FieldInfo& field : model::fields()) {
    const model::Origin& origin = model::origin(reading, field.id);
    if (origin.path != reading.path || origin.key_span.end <= origin.key_span.begin) continue;
    const std::size_t dot = origin.key_path.rfind('.');
    const std::string table = dot == std::string::npos ? std::string() : origin.key_path.substr(0, dot);
    if (!setting.tables.empty() && !ends_with_tables(table, setting.tables)) continue;
    const Span used = origin.use_span.end > origin.use_span.begin ? origin.use_span : origin.span;
    const bool is_outer = best && setting.tables.empty() && table.size() < best->table.size();
    const bool is_later = best && table == best->table && origin.key_span.begin > best->key.begin;
    if (!best || is_outer || is_later) best = Neighbour{table, origin.key_span, used};
  }
  return best;
}

text::NodeRef child_of(text::NodeRef table, std::string_view key) {
  for (const text::NodeRef each : table) {
    if (leaf_of(each.key()) == leaf_of(key)) return each;
  }
  return {};
}

// The last key of a table that holds a plain value.
std::optional<Neighbour> last_key(text::NodeRef table) {
  std::optional<Neighbour> out;
  for (const text::NodeRef each : table) {
    if (!each.is(text::Kind::table) && !each.is(text::Kind::list) && !each.use_span())
      out = Neighbour{table.path(), each.key_span(), each.span()};
  }
  return out;
}

// Where a setting belongs: next to a key that the model was read from, or in the file's table of that name.
std::optional<Neighbour> place_of(const Setting& setting, const text::Source& source,
                                  const model::Reading& reading) {
  if (auto beside = neighbour_of(setting, reading)) return beside;
  if (setting.tables.empty()) return std::nullopt;
  for (const text::Document& each : *source.documents) {
    if (auto beside = last_key(table_of(each, setting.tables))) return beside;
  }
  return std::nullopt;
}

// A flag in a file of flags, `--tp: 4`.
std::string as_entry(const Setting& setting) {
  return fmt::format("{}: {}", setting.key, setting.value.empty() ? "true" : setting.value);
}

// Whether a comma or a bracket ends the value: YAML between brackets, whose entries need one.
bool is_between_brackets(std::string_view source, std::size_t end) {
  const std::size_t after = source.find_first_not_of(" \t\"'", end);
  return after != std::string_view::npos && (source[after] == ',' || source[after] == '}');
}

std::optional<TextPatch> addition(std::string_view source, std::optional<text::Syntax> syntax,
                                  const Setting& setting, const Neighbour& beside) {
  const auto key = static_cast<std::size_t>(beside.key.begin);
  const auto end = static_cast<std::size_t>(std::max(beside.key.end, beside.value.end));
  if (end > source.size()) return std::nullopt;
  const bool is_of_command = setting.text.starts_with('-') && setting.text.find(": ") == std::string::npos;
  if (is_of_command) return TextPatch{span_of(end, end), ' ' + setting.text};
  const auto line = static_cast<std::size_t>(text::line_at(source, beside.key.begin).data() - source.data());
  const std::string_view indent = source.substr(line, key - line);
  const bool in_brackets = syntax == text::Syntax::yaml && is_between_brackets(source, end);
  const bool is_json = setting.text.starts_with('"') || in_brackets;
  const std::string_view blanks =
      is_json && indent.ends_with('"') ? indent.substr(0, indent.size() - 1) : indent;
  const bool begins_line = blanks.find_first_not_of(" \t") == std::string_view::npos;
  if (is_json) {
    const std::size_t at = line + blanks.size();
    const bool quotes = in_brackets && source[at] == '"' && !setting.text.starts_with('"');
    const std::string entry = quotes ? fmt::format("\"{}\": {}", setting.key, setting.value) : setting.text;
    return TextPatch{span_of(at, at),
                     entry + (begins_line ? fmt::format(",\n{}", blanks) : std::string(", "))};
  }
  if (!begins_line) return std::nullopt;
  const std::size_t stop = std::min(source.find('\n', end), source.size());
  return TextPatch{span_of(stop, stop), fmt::format("\n{}{}", indent, setting.text)};
}

// With its line, where it has one of its own.
TextPatch removal(std::string_view source, text::NodeRef node) {
  const auto is_blank = [&](std::size_t at) { return source[at] == ' ' || source[at] == '\t'; };
  const auto key = static_cast<std::size_t>(node.key_span().begin);
  auto end = static_cast<std::size_t>(std::max(node.key_span().end, node.span().end));
  std::size_t begin = key;
  while (begin > 0 && is_blank(begin - 1)) --begin;
  const bool begins_line = begin > 0 && source[begin - 1] == '\n';
  if (begins_line && end < source.size() && source[end] == '\n') return {span_of(begin - 1, end), {}};
  if (!begins_line) return {span_of(begin, end), {}};
  while (end < source.size() && is_blank(end)) ++end;
  return {span_of(key, end), {}};
}

}  // namespace

std::vector<TextPatch> patches_for(const text::Source& source, const model::Reading& reading,
                                   std::string_view instruction) {
  const bool leaves_out = takes(instruction, "leave out ");
  std::vector<TextPatch> out;
  if (!source.documents) return out;
  for (Setting setting : settings_of(instruction)) {
    if (source.syntax == text::Syntax::yaml && setting.key.starts_with('-')) setting.text = as_entry(setting);
    const auto beside = place_of(setting, source, reading);
    if (!beside) return {};
    text::NodeRef stated;
    for (const text::Document& each : *source.documents) {
      if (!stated) stated = child_of(table_of(each, beside->table), setting.key);
    }
    const bool is_flag_alone = setting.value.empty() && setting.key.starts_with('-');
    if (setting.value.empty() && !is_flag_alone && !leaves_out) return {};
    if (stated && (stated.use_span() || stated.is(text::Kind::table) || stated.is(text::Kind::list)))
      return {};
    if (leaves_out) {
      if (!stated) return {};
      out.push_back(removal(source.text, stated));
    } else if (stated) {
      const bool is_true = stated.as_boolean().value_or(true);
      if (!is_flag_alone || !is_true)
        out.push_back({stated.span(), is_flag_alone ? std::string("true") : setting.value});
    } else if (auto added = addition(source.text, source.syntax, setting, *beside)) {
      out.push_back(*std::move(added));
    } else {
      return {};
    }
  }
  return out;
}

bool can_add(const model::Reading& reading, model::FieldId field) {
  const model::Origin::Kind kind = model::origin(reading, field).kind;
  return reading.dialect == "native" && field != model::no_field && kind != model::Origin::Kind::stated &&
         kind != model::Origin::Kind::command_line;
}

std::string add_values(std::string source, std::span<const AddedValue> values) {
  for (const AddedValue& each : values) {
    const model::FieldInfo& field = model::info(each.field);
    const std::string_view quote = field.choices.empty() ? "" : "\"";
    const std::string line =
        fmt::format("{} = {}{}{}\n", field.key, quote, model::value_text(each.field, each.value), quote);
    const auto document = text::parse_toml("", source);
    const std::int64_t at = document ? place_in_table(source, *document, field.section) : -1;
    const bool is_last = at < 0 || at == static_cast<std::int64_t>(source.size());
    if (is_last && !source.empty() && source.back() != '\n') source += '\n';
    if (at < 0) source += fmt::format("\n[{}]\n", field.section);
    source.insert(is_last ? source.size() : static_cast<std::size_t>(at), line);
  }
  return source;
}

}  // namespace shapelint::formats
