// Attention as one operator of an ONNX graph. Inputs and attributes:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md and
// https://onnx.ai/onnx/operators/onnx__Attention.html.
#include "formats/onnx/attention.hpp"

#include <algorithm>

#include "model/arithmetic.hpp"

namespace shapelint::formats {

namespace {

using Layers = std::vector<model::Layer>;

// Of the whole batch: `heads` queries each of `head_dim`, over `cached` and `tokens` keys.
struct AttentionSizes {
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t key_heads = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t head_dim = 0;
  std::int64_t value_dim = 0;
};

Layers products_of(const AttentionSizes& sizes, const GraphValues& values) {
  const std::int64_t products = model::times(sizes.batch, sizes.heads);
  Layers layers = matmul_layer("scores", sizes.queries, sizes.head_dim, sizes.keys, products, values);
  Layers after = matmul_layer("values", sizes.queries, sizes.keys, sizes.value_dim, products, values);
  if (layers.empty() || after.empty()) return {};
  layers.push_back(after.front());
  return layers;
}

// Tokens in the cache: of an input [batch, heads, tokens, head_dim] from the fourth on.
std::int64_t cached(const GraphNode& node, const AttentionSizes& sizes, const GraphValues& values) {
  constexpr std::int64_t first = 3;
  for (std::int64_t i = first; i < static_cast<std::int64_t>(node.inputs.size()); ++i) {
    const GraphShape* shape = values.input(node, i);
    if (shape == nullptr || shape->size() < 4) continue;
    const std::size_t rank = shape->size();  // com.microsoft's Attention has keys and values in one
    if ((*shape)[rank - 1] == sizes.head_dim && (*shape)[rank - 3] == sizes.key_heads)
      return (*shape)[rank - 2];
  }
  return 0;
}

Layers projected(const GraphNode& node, const GraphShape& in, const GraphShape& weights,
                 const GraphValues& values) {
  if (in.size() != 3) return {};
  AttentionSizes sizes;
  sizes.batch = in[0];
  sizes.queries = in[1];
  sizes.heads = sizes.key_heads = integer(node, "num_heads", 0);
  std::vector<std::int64_t> widths = integers(node, "qkv_hidden_sizes");
  if (widths.size() != 3) widths.assign(3, weights[1] / 3);
  if (sizes.heads < 1) return {};
  sizes.head_dim = widths[0] / sizes.heads;
  sizes.value_dim = widths[2] / sizes.heads;
  sizes.keys = model::plus(sizes.queries, cached(node, sizes, values));
  constexpr std::int64_t bias = 2;
  Layers layers =
      linear_layer(model::times(in[0], in[1]), in[2], weights[1], values.has_input(node, bias), values);
  Layers products = products_of(sizes, values);
  if (layers.empty() || products.empty()) return {};
  layers.front().name = "qkv";
  layers.insert(layers.end(), products.begin(), products.end());
  return layers;
}

}  // namespace

Layers attention_layers(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  const GraphShape* query = values.input(node, 0);
  const GraphShape* key = values.input(node, 1);
  const GraphShape* value = values.input(node, 2);
  if (query == nullptr) return {};
  const bool has_weights = key != nullptr && key->size() == 2 && values.is_constant(node.inputs[1]);
  if (rule.projected && has_weights) return projected(node, *query, *key, values);

  AttentionSizes sizes;
  const bool apart = query->size() == 4;  // [batch, heads, tokens, head_dim]
  if (!apart && query->size() != 3) return {};
  sizes.batch = (*query)[0];
  sizes.heads = apart ? (*query)[1] : integer(node, "num_heads", integer(node, "q_num_heads", 0));
  sizes.key_heads =
      key != nullptr && key->size() == 4 ? (*key)[1] : integer(node, "kv_num_heads", sizes.heads);
  sizes.queries = (*query)[apart ? 2 : 1];
  if (sizes.heads < 1 || sizes.key_heads < 1) return {};
  if (key == nullptr) {
    // Queries, keys and values beside each other.
    if (apart) return {};
    sizes.head_dim = (*query)[2] / (model::plus(sizes.heads, model::times(2, sizes.key_heads)));
    sizes.value_dim = sizes.head_dim;
    sizes.keys = sizes.queries;
  } else {
    sizes.head_dim = apart ? (*query)[3] : (*query)[2] / sizes.heads;
    if (key->size() != 3 && key->size() != 4) return {};
    sizes.keys = (*key)[key->size() - 2];
    sizes.value_dim = value == nullptr     ? sizes.head_dim
                      : value->size() == 4 ? (*value)[3]
                      : value->size() == 3 ? (*value)[2] / sizes.key_heads
                                           : 0;
  }
  sizes.keys = model::plus(sizes.keys, cached(node, sizes, values));
  return products_of(sizes, values);
}

}  // namespace shapelint::formats
