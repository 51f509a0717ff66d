// What can be said for certain of a run's memory, given what its file says.
#include "rules/scope/memory.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace shapelint::rules {

namespace {

using model::FieldId;

// What a dialect exports where its files tell all that data-parallel ranks share (`zero`).
constexpr std::string_view shared_name = "shards_by_zero";
// And where they say that weights are stored in fewer bits.
constexpr std::string_view packed_name = "packs_weights";

bool exports(const model::Reading& reading, std::string_view name) {
  return std::any_of(reading.extras.begin(), reading.extras.end(),
                     [&](const model::Extra& each) { return each.name == name && each.value > 0; });
}

bool tells_what_is_shared(const model::Reading& reading) {
  return exports(reading, shared_name);
}

// Weights in a format that is not known.
bool may_be_packed(const model::Reading& reading, const model::Setup& setup) {
  return exports(reading, packed_name) && setup.plan.weight_bits == 0 && bytes_of(setup.plan.dtype) >= 2;
}

}  // namespace

bool states_plan(const model::Reading& reading) {
  constexpr std::array layout{FieldId::tensor,          FieldId::pipeline, FieldId::data,
                              FieldId::expert,          FieldId::context,  FieldId::zero,
                              FieldId::micro_batch_size};
  // A degree that is written, but that only the run knows, is assumed to be the default, and its note says
  // so.
  const auto known = [&](FieldId field) {
    return is_known(reading, field) && !model::origin(reading, field).note.starts_with("assumed");
  };
  const auto stated = [&](FieldId field) { return is_stated(reading, field); };
  if (!std::all_of(layout.begin(), layout.end(), known)) return false;
  return std::any_of(layout.begin(), layout.end(), stated) || tells_what_is_shared(reading);
}

suggest::Footprint least_footprint(const model::Reading& reading, const model::Setup& setup) {
  if (setup.plan.mode != model::Mode::train)
    return may_be_packed(reading, setup) ? suggest::Footprint{} : suggest::footprint(setup);
  const bool is_told = tells_what_is_shared(reading);
  const bool is_asked = model::origin(reading, FieldId::data).kind == model::Origin::Kind::command_line;
  const bool counts_ranks = reading.dialect == "native" || is_asked ||
                            (is_told && is_stated(reading, FieldId::data)) ||
                            setup.plan.data != reading.setup.plan.data;
  if (counts_ranks) return suggest::footprint(setup);
  return is_told ? suggest::least_footprint(setup) : suggest::Footprint{};
}

}  // namespace shapelint::rules
