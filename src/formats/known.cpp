// Published models and their shapes.
#include "formats/known.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/names.hpp"
#include "catalog/catalog.hpp"
#include "formats/dialect.hpp"

namespace shapelint::formats {

using text::Kind;
using text::NodeRef;

void load_known_models(const text::Document& document, std::vector<KnownModel>& models,
                       std::vector<Error>& errors) {
  const NodeRef root = document.root();
  const std::string source(root["source"].as_string().value_or(""));
  // What the models of a file have in common, before what each says itself.
  const NodeRef common = root["common"];
  const auto fill = [&](KnownModel& into, NodeRef table) {
    for (const NodeRef entry : table) {
      if (entry.key() == "name" || entry.key() == "aliases" || entry.key() == "source") continue;
      const model::FieldId field = model::find_field(entry.key());
      if (field == model::no_field) {
        errors.push_back(entry.key_error(fmt::format("unknown field `{}`", entry.key()),
                                         did_you_mean(entry.key(), model::field_names())));
        continue;
      }
      std::int64_t value = entry.as_integer().value_or(entry.as_boolean().value_or(false) ? 1 : 0);
      if (const auto name = entry.as_string()) {
        const auto choices = model::fields()[static_cast<std::size_t>(field)].choices;
        const auto found = std::find(choices.begin(), choices.end(), *name);
        if (found == choices.end()) errors.push_back(entry.error(fmt::format("unknown choice `{}`", *name)));
        value = found - choices.begin();
      }
      std::erase_if(into.values, [&](const auto& each) { return each.first == field; });
      into.values.emplace_back(field, value);
    }
  };
  for (const NodeRef entry : root["model"]) {
    KnownModel known;
    known.name = entry["name"].as_string().value_or("");
    if (known.name.empty()) errors.push_back(entry.error("a model needs a name"));
    known.source = entry["source"].as_string().value_or(source);
    for (const NodeRef alias : entry["aliases"]) known.aliases.emplace_back(alias.as_string().value_or(""));
    fill(known, common);
    fill(known, entry);
    models.push_back(std::move(known));
  }
}

std::span<const KnownModel> known_models() {
  static const std::vector<KnownModel> models = [] {
    std::vector<KnownModel> out;
    std::vector<Error> errors;  // the data files are checked by a test
    for (const text::Document& document : catalog::builtin("formats/models")) {
      load_known_models(document, out, errors);
    }
    return out;
  }();
  return models;
}

const KnownModel* find_known_model(std::string_view name) {
  const auto base = [](std::string_view text) {
    const auto slash = text.find_last_of('/');
    return slash == std::string_view::npos ? text : text.substr(slash + 1);
  };
  for (const KnownModel& each : known_models()) {
    if (matches(each.name, name) || matches(base(each.name), base(name))) return &each;
  }
  for (const KnownModel& each : known_models()) {
    for (const std::string& alias : each.aliases) {
      if (matches(alias, name) || matches(alias, base(name))) return &each;
    }
  }
  return nullptr;
}

}  // namespace shapelint::formats
