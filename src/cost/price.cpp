// One op's price: which model applies, and a memory of prices by shape.
#include "cost/op_cost.hpp"

#include <array>
#include <cstring>

#include <tsl/robin_set.h>

#include "base/hash.hpp"
#include "cost/engines/kernels.hpp"
#include "cost/kernels/attention.hpp"
#include "cost/kernels/collective.hpp"
#include "cost/kernels/convolution.hpp"
#include "cost/kernels/gemm.hpp"
#include "cost/kernels/layer_scan.hpp"
#include "cost/kernels/memory.hpp"
#include "cost/step.hpp"

namespace shapelint::cost {

std::string_view name(Bound bound) {
  static constexpr std::array<std::string_view, 4> names{"compute", "memory", "communication", "overhead"};
  return names.at(static_cast<std::size_t>(bound));
}

namespace detail {

// Everything that a price depends on, each in a word of its own: equal keys have equal prices.
struct PriceKey {
  static constexpr std::size_t most = 18;
  std::array<std::uint64_t, most> words{};
  std::size_t size = 0;

  void add(std::uint64_t word) { words[size++] = word; }
  friend bool operator==(const PriceKey& a, const PriceKey& b) {
    return std::equal(a.words.begin(), a.words.begin() + static_cast<std::ptrdiff_t>(a.size), b.words.begin(),
                      b.words.begin() + static_cast<std::ptrdiff_t>(b.size));
  }
};

}  // namespace detail

namespace {

using detail::PriceKey;

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}
std::uint64_t bits(double value) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

void add_sizes(const model::AttentionShape& a, PriceKey& key) {
  for (const model::Dim* dim : {&a.sequences, &a.heads, &a.key_value_heads, &a.query_length, &a.key_length,
                                &a.head_dim, &a.value_head_dim}) {
    key.add(bits(dim->value));
  }
}

PriceKey key_of(const model::Op& op) {
  PriceKey key;
  const auto name = static_cast<std::uint64_t>(op.kind) * 256 + static_cast<std::uint64_t>(op.dtype);
  switch (op.kind) {
    case model::OpKind::gemm: {
      const model::ImplicitGemm& implicit = op.implicit;
      const bool is_convolution = implicit.a_elements > 0 || implicit.channels_first;
      key.add(name * 256 + static_cast<std::uint64_t>(op.layout) * 2 + (is_convolution ? 1U : 0U));
      for (const model::Dim* dim : {&op.m, &op.n, &op.k, &op.batch}) key.add(bits(dim->value));
      // How operands are scaled, and whose kernels run: a part of the experts has a price of its own.
      const model::ExpertWork& experts = op.experts;
      const bool is_gradient = op.pass == model::Pass::grad_input || op.pass == model::Pass::grad_weight;
      key.add(static_cast<std::uint64_t>(op.recipe) | (is_gradient ? 1ULL << 48U : 0ULL) |
              static_cast<std::uint64_t>(experts.part) << 8U |
              static_cast<std::uint64_t>(experts.engine) << 16U |
              static_cast<std::uint64_t>(experts.kernels) << 24U |
              static_cast<std::uint64_t>(experts.recipe) << 32U | (experts.is_even ? 0ULL : 1ULL << 40U));
      if (experts.part != model::ExpertPart::none) {
        for (const double of : {experts.rows, experts.local_experts, experts.tokens}) key.add(bits(of));
        key.add(bits(experts.width));
      }
      key.add(bits(op.weight_bytes));
      if (!is_convolution) break;
      for (const double elements : {implicit.a_elements, implicit.b_elements, implicit.c_elements}) {
        key.add(bits(elements));
      }
      for (const std::int64_t run : {implicit.run_m, implicit.run_n, implicit.run_k}) key.add(bits(run));
      // Some kernels of small convolutions are for some passes only.
      key.add(static_cast<std::uint64_t>(op.pass) * 2 + (implicit.channels_first ? 1U : 0U));
      for (const std::int64_t size : {implicit.images, implicit.out_height, implicit.out_width}) {
        key.add(bits(size));
      }
      break;
    }
    case model::OpKind::attention: {
      const model::AttentionShape& a = op.attention;
      // Only whether the pass is the backward one matters.
      key.add(name * 256 + (a.causal ? 1U : 0U) + (detail::is_backward(op.pass) ? 2U : 0U));
      key.add(bits(a.kernel_version) | (a.is_one_tensor ? 1ULL << 48U : 0ULL) |
              static_cast<std::uint64_t>(a.library) << 49U |
              static_cast<std::uint64_t>(op.experts.engine) << 16U);
      key.add(bits(a.cache_bytes));
      key.add(bits(a.window));
      add_sizes(a, key);
      break;
    }
    case model::OpKind::scan: {
      const model::AttentionShape& a = op.attention;
      key.add(name * 256 + static_cast<std::uint64_t>(op.mixer) * 4 + (op.is_decoding ? 2U : 0U) +
              (detail::is_backward(op.pass) ? 1U : 0U));
      add_sizes(a, key);
      break;
    }
    case model::OpKind::elementwise:
    case model::OpKind::collective:
      break;  // never remembered
  }
  return key;
}

// For an op fused into another's kernel: its addition to that kernel's DRAM and tensor core time.
OpCost fused_into_other_kernel(OpCost cost) {
  cost.time_us = cost.ideal_us;
  cost.overhead_us = 0;
  cost.compute_us = std::min(cost.compute_us, cost.ideal_us);
  cost.memory_us = std::min(cost.memory_us, cost.ideal_us);
  cost.efficiency = {};
  cost.bound = bound_of(cost.time_us, cost.compute_us, cost.memory_us, 0);
  return cost;
}

// For a shared expert that the routed experts' kernel computes; other costs are unchanged.
OpCost fused_if_shared_expert(const gpu::Gpu& gpu, const model::Op& op, const OpCost& cost) {
  const bool is_within = op.experts.part == model::ExpertPart::shared && computes_shared(gpu, op.experts);
  return is_within ? fused_into_other_kernel(cost) : cost;
}

// Whether it is a part of a mixture's routed experts, of which engines' kernels are known.
bool is_routed(const model::Op& op) {
  return op.experts.part != model::ExpertPart::none && op.experts.part != model::ExpertPart::shared;
}

OpCost price_elementwise_op(const gpu::Gpu& gpu, const model::Op& op) {
  if (op.quantizes) {
    if (const auto known = price_quantizing(gpu, op)) return *known;
  }
  if (!is_routed(op))
    return price_elementwise(gpu, op.bytes, op.flops, op.is_part ? eager_bandwidth_share : 1);
  if (op.experts.is_training) {
    OpCost cost = price_elementwise(gpu, op.bytes, op.flops);
    const double waits_us = host_stall_us(gpu, op.experts);
    cost.overhead_us += waits_us;
    cost.time_us += waits_us;
    cost.efficiency.rest = cost.time_us > 0 ? cost.ideal_us / cost.time_us : 1;
    cost.bound = bound_of(cost.time_us, cost.compute_us, cost.memory_us, cost.overhead_us);
    return cost;
  }
  if (const auto known = price_expert_op(gpu, op)) return *known;
  return price_elementwise(gpu, op.bytes, op.flops);
}

// Hopper's tensor cores add fp8 products in fewer bits than fp32 has. Frameworks take that going forward;
// gradients' products leave the sums to CUDA cores every so often (TransformerEngine: _2X_ACC_DGRAD,
// _2X_ACC_WGRAD). The speed is what published runs of Llama 3 8B and 3.1 405B in fp8 on H100 lack otherwise
// (Megatron-Bridge, 25.09 to 26.06).
constexpr double promoted_speed = 0.9;

OpCost with_fp32_accumulation_penalty(const gpu::Gpu& gpu, const model::Op& op, OpCost cost) {
  const bool is_gradient = op.pass == model::Pass::grad_input || op.pass == model::Pass::grad_weight;
  if (!is_gradient || op.dtype != DType::fp8 || !gpu.architecture.has_wgmma) return cost;
  const double longer_us = cost.compute_us * (1 / promoted_speed - 1);
  cost.compute_us += longer_us;
  cost.time_us += longer_us;
  cost.efficiency.rest *= (cost.time_us - longer_us) / cost.time_us;
  return cost;
}

// A scale for every 32 elements of both operands goes through tensor memory into each MMA with them. No one
// has timed MXFP8's products by themselves: what they lose to those of one scale for each operand, and
// mxfp8_bandwidth_share of the passes, are what explains published pairs of Llama 3 8B and 3.1 405B that
// train 0.944 to 0.964 times as fast in MXFP8 as with current scaling (Megatron-Bridge 25.11, B200, GB200 and
// GB300); pairs of later releases check it.
constexpr double mxfp8_speed = 0.91;

OpCost scaled_by_32(const gpu::Gpu& gpu, const model::Op& op, OpCost cost) {
  if (op.recipe != Recipe::mxfp8 ||
      gpu::constants_for(gpu.calibration, op.dtype, op.recipe) == gpu::constant_set(op.dtype, op.recipe))
    return cost;
  const double longer_us = cost.compute_us * (1 / mxfp8_speed - 1);
  cost.compute_us += longer_us;
  cost.time_us += longer_us;
  cost.efficiency.rest *= (cost.time_us - longer_us) / cost.time_us;
  return cost;
}

// As timed where that kind's kernels were.
OpCost price_scan(const gpu::Gpu& gpu, const model::Op& op) {
  const ScanCall call = scan_call(op);
  if (const auto timed = price_timed_scan(gpu, call.kind, call.sizes, call.pass)) return *timed;
  return price_layer_scan(gpu, call.kind, call.sizes, call.pass, op.dtype);
}

// Whether a plan that serves names the engine whose kernels run.
bool has_engine(const model::Op& op) {
  return op.experts.engine != model::ServingEngine::fastest;
}

// Everything but matrix products.
OpCost price_other(const gpu::Gpu& gpu, const model::Op& op) {
  switch (op.kind) {
    case model::OpKind::attention:
      if (has_engine(op)) {
        if (const auto timed = price_serving_attention(gpu, op)) return *timed;
      }
      return price_attention(gpu, op.attention, op.pass, op.dtype);
    case model::OpKind::scan:
      return price_scan(gpu, op);
    case model::OpKind::elementwise:
      return price_elementwise_op(gpu, op);
    case model::OpKind::collective:
      if (has_engine(op)) {
        if (const auto timed = price_serving_exchange(gpu, op)) return *timed;
      }
      return price_collective(gpu, op.collective, op.bytes, op.ranks, op.stride, op.copies);
    case model::OpKind::gemm:
      break;
  }
  return {};
}

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
  return PriceMemo(gpu).price(op);
}

struct PriceMemo::Known {
  struct Entry {
    PriceKey key;
    OpCost cost;
  };
  // The set holds numbers of entries, and looks keys up in them.
  struct KeyHash {
    using is_transparent = void;
    const std::vector<Entry>* entries;
    std::size_t operator()(const PriceKey& key) const {
      return static_cast<std::size_t>(hash_of({key.words.data(), key.size}));
    }
    std::size_t operator()(std::uint32_t entry) const { return (*this)((*entries)[entry].key); }
  };
  struct KeyEqual {
    using is_transparent = void;
    const std::vector<Entry>* entries;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(const PriceKey& key, std::uint32_t entry) const { return key == (*entries)[entry].key; }
    bool operator()(std::uint32_t entry, const PriceKey& key) const { return key == (*entries)[entry].key; }
  };
  std::vector<Entry> entries;
  OpCost cheap;  // the last one that was not remembered
  tsl::robin_set<std::uint32_t, KeyHash, KeyEqual, std::allocator<std::uint32_t>, true> numbers{
      0, KeyHash{&entries}, KeyEqual{&entries}};
};

PriceMemo::PriceMemo(const gpu::Gpu& gpu) : gpu_(gpu), known_(std::make_unique<Known>()) {}
PriceMemo::~PriceMemo() = default;

const OpCost& PriceMemo::price(const model::Op& op) {
  if (op.kind == model::OpKind::elementwise || op.kind == model::OpKind::collective) {
    known_->cheap =
        fused_if_shared_expert(gpu_, op, price_other(gpu_, op));  // takes no longer than looking it up
    return known_->cheap;
  }
  const PriceKey key = key_of(op);
  std::vector<Known::Entry>& entries = known_->entries;
  if (const auto found = known_->numbers.find(key); found != known_->numbers.end()) {
    return entries[*found].cost;
  }
  entries.push_back({key, fused_if_shared_expert(gpu_, op, compute(op))});
  known_->numbers.insert(static_cast<std::uint32_t>(entries.size() - 1));
  return entries.back().cost;
}

std::size_t PriceMemo::size() const {
  return known_->entries.size();
}

std::size_t PriceMemo::bytes() const {
  constexpr std::size_t bucket = 3 * sizeof(std::uint32_t);  // number, stored hash, distance
  return known_->numbers.bucket_count() * bucket + known_->entries.capacity() * sizeof(Known::Entry);
}

OpCost PriceMemo::compute(const model::Op& op) {
  if (op.kind != model::OpKind::gemm) return price_other(gpu_, op);
  if (is_routed(op)) {
    if (const auto known = price_expert_op(gpu_, op)) return *known;
  }
  if (op.recipe != Recipe::none) {
    std::unique_ptr<const GemmModel>& scaled = scaled_models_[static_cast<std::size_t>(op.recipe)];
    if (!scaled || scaled->dtype != op.dtype)
      scaled = std::make_unique<const GemmModel>(gemm_model(gpu_, op.dtype, op.recipe, Timing::in_step));
    return scaled_by_32(gpu_, op,
                        with_fp32_accumulation_penalty(gpu_, op, predict_product(gpu_, *scaled, op).cost));
  }
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

}  // namespace shapelint::cost
