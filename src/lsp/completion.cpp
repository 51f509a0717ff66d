// What may stand at a place of a file.
#include "lsp/completion.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <shapelint/shapelint.hpp>

#include "api/keys.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"

namespace shapelint::lsp {

namespace {

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

void find_word(std::string_view text, std::size_t offset, TableAt& out) {
  out.begin = out.end = std::min(offset, text.size());
  while (out.begin > 0 && is_of_word(text[out.begin - 1])) --out.begin;
  while (out.end < text.size() && is_of_word(text[out.end])) ++out.end;
}

// One object or list that is open.
struct Open {
  bool is_object = false;
  std::string key;      // under which it stands
  std::string pending;  // the string that was read last, perhaps a key
  bool after_colon = false;
  std::set<std::string> keys{};
};

struct Line {
  std::size_t indent = 0;
  bool is_item = false;  // of a list
  std::string key;       // empty: there is none
};

// nothing: blank, or a comment
std::optional<Line> line_of(std::string_view text) {
  Line out;
  std::size_t at = 0;
  while (at < text.size() &&
         (text[at] == ' ' || (text[at] == '-' && at + 1 < text.size() && text[at + 1] == ' '))) {
    out.is_item = out.is_item || text[at] == '-';
    ++at;
  }
  out.indent = at;
  if (at == text.size() || text[at] == '#' || text[at] == '\r') return std::nullopt;
  const char quote = text[at] == '"' || text[at] == '\'' ? text[at] : '\0';
  const std::size_t begin = quote == '\0' ? at : at + 1;
  const std::size_t end = quote == '\0' ? text.find(':', begin) : text.find(quote, begin);
  if (end == std::string_view::npos) return out;
  const std::size_t colon = text.find(':', end);
  if (colon == std::string_view::npos ||
      (colon + 1 < text.size() && text[colon + 1] != ' ' && text[colon + 1] != '\r'))
    return out;
  out.key = text.substr(begin, end - begin);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace

TableAt json_table_at(std::string_view text, std::size_t offset) {
  TableAt out;
  out.is_braced = true;
  find_word(text, offset, out);
  std::vector<Open> open;
  // Of the table at the place: how deep it is, once that is known; its keys behind the place count, too.
  std::optional<std::size_t> depth;
  const auto look = [&] {
    depth = open.size();
    if (open.empty() || !open.back().is_object || open.back().after_colon) return;
    out.wants_key = std::none_of(open.begin(), open.end(), [](const Open& each) { return !each.is_object; });
    for (const Open& each : open) {
      if (&each != &open.front()) out.path.push_back(each.key);
    }
    out.keys = open.back().keys;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!depth && at >= offset) look();
    if (depth && open.size() < *depth) break;
    const char c = text[at];
    if (c == '"') {
      const std::size_t begin = at + 1;
      std::size_t end = begin;
      // A string ends with its line at the latest: the closing mark may not be typed yet.
      while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end, text.size());
      const bool is_here = !depth && offset >= begin && offset <= end;
      if (is_here) {
        out.is_quoted = true;
        look();
      } else if (!open.empty()) {
        open.back().pending = text.substr(begin, end - begin);
      }
      at = end;
    } else if (c == '{' || c == '[') {
      const std::string key = open.empty() || !open.back().is_object ? "" : open.back().pending;
      open.push_back({c == '{', key, {}, false});
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    } else if (c == ':' && !open.empty()) {
      open.back().after_colon = true;
      open.back().keys.insert(open.back().pending);
      if (depth && open.size() == *depth) out.keys.insert(open.back().pending);
    } else if (c == ',' && !open.empty()) {
      open.back().after_colon = false;
      open.back().pending.clear();
    }
  }
  return out;
}

TableAt yaml_table_at(std::string_view text, std::size_t offset) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return json_table_at(text, offset);
  TableAt out;
  find_word(text, offset, out);
  const std::vector<std::string_view> lines = lines_of(text);
  std::size_t here = 0;
  std::size_t begin = 0;
  while (here + 1 < lines.size() && begin + lines[here].size() < offset) begin += lines[here++].size() + 1;
  const std::string_view before = lines[here].substr(0, out.begin - begin);
  if (before.find_first_not_of(' ') != std::string_view::npos) return out;
  std::size_t indent = before.size();
  out.wants_key = true;
  const auto gather = [&](std::string_view text_of_line) {
    const auto line = line_of(text_of_line);
    if (!line || line->indent > indent) return true;
    if (line->indent == indent && !line->key.empty()) out.keys.insert(line->key);
    return line->indent == indent && !line->is_item;
  };
  for (std::size_t i = here + 1; i < lines.size() && gather(lines[i]);) ++i;
  bool is_own = true;  // still in the table itself
  for (std::size_t i = here; i-- > 0;) {
    const auto line = line_of(lines[i]);
    if (!line) continue;
    if (line->indent >= indent) {
      // The items of a list stand in no table that a format names.
      if (line->is_item && line->indent == indent && is_own) out.wants_key = false;
      if (is_own && line->indent == indent && !line->key.empty()) out.keys.insert(line->key);
      continue;
    }
    is_own = false;
    indent = line->indent;
    if (line->is_item || line->key.empty()) out.wants_key = false;
    out.path.insert(out.path.begin(), line->key);
  }
  return out;
}

namespace {

constexpr std::string_view blanks = " \t\r";

bool is_of_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// The name of a table's header, such as `model.moe`; empty where the line is none.
std::string_view header_of(std::string_view line) {
  line = trimmed(line.substr(0, line.find('#')), blanks);
  if (line.size() < 2 || line.front() != '[' || line.back() != ']' || line[1] == '[') return {};
  return trimmed(line.substr(1, line.size() - 2), blanks);
}

std::string_view key_of(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  std::string_view key = trimmed(line.substr(0, equals), blanks);
  if (key.size() > 2 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
  return key;
}

struct Table {
  std::string_view name;
  std::set<std::string_view> keys;
};

// The tables of a text, and which of them the line that begins at a byte is in. That line's own key is none.
struct Tables {
  std::vector<Table> all{{}};
  std::size_t here = 0;
};

Tables tables_of(std::string_view text, std::size_t line_begin) {
  Tables out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (begin == line_begin) {
      out.here = out.all.size() - 1;
    } else if (const std::string_view header = header_of(line); !header.empty()) {
      out.all.push_back({header, {}});
    } else if (const std::string_view key = key_of(line); !key.empty()) {
      out.all.back().keys.insert(key);
    }
    begin = end + 1;
  }
  return out;
}

std::string values_of(const api::Field& field) {
  if (field.type == api::FieldType::boolean) return "true, false";
  if (field.type == api::FieldType::choice) return fmt::format("{}", fmt::join(field.choices, ", "));
  return fmt::format("{} to {}{}{}", with_commas(field.minimum), with_commas(field.maximum),
                     field.unit.empty() ? "" : " ", field.unit);
}

void offer_values(const api::Field& field, bool is_quoted, Completions& out) {
  if (field.type == api::FieldType::boolean) {
    for (const char* each : {"true", "false"}) {
      out.items.push_back({CompletionKind::value, each, each, field.name, field.doc});
    }
  }
  for (const std::string& each : field.choices) {
    out.items.push_back(
        {CompletionKind::value, each, is_quoted ? each : '"' + each + '"', field.name, field.doc});
  }
}

}  // namespace

Completions completions_at(std::string_view text, std::int64_t offset) {
  Completions out;
  const std::vector<api::Field> fields = api::fields();
  std::set<std::string_view> sections;
  for (const api::Field& field : fields) sections.insert(field.section);
  const auto at =
      static_cast<std::size_t>(std::clamp<std::int64_t>(offset, 0, static_cast<std::int64_t>(text.size())));
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::string_view before = text.substr(line_begin, at - line_begin);
  if (before.find('#') != std::string_view::npos) return out;
  const bool is_header = trimmed(before, blanks).starts_with('[');
  std::size_t begin = at;
  while (begin > line_begin && (is_of_key(text[begin - 1]) || (is_header && text[begin - 1] == '.'))) --begin;
  std::size_t end = at;
  while (end < text.size() && (is_of_key(text[end]) || (is_header && text[end] == '.'))) ++end;
  out.begin_byte = static_cast<std::int64_t>(begin);
  out.end_byte = static_cast<std::int64_t>(end);
  const std::string_view left = trimmed(text.substr(line_begin, begin - line_begin), blanks);
  const Tables tables = tables_of(text, line_begin);
  if (left == "[") {
    // In a file that has tables of somebody else's, and none of ours, nothing is offered.
    const auto is_ours = [&](const Table& each) { return sections.contains(each.name); };
    if (tables.all.size() > 1 && std::none_of(tables.all.begin(), tables.all.end(), is_ours)) return out;
    for (const std::string_view each : sections) {
      const auto is_there = [&](const Table& table) { return table.name == each; };
      if (std::any_of(tables.all.begin(), tables.all.end(), is_there)) continue;
      out.items.push_back({CompletionKind::section, std::string(each), std::string(each), {}, {}});
    }
    return out;
  }
  const Table& here = tables.all[tables.here];
  for (const api::Field& field : fields) {
    if (field.section != here.name) continue;
    const std::string_view key = field.key;
    if (left.empty()) {
      if (here.keys.contains(key)) continue;
      out.items.push_back(
          {CompletionKind::key, std::string(key), std::string(key) + " = ", values_of(field), field.doc});
    } else if (key_of(left) == key) {
      const std::string_view value = trimmed(left.substr(left.find('=') + 1), blanks);
      if (value.empty() || value == "\"") offer_values(field, !value.empty(), out);
    }
  }
  return out;
}

Completions dialect_completions_at(std::string_view text, std::int64_t offset, bool is_json,
                                   std::string_view dialect) {
  Completions out;
  const auto at =
      static_cast<std::size_t>(std::clamp<std::int64_t>(offset, 0, static_cast<std::int64_t>(text.size())));
  const TableAt here = is_json ? json_table_at(text, at) : yaml_table_at(text, at);
  out.begin_byte = static_cast<std::int64_t>(here.begin);
  out.end_byte = static_cast<std::int64_t>(here.end);
  if (!here.wants_key) return out;
  const std::vector<api::DialectKey> keys = api::dialect_keys(dialect);
  // `hidden-size` is `hidden_size`, where a format takes both.
  const auto plain = [](std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  };
  std::set<std::string> there;
  for (const std::string& each : here.keys) there.insert(plain(each));
  std::set<std::string_view> known;
  for (const api::DialectKey& each : keys) {
    if (each.table == here.path && there.contains(plain(each.name))) known.insert(each.field.name);
  }
  const bool has_dashes = std::any_of(here.keys.begin(), here.keys.end(), [](const std::string& each) {
    return each.find('-') != std::string::npos;
  });
  for (const api::DialectKey& each : keys) {
    if (each.table != here.path || known.contains(each.field.name)) continue;
    std::string name = each.name;
    if (has_dashes) std::replace(name.begin(), name.end(), '_', '-');
    const std::string written = here.is_quoted   ? name
                                : here.is_braced ? fmt::format("\"{}\": ", name)
                                                 : name + ": ";
    std::string detail = values_of(each.field);
    if (name != each.field.name) detail = fmt::format("{}: {}", each.field.name, detail);
    out.items.push_back({CompletionKind::key, name, written, std::move(detail), each.field.doc});
  }
  return out;
}

}  // namespace shapelint::lsp
