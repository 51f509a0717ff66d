// Internal to the lowering: the dimensions that all parts share, and the writing of ops with their passes.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "model/op.hpp"
#include "model/weights.hpp"

namespace shapelint::model {

// For one head and sequence. The last query sees all keys, or those of its window (0: no window), of a causal
// one each before it one fewer. Where there are fewer keys than queries each key stands for several tokens
// (compressed attention), and a query sees those of the tokens before it. A fused kernel passes over tiles
// that are masked as a whole.
double visible_pairs(double queries, double keys, bool causal, double window);

// Sines and cosines of the time, before a diffusion transformer embeds them (DiT, models.py).
inline constexpr std::int64_t condition_size = 256;

// A dimension that is at least 1.
constexpr Dim dim(std::int64_t value, std::string_view expression) {
  return {std::max<std::int64_t>(1, value), expression};
}

// Per rank.
constexpr Dim dim(const Side& side) {
  return dim(side.on_rank, side.text);
}

// Recomputation group of an op: a part of the layer, or the layer only.
enum class Recomputed : std::uint8_t {
  never,
  with_layer,
  with_norms,
  with_attention,  // its core
  with_up_projections,
  with_mlp,
  with_experts,
  with_expert_activations,
  with_shared_experts
};

// How often an op's forward runs in the step, and whether recomputation repeats it.
struct Repeat {
  double count = 1;
  Recomputed recomputed = Recomputed::never;
  // Of a product with weights, what runs again where every second one does: of several that are run as one
  // those whose turn it is, of others half.
  double selective_recompute_fraction = 0.5;
};

// FLOPs of one run of an elementwise op. Counted by hand from the formulas, an exponential or a root as one:
// they place such ops on a roofline, and none is ever near the ridge of CUDA cores.
struct Arithmetic {
  double forward = 0;
  double backward = 0;
};
// Per element: RMSNorm squares, adds, scales, multiplies by the gain; a layer norm also subtracts the mean
// and adds a bias.
inline constexpr Arithmetic rmsnorm_flops{4, 8};
inline constexpr Arithmetic layernorm_flops{7, 12};
// Per output of the activation: SiLU(gate) * up; GELU with tanh.
inline constexpr Arithmetic gated_activation_flops{5, 9};
inline constexpr Arithmetic activation_flops{8, 13};
inline constexpr Arithmetic rotary_flops{3, 3};  // per element: two products and a sum
inline constexpr Arithmetic softmax_flops{5, 4};

// What PyTorch's modules do with each element in eager mode, where a fused kernel reads and writes it once:
// elements of an activation's format and of fp32 that are read and written, and kernels.
struct Modules {
  double forward = 0;
  double forward_fp32 = 0;
  double backward = 0;
  double backward_fp32 = 0;
  double forward_kernels = 1;
  double backward_kernels = 1;
};
// Widen, square, mean, scale, narrow, multiply by the gain (LlamaRMSNorm); backwards the gradients of gain
// and input, each product by itself, and the two paths to the input added. Under autocast the residual stream
// and the gain are in fp32, so that nothing is widened.
inline constexpr Modules rmsnorm_modules{4, 7, 8, 15, 8, 16};
inline constexpr Modules rmsnorm_autocast{0, 7, 0, 19, 7, 14};
// Of queries and keys, which GEMMs write in 16 bits: only the gain is in fp32.
inline constexpr Modules qk_norm_autocast{3, 8, 4, 17, 8, 16};
// One kernel; backwards one for the input, and one that reads input and gradient by columns for gain and bias
// (GammaBetaBackward), at half of the speed.
inline constexpr Modules layernorm_modules{2, 0, 7, 0, 1, 2};
inline constexpr Modules layernorm_autocast{0, 2, 0, 7, 1, 2};
// Products with cosines and sines, halves swapped (negated, joined), added (apply_rotary_pos_emb), of queries
// and keys. Under autocast cosines are in fp32, and what comes out is narrowed for attention; all of it is
// where queries and keys were normalized.
inline constexpr Modules rotary_modules{10, 0, 15, 0, 10, 18};
inline constexpr Modules rotary_autocast{6, 6, 13, 7, 12, 22};
inline constexpr Modules rotary_of_normalized{1, 11, 1, 15, 12, 20};
// SiLU, then a product; per element of one branch.
inline constexpr Modules gated_modules{5, 0, 9, 0, 2, 3};
// Logits widened, log-softmax; its gradient from that of the chosen word, which begins as zeros, and
// narrowed.
inline constexpr Modules loss_modules{1, 3, 1, 5, 3, 3};
// The same of logits that stay in 16 bits (transformers, BertForMaskedLM).
inline constexpr Modules narrow_loss_modules{2, 0, 4, 0, 1, 2};
// Scores times a factor, masked, softmax into fp32, narrowed (transformers, eager_attention_forward). As many
// bytes as four models take at the speed of other kernels: 1.4 times those that are read and written at
// least, since the mask is broadcast and products are transposed.
inline constexpr Modules softmax_modules{8, 3, 6, 4, 5, 5};
// A branch added to the stream in fp32; backwards its gradient narrowed, and what both paths give added.
inline constexpr Modules residual_autocast{1, 2, 1, 4, 1, 2};

// Of what `projections` products read, each by itself: their gradients are added up; under autocast each
// narrows its input for itself (torch.autocast keeps casts of weights alone), and widens its gradient.
constexpr Modules inputs_modules(double projections, bool casts) {
  const double sums = projections - 1;
  if (!casts) return {0, 0, 3 * sums, 0, 0, sums};
  return {projections, projections, projections, projections + 3 * sums, projections, projections + sums};
}

// Kernels of fused attention backwards: products of outputs with their gradients, the main kernel, two sums
// over heads that share keys, and gradients of queries narrowed (cuDNN, same steps).
inline constexpr double attention_backward_kernels = 5;

constexpr Arithmetic of_each(double elements, Arithmetic flops) {
  return {elements * flops.forward, elements * flops.backward};
}
constexpr Arithmetic norm_flops(const ModelSpec& model) {
  return model.norm == Norm::layernorm ? layernorm_flops : rmsnorm_flops;
}

// What a rank's tokens of a micro-batch come from: training and prefill, decoding, with drafted tokens, with
// a prompt; with text and image tokens, the text's alone.
inline constexpr std::array<std::string_view, 6> token_expressions{
    "micro_batch_size * sequence_length / context",
    "micro_batch_size",
    "micro_batch_size * (1 + speculative_tokens)",
    "micro_batch_size * (1 + speculative_tokens) + prefill_tokens",
    "micro_batch_size * (sequence_length + source_length) / context",
    "micro_batch_size * source_length / context"};

// How many keys attention meets.
inline constexpr std::array<std::string_view, 6> length_expressions{
    "sequence_length",
    "context_length + sequence_length",
    "sequence_length + source_length",
    "context_length + 1",
    "document_length",
    "context_length + 1 + speculative_tokens"};

// Whose tokens an op reads: those of the sequence; or, in layers of a diffusion transformer with weights of
// their own for each, the image's or the text's.
enum class Modality : std::uint8_t { all, image, text };

// Whether layers' products are in the plan's format, or, in layers that are left out of a narrow one, in 16
// bits.
enum class Precision : std::uint8_t { planned, wide };

// Tokens and heads on this rank, as every part of a layer needs them.
struct LoweringContext {
  explicit LoweringContext(const Setup& setup, Modality stream = Modality::all,
                           Precision width = Precision::planned);

  const Setup& setup;
  const ModelSpec& model;
  const Plan& plan;
  Modality stream;
  Precision width;
  bool parallel_block;  // layers with streams of their own never are
  bool training;
  bool adapting;  // training of adapters: no weight has a gradient
  bool eager;     // training by PyTorch's modules, one after the other
  // Of these, with weights in fp32 that each product narrows for itself (torch.autocast): the residual stream
  // is in fp32, too.
  bool autocast;
  // Of these, with queries, keys and values, and the two branches of an MLP, by products of their own, as
  // modules of models with RMSNorm have them (LlamaAttention, LlamaMLP).
  bool splits_projections;
  bool decoding;
  DType linear_dtype;      // of the layers' matrix products
  Recipe recipe;           // of those, where activations are scaled by ops of their own; none: as measured
  DType wide_dtype;        // of attention, router and head: never below 16 bits
  double activation;       // bytes of one element of the residual stream
  double weight_bytes;     // of one packed weight of the layers' products, with its scale; 0: not packed
  double cache_bytes;      // of one element of the cached keys and values; 0: as activations
  double micro_batches;    // per step
  double layers_per_rank;  // of this stage
  Dim tokens;              // of one micro-batch on this rank
  Dim decoded;             // while decoding: those of them that belong to no prompt
  Dim heads;               // query heads on this rank
  Dim key_value_heads;     // on this rank; replicated where there are fewer than ranks
  Dim query_length;
  Dim key_length;
  Dim hidden;
  // Tokens of the parts that sequence parallelism shards: norms, residuals.
  double sharded_tokens;
  // Bytes of one residual stream of this micro-batch: before and after that sharding.
  double stream_bytes;
  double sharded_stream_bytes;
};

// Which products a product C[m,n] = A[m,k] B[k,n] brings with it.
struct ProductPasses {
  double recompute = 0;         // runs of the forward one again
  bool training = false;        // the gradients
  bool input_gradient = true;   // of A: none where A is the network's input
  bool weight_gradient = true;  // of B: none where B is a weight that does not learn
};

// The op, whose layout is tn or nn, and its gradients: dA = dC B^T, and that of B as it is stored.
void append_product(Op op, ProductPasses passes, std::vector<Op>& ops);

// For the model's norm; `rms_autocast` for RMSNorm under autocast.
Modules norm_modules(const LoweringContext& shared, const Modules& rms_autocast);

// Appends ops to a workload, each with the passes that the mode asks for.
class Emitter {
 public:
  Emitter(const LoweringContext& shared, Workload& workload, std::vector<std::uint32_t>* pieces = nullptr)
      : shared_(&shared), ops_(&workload.ops), texts_(&workload.texts), pieces_(pieces) {
    if (workload.ops.empty()) workload.texts = nullptr;  // of ops that are gone
  }

  // Appends to the same workload, for the tokens of another stream.
  Emitter with(const LoweringContext& shared) const {
    Emitter other = *this;
    other.shared_ = &shared;
    return other;
  }

  // How often what follows runs in the step: every count is multiplied by it, and last, so that a part's ops
  // times its runs are to the last bit those of the step.
  void set_runs(double runs) { runs_ = runs; }

  // What of the model the ops are from here on.
  void set_component(Component component) { component_ = component; }
  Component component() const { return component_; }

  // Which of the distinct layers they are of.
  void set_layer(std::size_t layer) { layer_ = static_cast<std::int32_t>(layer); }

  // Texts that names and expressions of ops view, as long as the workload lives.
  const std::deque<std::string>& keep(std::deque<std::string> texts) {
    struct Kept {
      std::shared_ptr<const std::deque<std::string>> before;  // live as long
      std::deque<std::string> texts;
    };
    const auto kept = std::make_shared<const Kept>(Kept{*texts_, std::move(texts)});
    *texts_ = std::shared_ptr<const std::deque<std::string>>(kept, &kept->texts);
    return kept->texts;
  }

  // Ends a piece of the step (see lower_part).
  void end_piece() {
    if (pieces_ != nullptr) pieces_->push_back(static_cast<std::uint32_t>(ops_->size()));
  }

  // y[m,n] = x[m,k] W[n,k]^T, `batch` times: forward, and in training both gradients.
  void linear(std::string_view name, Dim m, Dim n, Dim k, DType dtype, Repeat repeat, Dim batch = {1, "1"});
  // The same of one of the listed weights, which a rank has in part: all of its outputs where it has some
  // inputs.
  void linear(const Weight& weight, Dim m, Repeat repeat);
  // Scales and narrows what the products since the last call read: their inputs while going forward, and in
  // training the gradients of their results. Nothing without a recipe.
  void quantize(std::string_view name, Repeat repeat);
  // Those elements, where the products' own sizes do not say.
  void set_quantized(double forward_elements, double backward_elements);
  // The same outside of the layers' weights (router, head): never packed, in the wide format.
  void wide_linear(std::string_view name, Dim m, Dim n, Dim k, Repeat repeat, Dim batch = {1, "1"});
  // The same in fp32, on CUDA cores.
  void full_linear(std::string_view name, Dim m, Dim n, Dim k, Repeat repeat);
  // The same of what comes into the model, which has no gradient.
  void input_linear(std::string_view name, Dim m, Dim n, Dim k, Repeat repeat, Dim batch = {1, "1"});
  // C[m,n] = A[m,k] B[k,n] with both operands activations: the layouts follow from the forward one.
  void product(std::string_view name, Dim batch, Dim m, Dim n, Dim k, Layout layout, Repeat repeat);
  // One that has no gradient, A[m,k] B[n,k]^T.
  void forward_product(std::string_view name, Dim batch, Dim m, Dim n, Dim k, Repeat repeat);
  void attention(std::string_view name, const AttentionShape& shape, Repeat repeat);
  void scan(std::string_view name, MixerKind mixer, const AttentionShape& shape, Repeat repeat);
  // Bytes of one run forward and of one run backward (0: none), and its arithmetic.
  void elementwise(std::string_view name, double forward_bytes, double backward_bytes, Repeat repeat,
                   Arithmetic flops = {});
  // What one kernel does, or in eager mode several: `fused` are the bytes of the one.
  struct Moved {
    double forward = 0;
    double backward = 0;
  };
  void modules(std::string_view name, Moved fused, double elements, const Modules& apart, Repeat repeat,
               Arithmetic flops);
  // The same of so many bytes of activations, only where modules run apart.
  void modules_alone(std::string_view name, double bytes, const Modules& apart, Repeat repeat);
  // A norm over `bytes` of activations: one kernel, except in eager mode.
  void norm(std::string_view name, double bytes, Repeat repeat);
  // Sums over all tokens of what `sums` products put out, so many bytes together: gradients of their biases,
  // which PyTorch's modules compute by kernels of their own.
  void bias_gradients(std::string_view name, double bytes, double sums, Repeat repeat);
  // Products that follow are as many that run apart in eager mode.
  void set_projections(double projections) { projections_ = shared_->splits_projections ? projections : 1; }
  // Forward and, in training, backward; either may be absent. Nothing when ranks is 1.
  // `stride`: GPUs from one rank of the group to the next (Megatron-LM's order: tensor, context, data,
  // pipeline).
  void collective(std::string_view name, std::optional<CollectiveKind> forward,
                  std::optional<CollectiveKind> backward, double bytes, std::int64_t ranks, Repeat repeat,
                  bool overlapped = false, std::int64_t stride = 1);
  // To the host's memory in the forward pass, and back in the backward one, overlapped with computation.
  void host_copy(std::string_view name, double bytes, double count);
  // Collectives from here on hide behind computation of their pass, or ops overlap with the shared experts.
  std::size_t size() const { return ops_->size(); }
  void hide(std::size_t first);
  // Elementwise ops from `first` on are depthwise convolutions.
  void convolve(std::size_t first);
  void overlap_with_shared_experts(std::size_t first);
  // Ops from `first` on are that part of the experts.
  void experts(std::size_t first, const ExpertWork& work);
  // Per token, among the bytes of the all-to-alls from `first` on.
  void copies(std::size_t first, const TokenDispatch& copies);
  // A product of the optimizer: `count` times in the step.
  void update_product(std::string_view name, DType dtype, Dim batch, Dim m, Dim n, Dim k, Layout layout,
                      double count);
  // Once, in the given pass only.
  void once(std::string_view name, Pass pass, double bytes, double count, double flops = 0);
  void collective_once(std::string_view name, Pass pass, CollectiveKind kind, double bytes,
                       std::int64_t ranks, double count, bool overlapped, std::int64_t stride = 1);

 private:
  // What policies that look at operations, and not at parts of a layer, run again of one.
  struct ByOperation {
    double operations = 1;
    double elementwise = 1;
  };
  // Share of an op's runs that run again in the backward pass, and how many those are.
  double recompute_fraction(Repeat repeat, ByOperation by_operation) const;
  double again(Repeat repeat, ByOperation by_operation) const;
  // The forward pass, and so many runs of it again.
  void push_forward(Op op, double again);
  Op wide_op(std::string_view name, OpKind kind, double count) const;
  Op wide_product(std::string_view name, Dim batch, Dim m, Dim n, Dim k, Repeat repeat) const;
  Op collective_op(std::string_view name, double bytes, std::int64_t ranks, double count, bool overlapped,
                   std::int64_t stride) const;
  void push_product(Op op, Repeat repeat, bool learns, ByOperation by_operation);
  void push(Op op, Pass pass);
  const LoweringContext* shared_;
  std::vector<Op>* ops_;
  std::shared_ptr<const std::deque<std::string>>* texts_;
  double runs_ = 1;
  Component component_ = Component::other;
  std::int32_t layer_ = -1;
  double projections_ = 1;
  double quantized_forward_ = 0;  // elements, by products since the last quantize()
  double quantized_backward_ = 0;
  std::vector<std::string_view> quantized_inputs_;  // of different products, by their rows' expression
  std::vector<std::uint32_t>* pieces_;              // number of ops at the end of each; may be null
};

// The name of an op `layer.PART` of that stream: `layer.image.PART`; itself where it has none of its own.
std::string_view name_in(Modality stream, std::string_view name);

// The weight of that name of a layer's attention.
Weight attention_weight(const LoweringContext& shared, std::string_view name);
// Columns of its weights of queries, keys and values on one rank, which run as one product. Heads stay whole.
std::int64_t qkv_columns(const LoweringContext& shared);
// What its projections read: the stream, of a shared block with the embedding.
Dim attention_inputs(const LoweringContext& shared);

// The parts of a model, each in its own file. `count` is the number of runs per step on this rank.
void lower_attention(const LoweringContext& shared, double count, Emitter& emit);  // attention/attention.cpp
void lower_latent_attention(const LoweringContext& shared, double count, Emitter& emit);  // attention/mla.cpp
// Scores, softmax, over the values: one op or many. `batch` counts the products when they are not fused.
struct CoreNames {
  std::string_view ring = "layer.attention.ring";
  std::string_view flash = "layer.attention.flash";
  std::string_view scores = "layer.attention.scores";
  std::string_view mask = "layer.attention.mask";
  std::string_view softmax = "layer.attention.softmax";
  std::string_view dropout = "layer.attention.dropout";
  std::string_view values = "layer.attention.values";
};
inline constexpr CoreNames compressed_names{
    "layer.attention.compressed_ring",    "layer.attention.compressed_flash",
    "layer.attention.compressed_scores",  "layer.attention.compressed_mask",
    "layer.attention.compressed_softmax", "layer.attention.compressed_dropout",
    "layer.attention.compressed_values"};
inline constexpr CoreNames selected_names{
    "layer.attention.selected_ring",  "layer.attention.selected_flash",   "layer.attention.selected_scores",
    "layer.attention.selected_mask",  "layer.attention.selected_softmax", "layer.attention.selected_dropout",
    "layer.attention.selected_values"};
inline constexpr CoreNames window_names{"layer.attention.window_ring",    "layer.attention.window_flash",
                                        "layer.attention.window_scores",  "layer.attention.window_mask",
                                        "layer.attention.window_softmax", "layer.attention.window_dropout",
                                        "layer.attention.window_values"};
// Tokens of each document of a packed sequence; 0 where a sequence is one.
inline std::int64_t document_tokens(const Setup& setup) {
  const Plan& plan = setup.plan;
  const bool is_packed = plan.mode == Mode::train && plan.document_length > 0 &&
                         plan.document_length < plan.sequence_length && joined_length(setup) == 0;
  return is_packed ? plan.document_length : 0;
}
// Whether attention is computed of each document alone: fused kernels see to it, where else a mask hides what
// was computed.
inline bool is_packed(const Setup& setup) {
  return document_tokens(setup) > 0 && setup.plan.attention != Attention::unfused;
}
// Queries and keys of one document each where the plan packs several into a sequence.
AttentionShape by_document(const LoweringContext& shared, AttentionShape shape);
// The core of all layers with attention: of those with a window, and of those without.
void lower_attention_cores(const LoweringContext& shared, const AttentionShape& shape, Dim batch,
                           double count, Emitter& emit);
void lower_attention_core(const LoweringContext& shared, const AttentionShape& shape, Dim batch, double count,
                          Emitter& emit, const CoreNames& names = {});
// While decoding, the attention of a prompt's tokens that the step reads along, halfway through the prompt;
// nothing where there are none. `shape` is that of the decoding sequences.
void lower_prompt_core(const LoweringContext& shared, AttentionShape shape, double count, Emitter& emit);
// Keys that it meets: those of this part of a prompt, and of the parts before it.
Dim prompt_keys(const Plan& plan);
// Queries of this layer over the keys and values of an encoder's output (attention/attention.cpp).
void lower_cross_attention(const LoweringContext& shared, double count, Emitter& emit);
// What layers without attention mix tokens by: that one of the model's (mixer.cpp). Names of its first and
// last product, and what these put out and read on one rank as expressions.
void lower_mixer(const LoweringContext& shared, std::size_t which, double count, Emitter& emit);
struct MixerTexts {
  std::string_view in = {}, out = {}, columns = {}, values = {};
};
MixerTexts mixer_texts(MixerKind kind, std::size_t which);
// Attention to chosen blocks of keys (attention/sparse.cpp).
void lower_sparse_attention(const LoweringContext& shared, const AttentionShape& shape, Dim batch,
                            Repeat layer, Emitter& emit);
// Attention to keys that an indexer chooses, to compressed keys, or both (attention/compressed.cpp); the
// projections of queries and keys, and of the output, where these are narrow.
void lower_chosen_attention(const LoweringContext& shared, const AttentionShape& shape, Dim batch,
                            Repeat layer, Emitter& emit);
void lower_narrow_projections(const LoweringContext& shared, Repeat layer, Emitter& emit);
void lower_narrow_output(const LoweringContext& shared, Repeat layer, Emitter& emit);
// What scores keys and chooses the best: its queries are made of `from`, its keys of the stream unless they
// are compressed (attention/mla.cpp).
void lower_indexer(const LoweringContext& shared, const AttentionShape& shape, Dim from, Repeat layer,
                   Emitter& emit);
// Keys that are left of so many where each `ratio` of them become one.
std::int64_t compressed_length(const Compressed& compressed, std::int64_t keys);
// Keys of the compressed branch among so many.
std::int64_t compressed_keys(const Sparse& sparse, std::int64_t keys);
// What hyper-connections do around a branch, except for the addition (layers.cpp).
struct BranchNames {
  std::string_view residual;
  std::string_view hyper_weights;
  std::string_view hyper_mix;
};
void lower_hyper_connection(const LoweringContext& shared, const BranchNames& names, Repeat repeat,
                            Emitter& emit);
// AltUp's prediction and correction of all streams around a layer, and LAuReL's product (layers.cpp).
void lower_altup(const LoweringContext& shared, double count, Emitter& emit);
void lower_laurel(const LoweringContext& shared, double count, Emitter& emit);
// Arithmetic of one run of a scan.
double scan_flops(const Op& op);
// Vectors that steer a layer of a diffusion transformer: with one branch (attention and MLP next to each
// other) it has half of them. Those that are made once for all layers: of each stream with weights of its
// own, and of layers with one set. Elements of what they are made of.
std::int64_t modulation_vectors(const ModelSpec& model, bool one_branch);
std::int64_t shared_vectors(const ModelSpec& model);
std::int64_t condition_elements(const ModelSpec& model);
// How a spectrogram is read: channels of its convolutions, how often they halve it, and bands that are left.
struct FrontSizes {
  std::int64_t channels = 1;
  std::int64_t halvings = 1;
  std::int64_t bands = 1;
};
FrontSizes front_sizes(const ModelSpec& model);
// The convolutions and the product that make tokens of it; a conformer's convolution module; what the
// distances between tokens add to the scores (conformer.cpp).
void lower_spectrogram(const LoweringContext& shared, Dim tokens, Repeat once, Emitter& emit);
void lower_convolution_module(const LoweringContext& shared, double count, Emitter& emit);
void lower_relative_positions(const LoweringContext& shared, const AttentionShape& shape, Dim batch,
                              double count, Emitter& emit);
// Copies of a layer's activations to the host's memory and back (recompute_and_offload.cpp).
void lower_offload(const LoweringContext& shared, double count, Emitter& emit);
// What steers a layer of a diffusion transformer; what stands in the place of the embedding where patches or
// frames are read, and of the head where patches are predicted (diffusion.cpp).
void lower_modulation(const LoweringContext& shared, double count, Emitter& emit);
void lower_front(const LoweringContext& shared, Repeat once, Emitter& emit);
void lower_outputs(const LoweringContext& shared, Repeat once, Emitter& emit);
void lower_mlp(const LoweringContext& shared, double count, Emitter& emit);  // layers.cpp
void lower_moe(const LoweringContext& shared, double count, Emitter& emit);  // mixture/moe.cpp
void lower_embedding(const LoweringContext& shared, Emitter& emit);          // head.cpp
void lower_head(const LoweringContext& shared, Emitter& emit);               // head.cpp
// What a layer does with what it reads of the embedding of all layers (head.cpp).
void lower_layer_embedding(const LoweringContext& shared, double count, Emitter& emit);
void lower_pipeline(const LoweringContext& shared, Emitter& emit);  // collectives.cpp
// `learning` of the parameters are updated: those that are held, or those of adapters.
void lower_data_parallel(const LoweringContext& shared, RankParameters held, RankParameters learning,
                         Emitter& emit);
void lower_optimizer(const LoweringContext& shared, RankParameters held, RankParameters learning,
                     Emitter& emit);

// Bytes of a packed weight and its part of the scale; 0 where weights are not packed.
double packed_bytes(const Plan& plan);
// The same of routed experts, which may be stored otherwise than the other weights.
double expert_packed_bytes(const Plan& plan);

// Tokens whose logits are computed: an inference engine needs only the last of each sequence (head.cpp).
Dim logit_tokens(const LoweringContext& shared);

// Tensor parallelism around a column-parallel and a row-parallel product (collectives.cpp).
void enter_tensor_parallel(const LoweringContext& shared, std::string_view name, Repeat repeat,
                           Emitter& emit);
void leave_tensor_parallel(const LoweringContext& shared, std::string_view name, Repeat repeat,
                           Emitter& emit);

// Tokens in the cache before a prefill; 0 while training, and (see key_length) while decoding.
inline std::int64_t cached_tokens(const Plan& plan) {
  return plan.mode == Mode::prefill ? plan.context_length : 0;
}

// Ops from `first` on that do the same work become one, that runs as often as all of them (fuse.cpp).
void merge_equal(std::vector<Op>& ops, std::size_t first);

// What `fusion` of the plan says, done to the ops from `first` on (fuse.cpp).
void fuse(const Plan& plan, std::vector<Op>& ops, std::size_t first);

}  // namespace shapelint::model
