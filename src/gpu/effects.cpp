// Table [errors] of an architecture or a profile.
#include "gpu/effects.hpp"

#include <optional>
#include <span>

#include <fmt/format.h>

#include "gpu/fields.hpp"

namespace shapelint::gpu {
namespace {

using text::NodeRef;

constexpr std::array<std::string_view, effect_count> effect_names{
    "alignment", "tile", "wave", "throughput", "attention", "memory", "communication"};

constexpr Field<EffectError> effect_fields[] = {
    {"", "relative", "", Type::number, &EffectError::relative, 0, 1,
     "mean absolute error of the predicted size of the effect, as a share of it"},
    {"", "measured", "", Type::boolean, &EffectError::measured, 0, 0,
     "timings on this GPU, or one of its architecture, show the effect"},
};
constexpr std::string_view error_keys[] = {"sources", "note"};

// Without a measurement, an effect may as well be half or one and a half times what the model says: between
// the 42 to 58 % of a plain roofline on whole products and the 16 % of a transferred model on them.
constexpr double assumed_effect_error = 0.5;
// Constants carried over from an H100: 7 % on an H200, 16 % on a B200.
constexpr double assumed_throughput_error = 0.16;
// Bandwidth by a default share of 0.8, where measured shares go from 0.65 to 0.98 (`gpu-benches`,
// `fluidx3d`).
constexpr double assumed_memory_error = 0.2;
// Links by one default share and NCCL's own latency table; topologies differ by more than that.
constexpr double assumed_communication_error = 0.4;

}  // namespace

std::string_view name(Effect effect) {
  return effect_names[static_cast<std::size_t>(effect)];
}

EffectErrors::EffectErrors() {
  for (EffectError& each : by_effect) each.relative = assumed_effect_error;
  (*this)[Effect::throughput].relative = assumed_throughput_error;
  (*this)[Effect::memory].relative = assumed_memory_error;
  (*this)[Effect::communication].relative = assumed_communication_error;
}

void read_effect_errors(NodeRef table, EffectErrors& into, std::vector<Error>& errors) {
  if (!table) return;
  if (!table.is(text::Kind::table)) {
    errors.push_back(
        table.error(fmt::format("`{}` is {}, expected a table", table.path(), text::describe(table.kind()))));
    return;
  }
  check_keys(table, effect_names, errors);
  for (std::size_t i = 0; i < effect_count; ++i) {
    const NodeRef effect = table[effect_names[i]];
    if (!effect) continue;
    read_fields<EffectError>(effect, "", effect_fields, error_keys, into.by_effect[i], errors);
    read_strings(effect["sources"], errors);
  }
}

}  // namespace shapelint::gpu
