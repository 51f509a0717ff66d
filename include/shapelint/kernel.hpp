// What a single kernel costs on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shapelint/common.hpp"

namespace shapelint::api {

// What limits a kernel or a step; the bubble of a pipeline a step alone.
enum class Bound : std::uint8_t { compute, memory, communication, overhead, bubble };
SHAPELINT_API std::string_view name(Bound bound);
constexpr std::string_view type_name(Bound) {
  return "Bound";
}
constexpr Bound last_of(Bound) {
  return Bound::bubble;
}

struct Efficiency {
  double alignment = 1;
  double tile = 1;
  double wave = 1;
  double rest = 1;
};
template <class Visitor>
void describe(Visitor& of, const Efficiency*) {
  of.type("Efficiency", "Shares in (0, 1] whose product is ideal_us / run_us; 1: no loss.");
  of("alignment", &Efficiency::alignment, "dimensions that are misaligned for tensor cores or vector loads");
  of("tile", &Efficiency::tile, "tile quantization: partial tiles are computed in full");
  of("wave", &Efficiency::wave, "wave quantization: SMs idle in the last wave");
  of("rest", &Efficiency::rest, "launch, ramp, and throughput below the data sheet");
}

struct Tile {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t split_k = 0;
  double waves = 0;
};
template <class Visitor>
void describe(Visitor& of, const Tile*) {
  of.type("Tile", "Tiling of a GEMM over SMs.");
  of("m", &Tile::m, "");
  of("n", &Tile::n, "");
  of("split_k", &Tile::split_k, "split-K factor: CTAs per output tile");
  of("waves", &Tile::waves, "tiles / concurrent tiles");
}

struct KernelCost {
  double run_us = 0;
  double ideal_us = 0;
  Bound bound = Bound::compute;
  double compute_us = 0;
  double memory_us = 0;
  double overhead_us = 0;
  Efficiency efficiency;
  std::optional<Tile> tile{};
};
template <class Visitor>
void describe(Visitor& of, const KernelCost*) {
  of.type("KernelCost", "One run of one kernel.");
  of("run_us", &KernelCost::run_us, "one run");
  of("ideal_us", &KernelCost::ideal_us, "one run at the roofline of the data sheet");
  of("bound", &KernelCost::bound, "limiting resource");
  of("compute_us", &KernelCost::compute_us, "compute time alone; the three overlap");
  of("memory_us", &KernelCost::memory_us, "memory time alone");
  of("overhead_us", &KernelCost::overhead_us, "launch and ramp time");
  of("efficiency", &KernelCost::efficiency, "");
  of("tile", &KernelCost::tile, "GEMM only");
}

// C[m,n] = A[m,k] B[k,n], `batch` times; sizes from 1 to 10^12.
struct Gemm {
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  std::int64_t batch = 1;
  std::string dtype = "bf16";
  std::string layout = "tn";  // tn: y = x W^T; nn: two row-major matrices; nt: a weight gradient; tt: neither
};
// Within a step, where kernels follow each other closely. `gpu`: id or alias. Errors: invalid-option, unable.
SHAPELINT_API Result<KernelCost> price_gemm(std::string_view gpu, const Gemm& gemm);

// Attention as one fused kernel, forward; sizes from 1 to 10^9.
struct AttentionKernel {
  std::int64_t sequences = 1;
  std::int64_t heads = 1;
  std::int64_t key_value_heads = 1;
  std::int64_t query_length = 1;
  std::int64_t key_length = 1;
  std::int64_t head_dim = 128;
  bool causal = true;
  std::string dtype = "bf16";
};
SHAPELINT_API Result<KernelCost> price_attention(std::string_view gpu, const AttentionKernel& attention);

}  // namespace shapelint::api
