// What a layer is made of, each described once: its weights, the tensors that it keeps for its backward pass,
// and what it keeps of a sequence that is served. What follows from them: parameters, the arithmetic of
// products, the matrices that optimizers and adapters take as such, what every rank of tensor parallelism has
// whole, the memory of training, and the cache.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// Attention's gate as wide as its values, a part of the queries' projection; else it is of low rank, and has
// products of its own.
constexpr bool has_wide_gate(const ModelSpec& model) {
  return model.attention_gate && model.attention_gate_rank <= 0;
}

enum class WeightKind : std::uint8_t {
  vector,   // norms, biases, scales, tables of rows: in no product
  filter,   // of a depthwise convolution: multiplied, by no product
  product,  // what optimizers and adapters leave alone or take as a vector: router, head, gates, an indexer
  matrix    // what Muon, Shampoo and adapters take as such
};

// Which side of a matrix tensor parallelism divides (Megatron-LM: column-parallel, row-parallel); `copies`:
// each rank has some of them whole.
enum class Split : std::uint8_t { none, outputs, inputs, copies };

enum class Role : std::uint8_t { query, key, value, attention, other };

// What of a step a weight is multiplied by.
enum class Rows : std::uint8_t {
  tokens,
  handed,     // tokens on their way to experts, as a rank hands them out
  experts,    // the tokens of an expert: there are as many of the weight as routed experts
  source,     // tokens of the encoder's output
  distances,  // between tokens
  strides,    // of keys that become one, for each head of keys
  few         // once for a sample, or so narrow that counts of FLOPs leave it out
};

// What runs a tensor again instead of keeping it (Plan::recompute_norms and so on), apart from full
// recomputation.
enum class Remade : std::uint8_t {
  never,
  norms,
  up_projections,
  mlp,
  experts,
  expert_activations,
  shared_experts
};

// A side of a weight: of the whole, and on one rank, as an expression there.
struct Side {
  std::int64_t size = 1;
  std::int64_t on_rank = 1;
  std::string_view text = {};
};

// y = x W^T with W[outputs, inputs], so many times in a layer (of experts: in one of them).
struct Weight {
  WeightKind kind = WeightKind::vector;
  std::string_view name = {};  // of a matrix, as its product is called
  Side inputs = {};
  Side outputs = {};
  Split split = Split::none;
  Rows rows = Rows::tokens;
  std::int64_t copies = 1;
  Role role = Role::other;
  bool is_lent = false;           // to layers that read an earlier layer's keys and values: these have none
  bool is_own = false;            // of each layer, where several share the other weights of the part
  bool is_fp32 = false;           // among others that are packed
  bool reads_again = false;       // what a weight before it reads
  bool reads_apart = false;       // each of the copies, columns of its own
  bool reads_kept = false;        // what an operation keeps, too, in 16 bits
  Remade remade = Remade::never;  // its input
};

// Who needs a tensor for its gradient, and so how much of each element is kept.
enum class Reader : std::uint8_t {
  operation,  // elementwise, or attention's core: 16 bits
  norm,       // RMSNorm in eager mode: and a copy in fp32
  stream,     // the same of the residual stream, which may be in fp32
  product,    // in its own format: of the inputs of weights, which have no Activation
  function,   // an MLP's activation function: 16 bits, or as few as the plan stores
  dropout,    // a byte
  eager       // only where operations run one after the other
};

// A tensor that a layer keeps of each token from its forward to its backward pass, apart from the inputs of
// its products.
struct Activation {
  Reader reader = Reader::operation;
  std::int64_t elements = 0;
  bool is_split = false;     // over the ranks of tensor parallelism
  Rows rows = Rows::tokens;  // experts: for each of a token's experts
  Remade remade = Remade::never;
  bool is_lent = false;  // another layer's, where this one reads an earlier one's keys and values
};

// Which tokens of a sequence a layer caches, and in which format.
enum class Extent : std::uint8_t {
  all,
  window,      // the last ones of a window; of layers whose other keys are compressed
  compressed,  // one for each `ratio` of them
  strides,     // one for each stride of native sparse attention
  last,        // its window
  once         // a state, whatever the sequence's length
};
enum class Stored : std::uint8_t { cache, index, fp32, activation };
struct Cached {
  double elements = 0;  // on one rank, of one of those tokens
  Extent span = Extent::all;
  Stored stored = Stored::cache;
  bool is_lent = false;
};

// Whether every rank of tensor parallelism has a matrix whole: the products down to narrow vectors of latent
// attention (Megatron-LM, multi_latent_attention.py: parallel_mode "duplicated"; vLLM, deepseek_v2.py:
// ReplicatedLinear), of compressed attention and of a mixture's experts.
constexpr bool is_on_every_rank(const Weight& weight) {
  return weight.kind == WeightKind::matrix && weight.split == Split::none;
}

// Over how many ranks, and whether keys and values of one size are listed apart.
struct Listing {
  std::int64_t tensor = 1;
  std::int64_t expert_tensor = 1;
  bool is_apart = false;
};

constexpr std::int64_t elements_of(const Weight& weight) {
  return times(weight.copies, times(weight.inputs.size, weight.outputs.size));
}
// Multiply-adds of one row.
constexpr double products_of(const Weight& weight) {
  if (weight.kind == WeightKind::vector) return 0;
  return real(weight.copies) * real(weight.inputs.size) * real(weight.outputs.size);
}

// Share of the attention layers that make keys and values of their own.
inline double share_of_layers_with_own_keys(const ModelSpec& model) {
  return 1 - real(num_shared_key_value_layers(model)) / at_least_one(num_attention_layers(model));
}

// Not divided; and in units (heads, columns) of so many elements each, which ranks divide.
constexpr Side whole(std::int64_t size, std::string_view text = {}) {
  return {size, size, text};
}
constexpr Side divided(std::int64_t units, std::int64_t ranks, std::string_view text, std::int64_t each = 1) {
  return {times(units, each), times(divide_up(units, ranks), each), text};
}

// Streams of AltUp; 0 without it.
constexpr std::int64_t altup_streams(const ModelSpec& model) {
  const bool has_them = model.residual_mixing == ResidualMixing::altup && model.input == Input::vocabulary;
  return has_them && model.residual_streams > 1 ? model.residual_streams : 0;
}

// Elements of the embedding that all layers together read next to the stream.
constexpr std::int64_t layer_embedding_elements(const ModelSpec& model) {
  return model.input == Input::vocabulary ? times(model.num_layers, model.layer_embedding_size) : 0;
}

// A norm over `width` elements: a gain, and for a layer norm a bias.
constexpr std::int64_t norm_parameters(const ModelSpec& model, std::int64_t width) {
  return plus(width, when(model.norm == Norm::layernorm && model.norm_bias, width));
}

template <class Visit>
void visit_vector(std::int64_t size, Visit& visit) {
  if (size > 0) visit(Weight{.outputs = whole(size)});
}
template <class Visit>
void visit_product(std::int64_t inputs, std::int64_t outputs, Visit& visit, Rows rows = Rows::tokens,
                   std::int64_t copies = 1) {
  visit(Weight{WeightKind::product, {}, whole(inputs), whole(outputs), Split::none, rows, copies});
}

// Parameters of a layer's part, with so many of its experts: of weights that layers share, one layer's share,
// to less than a parameter. Of what comes before the layers, and what behind them.
std::int64_t layer_parameters(const ModelSpec& model, ModelComponent part, std::int64_t experts);
std::int64_t embedding_parameters(const ModelSpec& model);
std::int64_t head_parameters(const ModelSpec& model);

}  // namespace shapelint::model
