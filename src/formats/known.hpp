// Published models and their shapes, from formats/models/*.toml.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/fields.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

struct KnownModel {
  std::string name;  // `meta-llama/Llama-3.1-8B`
  std::vector<std::string>
      aliases;  // patterns with `*`, matched against names without their organisation too
  std::string source;
  std::vector<std::pair<model::FieldId, std::int64_t>> values;
};

// The built-in table, loaded at the first call.
std::span<const KnownModel> known_models();

// Loads the models of one data file; errors are appended with their place.
void load_known_models(const text::Document& document, std::vector<KnownModel>& models,
                       std::vector<Error>& errors);

// The model that a repository name (`org/Name`, a path, a bare name) stands for, or nullptr.
const KnownModel* find_known_model(std::string_view name);

}  // namespace shapelint::formats
