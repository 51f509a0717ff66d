// Equations: docs/explanation/gpu-model.md, section 5.
#include "cost/kernels/layer_scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.hpp"
#include "cost/kernels/memory.hpp"

namespace shapelint::cost {

namespace {

// Triton kernels that follow each other (flash-linear-attention, mamba_ssm), from the public timings of the
// gated delta rule and Kimi delta attention in gpus/engines, rows from 50 us: one set of constants comes
// within 23 % on H100, B200, L40S and RTX PRO 6000. The tensor cores wait on all four of them: what an SM
// computes in a clock is the same whatever its peak.
constexpr double flops_per_clock = 390;
constexpr double memory_share = 0.5;  // of DRAM's bandwidth, and of L2's
// How much of what two kernels have in common L2 holds, as a share of its size.
constexpr double resident_part = 2;
// One chunk of a sequence waits for the one before: loads, two products and a store. A token of a recurrence
// whose gates read the last output waits for as much (sLSTM, never timed).
constexpr double chunk_us = 2;
// Kernels one after the other, of which some wait for arithmetic and some for memory.
constexpr double product_overlap = 1.5;
// Elementwise kernels: what aiconfigurator assumes for every GPU, as in memory.cpp.
constexpr double elementwise_share = 0.8;
// A step of an elementwise scan waits for its registers alone: some 4 dependent FMAs (4 cycles each, arXiv
// 1804.06826, table 4.1) at 1.7 GHz.
constexpr double token_us = 0.01;
// Values that a CTA of a chunked scan keeps of a state (flash-linear-attention, chunk_delta_h.py: BV).
constexpr double value_block = 64;
// Channels of a CTA of an elementwise scan (mamba_ssm, selective_scan_fwd_kernel.cuh: one channel, with its
// tokens in blocks of 2048; flash-linear-attention, short_conv: blocks of 64 tokens).
constexpr double token_block = 2048;
constexpr double convolution_block = 64;
// Both gradients of each product, and the forward again from what was kept.
constexpr double backward_work = 3;
// Selective scan: 9 operations for each state and token (state-spaces/mamba, issue 110), of which an SM gets
// through so many in a clock whatever its units: each state takes an exponential (16 in a clock of an SM:
// CUDA C++ Programming Guide, arithmetic instructions) and a scan across threads. Fitted to eight steps of a
// Mamba of 1.3 B parameters on an H100 (fla-org/flash-linear-attention, issue 32, whose card is as fast as a
// PCIe one with every model); four on an A100, left out, are 12 % off, and were 37 % too fast at the peak of
// its units.
constexpr double selective_flops = 9;
constexpr double selective_flops_per_clock = 14;
// Two gates' sigmoids, a power, a square root and the update (arXiv 2402.19427, equations 1 to 4).
constexpr double lru_flops = 24;

// Gates that read a head's last output (xLSTM, arXiv 2405.04517, equations 8 to 10).
constexpr double recurrent_gates = 4;

struct Form {
  std::string_view name;
  bool products = true;
  bool chain = true;        // chunks wait for each other
  double launches = 1;      // forward
  double inner = 0;         // products of a chunk's tokens with each other: over key_dim
  double inner_values = 0;  // over value_dim
  double outer = 0;         // products with the state, key_dim x value_dim of each token
  bool inverts = false;     // a triangle of chunk x chunk
  double key_rows = 0;      // written and read between kernels: rows of keys of each value head
  double value_rows = 0;
  double slowdown = 1;  // decays of each key channel, elementwise between the products: from the same timings
};

// Products as flash-linear-attention has them (bc3b101, ops/*/chunk.py), and mamba_ssm's ssd_combined.py.
constexpr std::array forms{
    //                              products chain launches inner values outer inverts keys values
    Form{"gated delta", true, true, 7, 3, 2, 3, true, 1, 2},
    Form{"kimi delta", true, true, 8, 3, 2, 3, true, 3, 2, 1.3},
    Form{"mamba2", true, true, 5, 1, 1, 2, false, 0, 0},
    Form{"mamba1", false, true, 1, 0, 0, 0, false, 0, 0},
    Form{"linear attention", true, true, 2, 1, 1, 2, false, 0, 0},
    Form{"rwkv7", true, true, 7, 5, 4, 4, true, 4, 2},
    Form{"rg lru", false, true, 1, 0, 0, 0, false, 0, 0},
    Form{"gated recurrence", true, true, 1, 0, 0, 0, false, 0, 0},
    Form{"short convolution", false, false, 1, 0, 0, 0, false, 0, 0},
    Form{"long convolution", false, false, 5, 0, 0, 0, false, 0, 0},
};

const Form& form_of(ScanKind kind) {
  return forms[static_cast<std::size_t>(kind)];
}

double blocks_of(double of, double size) {
  return std::max(1.0, std::ceil(of / std::max(size, 1.0)));
}

bool is_delta(ScanKind kind) {
  return kind == ScanKind::gated_delta || kind == ScanKind::kimi_delta;
}

double channels_of(const ScanSizes& s) {
  return s.value_heads * s.value_dim;
}

// Elements that one token reads and writes: queries, keys, values, gates, the result.
double token_elements(ScanKind kind, const ScanSizes& s) {
  const double keys = s.key_heads * s.key_dim;
  const double values = channels_of(s);
  switch (kind) {
    case ScanKind::gated_delta:
      return 2 * keys + 2 * values + 2 * s.value_heads;
    case ScanKind::kimi_delta:
      return 2 * keys + 2 * values + s.value_heads * s.key_dim + s.value_heads;
    case ScanKind::mamba2:
      return 2 * keys + 2 * values + s.value_heads;
    case ScanKind::mamba1:
      return 2 * keys + 3 * values;  // x, dt and y
    case ScanKind::linear_attention:
      return 2 * keys + 2 * values + s.value_heads;
    case ScanKind::rwkv7:
      return 5 * s.value_heads * s.key_dim + 2 * values;  // r, w, k, a, b
    case ScanKind::rg_lru:
      return 4 * values;  // x, both gates and h
    case ScanKind::gated_recurrence:
      return 5 * values;  // four gates and h
    case ScanKind::short_convolution:
      return 2 * values;
    // In fp32: the input, its spectrum written, read for the product with the filter's, written, and read by
    // the transform back (safari, fftconv_ref: as many complex numbers as tokens).
    case ScanKind::long_convolution:
      return (4 + 4 * 8 + 4) / s.element_bytes * values;
  }
  return 0;
}

// For a token that is computed alone.
double recurrent_flops(ScanKind kind, const ScanSizes& s) {
  const double states = channels_of(s) * s.key_dim;
  switch (kind) {
    case ScanKind::mamba1:
      return selective_flops * states;
    case ScanKind::rg_lru:
      return lru_flops * channels_of(s);
    case ScanKind::gated_recurrence:
      return 2 * recurrent_gates * channels_of(s) * s.value_dim;
    case ScanKind::short_convolution:
      return 2 * s.conv_width * channels_of(s);
    case ScanKind::long_convolution:  // 2.5 N log2 N of each transform of N = 2 seq_len real numbers
      return 10 * std::log2(2 * std::max(1.0, s.seq_len)) * channels_of(s);
    // Decay, read for the delta, rank-one update, read for the result: two each.
    default:
      return (is_delta(kind) || kind == ScanKind::rwkv7 ? 8 : 6) * states;
  }
}

// For whole chunks, with keys of so many elements.
double product_flops(ScanKind kind, const ScanSizes& s, double key_dim) {
  const Form& form = form_of(kind);
  const double chunk = std::max(1.0, s.chunk);
  const double rows = s.batch * blocks_of(s.seq_len, chunk) * chunk;
  // Mamba-2's groups multiply C and B once for all of their heads.
  const double scores = kind == ScanKind::mamba2 ? s.key_heads : s.value_heads;
  const double products = rows * 2 *
                          (chunk * (form.inner * scores * key_dim + form.inner_values * channels_of(s)) +
                           form.outer * channels_of(s) * key_dim);
  return products + (form.inverts ? rows * s.value_heads * chunk * chunk / 3 : 0);
}

ScanWork decoded(ScanKind kind, const ScanSizes& s) {
  ScanWork work;
  const double tokens = s.batch * s.seq_len;
  // A long convolution decodes as a recurrence of complex states (2310.18780).
  work.elementwise_flops = tokens * (kind == ScanKind::long_convolution ? 8 * channels_of(s) * s.key_dim
                                                                        : recurrent_flops(kind, s));
  work.once_bytes = 2 * scan_state_bytes(kind, s) + tokens * token_elements(kind, s) * s.element_bytes;
  // A recurrence with weights of its own reads these, too.
  if (kind == ScanKind::gated_recurrence)
    work.once_bytes += recurrent_gates * channels_of(s) * s.value_dim * s.element_bytes;
  work.steps = s.seq_len;
  work.lanes = s.batch * s.value_heads;
  return work;
}

}  // namespace

std::string_view name(ScanKind kind) {
  return form_of(kind).name;
}

double computed_key_dim(ScanKind kind, double key_dim) {
  constexpr double key_block = 64;
  constexpr double min_power = 16;  // of two: tensor cores take no less
  if (is_delta(kind)) return blocks_of(key_dim, key_block) * key_block;
  if (kind == ScanKind::rwkv7 || kind == ScanKind::mamba2)
    return std::exp2(std::ceil(std::log2(std::max(key_dim, min_power))));
  return key_dim;
}

double scan_state_bytes(ScanKind kind, const ScanSizes& s) {
  const double channels = channels_of(s);
  switch (kind) {
    case ScanKind::rg_lru:
      return s.batch * channels * s.state_bytes;
    case ScanKind::short_convolution:
      return s.batch * channels * std::max(0.0, s.conv_width - 1) * s.element_bytes;
    default:
      return s.batch * channels * s.key_dim * s.state_bytes;
  }
}

ScanWork scan_work(ScanKind kind, const ScanSizes& s, ScanPass pass) {
  if (pass == ScanPass::decode) return decoded(kind, s);
  const Form& form = form_of(kind);
  const double tokens = s.batch * s.seq_len;
  ScanWork work;
  work.launches = form.launches;
  if (kind == ScanKind::gated_recurrence) {
    work.product_flops = tokens * recurrent_flops(kind, s);
    work.steps = s.seq_len;
    work.lanes = s.batch * s.value_heads;
  } else if (form.products) {
    const double chunk = std::max(1.0, s.chunk);
    const double chunks = blocks_of(s.seq_len, chunk);
    work.product_flops = product_flops(kind, s, computed_key_dim(kind, s.key_dim));
    const double states = s.batch * chunks * channels_of(s) * s.key_dim;
    const double between =
        tokens * (form.key_rows * s.value_heads * s.key_dim + form.value_rows * channels_of(s) +
                  (form.inverts ? 2 : 1) * s.value_heads * chunk) +
        states;
    work.between_bytes = 2 * between * s.element_bytes;
    work.steps = chunks;
    work.lanes = s.batch * s.value_heads * blocks_of(s.value_dim, value_block);
  } else {
    work.elementwise_flops = tokens * recurrent_flops(kind, s);
    const double block = form.chain ? token_block : convolution_block;
    work.steps = form.chain ? s.seq_len : 1;
    work.lanes = s.batch * channels_of(s) * (form.chain ? 1 : blocks_of(s.seq_len, block));
  }
  work.once_bytes = tokens * token_elements(kind, s) * s.element_bytes;
  if (s.keeps_state) work.once_bytes += 2 * scan_state_bytes(kind, s);
  if (pass == ScanPass::backward) {
    work.product_flops *= backward_work;
    work.elementwise_flops *= backward_work;
    // Operands again and the result's gradient in, gradients of all operands out.
    work.once_bytes *= 2;
    work.between_bytes *= backward_work;
    work.steps *= 2;  // states forward again, their gradients back
    work.launches *= 2;
  }
  return work;
}

namespace {

struct Core {
  double compute_us = 0;
  double memory_us = 0;
  double time_us = 0;
};

Core of_products(const gpu::Gpu& gpu, ScanKind kind, const ScanWork& work, double peak) {
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  const double clock =
      gpu.boost_clock_mhz > 0 ? std::min(peak, flops_per_clock * sms * gpu.boost_clock_mhz) : peak;
  const double busy_us = work.product_flops / clock * form_of(kind).slowdown;
  const double dram = memory_share * dram_bytes_per_us(gpu);
  const double l2 = std::max(dram, memory_share * l2_bytes_per_us(gpu));
  const double footprint = work.once_bytes + part_in_common * work.between_bytes;
  const double room = resident_part * gpu.l2_size_mib * bytes_per_mib;
  const double hits = room > 0 ? 1 / (1 + fourth_power(footprint / room)) : 0;
  Core core;
  core.compute_us = std::max(busy_us, work.steps * chunk_us);
  core.memory_us = (work.once_bytes + work.between_bytes) * (hits / l2 + (1 - hits) / dram);
  core.time_us =
      std::pow(std::pow(core.compute_us, product_overlap) + std::pow(core.memory_us, product_overlap),
               1 / product_overlap);
  return core;
}

Core of_elements(const gpu::Gpu& gpu, const ScanWork& work, double cuda) {
  Core core;
  core.compute_us = std::max(work.elementwise_flops / cuda, work.steps * token_us);
  core.memory_us = work.once_bytes / (elementwise_share * dram_bytes_per_us(gpu));
  core.time_us = smooth_max(core.compute_us, core.memory_us);
  return core;
}

// What the CUDA cores reach in a scan over a prompt; one token's update waits for memory.
double scanning_flops_per_us(const gpu::Gpu& gpu, ScanKind kind, ScanPass pass) {
  const double cuda = cuda_flops_per_us(gpu);
  if (kind != ScanKind::mamba1 || pass == ScanPass::decode || gpu.boost_clock_mhz <= 0) return cuda;
  const double sms = static_cast<double>(std::max<std::int64_t>(gpu.sm_count, 1));
  return std::min(cuda, selective_flops_per_clock * sms * gpu.boost_clock_mhz);
}

OpCost price_work(const gpu::Gpu& gpu, ScanKind kind, ScanPass pass, const ScanWork& work, DType dtype) {
  const double peak = peak_flops_per_us(gpu, dtype);
  const double cuda = cuda_flops_per_us(gpu);
  const Core core = work.product_flops > 0 ? of_products(gpu, kind, work, peak)
                                           : of_elements(gpu, work, scanning_flops_per_us(gpu, kind, pass));
  const double ideal_us = std::max(work.product_flops / peak + work.elementwise_flops / cuda,
                                   work.once_bytes / dram_bytes_per_us(gpu));
  OpCost cost;
  cost.compute_us = core.compute_us;
  cost.memory_us = core.memory_us;
  cost.overhead_us = work.launches * launch_us(gpu);
  cost.time_us = cost.overhead_us + core.time_us;
  cost.ideal_us = std::min(ideal_us, cost.time_us);
  cost.efficiency.rest = cost.ideal_us / cost.time_us;
  cost.bound = bound_of(cost.time_us, cost.compute_us, cost.memory_us, cost.overhead_us);
  return cost;
}

}  // namespace

OpCost price_layer_scan(const gpu::Gpu& gpu, ScanKind kind, const ScanSizes& sizes, ScanPass pass,
                        DType dtype) {
  const ScanWork work = scan_work(kind, sizes, pass);
  OpCost cost = price_work(gpu, kind, pass, work, dtype);
  if (work.product_flops <= 0 || computed_key_dim(kind, sizes.key_dim) <= sizes.key_dim) return cost;
  // What zeros take is lost in tiles.
  ScanWork whole = work;
  whole.product_flops *= product_flops(kind, sizes, sizes.key_dim) /
                         product_flops(kind, sizes, computed_key_dim(kind, sizes.key_dim));
  const OpCost unpadded = price_work(gpu, kind, pass, whole, dtype);
  cost.ideal_us = unpadded.ideal_us;
  cost.efficiency.tile = unpadded.time_us / cost.time_us;
  cost.efficiency.rest = unpadded.ideal_us / unpadded.time_us;
  return cost;
}

using model::MixerKind;

ScanKind scan_kind(MixerKind mixer) {
  switch (mixer) {
    case MixerKind::gated_delta_net:
    case MixerKind::delta_net:  // without decays, which its kernels do not notice
      return ScanKind::gated_delta;
    case MixerKind::kimi_delta_attention:
      return ScanKind::kimi_delta;
    case MixerKind::mamba:
      return ScanKind::mamba1;
    case MixerKind::mamba2:
      return ScanKind::mamba2;
    case MixerKind::rwkv7:
      return ScanKind::rwkv7;
    case MixerKind::rg_lru:
    case MixerKind::rwkv4:
      return ScanKind::rg_lru;
    case MixerKind::short_convolution:
      return ScanKind::short_convolution;
    case MixerKind::hyena:
      return ScanKind::long_convolution;
    case MixerKind::slstm:
      return ScanKind::gated_recurrence;
    case MixerKind::none:
    case MixerKind::mlstm:
    case MixerKind::rwkv5:
    case MixerKind::rwkv6:
    case MixerKind::gated_memory:
    case MixerKind::gated_linear_attention:
    case MixerKind::retention:
    case MixerKind::lightning_attention:
      break;
  }
  return ScanKind::linear_attention;
}

namespace {

ScanSizes sizes_of(const model::Op& op) {
  const model::AttentionShape& a = op.attention;
  const auto real = [](const model::Dim& dim) {
    return static_cast<double>(std::max<std::int64_t>(1, dim.value));
  };
  ScanSizes sizes;
  sizes.batch = real(a.sequences);
  sizes.seq_len = real(a.query_length);
  sizes.key_heads = std::min(real(a.key_value_heads), real(a.heads));
  sizes.value_heads = real(a.heads);
  sizes.key_dim = real(a.head_dim);
  sizes.value_dim = real(a.value_head_dim);
  sizes.chunk = real(a.key_length);
  sizes.element_bytes = bytes_of(op.dtype);
  return sizes;
}

// A step of decoding has no chunks.
ScanPass pass_of(const model::Op& op) {
  if (op.pass == model::Pass::backward) return ScanPass::backward;
  return op.is_decoding ? ScanPass::decode : ScanPass::forward;
}

}  // namespace

ScanCall scan_call(const model::Op& op) {
  return {scan_kind(op.mixer), sizes_of(op), pass_of(op)};
}

ScanWork scan_work(const model::Op& op) {
  const ScanCall call = scan_call(op);
  return scan_work(call.kind, call.sizes, call.pass);
}

}  // namespace shapelint::cost
