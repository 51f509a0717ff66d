// What GPUs of one architecture have in common: the SM, the tiles that libraries use, alignment rules.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.hpp"

namespace shapelint::gpu {

// One shape of output tile that a library's kernels compute per CTA (or per CTA pair). m and n in elements
// of the output; k, the depth of one stage of the main loop, in elements of a 16-bit type (2k bytes). k and
// stages are 0 where nothing but the size of the output is known.
struct Tile {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t stages = 0;       // of the shared-memory pipeline
  std::int64_t ctas_per_sm = 1;  // that fit at the same time
  std::int64_t sms = 1;          // SMs that work on one tile: 2 for Blackwell's CTA pairs
};

// What the contiguous dimension of an operand must be a multiple of, in bytes. 0: no such limit.
struct Alignment {
  std::int64_t minimum_bytes = 0;    // below it the fastest kernels cannot be used at all
  std::int64_t efficient_bytes = 0;  // full-width loads
  std::int64_t best_bytes = 0;       // whole cache lines; what vendors recommend beyond `efficient`
};

struct Architecture {
  std::string id;    // file name without extension: `ampere-ga100`
  std::string name;  // `Ampere (GA100)`
  std::string compute_capability;
  bool has_tensor_cores = false;  // or AMD's matrix cores
  bool has_wgmma = false;
  bool has_tcgen05 = false;
  bool has_tma = false;
  bool has_clusters = false;
  // For a systolic array, which keeps a block of the second operand while rows of the first stream through:
  // the elements of k that a block has. Products take whole blocks. 0: none.
  std::int64_t array_depth = 0;
  bool persistent = false;              // the usual kernels keep one CTA per SM and loop over tiles
  std::int64_t fp32_lanes_per_sm = 0;   // fused multiply-adds per clock outside tensor cores
  std::int64_t warp_size = 32;          // 64 on AMD's CDNA
  double shared_max_per_sm_kib = 0;     // LDS on AMD
  double shared_max_per_block_kib = 0;  // what one CTA may have
  double register_file_per_sm_kib = 0;  //
  double tensor_memory_per_sm_kib = 0;  // TMEM, where tcgen05 accumulates
  std::int64_t max_threads_per_sm = 0;  //
  std::int64_t max_blocks_per_sm = 0;   //
  double shared_bytes_per_clock_per_sm = 0;
  double l2_bytes_per_clock_per_sm = 0;       // for products without a measured L2
  double l2_peak_bytes_per_clock_per_sm = 0;  // in theory
  // Training a mixture: of one layer and micro-batch, that the GPU waits for its host, which waits for the
  // experts' shares of the tokens. Software from that month on does not (`2026-06`; empty: all does).
  double mixture_stall_us = 0;
  std::string mixture_stall_until;
  std::array<Alignment, dtypes.size()> alignment{};  // by DType
  std::vector<Tile> tiles;                           // largest first
};

inline const Alignment& alignment(const Architecture& architecture, DType dtype) {
  return architecture.alignment[static_cast<std::size_t>(dtype)];
}

}  // namespace shapelint::gpu
