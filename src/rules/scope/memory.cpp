// What can be said for certain of a run's memory, given what its file says.
#include "rules/scope/memory.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/lower/lower.hpp"
#include "model/reading.hpp"
#include "rules/scope/context.hpp"
#include "rules/scope/launch.hpp"

namespace shapelint::rules {

namespace {

using model::FieldId;

// Exported by a format whose files state all that data-parallel ranks shard (`zero`).
constexpr std::string_view shared_name = "shards_by_zero";
// And where layers keep keys and values of a window only.
constexpr std::string_view window_name = "has_window";

// And whose files state all that layers keep for the backward pass (what is computed again, loss and head
// fused).
constexpr std::string_view kept_name = "tells_activations";

bool tells_what_is_shared(const model::Reading& reading) {
  return extra(reading, shared_name) > 0;
}

// A command that starts a server: degrees that it leaves out are 1.
bool starts_server(const model::Reading& reading) {
  return reading.setup.plan.mode != model::Mode::train &&
         reading.setup.plan.engine != model::ServingEngine::fastest;
}

}  // namespace

bool takes_what_fits(const model::Reading& reading) {
  return reading.setup.plan.mode == model::Mode::decode &&
         model::is_assumed(reading, FieldId::micro_batch_size);
}

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
  // A server without a stated number of sequences takes as many as fit.
  const auto counts = [&](FieldId field) {
    return known(field) || (field == FieldId::micro_batch_size && takes_what_fits(reading));
  };
  if (!std::all_of(layout.begin(), layout.end(), counts)) return false;
  return std::any_of(layout.begin(), layout.end(), stated) || tells_what_is_shared(reading) ||
         starts_server(reading);
}

suggest::Footprint min_footprint(const model::Reading& reading, const model::Setup& setup) {
  if (setup.plan.mode != model::Mode::train) {
    if (model::weights_are_unknown(setup.plan)) return {};
    // Sequences that have no room wait; whether the longest has is suggest::capacity_of()'s answer.
    if (takes_what_fits(reading) && setup.plan.micro_batch_size == reading.setup.plan.micro_batch_size)
      return {model::served_weight_bytes(setup), 0};
    suggest::Footprint served = suggest::footprint(setup);
    // The number of such layers and the length of prompts are unknown.
    const bool is_windowed = extra(reading, window_name) > 0 && setup.model.window.size <= 0;
    const bool is_open =
        setup.plan.mode == model::Mode::prefill && model::is_assumed(reading, FieldId::sequence_length);
    if (is_windowed || is_open) served.state_bytes = model::served_weight_bytes(setup);
    return served;
  }
  const bool is_told = tells_what_is_shared(reading);
  const bool is_asked = model::origin(reading, FieldId::data).kind == model::Origin::Kind::command_line;
  const bool is_counted = is_stated(reading, FieldId::data) || setup.plan.zero == 0;
  const bool counts_ranks = (reading.dialect == "native" && is_counted) || is_asked ||
                            (is_told && is_stated(reading, FieldId::data)) ||
                            setup.plan.data != reading.setup.plan.data;
  if (counts_ranks) return suggest::footprint(setup);
  if (!is_told && reading.dialect != "native") {
    // Each rank has its own activations, whatever it shares of the rest.
    if (extra(reading, kept_name) <= 0) return {};
    return {0, suggest::footprint(setup).activation_bytes};
  }
  const double replica = static_cast<double>(setup.plan.tensor) * static_cast<double>(setup.plan.pipeline) *
                         static_cast<double>(setup.plan.context);
  const auto ranks = static_cast<std::int64_t>(extra(reading, world_name) / replica);
  if (ranks < 1 || extra(reading, open_name) > 0) return suggest::min_footprint(setup);
  model::Setup counted = setup;
  counted.plan.data = ranks;
  return suggest::footprint(counted);
}

bool is_over_memory(double needed_bytes, double budget_bytes) {
  // Predicted peaks of training are 0.84 to 1.14 times the stated ones (docs/benchmarks/memory.md).
  constexpr double max_overestimated = 1.2;
  return needed_bytes > budget_bytes * max_overestimated;
}

bool is_over_memory(const model::Reading& reading, const model::Setup& setup, double memory_gib) {
  if (setup.plan.mode != model::Mode::train || extra(reading, "sequence_is_limit") > 0) return false;
  const suggest::Footprint least = min_footprint(reading, setup);
  return is_over_memory(least.state_bytes + least.activation_bytes,
                        suggest::budget_bytes(memory_gib, setup.plan));
}

bool sharing_may_help(const model::Reading& reading, const model::Setup& setup, double usable) {
  if (setup.plan.mode != model::Mode::train) return false;
  const bool is_open = extra(reading, open_name) > 0;
  const bool counts = (extra(reading, world_name) > 0 && !is_open) || is_stated(reading, FieldId::data);
  model::Setup shared = setup;
  if (!counts || !is_stated(reading, FieldId::zero)) shared.plan.zero = 3;
  if (!counts) shared.plan.zero_ranks = 0;
  const suggest::Footprint least = counts && is_stated(reading, FieldId::zero)
                                       ? suggest::footprint(shared)
                                       : suggest::min_footprint(shared);
  return least.state_bytes + least.activation_bytes <= usable;
}

std::int64_t resident_sequences(const model::Reading& reading, double dram_size_gb) {
  const model::Setup& setup = reading.setup;
  const bool is_windowed = extra(reading, window_name) > 0 && setup.model.window.size <= 0;
  if (dram_size_gb <= 0 || !takes_what_fits(reading) || model::weights_are_unknown(setup.plan) || is_windowed)
    return 0;
  return suggest::resident_sequences(dram_size_gb, setup);
}

void note_memory_beside(std::span<model::Reading> readings) {
  const auto is_half = [](const model::Reading& each) {
    return each.runs_in_whole > 0 && each.complete && each.setup.plan.mode == model::Mode::train &&
           each.setup.model.conv.empty() && model::extra(each, "colocated") <= 0;
  };
  // Plans of one model take turns.
  const auto is_other = [](const model::Reading& a, const model::Reading& b) {
    return model::parameter_count(a.setup) != model::parameter_count(b.setup);
  };
  for (model::Reading& each : readings) {
    if (!is_half(each)) continue;
    double others = 0;
    for (const model::Reading& other : readings)
      if (is_half(other) && is_other(each, other)) others += suggest::memory_bytes(other.setup);
    if (others > 0) each.setup.plan.beside_share = others / suggest::memory_bytes(each.setup);
  }
}

}  // namespace shapelint::rules
