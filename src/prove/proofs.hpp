// shapelint-proofs.json: measurements of the configurations next to it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "prove/result.hpp"

namespace shapelint::prove {

inline constexpr std::string_view proofs_name = "shapelint-proofs.json";

// One proof with what it holds for: these sizes on this GPU.
struct StoredProof {
  std::string file;   // name of the configuration, next to the proofs
  std::string model;  // of a file that holds several
  Sizes sizes;
  std::string gpu;     // id of the profile
  std::string device;  // as PyTorch calls it
  std::map<std::string, std::string> software;
  std::string date;
  Proof proof;
};

// Error: no JSON, another file, an entry that lacks something.
Result<std::vector<StoredProof>> read_proofs(const std::string& path, std::string content);
std::string proofs_text(const std::vector<StoredProof>& proofs);

// Takes in the proofs of a measurement that have a verdict, each in the place of an older one of the same
// finding, sizes and GPU; in an order that does not depend on when. `file`: the configuration's name. Returns
// how many.
std::size_t add_proofs(const Measured& measured, const std::string& file, std::vector<StoredProof>& proofs);

// What a change that was proved is predicted to save, by any profile.

struct Predicted {
  double gain = 0;
  double error = 0;
};

// Nothing where the changes are none that this model could take.
std::optional<Predicted> predict_gain(const gpu::Gpu& gpu, const model::Reading& reading,
                                      const ChangedValues& changes);

}  // namespace shapelint::prove
