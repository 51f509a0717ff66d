// Elementwise kernels that run inside others, as `fusion` of the plan says.
#include <algorithm>
#include <array>

#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

bool is_elementwise(const Op& op, std::string_view ending) {
  return op.kind == OpKind::elementwise && op.name.ends_with(ending);
}

std::string_view stream_of(std::string_view name) {
  for (const std::string_view stream : {"layer.image.", "layer.text."}) {
    if (name.starts_with(stream)) return stream;
  }
  return "layer.";
}

// A residual addition that the layer's norm follows then writes the normalized stream and the sum: of the
// norm's own bytes, in and out, only those out remain. Norms that follow no such addition stay. Each stream
// of a layer has its own.
void fuse_norms(std::vector<Op>& ops, std::size_t first) {
  for (std::size_t i = first; i < ops.size(); ++i) {
    Op& norm = ops[i];
    if (!is_elementwise(norm, ".norm") || !norm.name.starts_with("layer.")) continue;
    const std::string_view stream = stream_of(norm.name);
    for (std::size_t j = first; j < ops.size() && norm.count > 0; ++j) {
      Op& residual = ops[j];
      if (!is_elementwise(residual, "residual") || residual.pass != norm.pass ||
          stream_of(residual.name) != stream)
        continue;
      const double joined = std::min(norm.count, residual.count);
      const double share = residual.count > 0 ? joined / residual.count : 0.0;
      residual.bytes += share * norm.bytes / 2;
      residual.flops += share * norm.flops;
      norm.count -= joined;
    }
  }
}

// Latent attention's two products down read the same rows, and each rank holds both whole: engines keep their
// weights as one (vLLM and SGLang, deepseek_v2.py, fused_qkv_a_proj).
void join_down_projections(std::vector<Op>& ops, std::size_t first) {
  const auto named = [&](std::string_view name) {
    return std::find_if(ops.begin() + static_cast<std::ptrdiff_t>(first), ops.end(),
                        [&](const Op& op) { return op.name == name; });
  };
  const auto queries = named("layer.attention.q_down");
  const auto keys = named("layer.attention.kv_down");
  if (queries == ops.end() || keys == ops.end()) return;
  queries->name = "layer.attention.qkv_down";
  queries->n = {plus(queries->n.value, keys->n.value),
                "mla_q_lora_rank + mla_kv_lora_rank + mla_qk_rope_head_dim"};
  ops.erase(keys);
}

bool is_same(const AttentionShape& a, const AttentionShape& b) {
  const auto sizes = [](const AttentionShape& each) {
    return std::array{each.sequences.value,      each.heads.value,      each.key_value_heads.value,
                      each.query_length.value,   each.key_length.value, each.head_dim.value,
                      each.value_head_dim.value, each.window,           each.kernel_version};
  };
  return sizes(a) == sizes(b) && a.library == b.library && a.causal == b.causal &&
         a.cache_bytes == b.cache_bytes && a.is_one_tensor == b.is_one_tensor;
}

// How often they run is not compared.
bool is_same(const Op& a, const Op& b) {
  const auto sizes = [](const Op& op) {
    return std::array{op.batch.value, op.m.value, op.n.value, op.k.value, op.ranks, op.stride};
  };
  return a.name == b.name && a.kind == b.kind && a.pass == b.pass && a.dtype == b.dtype &&
         a.recipe == b.recipe && sizes(a) == sizes(b) && a.layout == b.layout &&
         a.weight_bytes == b.weight_bytes && is_same(a.attention, b.attention) && a.mixer == b.mixer &&
         a.bytes == b.bytes && a.flops == b.flops && a.scanned_bytes == b.scanned_bytes &&
         a.collective == b.collective && a.overlapped == b.overlapped &&
         a.overlaps_shared_experts == b.overlaps_shared_experts && a.experts.part == b.experts.part &&
         a.experts.local_experts == b.experts.local_experts && a.experts.rows == b.experts.rows &&
         a.experts.width == b.experts.width && a.copies == b.copies;
}

}  // namespace

void merge_equal(std::vector<Op>& ops, std::size_t first) {
  std::size_t kept = first;
  for (std::size_t i = first; i < ops.size(); ++i) {
    const auto begin = ops.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = ops.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto known = std::find_if(begin, end, [&](const Op& each) { return is_same(each, ops[i]); });
    if (known != end) {
      known->count += ops[i].count;
    } else {
      if (kept != i) ops[kept] = ops[i];
      ++kept;
    }
  }
  ops.resize(kept);
}

void fuse(const Plan& plan, std::vector<Op>& ops, std::size_t first) {
  if (plan.fusion == Fusion::none) return;
  fuse_norms(ops, first);
  if (plan.mode != Mode::train) join_down_projections(ops, first);
  const bool with_activations = plan.fusion == Fusion::full;
  const auto gone = [&](const Op& op) {
    if (is_elementwise(op, ".norm") && op.name.starts_with("layer.")) return op.count <= 0;
    return with_activations && op.pass != Pass::backward && is_elementwise(op, "activation");
  };
  ops.erase(std::remove_if(ops.begin() + static_cast<std::ptrdiff_t>(first), ops.end(), gone), ops.end());
}

}  // namespace shapelint::model
