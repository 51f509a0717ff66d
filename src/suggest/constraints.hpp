// What every candidate must satisfy: frameworks' hard rules and wishes of the user, and what people can
// follow, which unlike these a user may say otherwise: how far a proposal may change the shape, and which
// numbers of heads it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/fields.hpp"
#include "model/spec.hpp"

namespace shapelint::suggest {

// A condition that candidates must satisfy: a framework's hard rule, or a wish of the user.
struct Constraint {
  std::string name;
  std::function<bool(const model::Setup&)> holds;
};

// What people can follow: how far a proposal may change the shape, and which numbers of heads are nobody's
// choice. Unlike what frameworks refuse, a user may say otherwise.

using model::Shape;

struct ShapePolicy {
  Shape shape = Shape::free;
  // Heads that change become a multiple of this, so that tensor parallelism can split them, or divide it
  // where they are fewer; 1: any number.
  std::int64_t head_multiple = 4;
};

// Whether any of these fields, or ranges of them (`hidden_size=1024:2048`), is part of the shape that
// training fixes. Who asks to vary one has a model to train in mind.
bool names_shape(std::span<const std::string> fields);

// Of the shape; none when it is free. `start` is copied.
std::vector<Constraint> shape_constraints(Shape shape, const model::Setup& start);
// Of numbers of heads; none when any number will do.
std::vector<Constraint> head_constraints(std::int64_t multiple, const model::Setup& start);
// Of recurrent layers, two for each mixer: what it remembers gets no smaller, and groups share whole heads.
std::vector<Constraint> mixer_constraints(const model::Setup& start);
// All.
std::vector<Constraint> policy_constraints(const ShapePolicy& policy, const model::Setup& start);

}  // namespace shapelint::suggest
