// How far proposals may change a model, in the words of options and configurations.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace shapelint::model {

// What of a model's shape may change.
enum class Shape : std::uint8_t {
  free,     // everything: it is not trained yet
  padding,  // what zeros fill up without changing what is computed: vocabulary and widths of MLP and experts
  fixed     // the rows of the vocabulary alone, which every loader can pad
};
inline constexpr std::array<std::string_view, 3> shape_names{"free", "padding", "fixed"};

// Of which numbers of heads can be asked to be multiples.
inline constexpr std::int64_t largest_head_multiple = 1024;

}  // namespace shapelint::model
