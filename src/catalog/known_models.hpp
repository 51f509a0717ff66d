// Published models and their shapes, from formats/models/*.toml: what training files name by repository, and
// what a mistyped copy is compared with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/fields.hpp"
#include "model/layer_list.hpp"
#include "text/document.hpp"

namespace shapelint::catalog {

struct KnownModel {
  std::string name;   // `meta-llama/Llama-3.1-8B`
  std::string title;  // as people call it: `Llama 3 8B`; empty: by its name
  std::vector<std::string>
      aliases;  // patterns with `*`, matched against names without their organisation too
  std::vector<std::pair<model::FieldId, std::int64_t>> values;
  model::LayerDescription layers;  // of a model whose layers differ
};

// A published model of several parts, which no one list of fields describes: an encoder and a decoder, a
// tower of images. `config`: what counts of its config.json.
struct KnownConfig {
  std::string name;
  std::vector<std::string> aliases;  // without an organisation
  std::string config;
};

inline const std::string& title_of(const KnownModel& known) {
  return known.title.empty() ? known.name : known.title;
}

// What the model's entry says of a field; nothing when it says nothing.
std::optional<std::int64_t> stated(const KnownModel& known, model::FieldId field);

// The list of its layers; empty where it has none.
std::vector<model::LayerGroup> layers_of(const KnownModel& known);

// The built-in table, loaded at the first call.
std::span<const KnownModel> known_models();

// The built-in ones whose config.json is kept instead, loaded at the first call.
std::span<const KnownConfig> known_configs();

// Loads the models of one data file; errors are appended with their place.
void load_known_models(const text::Document& document, std::vector<KnownModel>& models,
                       std::vector<Error>& errors);

// Adds what a file's `[[alias]]` call `models`; of a built-in one a copy joins them. Errors are appended with
// their place.
void load_aliases(const text::Document& document, std::vector<KnownModel>& models,
                  std::vector<Error>& errors);

}  // namespace shapelint::catalog
