// One op's price: which model applies, and a memory of prices by shape.
#include <bit>

#include "cost/kernels/attention.hpp"
#include "cost/kernels/attention_sizes.hpp"
#include "cost/kernels/collective.hpp"
#include "cost/kernels/convolution.hpp"
#include "cost/kernels/gemm.hpp"
#include "cost/kernels/memory.hpp"
#include "cost/step.hpp"

namespace shapelint::cost {
namespace {

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

// Spreads the bits of a count, so that sums of several tell almost surely which they were (the finalizer of
// SplitMix64).
std::uint64_t mixed(double count) {
  std::uint64_t x = std::bit_cast<std::uint64_t>(count);
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// Everything that a price depends on; equal keys have equal prices.
PriceMemo::Key key_of(const model::Op& op) {
  PriceMemo::Key key{};
  key[0] = static_cast<std::uint64_t>(op.kind) * 16 + static_cast<std::uint64_t>(op.dtype);
  switch (op.kind) {
    case model::OpKind::gemm:
      key[0] += op.implicit.channels_first ? 256U : 0U;
      key[1] = bits(op.m.value);
      key[2] = bits(op.n.value);
      key[3] = bits(op.k.value);
      key[4] = bits(op.batch.value);
      key[5] = static_cast<std::uint64_t>(op.layout);
      key[6] = std::bit_cast<std::uint64_t>(op.weight_bytes);
      if (op.implicit.a_elements > 0) {
        key[5] += 16 * (mixed(op.implicit.a_elements) + 3 * mixed(op.implicit.b_elements));
        key[6] += mixed(op.implicit.c_elements) + bits(op.implicit.run_m);
        key[7] = (bits(op.implicit.run_n) << 32U) + bits(op.implicit.run_k);
        if (op.implicit.images > 0) {
          key[7] += mixed(static_cast<double>(op.implicit.images)) + bits(op.implicit.out_height) +
                    (bits(op.implicit.out_width) << 32U);
        }
      }
      break;
    case model::OpKind::attention: {
      const model::AttentionShape& a = op.attention;
      // Of the passes only whether it is the backward one matters.
      key[0] += (a.causal ? 256U : 0U) + (detail::is_backward(op.pass) ? 512U : 0U);
      key[0] += static_cast<std::uint64_t>(a.cache_bytes * 8) * 1024U;  // bits
      key[0] += static_cast<std::uint64_t>(a.kernel_version) << 20U;
      key[1] = bits(a.sequences.value);
      key[2] = bits(a.heads.value);
      key[3] = bits(a.key_value_heads.value);
      key[4] = bits(a.query_length.value);
      key[5] = bits(a.key_length.value);
      key[6] = bits(a.head_dim.value);
      key[7] = bits(a.value_head_dim.value);
      break;
    }
    case model::OpKind::elementwise:
      key[1] = std::bit_cast<std::uint64_t>(op.bytes);
      key[2] = std::bit_cast<std::uint64_t>(op.flops);
      break;
    case model::OpKind::collective:
      key[1] = std::bit_cast<std::uint64_t>(op.bytes);
      key[2] = bits(op.ranks);
      key[3] = bits(op.stride) * 8 + static_cast<std::uint64_t>(op.collective);
      break;
  }
  return key;
}

// Mixes every word (a round of MurmurHash3's finalizer); 0 marks a free slot.
std::uint64_t hash_of(const PriceMemo::Key& key) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key) {
    hash = (hash + word) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 33;
  }
  return hash == 0 ? 1 : hash;
}

// Everything but matrix products.
OpCost price_other(const gpu::Gpu& gpu, const model::Op& op) {
  switch (op.kind) {
    case model::OpKind::attention:
      return price_attention(gpu, op.attention, op.pass, op.dtype);
    case model::OpKind::elementwise:
      return price_elementwise(gpu, op.bytes, op.flops);
    case model::OpKind::collective:
      return price_collective(gpu, op.collective, op.bytes, op.ranks, op.stride);
    case model::OpKind::gemm:
      break;
  }
  return {};
}

constexpr std::size_t first_slots = 128;

}  // namespace

GemmShape gemm_shape(const model::Op& op) {
  GemmShape shape;
  shape.batch = op.batch.value;
  shape.m = op.m.value;
  shape.n = op.n.value;
  shape.k = op.k.value;
  shape.dtype = op.dtype;
  shape.layout = op.layout;
  shape.implicit = op.implicit;
  return shape;
}

OpCost price(const gpu::Gpu& gpu, const model::Op& op) {
  if (op.kind != model::OpKind::gemm) return price_other(gpu, op);
  return predict_product(gpu, gemm_model(gpu, op.dtype, Timing::in_step, op.weight_bytes), op).cost;
}

PriceMemo::PriceMemo(const gpu::Gpu& gpu) : gpu_(gpu), slots_(first_slots) {}

const OpCost& PriceMemo::price(const model::Op& op) {
  const Key key = key_of(op);
  const std::uint64_t hash = hash_of(key);
  std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at].hash != 0) {
    if (slots_[at].hash == hash && slots_[at].key == key) return slots_[at].cost;
    at = (at + 1) & mask;
  }
  if (2 * (count_ + 1) > slots_.size()) {
    grow();
    mask = slots_.size() - 1;
    at = static_cast<std::size_t>(hash) & mask;
    while (slots_[at].hash != 0) at = (at + 1) & mask;
  }
  ++count_;
  slots_[at] = {hash, key, compute(op)};
  return slots_[at].cost;
}

OpCost PriceMemo::compute(const model::Op& op) {
  if (op.kind != model::OpKind::gemm) return price_other(gpu_, op);
  if (op.weight_bytes > 0) {
    if (!packed_model_ || packed_dtype_ != op.dtype || packed_bytes_ != op.weight_bytes) {
      packed_model_ =
          std::make_unique<const GemmModel>(gemm_model(gpu_, op.dtype, Timing::in_step, op.weight_bytes));
      packed_dtype_ = op.dtype;
      packed_bytes_ = op.weight_bytes;
    }
    return predict_product(gpu_, *packed_model_, op).cost;
  }
  std::unique_ptr<const GemmModel>& gemm = gemm_models_[static_cast<std::size_t>(op.dtype)];
  if (!gemm) gemm = std::make_unique<const GemmModel>(gemm_model(gpu_, op.dtype));
  return predict_product(gpu_, *gemm, op).cost;
}

void PriceMemo::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.hash == 0) continue;
    std::size_t at = static_cast<std::size_t>(slot.hash) & mask;
    while (slots_[at].hash != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace shapelint::cost
