// What is open at a place: braces in JSON, indentation in YAML.
#include "lsp/table.hpp"

#include <algorithm>
#include <optional>

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

}  // namespace shapelint::lsp
