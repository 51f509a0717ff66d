// Small search problems over models of the native format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu.hpp"
#include "model/reading.hpp"
#include "suggest/problem.hpp"
#include "suggest/search/optimize.hpp"

namespace shapelint::test {

// A dense model that trains unfused, with whole heads of 80 columns and an odd vocabulary.
model::Reading small_model(std::string_view more = {});

// The reading varied over `ranges` ("hidden_size=512:768:64"), any budget unless changed afterwards.
suggest::Problem problem_of(const model::Reading& reading, const std::vector<const gpu::Gpu*>& gpus,
                            const std::vector<std::string>& ranges);

const gpu::Gpu& known_gpu(std::string_view name);

// All combinations looked at one by one with nothing but the cost model: values by axis, and the value of the
// objective `tokens` on the first GPU (0: not allowed).
struct Counted {
  std::vector<std::int64_t> values;
  double value = 0;
};
std::vector<Counted> count_out(const suggest::Problem& problem);

}  // namespace shapelint::test
