// Published models by the names that training files give them.
#pragma once

#include <span>
#include <string_view>

#include "catalog/known_models.hpp"

namespace shapelint::formats {

// The model that a repository name (`org/Name`, a path, a bare name) stands for, or nullptr.
const catalog::KnownModel* find_known_model(std::string_view name);
const catalog::KnownModel* find_known_model(std::string_view name,
                                            std::span<const catalog::KnownModel> among);

}  // namespace shapelint::formats
