// The table of published models.
#include "catalog/known_models.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/names.hpp"
#include "catalog/catalog.hpp"

namespace shapelint::catalog {

using text::NodeRef;

namespace {

constexpr std::array<std::string_view, 4> own_keys{"name", "title", "aliases", "source"};

void fill(KnownModel& into, NodeRef table, std::vector<Error>& errors) {
  for (const NodeRef entry : table) {
    if (std::find(own_keys.begin(), own_keys.end(), entry.key()) != own_keys.end()) continue;
    const model::FieldId field = model::find_field(entry.key());
    if (field == model::no_field) {
      errors.push_back(with_code(entry.key_error(fmt::format("unknown field `{}`", entry.key()),
                                                 did_you_mean(entry.key(), model::field_names())),
                                 ErrorCode::unknown_name));
      continue;
    }
    const std::optional<bool> flag = entry.as_boolean();
    const std::optional<std::int64_t> number = entry.as_integer();
    if (!number && !flag && !entry.as_string()) {
      errors.push_back(entry.error(fmt::format("`{}` is an integer, true or false, or a name", entry.key())));
      continue;
    }
    std::int64_t value = number.value_or(flag.value_or(false) ? 1 : 0);
    if (const auto name = entry.as_string()) {
      const auto choices = model::info(field).choices;
      const auto found = std::find(choices.begin(), choices.end(), *name);
      if (found == choices.end())
        errors.push_back(
            with_code(entry.error(fmt::format("unknown choice `{}`", *name)), ErrorCode::unknown_name));
      value = found - choices.begin();
    }
    std::erase_if(into.values, [&](const auto& each) { return each.first == field; });
    into.values.emplace_back(field, value);
  }
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto space = std::min(text.find(' '), text.size());
    if (space > 0) out.push_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return out;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Models whose entries differ in sizes only: rows of a name, its sizes, and the number of its source.
void load_family(NodeRef family, NodeRef sources, std::vector<KnownModel>& models,
                 std::vector<Error>& errors) {
  KnownModel common;
  fill(common, family["common"], errors);
  std::vector<model::FieldId> columns;
  for (const std::string_view name : words_of(family["columns"].as_string().value_or(""))) {
    columns.push_back(model::find_field(name));
    if (columns.back() == model::no_field)
      errors.push_back(with_code(family["columns"].error(fmt::format("unknown field `{}`", name)),
                                 ErrorCode::unknown_name));
  }
  for (const NodeRef row : family["models"]) {
    const auto words = words_of(row.as_string().value_or(""));
    const auto source = words.size() == columns.size() + 2 ? integer_of(words.back()) : std::nullopt;
    if (!source || *source < 0 || !sources[static_cast<std::size_t>(*source)]) {
      errors.push_back(row.error("a row is a name, a number for each of `columns`, and that of its source"));
      continue;
    }
    KnownModel known;
    known.name = known.title = std::string(words[0]);
    known.source = sources[static_cast<std::size_t>(*source)].as_string().value_or("");
    known.values.reserve(common.values.size() + columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto value = integer_of(words[i + 1]);
      if (!value) errors.push_back(row.error(fmt::format("`{}` is no number", words[i + 1])));
      known.values.emplace_back(columns[i], value.value_or(0));
    }
    known.values.insert(known.values.end(), common.values.begin(), common.values.end());
    models.push_back(std::move(known));
  }
}

}  // namespace

void load_known_models(const text::Document& document, std::vector<KnownModel>& models,
                       std::vector<Error>& errors) {
  const NodeRef root = document.root();
  const std::string source(root["source"].as_string().value_or(""));
  for (const NodeRef entry : root["model"]) {
    KnownModel known;
    known.name = entry["name"].as_string().value_or("");
    if (known.name.empty()) errors.push_back(entry.error("a model needs a name"));
    known.title = entry["title"].as_string().value_or(known.name);
    known.source = entry["source"].as_string().value_or(source);
    for (const NodeRef alias : entry["aliases"]) known.aliases.emplace_back(alias.as_string().value_or(""));
    // What the models of a file have in common, before what each says itself.
    fill(known, root["common"], errors);
    fill(known, entry, errors);
    models.push_back(std::move(known));
  }
  for (const NodeRef family : root["family"]) load_family(family, root["sources"], models, errors);
}

std::optional<std::int64_t> stated(const KnownModel& known, model::FieldId field) {
  for (const auto& [each, value] : known.values) {
    if (each == field) return value;
  }
  return std::nullopt;
}

std::span<const KnownModel> known_models() {
  static const std::vector<KnownModel> models = [] {
    std::vector<KnownModel> out;
    std::vector<Error> errors;  // the data files are checked by a test
    for (const text::Document& document : builtin("formats/models")) {
      load_known_models(document, out, errors);
    }
    return out;
  }();
  return models;
}

}  // namespace shapelint::catalog
