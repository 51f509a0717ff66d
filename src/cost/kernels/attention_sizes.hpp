// The numbers of an attention op that its work follows from.
#pragma once

#include <cstdint>

#include "cost/kernels/attention.hpp"
#include "model/op.hpp"

namespace shapelint::cost::detail {

// Decode kernels give a CTA 64 rows of queries: the heads that share a key/value head, packed
// (FlashAttention, flash_fwd_launch_template.h, run_mha_fwd_splitkv_dispatch; FlashMLA does the same).
inline constexpr double decode_query_tile = 64;

struct Sizes {
  double sequences, heads, key_value_heads, query_length, key_length, head_dim, value_head_dim;
  bool causal, latent, backward;
  bool decodes;  // few queries: engines have kernels for heads of any width (vLLM,
                 // triton_unified_attention.py)
  std::int64_t version;
  model::AttentionLibrary library;
  double window;       // keys that a query sees; 0: all
  double cache_bytes;  // of an element of keys and values; 0: as the others
};
Sizes sizes_of(const model::AttentionShape& shape, bool backward);

// 1 where a dimension was not set.
std::int64_t at_least_one(const model::Dim& dim);

bool is_backward(model::Pass pass);

// Products of one score: forward QK and PV; backward QK again, dQ and dK over head_dim, dV and dP over
// values.
double flops_per_pair(double head_dim, double value_head_dim, bool backward);

// Pairs of query and key that the mask leaves, of one sequence and head.
double visible_pairs(const Sizes& s);

// Bytes that move between DRAM and the SMs once, with elements of `element` bytes.
double once_bytes(const Sizes& s, double element);

// cost::attention_bytes() of the sizes and kernel that an op has.
AttentionBytes kernel_bytes(const Sizes& s, const BucketUse& use, DType dtype);

}  // namespace shapelint::cost::detail
