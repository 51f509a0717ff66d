// Fused attention (FlashAttention and its successors): training, prefill, decode over a KV cache.
#pragma once

#include <cstdint>

#include "base/dtype.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// What happens to heads of a given size.
struct BucketUse {
  const gpu::AttentionBucket* bucket = nullptr;  // of the GPU's profile; null: no fused kernel takes them
  std::int64_t head_dim = 0;                     // computed, zeros included
  std::int64_t value_head_dim = 0;
  bool copies =
      false;  // not a multiple of what the kernel loads: the caller pads queries, keys and values in memory
};

// The smallest compiled kernel that fits. Without one (head_dim beyond the largest bucket, or an architecture
// without fused kernels) frameworks fall back to unfused attention. `decode`: latent kernels (MLA) count too.
// Source of the rule: FlashAttention, csrc/flash_attn/flash_api.cpp and hopper/flash_api.cpp.
BucketUse attention_bucket(const gpu::Gpu& gpu, std::int64_t head_dim, std::int64_t value_head_dim = 0,
                           bool decode = false,
                           model::AttentionLibrary library = model::AttentionLibrary::flash_attention);
// The kernels of the library that an op's shape names.
const gpu::AttentionKernels& attention_kernels(const gpu::Gpu& gpu, model::AttentionLibrary library);

// Time of one fused attention op: Pass::backward and the grad passes price the backward kernels, every other
// pass the forward one. A short query over a long key sequence is split over the keys (decode). Equations:
// docs/explanation/gpu-model.md, section 1.
OpCost price_attention(const gpu::Gpu& gpu, const model::AttentionShape& shape, model::Pass pass,
                       DType dtype);

// Arithmetic that the mask leaves over; the published convention (2.5 times as much backward as forward).
double attention_flops(const model::AttentionShape& shape, model::Pass pass);

// Bytes that one fused attention op moves.
struct AttentionBytes {
  double once = 0;       // queries, keys, values, output (backward: and their gradients), between DRAM and L2
  double reloads = 0;    // keys and values again for each further tile of queries (backward: the other way
                         // round), between L2 and the SMs
  double scores = 0;     // written out and read again where no fused kernel exists
  double tile_rows = 0;  // of queries in one CTA
  double products = 2;   // that read an operand loaded: 2 forward, 5 backward
};
AttentionBytes attention_bytes(const gpu::Gpu& gpu, const model::AttentionShape& shape, model::Pass pass,
                               DType dtype);

namespace detail {
// Sum over query tiles of the number of key tiles that a causal mask leaves (the diagonal's tiles count
// whole). query_length and key_length at least 1; the last query sees all keys.
double causal_tiles(std::int64_t query_length, std::int64_t key_length, std::int64_t query_tile,
                    std::int64_t key_tile);
}  // namespace detail

}  // namespace shapelint::cost

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
