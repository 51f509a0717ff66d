// From a model and a plan to the operations of one rank.
#pragma once

#include <string>
#include <vector>

#include "model/op.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// Rows of the embedding table over all ranks: vocab_size padded to vocab_padding_multiple * tensor.
// Source: Megatron-LM, `make_vocab_size_divisible_by`.
std::int64_t vocab_rows(const Setup& setup);

// All ops of one step (train) or one forward pass (prefill, decode) on one rank: the first pipeline stage's
// share of layers plus embedding and head spread over stages. Needs a runnable setup (see hard_failures): a
// dimension that does not divide is rounded up, as padding frameworks do, so that it can still be costed.
Workload lower(const Setup& setup);

// Parameters of the whole model (all ranks), unpadded vocabulary as published counts use it.
std::int64_t parameter_count(const Setup& setup);
// Parameters that take part in one token's forward pass (mixtures of experts: the active ones).
std::int64_t active_parameter_count(const Setup& setup);
// Multiply-adds times two of one forward pass over one token at this sequence length, all ranks.
double forward_flops_per_token(const Setup& setup);

}  // namespace shapelint::model
