// Activations of a layer.
#include "model/activations.hpp"

#include <algorithm>

#include "model/lower/lower.hpp"

namespace shapelint::model {

namespace {

double real(std::int64_t value) {
  return static_cast<double>(std::max<std::int64_t>(1, value));
}

}  // namespace

// Per layer (arXiv 2205.05198): sbh (10 + 24/t + 5 a s / (h t)), with sequence parallelism sbh/t (34 + 5 a s
// / h); the last term is the score matrix, which a fused kernel and selective recomputation do not keep; with
// full recomputation the input alone, 2 sbh.
LayerActivations layer_activations(const Setup& setup) {
  const ModelSpec& model = setup.model;
  const Plan& plan = setup.plan;
  const double t = real(plan.tensor);
  const double length = real(plan.sequence_length) + static_cast<double>(joined_length(setup));
  const double tokens = real(plan.micro_batch_size) * length / real(plan.context);
  const double stream = tokens * real(model.hidden_size);
  if (plan.recompute == Recompute::full) return {2 * stream, 0};
  const bool keeps_scores = plan.attention == Attention::unfused && plan.recompute == Recompute::none;
  const double scores =
      keeps_scores ? 5 * real(model.num_attention_heads) * length / real(model.hidden_size) : 0;
  // Cross-attention keeps what self-attention keeps: of the 34, its input, mask and norm (5), and 8 that are
  // split. A further MLP of four times the width 19, of which 16 are split, and its norm's input. A
  // convolution module its norm's input and its own, and both halves, their product, and what the convolution
  // and the norm put out.
  const double further = real(model.mlps_per_layer) - 1;
  const bool convolves = model.convolution_kernel > 0;
  const double whole = 10 + (model.cross_attention ? 5 : 0) + 5 * further + (convolves ? 4 : 0);
  const double split = 24 + (model.cross_attention ? 8 : 0) + 16 * further + (convolves ? 10 : 0);
  if (plan.sequence_parallel) return {stream / t * (whole + split), stream / t * scores};
  return {stream * (whole + split / t), stream * scores / t};
}

}  // namespace shapelint::model
