// What a model is and how it is run: plain numbers, cheap to copy, costed millions of times by a search.
// Where each number came from is kept apart, in Origins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/recipe.hpp"

namespace shapelint::model {

enum class Norm : std::uint8_t { layernorm, rmsnorm };
// How several residual streams are one model: hyper-connections mix all of them around each branch (arXiv
// 2409.19606); AltUp runs a layer on one of them, and predicts and corrects the others (2301.13310).
enum class ResidualMixing : std::uint8_t { hyper_connections, altup };
enum class Mode : std::uint8_t { train, prefill, decode };
// flash: the newest fused kernels that the GPU has; flash1, flash2: those of an older FlashAttention; cudnn:
// those of cuDNN where they are known, else as flash.
enum class Attention : std::uint8_t { flash, unfused, flash1, flash2, cudnn };
// Whose fused kernels: FlashAttention's, or cuDNN's, which PyTorch's scaled_dot_product_attention takes on
// Hopper.
enum class AttentionLibrary : std::uint8_t { flash_attention, cudnn };
constexpr AttentionLibrary library_of(Attention attention) {
  return attention == Attention::cudnn ? AttentionLibrary::cudnn : AttentionLibrary::flash_attention;
}
// What runs again in the backward pass: attention's core; whole layers; all but fused attention and every
// second product (torchtitan's selective checkpointing by operation); all but products with weights (JAX's
// policies that save these).
enum class Recompute : std::uint8_t { none, selective, full, operations, elementwise };
// How the loss is made of the logits, and so what is kept of each (model/training_bytes.hpp): by a kernel
// that reads them and writes their gradient; by an operation after the other in fp32 (PyTorch's cross
// entropy); in place (Megatron's, over ranks of tensor parallelism); or a chunk of tokens at a time, so that
// they are never all there.
enum class Loss : std::uint8_t { fused, unfused, vocab_parallel, chunked, vocab_parallel_fused };
// Elementwise kernels that run inside others: none; norms with the residual additions before them (vLLM,
// TensorRT-LLM); also activations with the products before them (torch.compile at small batches). Of a CNN
// norms: batch norms, activations and additions that follow each other are one kernel (compilers, fused batch
// norms); full: they run in the convolution before them (inference: its weights take the norm in).
enum class Fusion : std::uint8_t { none, norms, full };
// Adam; Muon, whose update of a matrix is made orthogonal by products (Jordan 2024), and Adam for what is no
// matrix; Shampoo, which preconditions both sides of a matrix (Gupta et al. 2018, 1802.09568); gradient
// descent without a state, and with a momentum; Lion, which has a momentum alone (2302.06675); Adafactor,
// whose second moment of a matrix is a row and a column (1804.04235); Adam in a space of few dimensions
// (GaLore, 2403.03507; APOLLO, 2412.05270).
enum class Optimizer : std::uint8_t { adam, muon, shampoo, sgd, momentum, lion, adafactor, low_rank };
// What training keeps of weights: 16 bits and a copy in fp32 that the optimizer updates (Micikevicius et al.,
// 1710.03740); fp32, cast to 16 bits for each product (PyTorch's autocast); 16 bits alone, which the
// optimizer's states are of, too.
enum class WeightPrecision : std::uint8_t { mixed, fp32, half };
// When gradients are there: always, in a buffer (Megatron-LM, DistributedDataParallel); from a layer's
// backward pass to the update (PyTorch, zero_grad(set_to_none=True)); of the layer that goes backward only,
// whose weights are updated at once (LOMO, 2306.09782; torchtune, optimizer_in_bwd).
enum class GradientStorage : std::uint8_t { buffer, freed, in_backward };
// Which GEMMs of a layer have a LoRA adapter.
enum class LoraTargets : std::uint8_t { all, attention, query_value };
// What a training step's CUDA graphs hold: as releases of that month had it; parts of layers, so that the
// host launches the experts when it has seen how many tokens each of them got; the whole step, experts in
// buffers of a fixed size.
enum class CudaGraphScope : std::uint8_t { by_release, parts, step };
// How tokens are spread over a mixture's experts: as evenly as chance has it; by a power law of that
// exponent; or with experts whose popularity is exponentially distributed.
enum class Routing : std::uint8_t { even, power_law_1_01, power_law_1_2, exponential };
// How tokens reach the experts of other ranks while a mixture is trained: by kernels that copy and send them
// at once (DeepEP, HybridEP), or by NCCL's all-to-all between permutations.
enum class Dispatcher : std::uint8_t { fused, all_to_all };
// In which order a stage of a pipeline runs its passes: one forward, one backward (PipeDream-Flush; with
// chunks, Megatron-LM's interleaved schedule); all forward passes first (GPipe, 1811.06965); weight gradients
// apart from input gradients, where the stage would wait (ZB-H1, and ZB-V with two chunks in the shape of a
// V, 2401.10241); micro-batches from both ends at once (DualPipe, 2412.19437, section 3.2.1), or from the one
// end of a V (DualPipeV); or one micro-batch at a time, so that all stages but one wait (layers that Hugging
// Face's accelerate spreads over GPUs: device_map).
enum class PipelineSchedule : std::uint8_t {
  one_forward_one_backward,
  gpipe,
  zero_bubble,
  zero_bubble_v,
  dualpipe,
  dualpipe_v,
  in_turn
};
// What an MoE all-to-all overlaps with: nothing, the shared experts, or another micro-batch.
enum class Overlap : std::uint8_t { none, shared_experts, micro_batches };

// Whose kernels serve a mixture's experts: the fastest in general, or an engine's; and of which family, where
// an engine has several.
enum class ServingEngine : std::uint8_t { fastest, vllm, sglang, trtllm };
enum class ExpertKernels : std::uint8_t { default_ones, cutlass, triton, deepgemm, flashinfer };

// When the software was released that runs the step: kernels and frameworks change. The first is the newest
// that is known, then months.
enum class Software : std::uint8_t { newest };
inline constexpr int first_software_year = 2025;
inline constexpr int software_years = 2;

// A mixture of experts in place of the MLP; num_experts 0 means a dense model.
struct Moe {
  std::int64_t num_experts = 0;
  std::int64_t experts_per_token = 0;         // top-k
  std::int64_t intermediate_size = 0;         // of one expert, one branch
  std::int64_t num_shared_experts = 0;        // always active
  std::int64_t shared_intermediate_size = 0;  // of all shared experts together, one branch
  std::int64_t first_dense_layers = 0;        // leading layers with the plain MLP
  std::int64_t layer_interval = 1;            // every n-th layer (after the dense ones) is a mixture
  bool router_bias = false;                   // one number per expert added to its score (DeepSeek-V3)
  bool router_fp32 = false;      // its product runs in fp32, outside of tensor cores (MiniMax-M2 in vLLM)
  std::int64_t latent_size = 0;  // experts read and write vectors of this width (Nemotron-3); 0: hidden_size
  std::int64_t groups = 0;       // of experts, among which tokens choose first; 0: none
  std::int64_t groups_per_token = 0;  // that a token's experts lie in
};

// What the first layer reads: rows of an embedding table; patches of an image or of a latent, by one product;
// frames of sound, by two convolutions over three frames, the second of which halves them (Whisper,
// 2212.04356); a spectrogram, by convolutions over both its sides that halve them each time (Conformer,
// 2005.08100).
enum class Input : std::uint8_t { vocabulary, patches, frames, spectrogram };

// How a spectrogram becomes tokens: convolutions of 3 x 3 that move by 2, then one product.
struct SpectrogramStem {
  std::int64_t channels = 1;   // of each convolution
  std::int64_t reduction = 2;  // frames that become one token
  bool separable = false;      // after the first by depthwise convolutions and products (FastConformer)
};

// A diffusion transformer: layers are steered by vectors that are made of the time and other conditions (DiT,
// 2212.09748), and may read the text's tokens together with the image's.
struct Diffusion {
  bool text_joined = false;  // text tokens are joined with image tokens in every layer
  // Of those layers, the ones with weights of their own for each, which attend to each other (MMDiT,
  // 2403.03206).
  std::int64_t joint_layers = 0;
  std::int64_t modulation = 0;      // vectors of hidden_size that steer a layer: 6 in DiT; 0: no such model
  bool modulation_shared = false;   // made once for all layers (PixArt, Wan)
  std::int64_t condition_size = 0;  // elements of what those vectors are made of; 0: hidden_size
  std::int64_t conditions = 0;      // vectors (time, guidance, pooled text) that a small MLP each embeds
  std::int64_t text_size = 0;  // elements of a text token's embedding as it comes in; 0: hidden_size already
};

// What a layer mixes tokens by where that is not softmax attention: a linear recurrence whose state has a
// fixed size, a convolution, or a gate by what an earlier layer made. Definitions and sources in
// model/mixer.hpp.
enum class MixerKind : std::uint8_t {
  none,
  gated_delta_net,
  kimi_delta_attention,
  mamba,
  mamba2,
  gated_linear_attention,
  retention,
  rwkv7,
  lightning_attention,
  rg_lru,
  short_convolution,
  delta_net,
  mlstm,
  hyena,
  gated_memory,
  rwkv4,
  rwkv5,
  rwkv6,
  slstm
};
inline constexpr std::size_t mixer_kinds = 19;

// Sizes are those of linear attention. A state space is one, too (Mamba-2, arXiv 2405.21060): its groups are
// the heads of keys, its state is as wide as a key, and its heads are those of values.
struct Mixer {
  MixerKind kind = MixerKind::none;
  std::int64_t layers = 0;
  std::int64_t key_heads = 0;
  std::int64_t value_heads = 0;
  std::int64_t key_dim = 0;
  std::int64_t value_dim = 0;
  std::int64_t conv_kernel = 0;  // taps of the causal convolution before it; 0: none
  std::int64_t chunk = 0;        // tokens whose products are taken together
  std::int64_t gate_rank = 0;    // of compressed gates, all of them together
  bool bias = false;             // of its projections
  bool parallel = false;         // parallel to attention, in the same layers (Falcon-H1, Hymba)
  bool joined = false;  // then attention's projection back takes the mean of both (Hymba, 2411.13676)
};

// Kinds of layers without softmax attention that one model may have (SambaY two, Nemotron-Flash two).
inline constexpr std::size_t most_mixers = 3;

// Attention whose queries do not see all keys before them.
struct SlidingWindow {
  std::int64_t size = 0;    // keys that a query sees; 0: all
  std::int64_t layers = 0;  // of those with attention that have it
  bool chunked = false;     // the keys of its own chunk of that size (Llama 4)
  bool sinks = false;       // a learned score per head joins each softmax (gpt-oss)
};

// Each query reads the keys that an indexer scores highest (DeepSeek-V3.2; over compressed keys DeepSeek-V4;
// by blocks MiniMax-M3).
struct Indexer {
  std::int64_t keys = 0;  // 0: all
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
};

// What a query of sparse attention sees. nsa: compressed blocks of all keys before it, the blocks of keys
// whose compressed ones it scores highest, and the last keys, each with keys and values of its own (native
// sparse attention, 2502.11089). moba: the blocks of keys whose means it scores highest, its own block among
// them (mixture of block attention, 2502.13189).
enum class SparseKind : std::uint8_t { nsa, moba };

struct Sparse {
  std::int64_t blocks = 0;  // that a query selects; 0: it sees all keys
  std::int64_t block_size = 0;
  std::int64_t compressed_size = 0;    // keys of which one is made
  std::int64_t compressed_stride = 0;  // keys from one of these to the next
  std::int64_t window = 0;             // the last keys
  // One projection of keys and values for all three, and means in the place of products that compress them
  // (flash-linear-attention, layers/nsa.py).
  bool shared = false;
  SparseKind kind = SparseKind::nsa;
};

// Attention over compressed keys (DeepSeek-V4, transformers models/deepseek_v4): of each `ratio` tokens one
// key is made, which is value, too, by gates that a second product makes; queries see those, or the ones that
// an indexer scores highest, and the last keys of a window. Queries and output go through narrow projections.
struct Compressed {
  std::int64_t ratio = 0;          // tokens of which one key is made; 0: all keys are kept
  std::int64_t q_lora_rank = 0;    // of compressed queries; 0: these are projected directly
  std::int64_t output_groups = 0;  // of heads, each with a projection of its own; 0: one projection for all
  std::int64_t output_rank = 0;    // elements that each of these puts out
};

// Keys and values: by projections of their own; one projection makes both, of which each is cached as it is
// used (Gemma 4: the key is normalized and rotated, the value is not); or they are one tensor (DeepSeek-V4).
enum class KeyValues : std::uint8_t { apart, one_projection, one_tensor };

// What a layer of a list mixes tokens by, and what follows. linear: one square product (DeciLM). A layer with
// one of the model's mixers has the number of that added to `mixer`, the last of all.
enum class Mixing : std::uint8_t { none, attention, linear, mixer };
enum class Feeding : std::uint8_t { none, mlp, mixture, linear };

// A layer of a model whose layers differ: what it has otherwise than the model's fields say; -1: as they say.
struct TransformerLayer {
  std::int64_t mixing = -1;   // a Mixing; attention unless stated
  std::int64_t feeding = -1;  // a Feeding; the mixture of a model that has one, unless stated
  std::int64_t num_attention_heads = -1;
  std::int64_t num_key_value_heads = -1;
  std::int64_t head_dim = -1;
  std::int64_t value_head_dim = -1;
  std::int64_t intermediate_size = -1;
  std::int64_t window = -1;  // keys that a query sees; 0: all
  std::int64_t num_experts = -1;
  std::int64_t key_values = -1;        // a KeyValues
  std::int64_t compressed_ratio = -1;  // 0: keys are not compressed
  std::int64_t indexer_keys = -1;      // 0: no indexer
  std::int64_t borrows_keys = -1;      // 1: it reads the keys and values of an earlier layer
  std::int64_t joint = -1;  // 1: it has weights of its own for the image's and for the text's tokens

  bool operator==(const TransformerLayer&) const = default;
};

// So many equal layers, one behind the other.
struct LayerGroup {
  std::int64_t count = 0;
  TransformerLayer layer;

  bool operator==(const LayerGroup&) const = default;
};

// Attention and MLP whose weights several layers have in common (Zamba, 2405.16712; Zamba2, 2411.15242).
struct SharedBlock {
  std::int64_t blocks = 0;        // that take turns; 0: each layer has its own
  std::int64_t input_size = 0;    // of attention: the stream concatenated with the embedding; 0: hidden_size
  std::int64_t adapter_rank = 0;  // of what each layer adds to the MLP's first weights; 0: nothing
  bool adapts_attention = false;  // and to those of queries, keys and values
  bool projection = false;        // a square product of each layer's own behind the block
};

// Multi-head latent attention (DeepSeek-V2 and later); kv_lora_rank 0 means ordinary attention.
struct Mla {
  std::int64_t q_lora_rank = 0;  // 0: the query is projected directly
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t v_head_dim = 0;
};

enum class LayerKind : std::uint8_t {
  conv,
  linear,  // over all channels and pixels of its input
  max_pool,
  average_pool,
  global_pool,
  matmul,       // of two activations
  elementwise,  // reads and writes tensors
  block         // of further layers
};

// One layer of a CNN (NHWC) as it is written: what is 0 follows from the layer before it (model/cnn.hpp).
struct Layer {
  LayerKind kind = LayerKind::conv;
  std::int32_t id = 0;  // number of the layer in the file; those inside a block come behind it
  std::string name;
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;  // linear: outputs
  std::int64_t image_height = 0;  // of the input
  std::int64_t image_width = 0;
  std::int64_t kernel_height = 1;
  std::int64_t kernel_width = 1;
  std::int64_t stride = 0;  // 0: 1, of a pool its kernel
  std::int64_t padding_height = 0;
  std::int64_t padding_width = 0;
  bool padding_same = false;  // half the kernel on each side, so that a stride of 1 keeps the image's size
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool depthwise = false;  // as many groups as input channels
  bool bias = false;
  bool batch_norm = false;      // behind it; a block's applies to its shortcut
  std::int64_t repeat = 1;      // one after the other
  bool shares_weights = false;  // the repeats do, as the steps of a recurrent layer

  // linear: rows per image. matmul: C[rows, columns] = A[rows, depth] B[depth, columns], `products` per image
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  std::int64_t products = 1;
  std::int64_t elements = 0;  // elementwise: read and written, per image

  // block: `layers` one after the other, or the concatenated outputs of `branches`
  bool residual = false;  // the block's input is added to its output, through a 1 x 1 convolution if it must
  std::vector<Layer> layers;
  std::vector<std::vector<Layer>> branches;
};

// Global (unsharded) dimensions, as a configuration file states them.
struct ModelSpec {
  std::int64_t hidden_size = 0;
  std::int64_t num_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;           // of queries and keys
  std::int64_t value_head_dim = 0;     // of values; head_dim unless the model says otherwise
  std::int64_t intermediate_size = 0;  // width of ONE branch of the MLP
  bool mlp_gated = false;              // two branches up (SwiGLU, GeGLU), one down
  std::int64_t vocab_size = 0;
  std::int64_t vocab_padding_multiple = 1;  // rows are padded up to a multiple of this times `tensor`
  bool tie_word_embeddings = true;
  bool parallel_block = false;  // attention and MLP read the same norm's output (GPT-J, Falcon)
  bool causal = true;
  // Hybrids: layers without softmax attention, which mix tokens by what `mixers` say (where they say nothing,
  // that is not costed) or, where these have fewer, not at all; and layers without an MLP or a mixture.
  std::int64_t layers_without_attention = 0;
  std::int64_t layers_without_mlp = 0;
  std::int64_t mtp_layers = 0;        // predict further tokens while training (DeepSeek-V3, section 2.2)
  std::int64_t residual_streams = 1;  // copies of the residual stream
  ResidualMixing residual_mixing = ResidualMixing::hyper_connections;
  // Beside attention a product of this rank from the normed stream to the stream (LAuReL, 2411.07501); 0:
  // none.
  std::int64_t laurel_rank = 0;
  bool cross_attention = false;  // each layer also attends to the output of an encoder (T5, BART, Whisper)
  // Of those with attention, layers that read the keys and values of an earlier one and make none (CLA,
  // 2405.12981; YOCO, 2405.05254).
  std::int64_t shared_key_value_layers = 0;
  bool shared_key_value_weights = false;  // and keep projections of K and V that are not used (Gemma 3n)
  std::int64_t mlps_per_layer = 1;  // 2: one before attention and one behind it, half a step each (Conformer)
  // Taps of the depthwise convolution in a module next to attention in each layer (Conformer, 2005.08100); 0:
  // none.
  std::int64_t convolution_kernel = 0;
  // An embedding for each layer, which it reads apart from the residual stream (Gemma 3n, Gemma 4): elements
  // of each of them, and rows of the one table that holds all.
  std::int64_t layer_embedding_size = 0;  // 0: none
  std::int64_t layer_embedding_rows = 0;
  bool relative_positions =
      false;  // scores add products with embedded distances (Transformer-XL, 1901.02860)

  // These change parameter counts, not shapes.
  Norm norm = Norm::layernorm;
  bool norm_bias = true;  // layernorm with a bias vector
  bool qkv_bias = true;
  bool attention_output_bias = true;
  bool mlp_bias = true;
  bool qk_norm = false;
  bool qk_norm_whole = false;            // over all heads together (OLMo 2, MiniMax), not over each
  bool attention_gate = false;           // attention's output is gated by a projection as wide (Qwen3-Next)
  std::int64_t attention_gate_rank = 0;  // of that projection, which is two narrow ones; 0: it is one
  std::int64_t learned_positions = 0;    // rows of a learned position table; 0 for rotary and the like
  std::int64_t max_positions = 0;        // tokens of the longest sequence that it is made for; 0: not known
  std::int64_t norms_per_layer = 2;
  std::int64_t token_types = 0;  // rows of BERT's token-type table
  bool final_norm = true;
  bool embedding_norm = false;
  bool pooler = false;  // BERT's dense layer over the first token
  // Of towers of images and sound, with their projectors, whose output these layers read (LLaVA, Qwen2-VL):
  // they are in memory, and their time is not in the step's.
  std::int64_t tower_parameters = 0;
  bool lm_head = true;  // a projection to the vocabulary exists and is run
  bool lm_head_bias = false;
  bool lm_head_transform = false;  // a dense layer and a norm before that projection (BERT)

  Input input = Input::vocabulary;
  std::int64_t input_size = 0;   // elements of a patch or a frame
  std::int64_t output_size = 0;  // elements that a last product predicts for each token; 0: none
  SpectrogramStem front;
  Diffusion diffusion;

  Moe moe;
  Mla mla;
  std::array<Mixer, most_mixers> mixers{};
  SlidingWindow window;
  Indexer indexer;
  Sparse sparse;
  SharedBlock shared_block;
  Compressed compressed;
  KeyValues key_values = KeyValues::apart;

  // In order, where a file says it (model/layer_list.hpp); empty: as the fields above say.
  std::vector<LayerGroup> layers;
  bool layers_differ = false;  // in more than those fields count: each has sizes of its own
  // For a model of one layer, as a layer of such a list is lowered and counted.
  struct Single {
    bool is_one = false;
    bool borrows_keys = false;    // it reads the keys and values of an earlier layer
    bool linear_mixing = false;   // a square product in the place of attention
    bool linear_feeding = false;  // or of the MLP
    std::int64_t sharing = 0;     // layers that have the model's shared blocks, of which it is one
  };
  Single single;

  // A CNN: then the transformer's fields are unused.
  std::vector<Layer> conv;
  std::int64_t image_channels = 0;  // of the network's input; 0: the first layer says
  std::int64_t image_height = 0;
  std::int64_t image_width = 0;
};

// Which stage of a pipeline sets the pace: the one with more arithmetic, or where stages are priced
// (cost/stages.hpp), the first or the last of them.
enum class Pace : std::uint8_t { by_arithmetic, first, last };

// How it is run: what one rank of the job computes in one optimizer step (or one forward pass).
struct Plan {
  Mode mode = Mode::train;
  DType dtype = DType::bf16;
  Attention attention = Attention::flash;
  Recompute recompute = Recompute::none;
  std::int64_t recompute_layers = 0;  // of all, that full recomputation takes; 0: all
  std::int64_t recompute_unit = 1;    // layers that it runs again together, of which it keeps one input
  // Besides, parts of every layer (Megatron-Core's recompute_modules).
  bool recompute_norms = false;
  bool recompute_up_projections = false;  // of latent attention, to queries, keys and values
  bool recompute_mlp = false;
  bool recompute_experts = false;  // mixtures, with their exchange of tokens
  bool recompute_expert_activations = false;
  bool recompute_shared_experts = false;
  Loss loss = Loss::unfused;
  CudaGraphScope graphs = CudaGraphScope::by_release;
  Fusion fusion = Fusion::none;
  Recipe recipe = Recipe::none;  // of operands of a byte or less; none: as the GPU's profile was measured
  Software software = Software::newest;
  ServingEngine engine = ServingEngine::fastest;
  ExpertKernels expert_kernels = ExpertKernels::default_ones;
  Routing routing = Routing::even;
  bool channels_last = true;  // of a CNN: images in NHWC; else in NCHW
  std::int64_t micro_batch_size = 1;
  std::int64_t sequence_length = 0;
  std::int64_t source_length = 0;          // tokens of the encoder's output that cross-attention reads
  std::int64_t context_length = 0;         // decode: tokens already in the cache
  std::int64_t gradient_accumulation = 1;  // micro-batches per step and pipeline
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_pipeline = 1;  // chunks of layers that a stage holds (interleaved schedule)
  PipelineSchedule pipeline_schedule = PipelineSchedule::one_forward_one_backward;
  std::int64_t data = 1;
  std::int64_t expert = 1;         // ranks that share a layer's experts out; some of data x tensor x context
  std::int64_t expert_tensor = 1;  // ranks that split each expert; some of the same
  std::int64_t context = 1;
  Overlap overlap = Overlap::none;  // of the exchange of tokens between experts
  Dispatcher dispatcher = Dispatcher::fused;
  bool tensor_overlap = false;               // training: TP collectives overlap with GEMMs
  bool sequence_parallel = false;            // norms and residuals sharded along the sequence over `tensor`
  std::int64_t zero = 0;                     // ZeRO stage 0 to 3
  std::int64_t zero_ranks = 0;               // that share what ZeRO shards; 0: all data-parallel ones
  std::int64_t dispatch_bits = 0;            // of an element on its way to an expert; 0: as activations
  std::int64_t activation_input_bits = 0;    // of the activation function's inputs as kept; 0: as activations
  bool wide_attention = false;               // attention's projections stay in 16 bits in all layers
  std::int64_t wide_layers = 0;              // layers whose products stay in 16 bits where dtype is narrower
  bool fused_gradient_accumulation = false;  // products add to the sum of gradients as they write it
  bool dropout = false;          // of attention weights and of each block's output, while training
  bool without_dropout = false;  // it is known that nothing is dropped: memory counts no masks
  // Training: memory of the models of the same step on the same GPUs, in that of this one.
  double beside_share = 0;
  // Training: nothing here learns, but something before it does (a projector, a tower), and gradients go
  // there.
  bool frozen = false;
  // Training: only adapters (LoRA) learn. The weights have no gradients and no optimizer's states.
  bool adapters = false;
  // Embedding and head: those trained in full next to adapters, in a copy (PEFT's modules_to_save), or
  // next to the trained layers.
  std::int64_t learning_tables = 0;
  std::int64_t adapter_rank = 0;  // 0: what the adapters themselves add is not costed
  // Trained layers if all else but `learning_tables` is frozen; 0: all of them.
  std::int64_t learning_layers = 0;
  bool frozen_towers = false;         // training: towers before the layers do not learn
  std::int64_t reference_models = 0;  // frozen copies of the model next to the trained one
  LoraTargets adapted = LoraTargets::all;
  Optimizer optimizer = Optimizer::adam;
  std::int64_t optimizer_rank = 0;     // of Optimizer::low_rank
  std::int64_t optimizer_bits = 0;     // of an element of its states; 0: 32, 16 with 16-bit weights alone
  bool wide_embedding_states = false;  // those of the embedding in fp32 where others have fewer bits
  bool paged_optimizer = false;  // its states leave for the host's memory when the GPU's is short of room
  WeightPrecision weight_precision = WeightPrecision::mixed;
  std::int64_t master_bits = 0;  // bits per element of the master copy of 16-bit weights; 0: 32
  // Bits of an element of the gradients that a rank keeps, the sum of its micro-batches; 0: as weights, 16 or
  // 32.
  std::int64_t gradient_bits = 0;
  GradientStorage gradient_storage = GradientStorage::buffer;
  bool eager = false;     // elementwise operations run one after the other, and keep what they read
  bool compiled = false;  // torch.compile makes the kernels of the whole model, and pads its products
  // What is in the host's memory instead of the GPU's: of the optimizer's states that share, which it
  // updates; gradients, on their way there; weights, until a layer needs them.
  std::int64_t offload_optimizer = 0;  // percent
  bool offload_gradients = false;
  bool offload_weights = false;
  std::int64_t document_length = 0;   // tokens that attend to each other in a packed sequence; 0: all of it
  bool offload_activations = false;   // they wait for the backward pass in the host's memory
  std::int64_t embedding_stages = 0;  // the embedding and the head, where each has a layer's place in a stage
  std::int64_t colocated_mib = 0;     // that other models keep on the same GPU meanwhile
  std::int64_t stage_layers = 0;  // of the stage with most, where they are not shared out evenly; 0: evenly
  Pace pace = Pace::by_arithmetic;
  double other_stages = 0;  // of a priced pace: time of all other stages as a share of that one's
  double end_layers = 0;    // and what stands behind the last layer, as a number of layers that take as long

  // Inference only, the first two also with adapters (QLoRA).
  std::int64_t weight_bits = 0;         // of a stored weight of the layers' products; 0: as dtype
  std::int64_t weight_group_size = 0;   // weights that share a 16-bit scale; 0: a whole row
  std::int64_t expert_weight_bits = 0;  // of routed experts, where others are stored otherwise; 0: as these
  std::int64_t expert_weight_group_size = 0;  // of them: weights that share a scale of a byte
  bool unknown_weights = false;               // stored in an unstated format: their bytes are unknown
  std::int64_t kv_cache_bits = 0;             // of a cached element of keys and values; 0: as activations
  std::int64_t speculative_tokens = 0;        // draft tokens that a decoding step verifies with the next one
  std::int64_t speculative_acceptance = 70;   // percent: chance that the next drafted token is accepted
  std::int64_t prefill_tokens = 0;            // of another sequence's prompt that a decoding step reads along
  std::int64_t memory_percent = 0;    // of the GPU's memory, that an engine takes; 0: what it can have
  std::int64_t cache_percent = 0;     // of what the weights leave of that, that keys and values take; 0: all
  std::int64_t most_sequences = 0;    // that an engine may run at a time; 0: its default
  std::int64_t longest_sequence = 0;  // tokens that an engine lets a sequence grow to; 0: max_positions
  std::int64_t step_tokens = 0;       // most tokens of an engine's step; 0: its default
  std::int64_t position_table_bytes = 0;  // of tables that each rank keeps, for each of max_positions
};

// Everything that a prediction depends on except the GPU.
struct Setup {
  ModelSpec model;
  Plan plan;
};

}  // namespace shapelint::model
