// How operands of a byte or less are scaled: each recipe has kernels, and speeds, of its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/dtype.hpp"

namespace shapelint {

enum class Recipe : std::uint8_t { none, tensor, row, block128, mxfp8, nvfp4, mxfp4 };

struct RecipeInfo {
  Recipe recipe;
  std::string_view name;
  double operand_bits;        // of an element, without its scale; 0: of any
  double a_scale_bytes;       // of scales in memory, per element of A
  double weight_scale_bytes;  // the same of B, which is stored in larger blocks by block128
  std::string_view doc;
};

inline constexpr std::array<RecipeInfo, 7> recipes{{
    {Recipe::none, "none", 0, 0, 0, "as the GPU's profile was measured: fp8 with the pass that quantizes"},
    {Recipe::tensor, "tensor", 8, 0, 0, "one scale for each operand"},
    {Recipe::row, "row", 8, 0, 0, "one for each row of A and each column of B"},
    {Recipe::block128, "block128", 8, 4.0 / 128, 4.0 / (128 * 128),
     "1 x 128 of A and 128 x 128 of B, in fp32"},
    {Recipe::mxfp8, "mxfp8", 8, 1.0 / 32, 1.0 / 32, "32 along k, in 8 bits (OCP MX)"},
    {Recipe::nvfp4, "nvfp4", 4, 1.0 / 16, 1.0 / 16, "16 along k, in fp8"},
    {Recipe::mxfp4, "mxfp4", 4, 1.0 / 32, 1.0 / 32, "32 along k, in 8 bits (OCP MX)"},
}};

inline constexpr auto recipe_names = [] {
  std::array<std::string_view, recipes.size()> out{};
  for (std::size_t i = 0; i < recipes.size(); ++i) out[i] = recipes[i].name;
  return out;
}();

constexpr const RecipeInfo& info(Recipe recipe) {
  return recipes[static_cast<std::size_t>(recipe)];
}
constexpr std::string_view name(Recipe recipe) {
  return info(recipe).name;
}
constexpr std::optional<Recipe> parse_recipe(std::string_view text) {
  for (const RecipeInfo& each : recipes) {
    if (each.name == text) return each.recipe;
  }
  return std::nullopt;
}

// Whether operands of that format are scaled so.
constexpr bool goes_with(Recipe recipe, DType dtype) {
  return recipe == Recipe::none || info(recipe).operand_bits == 8 * bytes_of(dtype);
}

}  // namespace shapelint
