// How a field is set in a dialect.
#include "formats/dialect/edit_instructions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/strings.hpp"
#include "formats/dialect/formula.hpp"

namespace shapelint::formats {

namespace {

using model::FieldId;
using model::Origin;

// How Hydra's overrides are written.
constexpr std::string_view hydra_override = "{key}={value}";
// As in TOML, with Python's names of truth.
constexpr std::string_view python_setting = "{key} = {Value}";

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
  return is_one ? setting_pattern(extension) : std::string_view(dialect.writes);
}

// `_tp` is how data files call `-tp`.
std::string key_text(std::string_view writes, std::string_view key) {
  if (!is_flag(writes)) return std::string(key);
  return key.starts_with('_') || key.starts_with("-") ? dashed(key) : "--" + dashed(key);
}

bool is_bare(std::string_view value) {
  return value == "true" || value == "false" || value.find_first_not_of("0123456789.") == value.npos;
}

// Empty where the syntax has no way to write it: a flag that is there cannot be false.
std::string setting(std::string_view writes, std::string_view key, std::string value) {
  if (writes.empty()) return {};
  const bool is_plain_flag = writes == "--{key} {value}";
  if (is_plain_flag && value == "false") return {};
  if (is_plain_flag && value == "true") return key_text(writes, key);
  const bool needs_quotes = writes.starts_with('"') || writes.find(" = ") != std::string_view::npos;
  if (needs_quotes && !is_bare(value)) value = '"' + value + '"';
  const bool is_truth = value == "true" || value == "false";
  if (writes == python_setting && is_truth)
    value.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(value.front())));
  const std::string_view pattern = is_flag(writes) ? writes.substr(writes.find('{')) : writes;
  std::string text = replaced(std::string(pattern), "{key}", key_text(writes, key));
  return replaced(replaced(std::move(text), "{value}", value), "{Value}", value);
}

// The power of two, from 64 on, to whose next multiple `from` is padded to become `to`; 0: none.
std::int64_t padding_multiple(std::int64_t from, std::int64_t to) {
  constexpr std::int64_t least = 64;
  for (std::int64_t multiple = least; multiple <= to; multiple *= 2) {
    if ((from + multiple - 1) / multiple * multiple == to) return multiple;
  }
  return 0;
}

// What stands between the braces of `{set KEY VALUE}`, and of `{key KEY}`, which has no value.
struct Named {
  std::string key;
  std::optional<std::string> value{};
};
std::optional<Named> named_in(const std::string& inside) {
  const std::size_t key = inside.find(' ');
  if (key == std::string::npos) return std::nullopt;
  const std::size_t value = inside.find(' ', key + 1);
  if (value == std::string::npos) return Named{inside.substr(key + 1)};
  return Named{inside.substr(key + 1, value - key - 1), inside.substr(value + 1)};
}

// Both as the file writes them.
std::string with_keys(std::string_view writes, std::string text) {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    const auto named = named_in(text.substr(at + 1, end - at - 1));
    if (!named) continue;
    const std::string written =
        named->value ? setting(writes, named->key, *named->value) : key_text(writes, named->key);
    text.replace(at, end + 1 - at, '`' + written + '`');
  }
  return text;
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

std::string_view setting_pattern(std::string_view syntax) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{
      {{"json", "\"{key}\": {value}"},
       {"yaml", "{key}: {value}"},
       {"toml", "{key} = {value}"},
       {"python", python_setting},
       {"shell", "--{key} {value}"}}};
  for (const auto& [name, text] : known) {
    if (name == syntax) return text;
  }
  return {};
}

namespace {

// The table of a part goes before the dialect's own, and hides what that says of a field that no key states.
std::vector<const Alternatives*> tables_of(const Dialect& dialect, const model::Reading& reading,
                                           std::string_view name) {
  std::vector<const Alternatives*> out;
  const auto add = [&](const FieldRules& rules) {
    if (const auto found = rules.find(name); found != rules.end()) out.push_back(&found->second);
  };
  for (const Part& part : dialect.parts) {
    if (!part.name.empty() && reading.part.starts_with(part.name)) add(part.fields);
  }
  if (!out.empty() && model::origin(reading, model::find_field(name)).kind != Origin::Kind::stated)
    return out;
  add(dialect.fields);
  add(dialect.otherwise);
  return out;
}

// Whether a file that has its value under `written` may have been read by this key.
bool is_end_of(const KeyPath& key, std::string_view written) {
  for (auto component = key.components.rbegin(); component != key.components.rend(); ++component) {
    const std::size_t dot = written.rfind('.');
    if (leaf_of(written) != leaf_of(*component)) return false;
    written = dot == std::string_view::npos ? std::string_view{} : written.substr(0, dot);
  }
  return true;
}

// Which of several possible keys is the most specific.
const KeyPath* key_of(const Alternative& alternative, const Origin& origin) {
  const KeyPath* best = nullptr;
  for (const KeyPath& key : alternative.keys) {
    if (!is_one_key(key)) continue;
    if (origin.kind != Origin::Kind::stated) return &key;
    if (!is_end_of(key, origin.key_path)) continue;
    if (best == nullptr || key.components.size() > best->components.size()) best = &key;
  }
  return best;
}

// The key that states a field, or the first that may.
std::string key_name(const Dialect& dialect, const model::Reading& reading, FieldId field) {
  const Origin& origin = model::origin(reading, field);
  if (origin.kind == Origin::Kind::stated) return leaf_of(origin.key_path);
  for (const Alternatives* alternatives : tables_of(dialect, reading, model::info(field).name)) {
    for (const Alternative& each : *alternatives) {
      if (const KeyPath* path = key_of(each, origin)) return path->components.back();
    }
  }
  return {};
}

// Whether it says how to leave unfused attention: between fused kernels the key's own value is named.
bool is_of_unfused(const SettingInstruction& way, const model::Setup& setup) {
  return way.field == model::info(FieldId::attention).name &&
         way.choice ==
             model::value_text(FieldId::attention, static_cast<std::int64_t>(model::Attention::flash)) &&
         !way.text.empty() && setup.plan.mode == model::Mode::train &&
         setup.plan.attention != model::Attention::unfused && setup.plan.attention != model::Attention::flash;
}

// What the dialect's `[how]` says of models and runs like this one, what is said of them alone first.
std::vector<const SettingInstruction*> ways_for(const Dialect& dialect, const model::Setup& setup) {
  std::vector<const SettingInstruction*> out;
  for (const bool of_some : {true, false}) {
    for (const SettingInstruction& way : dialect.ways) {
      const bool applies = (!way.for_sinks || setup.model.window.sinks) &&
                           (!way.for_latent || setup.model.mla.kv_lora_rank > 0) &&
                           (!way.for_pipeline || setup.plan.pipeline > 1);
      const bool is_of_some = way.for_sinks || way.for_latent || way.for_pipeline;
      if (applies && !is_of_unfused(way, setup) && is_of_some == of_some) out.push_back(&way);
    }
  }
  return out;
}

// The word that `[how]` sets the key to which states the field; empty: it says another thing, or nothing.
std::string said_word(const Dialect& dialect, const model::Reading& reading, FieldId field, std::int64_t to) {
  const bool serves = reading.setup.plan.mode != model::Mode::train;
  for (const SettingInstruction* way : ways_for(dialect, reading.setup)) {
    if (way->field != model::info(field).name || way->for_serving != serves ||
        way->choice != model::value_text(field, to))
      continue;
    // The whole of what is said.
    if (!way->text.starts_with("{set ") || way->text.find('}') != way->text.size() - 1) return {};
    const auto named = named_in(way->text.substr(1, way->text.size() - 2));
    const bool is_same = named && leaf_of(named->key) == leaf_of(model::origin(reading, field).key_path);
    return is_same ? named->value.value_or("") : std::string{};
  }
  return {};
}

// What the dialect's `[how]` says; nothing where it is silent, or where what it says needs a padding that
// does not give the value.
std::optional<std::string> said_by(const Dialect& dialect, const model::Reading& reading, FieldId field,
                                   std::int64_t from, std::int64_t to) {
  const model::Setup& setup = reading.setup;
  const std::string value = model::value_text(field, to);
  const bool serves = setup.plan.mode != model::Mode::train;
  const auto text_of = [&](const SettingInstruction& way) -> std::optional<std::string> {
    if (way.field != model::info(field).name || way.for_serving != serves) return std::nullopt;
    if (!way.choice.empty() && way.choice != value) return std::nullopt;
    std::string text = replaced(way.text, "{value}", value);
    text = replaced(std::move(text), "{num_layers}", std::to_string(setup.model.num_layers));
    if (field == FieldId::stage_layers)
      text = replaced(std::move(text), "{last_layers}",
                      std::to_string(setup.model.num_layers - (setup.plan.pipeline - 1) * to));
    if (text.find("{stated}") != std::string::npos) {
      text =
          replaced(std::move(text), "{stated}", fmt::format("{{key {}}}", key_name(dialect, reading, field)));
    }
    if (text.find("{multiple") != std::string::npos) {
      const std::int64_t multiple = padding_multiple(from, to);
      const std::int64_t ranks = std::max<std::int64_t>(1, setup.plan.tensor);
      if (multiple == 0 || multiple % ranks != 0) return std::nullopt;
      text = replaced(text, "{multiple}", std::to_string(multiple));
      text = replaced(text, "{multiple_per_rank}", std::to_string(multiple / ranks));
    }
    return with_keys(writing_of(dialect, reading.path), std::move(text));
  };
  for (const SettingInstruction* way : ways_for(dialect, setup)) {
    if (auto text = text_of(*way)) return text;
  }
  return std::nullopt;
}

std::vector<std::string> variables_of(const std::string& expression) {
  const Result<std::vector<std::string>> names = variables(expression);
  return names ? *names : std::vector<std::string>{};
}

// What to write where the value follows from what is written alone: a multiple of it, along a line (`x + 1`,
// a share as percent), or one for all; empty where it does not.
std::string written_before(const std::string& expression, FieldId field, std::int64_t to) {
  const auto value_of = [&](double x) {
    return evaluate(expression, [&](std::string_view name) -> std::optional<double> {
      return name == "x" ? std::optional(x) : std::nullopt;
    });
  };
  const auto of_one = value_of(1);
  const auto of_two = value_of(2);
  if (!of_one || !of_two) return {};
  const bool is_line = *of_one != *of_two && value_of(3) == 2 * *of_two - *of_one;
  if (!is_line && *of_one == 0) return {};
  const double wanted = static_cast<double>(to);
  const double x = is_line ? 1 + (wanted - *of_one) / (*of_two - *of_one) : wanted / *of_one;
  if (x <= 0 || value_of(x) != wanted || (!is_line && x != std::floor(x))) return {};
  return x == std::floor(x) ? model::value_text(field, static_cast<std::int64_t>(x)) : fmt::format("{}", x);
}

// A setting, or a key, with the tables around it; overrides of a command are written with all of their path.
std::string under(std::string_view writes, const KeyPath& path, const std::string& text) {
  auto begin = path.components.begin();
  if (path.absolute && (*begin == "overrides" || *begin == "flags")) ++begin;
  const std::vector<std::string> above(begin, path.components.end() - 1);
  if (above.empty()) return '`' + text + '`';
  if (writes == hydra_override) return fmt::format("`{}.{}`", fmt::join(above, "."), text);
  return fmt::format("`{}` under `{}`", text, fmt::join(above, "."));
}

std::string key_under(std::string_view writes, const KeyPath& path) {
  return under(writes, path, key_text(writes, path.components.back()));
}

// Where each value has a key of its own (`bf16: true`), that of the value instead of the key that states
// another; empty where it has none.
std::string other_key(const Alternatives& alternatives, std::string_view writes, const KeyPath& stated,
                      FieldId field, std::int64_t to) {
  for (const Alternative& each : alternatives) {
    const bool is_word = each.kind == Alternative::Kind::key && each.reading == Alternative::Reading::value &&
                         each.when.empty() && !each.map.empty() && !each.keys.empty();
    if (!is_word || !is_one_key(each.keys.front())) continue;
    const KeyPath& key = each.keys.front();
    const std::string word = written_value(each, field, to);
    const std::string text = word.empty() ? word : setting(writes, key.components.back(), word);
    if (text.empty() || key.components == stated.components) continue;
    return fmt::format("{} in place of {}", under(writes, key, text), key_under(writes, stated));
  }
  return {};
}

// Whether the key that states a field has a word for the value, and what is said of it names another key.
bool has_own_word(const Dialect& dialect, const model::Reading& reading, FieldId field, std::int64_t to,
                  std::string said) {
  const auto word = word_of(dialect, reading, field, to);
  if (!word || word->empty()) return false;
  std::replace(said.begin(), said.end(), '-', '_');
  return said.find(leaf_of(model::origin(reading, field).key_path)) == std::string::npos;
}

}  // namespace

std::string leaf_of(std::string_view path) {
  std::string leaf(path.substr(path.rfind('.') + 1));
  while (leaf.starts_with('-')) leaf.erase(0, 1);
  std::replace(leaf.begin(), leaf.end(), '-', '_');
  return leaf;
}

std::string setting_syntax(const Dialect& dialect, const model::Reading& reading, FieldId field,
                           std::int64_t from, std::int64_t to, bool even_if_same) {
  const Origin& origin = model::origin(reading, field);
  const auto words = said_by(dialect, reading, field, from, to);
  if (words && !has_own_word(dialect, reading, field, to, *words)) return *words;
  const bool is_stated = origin.kind == Origin::Kind::stated;
  const std::string_view name = model::info(field).name;
  if (is_stated && leaf_of(origin.key_path) == name && !even_if_same) return {};
  const std::string_view writes = writing_of(dialect, reading.path);
  for (const Alternatives* alternatives : tables_of(dialect, reading, name)) {
    for (const Alternative& each : *alternatives) {
      if (each.kind != Alternative::Kind::key || each.reading != Alternative::Reading::value) continue;
      if (is_stated && each.note != origin.note) continue;
      const KeyPath* path = key_of(each, origin);
      if (path == nullptr) continue;
      const std::string value =
          each.value.empty() ? written_value(each, field, to) : written_before(each.value, field, to);
      const std::string text = value.empty() ? value : setting(writes, path->components.back(), value);
      if (!text.empty()) return under(writes, *path, text);
    }
  }
  return words.value_or(std::string{});
}

void note_unset(const Dialect& dialect, model::Reading& reading) {
  for (const SettingInstruction* each : ways_for(dialect, reading.setup)) {
    const SettingInstruction& way = *each;
    if (!way.text.empty()) continue;
    const FieldId field = model::find_field(way.field);
    const std::string now = model::value_text(field, model::get(reading.setup, field));
    if (now == way.choice) continue;
    const std::string name = model::unsettable(field);
    reading.extras.push_back({way.choice.empty() ? name : name + '_' + way.choice, 1, {}});
  }
}

namespace {

// The alternative and its key that state a field of a file that somebody writes.
std::pair<const Alternative*, const KeyPath*> stating(const Dialect& dialect, const model::Reading& reading,
                                                      FieldId field) {
  const Origin& origin = model::origin(reading, field);
  if (origin.kind != Origin::Kind::stated || writing_of(dialect, reading.path).empty()) return {};
  for (const Alternatives* alternatives : tables_of(dialect, reading, model::info(field).name)) {
    for (const Alternative& each : *alternatives) {
      if (each.kind != Alternative::Kind::key || each.note != origin.note) continue;
      if (const KeyPath* path = key_of(each, origin)) return {&each, path};
    }
  }
  return {};
}

}  // namespace

std::string stated_key(const Dialect& dialect, const model::Reading& reading, FieldId field) {
  const KeyPath* path = stating(dialect, reading, field).second;
  return path == nullptr ? std::string{} : key_under(writing_of(dialect, reading.path), *path);
}

std::string key_to_change(const Dialect& dialect, const model::Reading& reading, FieldId field,
                          std::int64_t to, const std::vector<FieldId>& with) {
  const auto [alternative, path] = stating(dialect, reading, field);
  if (path == nullptr) return {};
  const std::vector<std::string> names = variables_of(alternative->value);
  const bool follows = std::any_of(with.begin(), with.end(), [&](FieldId other) {
    return std::find(names.begin(), names.end(), model::info(other).name) != names.end();
  });
  if (follows) return {};
  const std::string_view writes = writing_of(dialect, reading.path);
  if (const std::string ratio = model::ratio_text(model::origin(reading, field), to); !ratio.empty())
    return under(writes, *path, setting(writes, path->components.back(), ratio));
  for (const Alternatives* alternatives : tables_of(dialect, reading, model::info(field).name)) {
    if (std::string other = other_key(*alternatives, writes, *path, field, to); !other.empty()) return other;
  }
  if (const std::string value = written_before(alternative->value, field, to); !value.empty())
    return under(writes, *path, setting(writes, path->components.back(), value));
  return fmt::format("{} such that `{}` is {}", key_under(writes, *path), model::info(field).name,
                     model::value_text(field, to));
}

std::optional<std::string> word_of(const Dialect& dialect, const model::Reading& reading, FieldId field,
                                   std::int64_t value) {
  const Origin& origin = model::origin(reading, field);
  if (origin.kind != Origin::Kind::stated) return std::nullopt;
  // `[how]` has the word that every GPU runs, if there are several for one value.
  if (std::string word = said_word(dialect, reading, field, value); !word.empty()) return word;
  bool has_words = false;
  for (const Alternatives* alternatives : tables_of(dialect, reading, model::info(field).name)) {
    for (const Alternative& each : *alternatives) {
      const bool is_word = each.kind == Alternative::Kind::key && !each.map.empty() &&
                           each.reading == Alternative::Reading::value && each.note == origin.note;
      if (!is_word || key_of(each, origin) == nullptr) continue;
      has_words = true;
      if (std::string word = written_value(each, field, value); !word.empty()) return word;
      // A pattern takes the field's own name for it.
      for (const auto& [patterns, number] : each.map) {
        if (number == static_cast<double>(value)) return std::nullopt;
      }
    }
  }
  return has_words ? std::optional<std::string>(std::string{}) : std::nullopt;
}

}  // namespace shapelint::formats
