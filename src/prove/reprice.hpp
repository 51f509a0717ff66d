// What a change that was proved is predicted to save, by any profile.
#pragma once

#include <optional>

#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "prove/result.hpp"

namespace shapelint::prove {

struct Predicted {
  double gain = 0;
  double error = 0;
};

// Nothing where the changes are none that this model could take.
std::optional<Predicted> predict_gain(const gpu::Gpu& gpu, const model::Reading& reading,
                                      const ChangedValues& changes);

}  // namespace shapelint::prove
