// Writing of ops with their passes and layouts.
#include "model/lower/emit.hpp"

#include <algorithm>
#include <array>

#include "model/layer_weights.hpp"
#include "model/training_bytes.hpp"

namespace shapelint::model {

namespace {

constexpr std::string_view train_tokens = token_expressions[0];
constexpr std::string_view decode_tokens = token_expressions[1];
constexpr std::string_view checked_tokens = token_expressions[2];
constexpr std::string_view mixed_tokens = token_expressions[3];
constexpr std::string_view joined_tokens = token_expressions[4];
constexpr std::string_view text_tokens = token_expressions[5];
constexpr double scale_bytes = 2;  // of a group of packed weights

// Master copies and the residual stream stay at 16 bits or more when products are in 8 bits or fewer.
DType at_least_16_bits(DType dtype) {
  return bytes_of(dtype) < 2.0 ? DType::bf16 : dtype;
}

// Training always scales operands of a byte or less by itself.
Recipe recipe_of(const Plan& plan) {
  const double bits = 8 * bytes_of(plan.dtype);
  if (bits > 8) return Recipe::none;
  if (plan.recipe != Recipe::none && info(plan.recipe).operand_bits == bits) return plan.recipe;
  if (plan.mode != Mode::train) return Recipe::none;
  return bits < 8 ? Recipe::nvfp4 : Recipe::tensor;
}

// NVFP4 has one in addition to those of its blocks.
bool has_tensor_scale(Recipe recipe) {
  return recipe == Recipe::tensor || recipe == Recipe::nvfp4;
}

// Names of ops of layers that have weights of their own for the image's and for the text's tokens.
struct StreamNames {
  std::string_view all;
  std::string_view image;
  std::string_view text;
};
#define STREAMS(part)                                      \
  StreamNames {                                            \
    "layer." part, "layer.image." part, "layer.text." part \
  }
// Attention over the tokens of both.
#define JOINT(part)                                                                       \
  StreamNames {                                                                           \
    "layer.attention." part, "layer.joint_attention." part, "layer.joint_attention." part \
  }
constexpr std::array stream_names{STREAMS("norm"),
                                  STREAMS("modulation"),
                                  STREAMS("modulate"),
                                  STREAMS("gate"),
                                  STREAMS("attention.gather"),
                                  STREAMS("attention.qkv"),
                                  STREAMS("attention.qk_norm"),
                                  STREAMS("attention.rotary"),
                                  STREAMS("attention.gate"),
                                  STREAMS("attention.output"),
                                  STREAMS("attention.quantize"),
                                  STREAMS("attention.reduce"),
                                  STREAMS("attention.residual"),
                                  STREAMS("mlp.gather"),
                                  STREAMS("mlp.up"),
                                  STREAMS("mlp.gate_up"),
                                  STREAMS("mlp.activation"),
                                  STREAMS("mlp.down"),
                                  STREAMS("mlp.quantize"),
                                  STREAMS("mlp.reduce"),
                                  STREAMS("mlp.residual"),
                                  JOINT("ring"),
                                  JOINT("flash"),
                                  JOINT("scores"),
                                  JOINT("mask"),
                                  JOINT("softmax"),
                                  JOINT("dropout"),
                                  JOINT("values")};
#undef STREAMS
#undef JOINT

// Whether an engine that fuses norms quantizes in kernels of their own before each product anyway:
// SGLang (fp8_utils.py, per_token_group_quant_fp8; scaled_fp4_quant), all in blocks (TensorRT-LLM's
// FP8BlockScalesLinearMethod, fp8_quantize_1x128; vLLM's W8A8BlockFp8LinearOp, QuantFP8).
bool quantizes_apart(const Plan& plan, Recipe recipe) {
  return plan.engine == ServingEngine::sglang ||
         (plan.engine != ServingEngine::fastest && recipe == Recipe::block128);
}

}  // namespace

std::string_view name_in(Modality stream, std::string_view name) {
  if (stream == Modality::all) return name;
  const auto found = std::find_if(stream_names.begin(), stream_names.end(),
                                  [&](const StreamNames& each) { return each.all == name; });
  if (found == stream_names.end()) return name;
  return stream == Modality::image ? found->image : found->text;
}

double packed_bytes(const Plan& plan) {
  const double bytes = static_cast<double>(plan.weight_bits) / 8;
  if (bytes <= 0 || bytes >= bytes_of(plan.dtype)) return 0;
  return bytes +
         (plan.weight_group_size > 0 ? scale_bytes / static_cast<double>(plan.weight_group_size) : 0.0);
}

double expert_packed_bytes(const Plan& plan) {
  if (plan.expert_weight_bits <= 0) return packed_bytes(plan);
  // MXFP4's scales are powers of two, NVFP4's are FP8: a byte each (OCP Microscaling Formats 1.0,
  // section 5.3).
  constexpr double narrow_scale_bytes = 1;
  return static_cast<double>(plan.expert_weight_bits) / 8 +
         (plan.expert_weight_group_size > 0
              ? narrow_scale_bytes / static_cast<double>(plan.expert_weight_group_size)
              : 0.0);
}

void append_product(Op op, ProductPasses passes, std::vector<Op>& ops) {
  const auto push = [&](Pass pass) {
    op.pass = pass;
    ops.push_back(op);
  };
  const Dim m = op.m;
  const Dim n = op.n;
  const Dim k = op.k;
  const Layout layout = op.layout;
  // Narrow operands are stored both ways, so that every pass reads them along its sum (Hopper's fp8 can do no
  // other; blocks of scales lie along it).
  const bool both_ways = op.recipe != Recipe::none;
  push(Pass::forward);
  if (passes.recompute > 0) {
    const double runs = op.count;
    op.count = passes.recompute;
    push(Pass::recompute);
    op.count = runs;
  }
  if (!passes.training) return;
  if (passes.input_gradient) {
    // dA[m,k] = dC[m,n] B[k,n]^T: B is by k where the forward product has it by k, so the two layouts swap.
    op.n = k;
    op.k = n;
    op.layout = layout == Layout::tn && !both_ways ? Layout::nn : Layout::tn;
    push(Pass::grad_input);
  }
  if (!passes.weight_gradient) return;
  // The gradient of B as it is stored: dB^T[n,k] = dC^T A for B by k, dB[k,n] = A^T dC for B by n; both
  // transpose their first operand, whose rows are summed over.
  op.m = layout == Layout::tn ? n : k;
  op.n = layout == Layout::tn ? k : n;
  op.k = m;
  op.layout = both_ways ? Layout::tn : Layout::nt;
  push(Pass::grad_weight);
}

LoweringContext::LoweringContext(const Setup& from, Modality of, Precision as)
    : setup(from),
      model(from.model),
      plan(from.plan),
      stream(of),
      width(as),
      parallel_block(from.model.parallel_block && of == Modality::all),
      training(from.plan.mode == Mode::train),
      adapting(training && from.plan.adapters),
      eager(training && from.plan.eager),
      autocast(eager && casts_apart(from.plan)),
      splits_projections(eager && model::splits_projections(from.model)),
      decoding(from.plan.mode == Mode::decode),
      linear_dtype(as == Precision::wide ? at_least_16_bits(from.plan.dtype) : from.plan.dtype),
      recipe(as == Precision::wide ? Recipe::none : recipe_of(from.plan)),
      wide_dtype(at_least_16_bits(from.plan.dtype)),
      activation(bytes_of(wide_dtype)),
      weight_bytes(training || as == Precision::wide ? 0.0 : packed_bytes(from.plan)),
      cache_bytes(training ? 0.0 : static_cast<double>(from.plan.kv_cache_bits) / 8),
      micro_batches(training ? static_cast<double>(std::max<std::int64_t>(1, from.plan.gradient_accumulation))
                             : 1.0),
      layers_per_rank(static_cast<double>(layers_of_stage(from))) {
  if (decoding) {
    const std::int64_t checked = plus(1, plan.speculative_tokens);
    decoded = dim(times(plan.micro_batch_size, checked), checked > 1 ? checked_tokens : decode_tokens);
    tokens = plan.prefill_tokens > 0 ? dim(plus(decoded.value, plan.prefill_tokens), mixed_tokens) : decoded;
    query_length = dim(checked, checked > 1 ? "1 + speculative_tokens" : "1");
    key_length = dim(plus(plan.context_length, checked),
                     checked > 1 ? "context_length + 1 + speculative_tokens" : "context_length + 1");
  } else if (const std::int64_t text = joined_length(from); text > 0) {
    const std::int64_t both = plus(plan.sequence_length, text);
    const auto on_rank = [&](std::int64_t length) {
      return divide_up(times(plan.micro_batch_size, length), plan.context);
    };
    tokens = stream == Modality::image  ? dim(on_rank(plan.sequence_length), train_tokens)
             : stream == Modality::text ? dim(on_rank(text), text_tokens)
                                        : dim(on_rank(both), joined_tokens);
    query_length = dim(divide_up(both, plan.context), "(sequence_length + source_length) / context");
    key_length = dim(both, "sequence_length + source_length");
  } else {
    tokens = dim(divide_up(times(plan.micro_batch_size, plan.sequence_length), plan.context), train_tokens);
    query_length = dim(divide_up(plan.sequence_length, plan.context), "sequence_length / context");
    key_length = cached_tokens(plan) > 0 ? dim(plus(plan.context_length, plan.sequence_length),
                                               "context_length + sequence_length")
                                         : dim(plan.sequence_length, "sequence_length");
  }
  heads = dim(divide_up(model.num_attention_heads, plan.tensor), "num_attention_heads / tensor");
  key_value_heads = dim(divide_up(model.num_key_value_heads, plan.tensor), "num_key_value_heads / tensor");
  hidden = dim(model.hidden_size, "hidden_size");
  sharded_tokens = static_cast<double>(divide_up(tokens.value, plan.sequence_parallel ? plan.tensor : 1));
  stream_bytes = static_cast<double>(tokens.value) * static_cast<double>(hidden.value) * activation;
  sharded_stream_bytes = sharded_tokens * static_cast<double>(hidden.value) * activation;
}

// An op outside of the layers' packed weights.
Op Emitter::wide_op(std::string_view name, OpKind kind, double count) const {
  Op op;
  op.name = name_in(shared_->stream, name);
  op.component = component_;
  op.layer = layer_;
  op.kind = kind;
  op.dtype = shared_->wide_dtype;
  op.count = runs_ * count;
  return op;
}

Op Emitter::wide_product(std::string_view name, Dim batch, Dim m, Dim n, Dim k, Repeat repeat) const {
  Op op = wide_op(name, OpKind::gemm, repeat.count);
  op.batch = batch;
  op.m = m;
  op.n = n;
  op.k = k;
  return op;
}

void Emitter::push(Op op, Pass pass) {
  op.pass = pass;
  if (shared_->eager) op.host_us = module_launch_us;
  ops_->push_back(op);
}

Weight attention_weight(const LoweringContext& shared, std::string_view name) {
  Weight out;
  visit_weights(shared.model, ModelComponent::attention, {shared.plan.tensor}, [&](const Weight& weight) {
    if (weight.name == name) out = weight;
  });
  return out;
}

std::int64_t qkv_columns(const LoweringContext& shared) {
  constexpr std::array<std::string_view, 5> names{"layer.attention.query", "layer.attention.q_up",
                                                  "layer.attention.key_value", "layer.attention.key",
                                                  "layer.attention.value"};
  std::int64_t out = 0;
  visit_weights(shared.model, ModelComponent::attention, {shared.plan.tensor}, [&](const Weight& weight) {
    if (std::find(names.begin(), names.end(), weight.name) != names.end())
      out = plus(out, times(weight.copies, weight.outputs.on_rank));
  });
  return out;
}

void Emitter::linear(const Weight& weight, Dim m, Repeat repeat) {
  linear(weight.name, m, weight.split == Split::inputs ? shared_->hidden : dim(weight.outputs),
         dim(weight.inputs), shared_->linear_dtype, repeat);
}

void Emitter::linear(std::string_view name, Dim m, Dim n, Dim k, DType dtype, Repeat repeat, Dim batch) {
  Op op;
  op.name = name_in(shared_->stream, name);
  op.component = component_;
  op.layer = layer_;
  op.dtype = dtype;
  op.batch = batch;
  op.m = m;
  op.n = n;
  op.k = k;
  op.weight_bytes = shared_->weight_bytes;
  if (shared_->recipe != Recipe::none && dtype == shared_->linear_dtype) {
    op.recipe = shared_->recipe;
    const double rows = static_cast<double>(batch.value) * static_cast<double>(m.value);
    quantized_forward_ += rows * static_cast<double>(k.value);
    quantized_backward_ += rows * static_cast<double>(n.value);
    // Products of heads read what others have narrowed, or in 16 bits.
    const bool is_known = std::find(quantized_inputs_.begin(), quantized_inputs_.end(), k.expression) !=
                          quantized_inputs_.end();
    if (batch.value == 1 && !is_known) quantized_inputs_.push_back(k.expression);
  }
  push_product(op, repeat, !shared_->adapting, {repeat.selective_recompute_fraction, 0});
}

void Emitter::set_quantized(double forward_elements, double backward_elements) {
  quantized_forward_ = forward_elements;
  quantized_backward_ = backward_elements;
  quantized_inputs_.clear();
}

// Read in 16 bits, written narrow; in training also transposed, since the products of all passes read both
// operands along their sums.
void Emitter::quantize(std::string_view name, Repeat repeat) {
  if (shared_->recipe == Recipe::none) return;
  // Engines that fuse norms write them, and activations, narrow at once, or run a kernel for each product.
  const bool is_fused = !shared_->training && shared_->plan.fusion != Fusion::none;
  const bool is_apart = is_fused && quantizes_apart(shared_->plan, shared_->recipe);
  if ((is_fused && !is_apart) || quantized_forward_ <= 0) return set_quantized(0, 0);
  const double kernels =
      is_apart ? static_cast<double>(std::max<std::size_t>(1, quantized_inputs_.size())) : 1.0;
  const double element = bytes_of(shared_->linear_dtype) + info(shared_->recipe).a_scale_bytes;
  // The one scale of a tensor is known only when all of it was read.
  const double scanned = shared_->training && has_tensor_scale(shared_->recipe) ? shared_->activation : 0;
  const double bytes = scanned + shared_->activation + (shared_->training ? 2 : 1) * element;
  const std::size_t first = ops_->size();
  repeat.count *= kernels;
  elementwise(name, quantized_forward_ / kernels * bytes, quantized_backward_ / kernels * bytes, repeat);
  for (std::size_t i = first; i < ops_->size(); ++i) {
    (*ops_)[i].quantizes = true;
    (*ops_)[i].recipe = shared_->recipe;
    (*ops_)[i].scanned_bytes = scanned / bytes * (*ops_)[i].bytes;
  }
  set_quantized(0, 0);
}

void Emitter::wide_linear(std::string_view name, Dim m, Dim n, Dim k, Repeat repeat, Dim batch) {
  push_product(wide_product(name, batch, m, n, k, repeat), repeat, !shared_->adapting,
               {repeat.selective_recompute_fraction, 0});
}

void Emitter::full_linear(std::string_view name, Dim m, Dim n, Dim k, Repeat repeat) {
  Op op = wide_product(name, {1, "1"}, m, n, k, repeat);
  op.dtype = DType::fp32;
  push_product(op, repeat, !shared_->adapting, {repeat.selective_recompute_fraction, 0});
}

void Emitter::input_linear(std::string_view name, Dim m, Dim n, Dim k, Repeat repeat, Dim batch) {
  append_product(
      wide_product(name, batch, m, n, k, repeat),
      {again(repeat, {repeat.selective_recompute_fraction, 0}), shared_->training, false, !shared_->adapting},
      *ops_);
}

void Emitter::push_product(Op op, Repeat repeat, bool learns, ByOperation by_operation) {
  op.count = runs_ * repeat.count;
  // Under autocast a weight is narrowed before the product, and its gradient widened behind it.
  if (shared_->eager) op.host_us = module_launch_us * projections_ * (shared_->autocast && learns ? 2 : 1);
  append_product(op, {again(repeat, by_operation), shared_->training, true, learns}, *ops_);
}

void Emitter::product(std::string_view name, Dim batch, Dim m, Dim n, Dim k, Layout layout, Repeat repeat) {
  Op op = wide_product(name, batch, m, n, k, repeat);
  op.layout = layout;
  push_product(op, repeat, true, {0, 1});
}

void Emitter::forward_product(std::string_view name, Dim batch, Dim m, Dim n, Dim k, Repeat repeat) {
  append_product(wide_product(name, batch, m, n, k, repeat), {again(repeat, {0, 1}), false, false, false},
                 *ops_);
}

void Emitter::attention(std::string_view name, const AttentionShape& shape, Repeat repeat) {
  Op op = wide_op(name, OpKind::attention, repeat.count);
  op.component = Component::attention_core;
  op.attention = shape;
  op.attention.cache_bytes = shared_->cache_bytes;
  if (!shared_->training) op.experts.engine = shared_->plan.engine;
  push_forward(op, again(repeat, {0, 1}));
  if (!shared_->training) return;
  push(op, Pass::backward);
  if (shared_->eager) ops_->back().host_us *= attention_backward_kernels;
}

void Emitter::scan(std::string_view name, MixerKind mixer, const AttentionShape& shape, Repeat repeat) {
  Op op = wide_op(name, OpKind::scan, repeat.count);
  op.attention = shape;
  op.mixer = mixer;
  op.is_decoding = shared_->decoding;
  push_forward(op, again(repeat, {1, 1}));
  if (shared_->training) push(op, Pass::backward);
}

void Emitter::elementwise(std::string_view name, double forward_bytes, double backward_bytes, Repeat repeat,
                          Arithmetic flops) {
  Op op = wide_op(name, OpKind::elementwise, repeat.count);
  op.bytes = forward_bytes;
  op.flops = flops.forward;
  push_forward(op, again(repeat, {1, 1}));
  if (!shared_->training || backward_bytes <= 0) return;
  op.bytes = backward_bytes;
  op.flops = flops.backward;
  push(op, Pass::backward);
}

void Emitter::modules(std::string_view name, Moved fused, double elements, const Modules& apart,
                      Repeat repeat, Arithmetic flops) {
  if (!shared_->eager) return elementwise(name, fused.forward, fused.backward, repeat, flops);
  const auto push_kernels = [&](double activations, double fp32, double kernels, double flop, bool backward) {
    if (kernels <= 0) return;
    Op op = wide_op(name, OpKind::elementwise, kernels * repeat.count);
    op.bytes = elements * (activations * shared_->activation + fp32 * bytes_of(DType::fp32)) / kernels;
    op.flops = flop / kernels;
    op.is_part = true;
    Repeat each = repeat;
    each.count *= kernels;
    backward ? push(op, Pass::backward) : push_forward(op, again(each, {1, 1}));
  };
  push_kernels(apart.forward, apart.forward_fp32, apart.forward_kernels, flops.forward, false);
  push_kernels(apart.backward, apart.backward_fp32, apart.backward_kernels, flops.backward, true);
}

void Emitter::modules_alone(std::string_view name, double bytes, const Modules& apart, Repeat repeat) {
  if (shared_->eager) modules(name, {}, bytes / shared_->activation, apart, repeat, {});
}

Modules norm_modules(const LoweringContext& shared, const Modules& rms_autocast) {
  if (shared.model.norm != Norm::rmsnorm) return shared.autocast ? layernorm_autocast : layernorm_modules;
  return shared.autocast ? rms_autocast : rmsnorm_modules;
}

void Emitter::norm(std::string_view name, double bytes, Repeat repeat) {
  const ModelSpec& model = shared_->model;
  const double elements = bytes / shared_->activation;
  const Arithmetic flops = of_each(elements, norm_flops(model));
  // forward: x in, y out; backward: x and dy in, dx out
  modules(name, {2 * bytes, 3 * bytes}, elements, norm_modules(*shared_, rmsnorm_autocast), repeat, flops);
}

void Emitter::bias_gradients(std::string_view name, double bytes, double sums, Repeat repeat) {
  if (shared_->adapting) return;
  modules_alone(name, bytes, {0, 0, 1, 0, 0, sums}, repeat);
}

Op Emitter::collective_op(std::string_view name, double bytes, std::int64_t ranks, double count,
                          bool overlapped, std::int64_t stride) const {
  Op op = wide_op(name, OpKind::collective, count);
  op.bytes = bytes;
  op.ranks = ranks;
  op.overlapped = overlapped;
  op.stride = std::max<std::int64_t>(stride, 1);
  if (!shared_->training) op.experts.engine = shared_->plan.engine;
  return op;
}

void Emitter::collective(std::string_view name, std::optional<CollectiveKind> forward,
                         std::optional<CollectiveKind> backward, double bytes, std::int64_t ranks,
                         Repeat repeat, bool overlapped, std::int64_t stride) {
  if (ranks <= 1) return;
  Op op = collective_op(name, bytes, ranks, repeat.count, overlapped, stride);
  if (forward) {
    op.collective = *forward;
    // What several ranks have made together is kept, and what is gathered before a product is not.
    const bool is_kept = *forward == CollectiveKind::reduce_scatter || *forward == CollectiveKind::all_to_all;
    push_forward(op, again(repeat, {is_kept ? 0.0 : 1.0, is_kept ? 0.0 : 1.0}));
  }
  if (backward && shared_->training) {
    op.collective = *backward;
    push(op, Pass::backward);
  }
}

void Emitter::host_copy(std::string_view name, double bytes, double count) {
  Op op = collective_op(name, bytes, 1, count, true, 1);
  op.collective = CollectiveKind::host_copy;
  push(op, Pass::forward);
  push(op, Pass::backward);
}

void Emitter::hide(std::size_t first) {
  for (std::size_t i = first; i < ops_->size(); ++i)
    (*ops_)[i].overlapped = (*ops_)[i].kind == OpKind::collective;
}

void Emitter::convolve(std::size_t first) {
  for (std::size_t i = first; i < ops_->size(); ++i) (*ops_)[i].is_convolution = true;
}

void Emitter::overlap_with_shared_experts(std::size_t first) {
  for (std::size_t i = first; i < ops_->size(); ++i) (*ops_)[i].overlaps_shared_experts = true;
}

void Emitter::experts(std::size_t first, const ExpertWork& work) {
  for (std::size_t i = first; i < ops_->size(); ++i) {
    Op& op = (*ops_)[i];
    op.experts = work;
    const bool is_product =
        op.kind == OpKind::gemm && (work.part == ExpertPart::up || work.part == ExpertPart::down);
    if (is_product && work.weight_bytes > 0) op.weight_bytes = work.weight_bytes;
  }
}

void Emitter::copies(std::size_t first, const TokenDispatch& copies) {
  for (std::size_t i = first; i < ops_->size(); ++i) (*ops_)[i].copies = copies;
}

void Emitter::once(std::string_view name, Pass pass, double bytes, double count, double flops) {
  Op op = wide_op(name, OpKind::elementwise, count);
  op.bytes = bytes;
  op.flops = flops;
  push(op, pass);
}

void Emitter::collective_once(std::string_view name, Pass pass, CollectiveKind kind, double bytes,
                              std::int64_t ranks, double count, bool overlapped, std::int64_t stride) {
  if (ranks <= 1 && kind != CollectiveKind::host_copy) return;
  Op op = collective_op(name, bytes, ranks, count, overlapped, stride);
  op.collective = kind;
  push(op, pass);
}

}  // namespace shapelint::model
