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
    {"layer.attention.qkv", "the query, key and value projection"},
    {"layer.attention.q", "the query projection"},
    {"layer.attention.q_down", "the query's down projection"},
    {"layer.attention.q_up", "the query's up projection"},
    {"layer.attention.kv_down", "the key-value down projection"},
    {"layer.attention.qkv_down", "the down projections of query, key and value"},
    {"layer.attention.kv_up", "the key-value up projection"},
    {"layer.attention.output", "the attention's output projection"},
    {"layer.attention.scores", "the attention scores"},
    {"layer.attention.values", "the attention-weighted values"},
    {"layer.cross_attention.query", "the cross-attention's query projection"},
    {"layer.cross_attention.key_value", "the cross-attention's key and value projection"},
    {"layer.cross_attention.output", "the cross-attention's output projection"},
    {"layer.mlp.up", "the MLP's up projection"},
    {"layer.mlp.gate_up", "the MLP's gate and up projection"},
    {"layer.mlp.down", "the MLP's down projection"},
    {"layer.moe.router", "the router"},
    {"layer.moe.up", "the experts' up projection"},
    {"layer.moe.gate_up", "the experts' gate and up projection"},
    {"layer.moe.down", "the experts' down projection"},
    {"layer.moe.shared_up", "the shared experts' up projection"},
    {"layer.moe.shared_gate_up", "the shared experts' gate and up projection"},
    {"layer.moe.shared_down", "the shared experts' down projection"},
    {"head.logits", "the projection to the vocabulary"},
    {"optimizer.muon.gram", "Muon's Gram matrices"},
    {"optimizer.muon.square", "the squares of Muon's Gram matrices"},
    {"optimizer.muon.apply", "Muon's updates"},
    {"optimizer.shampoo.statistics", "Shampoo's statistics"},
    {"optimizer.shampoo.apply", "Shampoo's updates"},
    {"optimizer.shampoo.root", "the roots of Shampoo's statistics"},
}};

}  // namespace

std::string_view plain_name(std::string_view op) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == op; });
  if (found != names.end()) return found->second;
  // `layer.mlp.down_lora_up` and the like: an adapter's products beside another.
  for (const std::string_view ending : {"_lora_down", "_lora_up"}) {
    if (op.ends_with(ending)) return "the adapters";
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
