// Whether a step runs as its file has it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu.hpp"
#include "lint/report.hpp"

namespace shapelint::lint {

// How what a step needs compares with a GPU's memory.
enum class MemoryState : std::uint8_t {
  unknown,  // of the model, of the GPU, or of the dtype of the weights
  fits,
  sequences_wait,   // a server runs those that fit
  fits_if_sharded,  // by data-parallel ranks that the file does not count
  may_not_fit,
  does_not_fit,
};
MemoryState memory_state(const model::Reading& reading, const gpu::Gpu& gpu);

// Codes of findings that keep the step from starting on this GPU.
std::vector<std::string> failing_codes(const ModelReport& model, std::string_view gpu);

// A step that fails or does not fit has neither time nor MFU.
bool has_time(const ModelReport& model, const gpu::Gpu& gpu);

// Titles of findings without time and MFU where a GPU of theirs has none.
void drop_times(std::span<const gpu::Gpu> gpus, ModelReport& model);

}  // namespace shapelint::lint
