// What the models of one file are to each other's memory.
#include "formats/colocated.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/units.hpp"
#include "model/arithmetic.hpp"
#include "model/fields.hpp"
#include "model/lower/lower.hpp"
#include "model/memory/training.hpp"

namespace shapelint::formats {

namespace {

using model::extra;
using model::FieldId;

constexpr double least_told_gib = 0.05;  // what a message in tenths would call nothing

bool takes_turns(const model::Reading& reading) {
  return extra(reading, "colocated") > 0;
}

// Its own bytes on each GPU, between its turns.
double kept_gib(const model::Reading& reading) {
  const model::Setup& setup = reading.setup;
  if (!reading.complete || !setup.model.conv.empty() || model::weights_are_unknown(setup.plan)) return 0;
  const model::RankParameters held = model::parameters_per_rank(setup);
  const auto keeps = [&](model::ExportName what, double bytes) {
    return extra(reading, what) > 0 ? bytes / bytes_per_gib : 0.0;
  };
  if (setup.plan.mode != model::Mode::train)
    return keeps("keeps_weights", model::served_weight_bytes(setup, held));
  const model::HeldStates states = model::held_states(setup, model::at_least_one(setup.plan.data), held);
  return keeps("keeps_weights", states.weights) + keeps("keeps_gradients", states.gradients) +
         keeps("keeps_optimizer", states.optimizer);
}

}  // namespace

void add_colocated(std::span<model::Reading> readings) {
  for (model::Reading& reading : readings) {
    if (!takes_turns(reading) || model::is_stated(reading, FieldId::colocated_mib)) continue;
    double gib = 0;
    std::string parts;
    for (const model::Reading& other : readings) {
      if (&other == &reading || !takes_turns(other)) continue;
      const double kept = kept_gib(other);
      if (kept < least_told_gib) continue;
      gib += kept;
      parts += fmt::format("{}{} {:.1f} GiB", parts.empty() ? "" : ", ", other.part, kept);
    }
    if (gib <= 0) continue;
    model::set_derived(reading, FieldId::colocated_mib,
                       static_cast<std::int64_t>(std::lround(gib * bytes_per_gib / bytes_per_mib)), parts);
  }
}

void add_towers(std::span<model::Reading> readings) {
  const auto is_tower = [](const model::Reading& each) { return extra(each, "tower") > 0; };
  std::int64_t parameters = 0;
  std::string parts;
  for (const model::Reading& each : readings) {
    if (!is_tower(each) || !each.complete) continue;
    parameters = model::plus(parameters, model::parameter_count(each.setup));
    parts += (parts.empty() ? "" : ", ") + each.part;
  }
  if (parameters <= 0) return;
  for (model::Reading& reading : readings) {
    const bool is_encoder = !reading.setup.model.causal && !reading.setup.model.lm_head;
    if (is_encoder || model::is_stated(reading, FieldId::tower_parameters)) continue;
    model::set_derived(reading, FieldId::tower_parameters, parameters,
                       fmt::format("parameters of the file's towers: {}", parts));
  }
}

}  // namespace shapelint::formats
