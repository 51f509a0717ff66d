// What a step's errors and memory leave of its figures.
#include "lint/step_state.hpp"

#include <algorithm>
#include <utility>

#include "rules/scope/memory.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::lint {

namespace {

// `gpu` of a finding is a list: "a100-sxm4-80gb, h100-sxm5"; empty: all.
bool is_on(const rules::Finding& finding, std::string_view gpu) {
  if (finding.gpu.empty()) return true;
  const std::string all = ", " + finding.gpu + ", ";
  return all.find(", " + std::string(gpu) + ", ") != std::string::npos;
}

}  // namespace

MemoryState memory_state(const model::Reading& reading, const gpu::Gpu& gpu) {
  const double memory_gib = gpu::memory_gib(gpu);
  if (!reading.complete || memory_gib <= 0 || model::weights_are_unknown(reading.setup.plan))
    return MemoryState::unknown;
  const double usable = suggest::usable_bytes(memory_gib, reading.setup);
  if (suggest::memory_bytes(reading.setup) <= usable) return MemoryState::fits;
  if (!rules::states_plan(reading)) return MemoryState::does_not_fit;
  const suggest::Footprint least = rules::min_footprint(reading, reading.setup);
  if (least.state_bytes > suggest::budget_bytes(memory_gib, reading.setup.plan) ||
      rules::is_over_memory(reading, reading.setup, memory_gib)) {
    return MemoryState::does_not_fit;
  }
  const bool may_fit = least.state_bytes + least.activation_bytes <= usable;
  if (may_fit && rules::takes_what_fits(reading)) return MemoryState::sequences_wait;
  if (may_fit && rules::sharing_may_help(reading, reading.setup, usable)) return MemoryState::fits_if_sharded;
  return MemoryState::may_not_fit;
}

std::vector<std::string> failing_codes(const ModelReport& model, std::string_view gpu) {
  std::vector<std::string> codes;
  for (const rules::Finding& finding : model.result.findings) {
    if (!finding.certain_to_fail || !is_on(finding, gpu)) continue;
    if (std::find(codes.begin(), codes.end(), finding.code) == codes.end()) codes.emplace_back(finding.code);
  }
  return codes;
}

bool has_time(const ModelReport& model, const gpu::Gpu& gpu) {
  return failing_codes(model, gpu.id).empty() &&
         memory_state(model.reading, gpu) != MemoryState::does_not_fit;
}

void drop_times(std::span<const gpu::Gpu> gpus, ModelReport& model) {
  for (rules::Finding& finding : model.result.findings) {
    if (finding.message_without_time.empty()) continue;
    const bool lacks_time = std::any_of(gpus.begin(), gpus.end(), [&](const gpu::Gpu& gpu) {
      return is_on(finding, gpu.id) && !has_time(model, gpu);
    });
    if (lacks_time) finding.message = std::move(finding.message_without_time);
  }
}

}  // namespace shapelint::lint
