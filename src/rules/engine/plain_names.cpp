// What operations are called in a sentence.
#include "rules/engine/plain_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/words.hpp"

namespace shapelint::rules {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 30> names{{
    {"layer.attention.qkv", "QKV projection"},
    {"layer.attention.q", "query projection"},
    {"layer.attention.q_down", "query down projection"},
    {"layer.attention.q_up", "query up projection"},
    {"layer.attention.kv_down", "KV down projection"},
    {"layer.attention.qkv_down", "QKV down projections"},
    {"layer.attention.kv_up", "KV up projection"},
    {"layer.attention.output", "attention output projection"},
    {"layer.attention.scores", "QK^T GEMM"},
    {"layer.attention.values", "PV GEMM"},
    {"layer.cross_attention.query", "cross-attention query projection"},
    {"layer.cross_attention.key_value", "cross-attention KV projection"},
    {"layer.cross_attention.output", "cross-attention output projection"},
    {"layer.mlp.up", "MLP up projection"},
    {"layer.mlp.gate_up", "MLP gate and up projection"},
    {"layer.mlp.down", "MLP down projection"},
    {"layer.moe.router", "MoE router"},
    {"layer.moe.up", "expert up projection"},
    {"layer.moe.gate_up", "expert gate and up projection"},
    {"layer.moe.down", "expert down projection"},
    {"layer.moe.shared_up", "shared expert up projection"},
    {"layer.moe.shared_gate_up", "shared expert gate and up projection"},
    {"layer.moe.shared_down", "shared expert down projection"},
    {"head.logits", "LM head"},
    {"optimizer.muon.gram", "Muon Gram matrices"},
    {"optimizer.muon.square", "Muon squared Gram matrices"},
    {"optimizer.muon.apply", "Muon updates"},
    {"optimizer.shampoo.statistics", "Shampoo statistics"},
    {"optimizer.shampoo.apply", "Shampoo updates"},
    {"optimizer.shampoo.root", "Shampoo roots"},
}};

}  // namespace

std::string_view plain_name(std::string_view op) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == op; });
  if (found != names.end()) return found->second;
  // `layer.mlp.down_lora_up` and the like: an adapter's products beside another.
  for (const std::string_view ending : {"_lora_down", "_lora_up"}) {
    if (op.ends_with(ending)) return "LoRA adapters";
  }
  return op;
}

std::string plain_list(const std::vector<std::string>& ops) {
  constexpr std::size_t most = 3;
  std::vector<std::string> plain;
  for (const std::string& op : ops) {
    const std::string_view name = plain_name(op);
    if (std::find(plain.begin(), plain.end(), name) == plain.end()) plain.emplace_back(name);
  }
  if (plain.size() <= most) return in_words(plain);
  return fmt::format("{} and {} more", fmt::join(plain.begin(), plain.begin() + most, ", "),
                     plain.size() - most);
}

}  // namespace shapelint::rules
