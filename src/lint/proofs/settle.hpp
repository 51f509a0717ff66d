// Measurements in the place of predictions, where somebody made them of this very model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/gpu.hpp"
#include "lint/report.hpp"
#include "rules/book/select.hpp"
#include "suggest/edit/on_stack.hpp"
#include "text/files.hpp"

namespace shapelint::lint {

// What became of a model's findings.
struct Settled {
  std::size_t left_out = 0;        // findings that measurements refuted
  std::vector<std::string> notes;  // which, and by what
};

// Takes the proofs of the file next to the model's: findings get the measured gain, and say so; those
// that were refuted, or save less than `options` asks for, are taken away. A finding whose proof no longer
// fits says that, too. Appends to `errors` what is wrong with the file of proofs. `stack`: what runs the
// model; null if not stated.
Settled settle(std::span<const gpu::Gpu> gpus, const rules::Options& options, const suggest::OnStack* stack,
               const text::FileSystem& files, ModelReport& model, std::vector<Error>& errors);

}  // namespace shapelint::lint
