// What people can follow: how far a proposal may change the shape, and which numbers of heads are nobody's
// choice. Unlike what frameworks refuse, a user may say otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec.hpp"
#include "suggest/constraint.hpp"

namespace shapelint::suggest {

// What of a model's shape may change.
enum class Shape : std::uint8_t {
  free,     // everything: it is not trained yet
  padding,  // what zeros fill up without changing what is computed: vocabulary and widths of MLP and experts
  fixed     // the rows of the vocabulary alone, which every loader can pad
};
inline constexpr std::array<std::string_view, 3> shape_names{"free", "padding", "fixed"};

struct Doable {
  Shape shape = Shape::free;
  // Heads that change become a multiple of this, so that tensor parallelism can split them, or divide it
  // where they are fewer; 1: any number.
  std::int64_t head_multiple = 4;
};
inline constexpr std::int64_t largest_head_multiple = 1024;

// Whether any of these fields, or ranges of them (`hidden_size=1024:2048`), is part of the shape that
// training fixes. Who asks to vary one has a model to train in mind.
bool names_shape(std::span<const std::string> fields);

// Of the shape; none when it is free. `start` is copied.
std::vector<Constraint> shape_constraints(Shape shape, const model::Setup& start);
// Of numbers of heads; none when any number will do.
std::vector<Constraint> head_constraints(std::int64_t multiple, const model::Setup& start);
// Both.
std::vector<Constraint> doable_constraints(const Doable& doable, const model::Setup& start);

}  // namespace shapelint::suggest
