// What fused attention kernels exist for an architecture: the head dimensions that they are compiled for,
// their tiles, and how fast they run. Facts and fits of gpus/architectures, table [attention].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::gpu {

// One compiled kernel: head dimensions up to `head_dim` run in it, padded on chip with zeros.
struct AttentionBucket {
  std::int64_t head_dim = 0;        // of queries and keys
  std::int64_t value_head_dim = 0;  // of values; read as head_dim where not stated
  std::int64_t query_tile = 128;    // rows and columns of scores that one CTA computes at a time
  std::int64_t key_tile = 64;
  std::int64_t backward_query_tile = 64;
  std::int64_t backward_key_tile = 128;
  double forward_efficiency = 0.5;   // share of the peak on whole tiles of a long, unmasked sequence
  double backward_efficiency = 0.4;  // the same, counting the five products of the backward pass
  double causal_efficiency = 1;      // speed of the masked kernels on the tiles that they do compute
  bool decode_only = false;          // one latent shared by keys and values (MLA)
  bool estimated = true;             // no measurement of this bucket on this architecture was found
};

// What an earlier version of the library makes of the same heads.
struct OlderKernels {
  std::int64_t version = 0;  // 2: FlashAttention-2
  double forward_speed = 1;  // relative to the newest on this architecture
  double backward_speed = 1;
};

struct AttentionKernels {
  std::string name;  // "FlashAttention-2"; empty: no fused kernel is known, attention runs unfused
  std::vector<std::string> sources;    // keys of gpus/sources
  std::int64_t head_dim_multiple = 8;  // others are padded in memory by the caller: copies
  double prologue_keys = 0;            // start and end of a query tile, as keys that it might have processed
  double causal_efficiency = 1;        // speed of the masked kernel on the tiles that it does compute
  double wave_softness = 0.5;          // 0: whole waves; 1: SMs never idle (persistent kernels)
  std::vector<AttentionBucket> buckets;  // by head_dim, then value_head_dim, ascending
  std::vector<OlderKernels> older;       // versions that may still be in use; any other runs as the newest
  std::vector<AttentionKernels> cudnn;   // cuDNN's kernels for the same; empty: not measured
};

// Those of cuDNN where it is asked for and they are known, else `kernels`.
inline const AttentionKernels& of_library(const AttentionKernels& kernels, bool cudnn) {
  return cudnn && !kernels.cudnn.empty() ? kernels.cudnn.front() : kernels;
}

// Reads a table [attention]; an absent table gives no kernels. Errors (unknown keys, implausible figures,
// buckets out of order) are appended with their places.
AttentionKernels read_attention(text::NodeRef table, std::vector<Error>& errors);

}  // namespace shapelint::gpu
