// Adapters, partly trained models, and optimizers other than Adam.
#pragma once

#include <cstdint>
#include <vector>

#include "model/lower/lower.hpp"
#include "model/weights.hpp"

namespace shapelint::model {

// Parameters of adapters (LoRA): all but those of routed experts, and those.
struct AdapterSize {
  std::int64_t dense = 0;
  std::int64_t expert = 0;
};
// Of one layer's part, and of the whole model, over all ranks; 0 where the plan trains none, or does not say
// their rank.
AdapterSize adapter_size(const Setup& setup, ModelComponent part);
AdapterSize adapter_size(const Setup& setup);

// Parameters of the embedding and the head that are trained next to adapters or layers, on one rank of tensor
// parallelism.
double learning_table_parameters(const Setup& setup);
// Whether only some layers learn.
bool freezes_layers(const Setup& setup);
// Trained parameters among those that a rank holds: without frozen layers and towers. What adapters add
// is apart (adapter_size).
RankParameters learning_parameters(const Setup& setup, RankParameters held);

// Whether a weight of a layer has an adapter.
bool is_adapted(const Plan& plan, const Weight& weight);

// The same as lower_update(), with adapters of so many parameters on the rank.
void lower_update(const Setup& setup, RankParameters held, RankParameters adapters, Workload& workload);

// Matrices that Muon and Shampoo update as such: their sizes, how many of them one rank holds, and elements
// of the preconditioners that Shampoo keeps of one.
struct MatrixSizes {
  double inputs = 0;
  double outputs = 0;
  double per_rank = 0;
  double preconditioners = 0;
  bool is_expert = false;
};
std::vector<MatrixSizes> matrix_sizes(const Setup& setup);

}  // namespace shapelint::model
