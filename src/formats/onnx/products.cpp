// Products of ONNX graphs: convolutions, linear layers, matrix products.
#include "formats/onnx/products.hpp"

#include <algorithm>

#include "model/arithmetic.hpp"

namespace shapelint::formats {

// Attention as one operator of an ONNX graph. Inputs and attributes:
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md and
// https://onnx.ai/onnx/operators/onnx__Attention.html.

namespace {

using Layers = std::vector<model::Layer>;

// For the whole batch: `heads` queries each of `head_dim`, over `cached` and `tokens` keys.
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
    // Concatenated queries, keys and values.
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

namespace {

using model::Layer;
using model::LayerKind;

using Layers = std::vector<Layer>;

constexpr std::int64_t largest_side = std::int64_t{1} << 20;  // of an image, a kernel, a number of channels

std::int64_t last_or_one(const std::vector<std::int64_t>& values) {
  return values.empty() ? 1 : std::max<std::int64_t>(1, values.back());
}

// The padding that leads from one side's size to the inferred one. Where none does (sides with strides of
// their own, padding on one side only), the input is taken as large as the output asks for.
void fit(std::int64_t& image, std::int64_t& padding, std::int64_t in, std::int64_t out, std::int64_t kernel,
         const Layer& layer) {
  const std::int64_t reach = layer.dilation * (kernel - 1) + 1;
  const std::int64_t needed = (out - 1) * layer.stride + reach;
  image = in;
  padding = std::max<std::int64_t>(0, model::divide_up(std::max<std::int64_t>(0, needed - in), 2));
  const std::int64_t padded = in + 2 * padding;
  if (padded >= reach && (padded - reach) / layer.stride + 1 == out) return;
  image = needed;
  padding = 0;
}

// Rows and columns of an image; a sequence is one row.
struct Sides {
  std::int64_t height = 1;
  std::int64_t width = 1;
};
Sides sides(const GraphShape& shape) {
  if (shape.size() == 3) return {1, shape[2]};
  if (shape.size() == 4) return {shape[2], shape[3]};
  return {model::times(shape[2], shape[3]), shape[4]};  // a volume: planes under each other
}

bool are_sides(std::initializer_list<std::int64_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [](std::int64_t size) { return size >= 1 && size <= largest_side; });
}

// `out` may be smaller than the node's output.
Layers finish_conv(Layer layer, const Sides& in, const Sides& out) {
  if (!are_sides({layer.in_channels, layer.out_channels, in.height, in.width, out.height, out.width,
                  layer.kernel_height, layer.kernel_width, layer.groups, layer.stride, layer.dilation}))
    return {};
  fit(layer.image_height, layer.padding_height, in.height, out.height, layer.kernel_height, layer);
  fit(layer.image_width, layer.padding_width, in.width, out.width, layer.kernel_width, layer);
  return {std::move(layer)};
}

Layers conv(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  const GraphShape* in = values.input(node, rule.a);
  const GraphShape* weights = values.input(node, rule.b);
  const GraphShape* out = values.output(node);
  const bool known = in != nullptr && weights != nullptr && out != nullptr && in->size() == weights->size() &&
                     out->size() == in->size();
  if (!known || in->size() < 3 || in->size() > 5) return {};
  Layer layer;
  layer.kind = LayerKind::conv;
  layer.in_channels = (*in)[1];
  layer.out_channels = (*out)[1];
  const Sides kernel = sides(*weights);
  layer.kernel_height = kernel.height;
  layer.kernel_width = kernel.width;
  layer.groups = integer(node, "group", 1);
  // Planes under each other have no common stride: as many outputs, each over its own pixels.
  const bool volume = in->size() == 5;
  layer.stride = volume ? 1 : last_or_one(integers(node, "strides"));
  layer.dilation = volume ? 1 : last_or_one(integers(node, "dilations"));
  layer.bias = values.has_input(node, rule.bias);
  return finish_conv(std::move(layer), sides(*in), sides(*out));
}

// A transposed convolution of stride s is a convolution of stride 1 to s x s times the channels, with one
// s x s-th of the taps, whose channels are then laid out as pixels (Shi et al. 2016, arXiv 1609.07009).
Layers transposed_conv(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  const GraphShape* in = values.input(node, rule.a);
  const GraphShape* weights = values.input(node, rule.b);
  const GraphShape* out = values.output(node);
  const bool known = in != nullptr && weights != nullptr && out != nullptr && in->size() == weights->size() &&
                     out->size() == in->size();
  if (!known || in->size() < 3 || in->size() > 4) return {};
  std::vector<std::int64_t> strides = integers(node, "strides");
  strides.resize(in->size() - 2, strides.empty() ? 1 : strides.back());
  const Sides stride{in->size() == 3 ? 1 : strides[0], strides.back()};
  if (stride.height < 1 || stride.width < 1 || last_or_one(integers(node, "dilations")) != 1) return {};
  Layer layer;
  layer.kind = LayerKind::conv;
  layer.in_channels = (*in)[1];
  layer.out_channels = model::times((*out)[1], stride.height, stride.width);
  const Sides kernel = sides(*weights);
  layer.kernel_height = model::divide_up(kernel.height, stride.height);
  layer.kernel_width = model::divide_up(kernel.width, stride.width);
  layer.groups = integer(node, "group", 1);
  layer.stride = 1;
  const Sides pixels = sides(*out);
  return finish_conv(
      std::move(layer), sides(*in),
      {model::divide_up(pixels.height, stride.height), model::divide_up(pixels.width, stride.width)});
}

Layers gemm(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  const GraphShape* a = values.input(node, rule.a);
  const GraphShape* b = values.input(node, rule.b);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return {};
  const std::size_t rows = integer(node, "transA", 0) != 0 ? 1 : 0;
  const std::size_t columns = integer(node, "transB", 0) != 0 ? 0 : 1;
  return linear_layer((*a)[rows], (*a)[1 - rows], (*b)[columns], values.has_input(node, rule.bias), values);
}

// Operands as stacks of matrices; a vector is a row or a column.
Layers matmul(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  const GraphShape* left = values.input(node, rule.a);
  const GraphShape* right = values.input(node, rule.b);
  if (left == nullptr || right == nullptr || left->empty() || right->empty()) return {};
  GraphShape a = *left;
  GraphShape b = *right;
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  if (integer(node, "transA", 0) != 0) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (integer(node, "transB", 0) != 0) std::swap(b[b.size() - 1], b[b.size() - 2]);
  const std::int64_t depth = a.back();
  const std::int64_t columns = b.back();
  const bool bias = values.has_input(node, rule.bias);
  if (values.is_constant(node.inputs[static_cast<std::size_t>(rule.b)]) &&
      elements(b) == model::times(depth, columns))
    return linear_layer(product(a, 0, a.size() - 1), depth, columns, bias, values);
  if (values.is_constant(node.inputs[static_cast<std::size_t>(rule.a)]) &&
      elements(a) == model::times(depth, a[a.size() - 2]))
    return linear_layer(model::times(product(b, 0, b.size() - 2), columns), depth, a[a.size() - 2], bias,
                        values);
  // Leading dimensions are broadcast.
  std::int64_t products = 1;
  const std::size_t rank = std::max(a.size(), b.size());
  for (std::size_t i = 2; i < rank; ++i) {
    const std::int64_t of_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t of_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    products = model::times(products, std::max(of_a, of_b));
  }
  return matmul_layer("", a[a.size() - 2], depth, columns, products, values);
}

Layers packed_weights(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  const GraphShape* a = values.input(node, rule.a);
  if (a == nullptr || a->empty()) return {};
  return linear_layer(product(*a, 0, a->size() - 1), integer(node, "K", 0), integer(node, "N", 0), false,
                      values);
}

// The inputs of all gates for every time step at once, then the products of the state, a step at a time:
// https://onnx.ai/onnx/operators/onnx__LSTM.html.
Layers recurrent(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  const GraphShape* in = values.input(node, rule.a);
  const GraphShape* weights = values.input(node, rule.b);
  if (in == nullptr || weights == nullptr || in->size() != 3 || weights->size() != 3) return {};
  const std::int64_t directions = (*weights)[0];
  const std::int64_t outputs = (*weights)[1];
  const std::int64_t steps = (*in)[integer(node, "layout", 0) != 0 ? 1 : 0];
  const std::int64_t batch = (*in)[integer(node, "layout", 0) != 0 ? 0 : 1];
  constexpr std::int64_t bias_index = 3;
  Layers layers = linear_layer(model::times(steps, batch), (*in)[2], model::times(directions, outputs),
                               values.has_input(node, bias_index), values);
  Layers state = linear_layer(batch, outputs / rule.gates, outputs, false, values);
  if (layers.empty() || state.empty() || steps < 1 || directions < 1) return {};
  layers.front().name = "input";
  for (std::int64_t direction = 0; direction < std::min<std::int64_t>(2, directions); ++direction) {
    layers.push_back(state.front());
    layers.back().name = direction == 0 ? "state" : "state_reverse";
    layers.back().repeat = steps;
    layers.back().shares_weights = true;
  }
  return layers;
}

// For two operands without `…`: labels that both have and that are summed over, and so on.
Layers einsum(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  const auto found = node.texts.find("equation");
  const GraphShape* left = values.input(node, rule.a);
  const GraphShape* right = values.input(node, rule.b);
  if (found == node.texts.end() || left == nullptr || right == nullptr || node.inputs.size() != 2) return {};
  std::string text = found->second;
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t comma = text.find(',');
  const std::size_t arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma) return {};
  const std::string a = text.substr(0, comma);
  const std::string b = text.substr(comma + 1, arrow - comma - 1);
  const std::string out = text.substr(arrow + 2);
  if (a.size() != left->size() || b.size() != right->size()) return {};
  std::int64_t products = 1;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t depth = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool in_b = b.find(a[i]) != std::string::npos;
    const bool in_out = out.find(a[i]) != std::string::npos;
    std::int64_t& side = in_b && in_out ? products : in_b ? depth : rows;
    side = model::times(side, (*left)[i]);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (a.find(b[i]) == std::string::npos) columns = model::times(columns, (*right)[i]);
  }
  if (products == 1 && values.is_constant(node.inputs[1]))
    return linear_layer(rows, depth, columns, false, values);
  if (products == 1 && values.is_constant(node.inputs[0]))
    return linear_layer(columns, depth, rows, false, values);
  return matmul_layer("", rows, depth, columns, products, values);
}

}  // namespace

Layers linear_layer(std::int64_t rows, std::int64_t in, std::int64_t out, bool bias,
                    const GraphValues& values) {
  if (rows < 1 || in < 1 || out < 1) return {};
  Layer layer;
  layer.kind = LayerKind::linear;
  layer.in_channels = in;
  layer.out_channels = out;
  layer.rows = values.per_image(rows);
  layer.bias = bias;
  return {std::move(layer)};
}

Layers matmul_layer(std::string name, std::int64_t rows, std::int64_t depth, std::int64_t columns,
                    std::int64_t products, const GraphValues& values) {
  if (rows < 1 || depth < 1 || columns < 1 || products < 1) return {};
  Layer layer;
  layer.kind = LayerKind::matmul;
  layer.name = std::move(name);
  layer.rows = rows;
  layer.depth = depth;
  layer.columns = columns;
  layer.products = values.per_image(products);
  return {std::move(layer)};
}

Layers product_layers(const GraphNode& node, const OperatorRule& rule, const GraphValues& values) {
  switch (rule.use) {
    case OperatorUse::conv:
      return conv(node, rule, values);
    case OperatorUse::transposed_conv:
      return transposed_conv(node, rule, values);
    case OperatorUse::gemm:
      return gemm(node, rule, values);
    case OperatorUse::matmul:
      return matmul(node, rule, values);
    case OperatorUse::packed_weights:
      return packed_weights(node, rule, values);
    case OperatorUse::recurrent:
      return recurrent(node, rule, values);
    case OperatorUse::einsum:
      return einsum(node, rule, values);
    case OperatorUse::attention:
      return attention_layers(node, rule, values);
    default:
      return {};
  }
}

}  // namespace shapelint::formats
