// What a GPU is asked to do: the operations of one step on one rank, with every dimension traceable to the
// fields that it came from.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "base/recipe.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// scan: the recurrence of a mixer without softmax attention, one kernel or a few.
enum class OpKind : std::uint8_t { gemm, attention, scan, elementwise, collective };

// grad_input is the gradient of a product's first operand, grad_weight of its second (of keys and values
// where attention is not fused); backward is the whole gradient of anything but a GEMM.
enum class Pass : std::uint8_t { forward, recompute, grad_input, grad_weight, backward, update };

// Which dimension of each operand of C[m,n] = A[m,k] B[k,n] is contiguous in memory (row-major storage):
//   tn  A by k, B by k, C by n   forward of a linear layer, y = x W^T
//   nn  A by k, B by n, C by n   its input gradient, dx = dy W; attention over values
//   nt  A by m, B by n, C by n   its weight gradient, dW = dy^T x
//   tt  A by m, B by k, C by n   no pass of a linear layer
enum class Layout : std::uint8_t { tn, nn, nt, tt };
inline constexpr std::array layouts{Layout::tn, Layout::nn, Layout::nt, Layout::tt};

// host_copy: between a GPU's memory and its host's, of one rank.
enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  send,
  host_copy
};

// A dimension and the expression of fields that it came from, such as `3 * hidden_size / tensor`. The
// expression is a literal of the lowering (no allocation); identifiers in it are names of model::fields(),
// `/` rounds up, and min, max, ceil_to and those of model/lower/mixture/routing.hpp are functions. Values are
// at least 1 and at most count_limit.
struct Dim {
  std::int64_t value = 1;
  std::string_view expression;
};

struct AttentionShape {
  Dim sequences;        // batch
  Dim heads;            // query heads on this rank
  Dim key_value_heads;  // on this rank
  Dim query_length;
  Dim key_length;
  Dim head_dim;        // of queries and keys
  Dim value_head_dim;  // of values
  bool causal = true;
  AttentionLibrary library = AttentionLibrary::flash_attention;
  std::int64_t kernel_version = 0;  // of FlashAttention; 0: the newest that the GPU has
  double cache_bytes = 0;           // of one cached element of keys and values; 0: as the op's dtype
  std::int64_t window = 0;          // keys that a query sees; 0: all
  bool is_one_tensor = false;       // a key is its value, too, and read once
};

// What distinguishes a convolution, computed as a product without its input being written out as a matrix
// (implicit GEMM), from the product that it equals. 0: as in any product.
struct ImplicitGemm {
  // elements in memory of A, B and C, of all groups together
  double a_elements = 0;
  double b_elements = 0;
  double c_elements = 0;
  // elements that lie together along a dimension: channels, where the dimension also runs over a kernel
  std::int64_t run_m = 0;
  std::int64_t run_n = 0;
  std::int64_t run_k = 0;
  // For a 3 x 3 kernel of stride 1 in one group: images, and the pixels of its output. 0: for any
  // other.
  std::int64_t images = 0;
  std::int64_t out_height = 0;
  std::int64_t out_width = 0;
  bool channels_first = false;  // images in NCHW
};

// Which part of a mixture's experts an op is, while serving: engines have kernels of their own for those.
// `shared`: of a shared expert that is as wide as the others, where each rank has a part of all.
enum class ExpertPart : std::uint8_t { none, up, activation, down, dispatch, combine, shared };
struct ExpertWork {
  ExpertPart part = ExpertPart::none;
  ServingEngine engine = ServingEngine::fastest;
  ExpertKernels kernels = ExpertKernels::default_ones;
  Recipe recipe = Recipe::none;  // of the products, whose number format is `dtype`
  DType dtype = DType::bf16;
  double weight_bytes = 0;   // of an element of theirs, packed; 0: as dtype
  bool is_training = false;  // then only what the host waits for has a price of its own
  Software software = Software::newest;
  CudaGraphScope graphs = CudaGraphScope::by_release;
  bool is_even = true;       // all experts that have work have as much
  double local_experts = 1;  // of this rank
  double rows = 0;           // of all of them together
  double tokens = 0;         // before each is copied for its experts; on this rank
  double row_elements = 0;   // of one row: hidden size, or an expert's width on this rank
  std::int64_t width = 0;    // of an expert on this rank
};

// Of each token among the bytes of an exchange: they go to ranks drawn at random, of all, or of those that
// hold the groups of experts which the token has chosen first (DeepSeek-V3, 2412.19437, section 2.1.2).
struct TokenDispatch {
  std::int64_t each = 1;
  std::int64_t groups = 0;  // 0: any ranks
  std::int64_t groups_per_token = 0;
  bool uses_nccl_all_to_all = false;  // NCCL all-to-all, one copy per expert, with permute/unpermute

  bool operator==(const TokenDispatch&) const = default;
};

// What of a model an op belongs to.
enum class Component : std::uint8_t {
  other,      // pipeline, collectives between steps
  embedding,  // what the first layer reads
  norm,       // of a layer
  residual,   // additions to the residual stream, hyper-connections
  attention,  // projections, norms and rotations around the core
  attention_core,
  mixer,  // of a layer without softmax attention, its recurrence, too
  mlp,
  router,  // of a mixture, with its copies of rows
  experts,
  shared_experts,
  head,
  gradients,
  optimizer
};

// What the host of PyTorch's modules takes for each kernel that it launches, autograd and the optimizer's
// share included: steps of 13 models of transformers that wait for it (H100, PyTorch 2.11,
// measured/tables/h100-sxm5-2026-11-26.json); 22 to 46 us there.
inline constexpr double module_launch_us = 31;

struct Op {
  std::string_view name;  // `layer.mlp.up`, `head.logits`
  Component component = Component::other;
  OpKind kind = OpKind::gemm;
  Pass pass = Pass::forward;
  DType dtype = DType::bf16;
  Recipe recipe = Recipe::none;  // of a product whose operands come scaled, by an op of their own
  double count = 1;              // how often it runs in the step: layers of this rank x micro-batches
  double host_us = 0;  // of one run: what a host takes that launches PyTorch's modules; 0: not counted

  // gemm: C[m,n] = A[m,k] B[k,n], `batch` times
  Dim batch;
  Dim m;
  Dim n;
  Dim k;
  Layout layout = Layout::tn;
  double weight_bytes = 0;  // of one element of B where it is stored packed, scales included; 0: as dtype
  ImplicitGemm implicit;
  // CNN: model::Layer::id. Model whose layers differ: which of distinct_layers(). -1: none.
  std::int32_t layer = -1;

  // attention: one fused kernel
  AttentionShape attention;
  // scan: its sizes are those of `attention`, where heads are of values, key_value_heads of keys, and
  // key_length is the chunk.
  MixerKind mixer = MixerKind::none;
  bool is_decoding = false;  // each state is read and written once

  // elementwise: bytes that move at least once, per run. collective: bytes is the full (unsharded) buffer; of
  // an all_to_all, a send or a host_copy it is what one rank hands out.
  double bytes = 0;
  double flops = 0;             // arithmetic of an elementwise op
  bool is_convolution = false;  // a depthwise one among elementwise ops: its arithmetic is the model's
  bool is_part = false;         // an elementwise op that is one of several where one kernel could do them all
  bool quantizes = false;       // an elementwise op that narrows what products read
  double scanned_bytes = 0;     // of its bytes: read only to find the scale of a whole tensor
  CollectiveKind collective = CollectiveKind::all_reduce;
  std::int64_t ranks = 1;  // of the collective
  std::int64_t stride =
      1;  // of its ranks: 1 when neighbours are neighbouring GPUs, `tensor` across tensor-parallel groups
  bool overlapped = false;  // the collective hides behind computation (data-parallel gradients)
  // An all-to-all that overlaps with the shared experts, or an op of those.
  bool overlaps_shared_experts = false;
  ExpertWork experts;
  TokenDispatch copies;  // of an all_to_all
};

struct Workload {
  std::vector<Op> ops;
  std::shared_ptr<const std::deque<std::string>> texts;  // of a CNN: what its ops' names and expressions view
  double tokens_per_step = 0;                            // images of a CNN; on this rank's model replica
  double model_flops = 0;      // per rank and step, the arithmetic that the model needs (MFU)
  double hardware_flops = 0;   // what the ops do, with recomputation and padding (HFU)
  double micro_batches = 1;    // per step
  double pipeline_bubble = 0;  // idle time as a share of busy time: (p - 1) / (chunks micro-batches)
  double end_layers = 0;       // of the plan
};

// What operations are called in output for programs; these names are part of the schemas.

std::string_view name(OpKind kind);  // `gemm`, `attention`, `elementwise`, `collective`
std::string_view name(Pass pass);    // `forward`, `grad_input` …
std::string_view name(Layout layout);
std::optional<Layout> parse_layout(std::string_view text);
std::string_view name(CollectiveKind kind);

}  // namespace shapelint::model
