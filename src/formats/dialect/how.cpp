// How a field is set in a dialect.
#include "formats/dialect/how.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/words.hpp"

namespace shapelint::formats {

namespace {

using model::FieldId;
using model::Origin;

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

bool is_flag(std::string_view writes) {
  return writes.starts_with("--");
}

// As this file is written, where files of the dialect have several syntaxes.
std::string_view writing_of(const Dialect& dialect, const std::string& path) {
  if (dialect.syntax.size() < 2) return dialect.writes;
  std::string_view extension = std::string_view(path).substr(path.rfind('.') + 1);
  if (extension == "yml") extension = "yaml";
  const bool is_one =
      std::find(dialect.syntax.begin(), dialect.syntax.end(), extension) != dialect.syntax.end();
  return is_one ? way_of_writing(extension) : std::string_view(dialect.writes);
}

// The last part of a path, with underscores and without a flag's dashes.
std::string leaf_of(std::string_view path) {
  std::string leaf(path.substr(path.rfind('.') + 1));
  while (leaf.starts_with('-')) leaf.erase(0, 1);
  std::replace(leaf.begin(), leaf.end(), '-', '_');
  return leaf;
}

std::string key_text(std::string_view writes, std::string_view key) {
  return is_flag(writes) ? "--" + dashed(key) : std::string(key);
}

bool is_bare(std::string_view value) {
  return value == "true" || value == "false" || value.find_first_not_of("0123456789") == value.npos;
}

// Empty where the syntax has no way to write it: a flag that is there cannot be false.
std::string setting(std::string_view writes, std::string_view key, std::string value) {
  if (writes.empty()) return {};
  const bool is_plain_flag = writes == "--{key} {value}";
  if (is_plain_flag && value == "false") return {};
  if (is_plain_flag && value == "true") return key_text(writes, key);
  const bool needs_quotes = writes.starts_with('"') || writes.find(" = ") != std::string_view::npos;
  if (needs_quotes && !is_bare(value)) value = '"' + value + '"';
  const std::string name = is_flag(writes) ? dashed(key) : std::string(key);
  return replaced(replaced(std::string(writes), "{key}", name), "{value}", value);
}

// The power of two, from 64 on, to whose next multiple `from` is padded to become `to`; 0: none.
std::int64_t padding_multiple(std::int64_t from, std::int64_t to) {
  constexpr std::int64_t least = 64;
  for (std::int64_t multiple = least; multiple <= to; multiple *= 2) {
    if ((from + multiple - 1) / multiple * multiple == to) return multiple;
  }
  return 0;
}

// `{set KEY VALUE}` and `{key KEY}` as the file writes them.
std::string with_keys(std::string_view writes, std::string text) {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    const std::string inside = text.substr(at + 1, end - at - 1);
    const std::size_t key = inside.find(' ');
    if (key == std::string::npos) continue;
    const std::size_t value = inside.find(' ', key + 1);
    const std::string name = inside.substr(key + 1, value == inside.npos ? value : value - key - 1);
    const std::string written =
        value == inside.npos ? key_text(writes, name) : setting(writes, name, inside.substr(value + 1));
    text.replace(at, end + 1 - at, '`' + written + '`');
  }
  return text;
}

// What the dialect's `[how]` says; nothing where it is silent, or where what it says needs a padding that
// does not give the value.
std::optional<std::string> said_by(const Dialect& dialect, const model::Reading& reading, FieldId field,
                                   std::int64_t from, std::int64_t to) {
  const model::Setup& setup = reading.setup;
  const std::string value = model::value_text(field, to);
  const bool serves = setup.plan.mode != model::Mode::train;
  for (const Way& way : dialect.ways) {
    if (way.field != model::info(field).name || way.for_serving != serves) continue;
    if (!way.choice.empty() && way.choice != value) continue;
    std::string text = replaced(way.text, "{value}", value);
    if (text.find("{multiple") != std::string::npos) {
      const std::int64_t multiple = padding_multiple(from, to);
      const std::int64_t ranks = std::max<std::int64_t>(1, setup.plan.tensor);
      if (multiple == 0 || multiple % ranks != 0) continue;
      text = replaced(text, "{multiple}", std::to_string(multiple));
      text = replaced(text, "{multiple_per_rank}", std::to_string(multiple / ranks));
    }
    return with_keys(writing_of(dialect, reading.path), std::move(text));
  }
  return std::nullopt;
}

// What is written for the value: itself, or the first plain name of a map.
std::string written_value(const Alternative& alternative, FieldId field, std::int64_t to) {
  if (alternative.map.empty()) return model::value_text(field, to);
  for (const auto& [patterns, number] : alternative.map) {
    if (number != static_cast<double>(to)) continue;
    std::string first = patterns.substr(0, patterns.find('|'));
    if (first.find('*') == std::string::npos) return first;
  }
  return {};
}

bool is_one_key(const KeyPath& path) {
  return !path.components.empty() &&
         std::none_of(path.components.begin(), path.components.end(),
                      [](const std::string& each) { return each == "*" || each.starts_with('['); });
}

}  // namespace

std::string_view way_of_writing(std::string_view syntax) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{
      {{"json", "\"{key}\": {value}"},
       {"yaml", "{key}: {value}"},
       {"toml", "{key} = {value}"},
       {"python", "{key} = {value}"},
       {"shell", "--{key} {value}"}}};
  for (const auto& [name, text] : known) {
    if (name == syntax) return text;
  }
  return {};
}

std::string way_to_set(const Dialect& dialect, const model::Reading& reading, FieldId field,
                       std::int64_t from, std::int64_t to, bool even_if_same) {
  if (auto words = said_by(dialect, reading, field, from, to)) return *std::move(words);
  const Origin& origin = model::origin(reading, field);
  const bool is_stated = origin.kind == Origin::Kind::stated;
  const std::string stated = is_stated ? leaf_of(origin.key_path) : std::string{};
  const std::string_view name = model::info(field).name;
  if (stated == name && !even_if_same) return {};
  for (const FieldRules* rules : {&dialect.fields, &dialect.otherwise}) {
    const auto found = rules->find(name);
    if (found == rules->end()) continue;
    for (const Alternative& each : found->second) {
      if (each.kind != Alternative::Kind::key || each.reading != Alternative::Reading::value) continue;
      const auto path = std::find_if(each.keys.begin(), each.keys.end(), [&](const KeyPath& key) {
        return is_one_key(key) && (!is_stated || leaf_of(key.components.back()) == stated);
      });
      if (path == each.keys.end()) continue;
      const std::string value = each.value.empty() ? written_value(each, field, to) : std::string{};
      const std::string text =
          value.empty() ? value : setting(writing_of(dialect, reading.path), path->components.back(), value);
      if (text.empty()) return {};
      std::vector<std::string> above(path->components.begin(), path->components.end() - 1);
      if (above.empty()) return '`' + text + '`';
      return fmt::format("`{}` under `{}`", text, fmt::join(above, "."));
    }
  }
  return {};
}

}  // namespace shapelint::formats
