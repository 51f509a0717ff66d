// What expressions of rules are evaluated on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "catalog/known_models.hpp"
#include "cost/step.hpp"
#include "gpu/gpu.hpp"
#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/fields.hpp"
#include "model/op.hpp"
#include "model/reading.hpp"

namespace shapelint::rules {

struct OperationContext {
  const model::Op* op = nullptr;  // of a layer of a CNN: its forward pass
  const cost::OpCost* cost = nullptr;
  const model::Workload* workload = nullptr;  // that it is of
  double dimension = 0;                       // of a product: the one that the rule looks at,
  char letter = 'n';                          // which is m, n or k,
  bool contiguous = false;                    // and whether it is the contiguous one of an operand
};

struct LayerContext {
  const model::LayerShape* shape = nullptr;
  double time_us = 0;  // of the step, all passes and runs
  double all_us = 0;   // the same of all layers that the rule finds
};

struct KnownContext {
  const catalog::KnownModel* model = nullptr;
  model::FieldId field = model::no_field;  // in which the file differs first
  double differences = 0;
  double value = 0;  // the known model's
  double here = 0;
  double digits = 0;
  bool swapped = false;
  bool head_dim = false;
  bool same_width = false;
};

// A model whose layers differ, in the words of one of its layers: what that layer has of its own is what the
// model's fields say (model::make_common), and stands where the file states it.
struct LayerReading {
  model::Reading reading;
  std::vector<model::FieldId> own;
};

// Pointers are null below their level.
struct Context {
  const model::Reading* reading = nullptr;  // for what the file states
  const model::Setup* setup = nullptr;
  const gpu::Gpu* gpu = nullptr;
  const cost::StepCost* step = nullptr;
  double blamed = 0;  // the blamed field's value
  // Which of the model's kinds of layers without softmax attention `mixer` and its sizes are of: a rule that
  // names these is asked of each kind.
  std::size_t mixer = 0;
  std::span<const model::FieldId> own{};  // fields that the operation's layer has of its own
  OperationContext operation{};
  LayerContext layer{};
  KnownContext known{};
  const model::Remark* remark = nullptr;
};

// Whether the field is of some layers alone, and another in others.
inline bool is_of_layers(const Context& context, model::FieldId field) {
  return std::find(context.own.begin(), context.own.end(), field) != context.own.end();
}

// What the operation's layer has of its own of the field; -1 where the field is the whole model's.
inline std::int64_t layer_value(const Context& context, model::FieldId field) {
  return is_of_layers(context, field) ? model::get(*context.setup, field) : -1;
}

// Short names for what many variables are computed from.

using model::real;

inline const model::ModelSpec& spec(const Context& c) {
  return c.setup->model;
}
inline const model::Plan& plan(const Context& c) {
  return c.setup->plan;
}
// An image or audio tower of a language model that is served: engines divide it by rules of its own,
// or not at all.
inline bool is_tower(const model::Reading& reading) {
  return (reading.part == "vision" || reading.part == "audio") &&
         reading.setup.plan.mode != model::Mode::train;
}
inline double share_of_step(const Context& c, double time_us) {
  return c.step->time_us > 0 ? time_us / c.step->time_us : 0;
}

}  // namespace shapelint::rules
