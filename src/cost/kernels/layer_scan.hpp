// The scan of one layer that is no softmax attention: linear attention, state space, gated recurrences and
// short convolutions, as a step that trains or serves runs it. Equations: docs/explanation/gpu-model.md,
// section 5.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/dtype.hpp"
#include "cost/op_cost.hpp"
#include "gpu/gpu.hpp"
#include "model/op.hpp"

namespace shapelint::cost {

// What each computes for one token t of one head, with q, k of key_dim, v of value_dim and a state S of
// key_dim x value_dim. Where `products` is said, chunks of tokens are computed as matrix products.
enum class ScanKind : std::uint8_t {
  gated_delta,  // S = a (1 - b k k') S + b k v', products: arXiv 2412.06464, section 3
  kimi_delta,   // the same with a decay `a` of each key channel, products: arXiv 2510.26692
  mamba2,       // S = a S + dt B x', heads share B and C in groups, products: arXiv 2405.21060, section 6
  mamba1,       // the same for each channel by itself, elementwise: arXiv 2312.00752, section 3
  linear_attention,  // S = a S + k v', products: GLA (2312.06635), RetNet (2307.08621), lightning
                     // (2401.04658)
  rwkv7,             // S = S (diag(w) - z b') + v k', products: arXiv 2503.14456
  rg_lru,            // h = a h + sqrt(1 - a a) (i x), elementwise: arXiv 2402.19427, section 2.4
  gated_recurrence,  // gates of input, forgetting and output read the last output of their head by a product,
                     // one token after the other: sLSTM, arXiv 2405.04517, section 2.2
  short_convolution,  // of conv_width tokens of each channel, causal
  long_convolution,   // as long as the sequence, by Fourier transforms in fp32: arXiv 2302.10866, section 3
};
std::string_view name(ScanKind kind);

// Per rank. Kinds without heads (mamba1, rg_lru, short_convolution) have value_heads x value_dim channels.
struct ScanSizes {
  double batch = 1;        // sequences
  double seq_len = 1;      // new tokens of each
  double key_heads = 1;    // of queries and keys; Mamba-2: groups; at most value_heads
  double value_heads = 1;  // each with a state
  double key_dim = 1;      // elements; Mamba: the state's size
  double value_dim = 1;    // elements; Mamba-2: head dim
  double chunk = 64;       // tokens that are computed together, where there are products
  double conv_width = 4;   // taps, of short_convolution
  double element_bytes = 2;
  double state_bytes = 4;    // of an element of a state that is kept between steps
  bool keeps_state = false;  // forward starts from a state in memory and leaves one there: engines do
};

// `decode` reads and writes the state of every sequence, and computes its seq_len tokens one by one.
enum class ScanPass : std::uint8_t { forward, backward, decode };

// What an implementation computes and moves.
struct ScanWork {
  double product_flops = 0;      // on tensor cores
  double elementwise_flops = 0;  // on CUDA cores
  double once_bytes = 0;         // operands, results, gradients, the state while decoding
  double between_bytes = 0;      // written and read again by kernels that follow each other
  double steps = 1;              // that wait for each other, of one sequence: chunks, blocks or tokens
  double lanes = 1;              // that run concurrently: sequences x heads x blocks of their values
  double launches = 1;           // kernels
};
ScanWork scan_work(ScanKind kind, const ScanSizes& sizes, ScanPass pass);

// Elements of a key that the kernels of prompts and training compute, zeros included: whole blocks of 64 in
// the delta rules (flash-linear-attention, ops/common/chunk_delta_h.py), a power of two in RWKV-7 (ops/
// generalized_delta_rule/dplr/chunk_h_fwd.py) and Mamba-2 (mamba_ssm, ops/triton/ssd_chunk_scan.py), as
// contracts of these packages have it.
double computed_key_dim(ScanKind kind, double key_dim);

// State that decoding keeps, of all sequences: of a short convolution the conv_width - 1 last tokens.
double scan_state_bytes(ScanKind kind, const ScanSizes& sizes);

// Traffic between consecutive kernels that two of them have in common, and L2 may hold.
inline constexpr double part_in_common = 0.25;

// Time of the scan alone, without projections, norms and gates before and after it. Backward computes every
// product twice and the forward again (as flash-linear-attention and mamba_ssm do): 3 times the forward's
// work.
OpCost price_layer_scan(const gpu::Gpu& gpu, ScanKind kind, const ScanSizes& sizes, ScanPass pass,
                        DType dtype = DType::bf16);

// The scan of an operation of a step, as that of a layer.

// For a mixer other than none.
ScanKind scan_kind(model::MixerKind mixer);

// `op` is of OpKind::scan.
struct ScanCall {
  ScanKind kind = ScanKind::gated_delta;
  ScanSizes sizes;
  ScanPass pass = ScanPass::forward;
};
ScanCall scan_call(const model::Op& op);
ScanWork scan_work(const model::Op& op);

}  // namespace shapelint::cost
