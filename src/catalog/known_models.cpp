// The table of published models.
#include "catalog/known_models.hpp"

#include <algorithm>
#include <array>

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
    std::int64_t value = entry.as_integer().value_or(entry.as_boolean().value_or(false) ? 1 : 0);
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
