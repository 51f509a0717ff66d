// The table of published models.
#include "catalog/known_models.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "catalog/catalog.hpp"
#include "catalog/entry.hpp"

namespace shapelint::catalog {

using text::NodeRef;

namespace {

// The entry's own; the others are fields.
constexpr std::array<std::string_view, 6> model_keys{"name", "title", "aliases", "source", "layers", "layer"};

// `layers` is the order of the kinds that the tables of `layer` describe; a number may be a list, with one
// for each layer.
void fill_layers(KnownModel& into, NodeRef table, std::vector<Error>& errors) {
  if (const auto order = table["layers"].as_string()) into.layers.order = std::string(*order);
  for (const NodeRef kind : table["layer"])
    into.layers.kinds.emplace_back(std::string(kind.key()), read_layer(kind, into.values, errors));
}

// The largest number of the list is the model's.
void fill_list(KnownModel& into, NodeRef list, std::vector<Error>& errors) {
  const model::LayerKey* key = model::find_layer_key(list.key());
  const model::FieldId field = model::find_field(list.key());
  if (key == nullptr || field == model::no_field) {
    errors.push_back(list.error(fmt::format("`{}` is not a value of a layer", list.key())));
    return;
  }
  std::vector<std::int64_t> values;
  for (const NodeRef each : list) values.push_back(layer_value(each, *key, errors).value_or(1));
  if (values.empty()) return;
  put(into.values, {field, *std::max_element(values.begin(), values.end())});
  into.layers.lists.emplace_back(key, std::move(values));
}

void fill(KnownModel& into, NodeRef table, std::vector<Error>& errors) {
  constexpr std::size_t usual = 12;
  into.values.reserve(into.values.size() + usual);
  for (const NodeRef entry : table) {
    if (std::find(model_keys.begin(), model_keys.end(), entry.key()) != model_keys.end()) continue;
    if (entry.is(text::Kind::list)) {
      fill_list(into, entry, errors);
    } else if (const auto value = field_value(entry, errors)) {
      put(into.values, *value);
    }
  }
  fill_layers(into, table, errors);
}

// Takes the word that `text` begins with, and the blank after it.
std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

// Minimal, as a table has a thousand rows.
std::optional<std::int64_t> next_integer(std::string_view& text) {
  constexpr std::size_t max_digits = 18;
  std::int64_t value = 0;
  std::size_t end = 0;
  for (; end < text.size() && end <= max_digits && text[end] >= '0' && text[end] <= '9'; ++end)
    value = value * 10 + (text[end] - '0');
  if (end == 0 || end > max_digits || (end < text.size() && text[end] != ' ')) return std::nullopt;
  text.remove_prefix(std::min(end + 1, text.size()));
  return value;
}

// Models whose entries differ in sizes only: rows of a name, its sizes, and the number of its source.
void load_family(NodeRef family, std::int64_t sources, std::vector<KnownModel>& models,
                 std::vector<Error>& errors) {
  KnownModel common;
  fill(common, family["common"], errors);
  std::vector<model::FieldId> columns;
  for (std::string_view rest = family["columns"].as_string().value_or(""); !rest.empty();) {
    const std::string_view name = next_word(rest);
    columns.push_back(model::find_field(name));
    if (columns.back() == model::no_field)
      errors.push_back(with_code(family["columns"].error(fmt::format("unknown field `{}`", name)),
                                 ErrorCode::unknown_name));
  }
  for (const NodeRef row : family["models"]) {
    std::string_view rest = row.as_string().value_or("");
    KnownModel& known = models.emplace_back();
    known.name = std::string(next_word(rest));
    known.values.reserve(common.values.size() + columns.size());
    bool is_whole = true;
    for (const model::FieldId column : columns) {
      const auto value = next_integer(rest);
      is_whole = is_whole && value;
      known.values.emplace_back(column, value.value_or(0));
    }
    const auto source = next_integer(rest);
    if (!is_whole || !rest.empty() || !source || *source >= sources) {
      errors.push_back(row.error("a row is a name, a number for each of `columns`, and that of its source"));
      models.pop_back();
      continue;
    }
    known.values.insert(known.values.end(), common.values.begin(), common.values.end());
    known.layers = common.layers;
  }
}

}  // namespace

void load_known_models(const text::Document& document, std::vector<KnownModel>& models,
                       std::vector<Error>& errors) {
  const NodeRef root = document.root();
  // What the models of a file have in common, before what each says itself.
  KnownModel common;
  fill(common, root["common"], errors);
  for (const NodeRef entry : root["model"]) {
    KnownModel known = common;
    known.name = entry["name"].as_string().value_or("");
    if (known.name.empty()) errors.push_back(entry.error("a model needs a name"));
    known.title = entry["title"].as_string().value_or("");
    for (const NodeRef alias : entry["aliases"]) known.aliases.emplace_back(alias.as_string().value_or(""));
    fill(known, entry, errors);
    models.push_back(std::move(known));
  }
  const auto sources = static_cast<std::int64_t>(root["sources"].size());
  std::size_t rows = models.size();
  for (const NodeRef family : root["family"]) rows += family["models"].size();
  models.reserve(rows);
  for (const NodeRef family : root["family"]) load_family(family, sources, models, errors);
}

namespace {

// What a file calls models of any: `[[alias]]` has the `model` and its further `names`.
template <class Find>
void add_aliases(const text::Document& document, std::vector<Error>& errors, const Find& find) {
  for (const NodeRef entry : document.root()["alias"]) {
    const auto name = entry["model"].as_string().value_or("");
    KnownModel* const found = find(name);
    if (found == nullptr) {
      errors.push_back(entry.error(fmt::format("no model is called `{}`", name)));
      continue;
    }
    for (const NodeRef alias : entry["names"]) found->aliases.emplace_back(alias.as_string().value_or(""));
  }
}

KnownModel* named(std::vector<KnownModel>& models, std::string_view name) {
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const KnownModel& each) { return each.name == name; });
  return found == models.end() ? nullptr : &*found;
}

}  // namespace

void load_aliases(const text::Document& document, std::vector<KnownModel>& models,
                  std::vector<Error>& errors) {
  add_aliases(document, errors, [&](std::string_view name) -> KnownModel* {
    if (KnownModel* const own = named(models, name); own != nullptr) return own;
    for (const KnownModel& each : known_models())
      if (each.name == name) return &models.emplace_back(each);
    return nullptr;
  });
}

std::optional<std::int64_t> stated(const KnownModel& known, model::FieldId field) {
  for (const auto& [each, value] : known.values) {
    if (each == field) return value;
  }
  return std::nullopt;
}

std::vector<model::LayerGroup> layers_of(const KnownModel& known) {
  const model::LayerDescription& layers = known.layers;
  if (layers.order.empty() && layers.lists.empty()) return {};
  std::string problem;  // the data files are checked by a test
  return model::layers_of(layers, stated(known, model::FieldId::num_layers).value_or(0), problem);
}

std::span<const KnownModel> known_models() {
  // Never destroyed: that takes long, and the end of the program frees it.
  static const std::vector<KnownModel>& models = *[] {
    auto* out = new std::vector<KnownModel>;
    std::vector<Error> errors;  // the data files are checked by a test
    for (const text::Document& document : builtin("formats/models"))
      load_known_models(document, *out, errors);
    const auto built_in = [&](std::string_view name) { return named(*out, name); };
    for (const text::Document& document : builtin("formats/models")) add_aliases(document, errors, built_in);
    return out;
  }();
  return models;
}

std::span<const KnownConfig> known_configs() {
  static const std::vector<KnownConfig>& configs = *[] {
    auto* out = new std::vector<KnownConfig>;
    for (const text::Document& document : builtin("formats/models")) {
      for (const NodeRef entry : document.root()["config"]) {
        KnownConfig& known = out->emplace_back();
        known.name = entry["name"].as_string().value_or("");
        for (const NodeRef alias : entry["aliases"])
          known.aliases.emplace_back(alias.as_string().value_or(""));
        known.config = entry["text"].as_string().value_or("");
      }
    }
    return out;
  }();
  return configs;
}

}  // namespace shapelint::catalog
