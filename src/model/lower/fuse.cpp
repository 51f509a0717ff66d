// Elementwise kernels that run inside others, as `fusion` of the plan says.
#include <algorithm>

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

// A residual addition that the layer's norm follows then writes the normalized stream beside the sum: of the
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

}  // namespace

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
