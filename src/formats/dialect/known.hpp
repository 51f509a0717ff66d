// Published models by the names that training files give them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catalog/known_models.hpp"
#include "catalog/stored.hpp"

namespace shapelint::formats {

// Behind the name, in a reading's note.
inline constexpr std::string_view unknown_model = "is not in the table of known models";

// The model that a repository name (`org/Name`, a path, a bare name) stands for, or nullptr.
const catalog::KnownModel* find_known_model(std::string_view name);
const catalog::KnownModel* find_known_model(std::string_view name,
                                            std::span<const catalog::KnownModel> among);

// The name that variants of a model have in common: without organisation, what a checkpoint was trained for,
// its date and how its weights are stored, in one spelling.
std::string base_of(std::string_view name);

// The same with what the checkpoint of that name says beside its shape, where that is known.
struct Checkpoint {
  catalog::KnownModel model;
  std::optional<catalog::StoredWeights> stored{};
};
std::optional<Checkpoint> find_checkpoint(std::string_view name);
std::optional<Checkpoint> find_checkpoint(std::string_view name, std::span<const catalog::KnownModel> among);

}  // namespace shapelint::formats
