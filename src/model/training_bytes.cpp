// What training keeps of each parameter, and of each operation for its gradient.
#include "model/training_bytes.hpp"

#include <algorithm>
#include <array>

#include "base/dtype.hpp"
#include "base/recipe.hpp"
#include "model/arithmetic.hpp"
#include "model/layer_list.hpp"
#include "model/layer_weights.hpp"
#include "model/lower/learning/learning.hpp"
#include "model/lower/lower.hpp"

namespace shapelint::model {

namespace {

// Of states in few bits.
constexpr double block_elements = 256;

double bytes_or(std::int64_t bits, double otherwise) {
  return bits > 0 ? static_cast<double>(bits) / bits_per_byte : otherwise;
}

double scale_bytes(const Plan& plan) {
  const auto bits = static_cast<double>(plan.optimizer_bits);
  return bits > 0 && bits <= bits_per_byte ? fp32_bytes / block_elements : 0;
}

}  // namespace

double number_of_states(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
    case Optimizer::adafactor:  // a row and a column of each matrix
      return 0;
    case Optimizer::momentum:
    case Optimizer::lion:
      return 1;
    case Optimizer::adam:
    case Optimizer::muon:
    case Optimizer::shampoo:
    case Optimizer::low_rank:
      break;
  }
  return 2;
}

ParameterBytes parameter_bytes(const Plan& plan) {
  const bool is_wide = bytes_of(plan.dtype) >= fp32_bytes;
  const WeightPrecision kept = is_wide ? WeightPrecision::fp32 : plan.weight_precision;
  ParameterBytes out;
  out.weight = kept == WeightPrecision::fp32 ? fp32_bytes : half_bytes;
  out.master = kept == WeightPrecision::mixed ? bytes_or(plan.master_bits, fp32_bytes) : 0;
  out.gradient = bytes_or(plan.gradient_bits, out.weight);
  const double state = bytes_or(plan.optimizer_bits, kept == WeightPrecision::half ? half_bytes : fp32_bytes);
  out.states = number_of_states(plan.optimizer) * (state + scale_bytes(plan));
  return out;
}

double wide_bytes(const Plan& plan) {
  return std::max(half_bytes, bytes_of(plan.dtype));
}

bool casts_apart(const Plan& plan) {
  return plan.eager && stream_bytes(plan) > wide_bytes(plan);
}

bool splits_projections(const ModelSpec& model) {
  return model.norm == Norm::rmsnorm || !model.causal;
}

bool has_narrow_logits(const Setup& setup) {
  const Plan& plan = setup.plan;
  return plan.eager && plan.loss == Loss::unfused && setup.model.lm_head_transform &&
         plan.weight_precision == WeightPrecision::half;
}

double stream_bytes(const Plan& plan) {
  const bool is_whole = plan.weight_precision == WeightPrecision::fp32 && plan.zero < 3 && !plan.adapters;
  return is_whole ? fp32_bytes : wide_bytes(plan);
}

namespace {

constexpr double wide = 2;  // bytes of an element in 16 bits
constexpr double fp32 = 4;
constexpr double mask = 1;  // bytes of an element of a dropout's mask

// In fp32 all is twice as wide.
double width_factor(const Plan& plan) {
  return std::max(wide, bytes_of(plan.dtype)) / wide;
}

// Bytes that a part of a layer keeps for each token: `whole` on every rank of tensor parallelism, `split` on
// all of them together.
struct Kept {
  double whole = 0;
  double split = 0;

  Kept& operator+=(const Kept& other) {
    whole += other.whole;
    split += other.split;
    return *this;
  }
  friend Kept operator*(double times, const Kept& each) { return {times * each.whole, times * each.split}; }
};

// A product keeps its input as it read it: with a recipe as quantized for the weights' gradient (Transformer
// Engine, pytorch/module/linear.py).
double input_bytes(const Plan& plan) {
  if (plan.recipe == Recipe::none) return wide;
  return info(plan.recipe).operand_bits / bits_per_byte + info(plan.recipe).a_scale_bytes;
}

// Bytes of an element of what an operation keeps.
double bytes_of(const ModelSpec& model, const Plan& plan, Reader reader) {
  const bool copies = plan.eager && model.norm == Norm::rmsnorm;
  const double normalized = casts_apart(plan) ? fp32 : wide;  // before the gain
  switch (reader) {
    case Reader::operation:
      break;
    case Reader::norm:
      return wide + (copies ? fp32 : 0);
    case Reader::stream:
      if (copies) return (fp32 + normalized) / width_factor(plan);
      return wide + (stream_bytes(plan) - wide_bytes(plan)) / width_factor(plan);
    case Reader::product:
      return input_bytes(plan);
    case Reader::function:
      return bytes_or(plan.activation_input_bits, wide * width_factor(plan)) / width_factor(plan);
    case Reader::dropout:
      return plan.without_dropout ? 0 : mask;
    case Reader::eager:
      return plan.eager ? wide : 0;
  }
  return wide;
}

// How many copies of a weight's input are kept. Products that narrow it for themselves keep one each; a
// weight that does not learn needs none, as its product's only gradient is that of its input.
double kept_inputs(const Setup& setup, const Weight& weight) {
  const Plan& plan = setup.plan;
  const bool adapts = plan.adapters && plan.adapter_rank > 0;
  if (adapts && !is_adapted(plan, weight)) return 0;
  const bool narrows = plan.eager && (adapts || casts_apart(plan)) && splits_projections(setup.model) &&
                       weight.kind == WeightKind::matrix && weight.rows == Rows::tokens;
  if (narrows) return weight.reads_apart ? 1 : real(weight.copies);
  return weight.reads_again ? 0 : 1;
}

// Whether the plan runs it again.
bool is_remade(const Plan& plan, Remade what) {
  switch (what) {
    case Remade::never:
      break;
    case Remade::norms:
      return plan.recompute_norms;
    case Remade::up_projections:
      return plan.recompute_up_projections;
    case Remade::mlp:
      return plan.recompute_mlp;
    case Remade::experts:
      return plan.recompute_experts;
    case Remade::expert_activations:
      return plan.recompute_expert_activations || plan.recompute_experts;
    case Remade::shared_experts:
      return plan.recompute_shared_experts || plan.recompute_experts;
  }
  return false;
}

// For one token of the part, how many rows of a tensor there are.
double rows_of(const Setup& setup, Rows rows) {
  if (rows == Rows::experts) return at_least_one(setup.model.moe.experts_per_token);
  if (rows == Rows::source) return real(setup.plan.source_length) / at_least_one(setup.plan.sequence_length);
  return rows == Rows::few || rows == Rows::distances || rows == Rows::strides ? 0.0 : 1.0;
}

// What follows from the plan for any tensor.
struct Keeping {
  explicit Keeping(const Setup& from)
      : setup(from), input(input_bytes(from.plan)), making(share_of_layers_with_own_keys(from.model)) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = bytes_of(from.model, from.plan, static_cast<Reader>(i));
    for (std::size_t i = 0; i < remade.size(); ++i) remade[i] = is_remade(from.plan, static_cast<Remade>(i));
  }

  const Setup& setup;
  double input;
  double making;
  std::array<double, static_cast<std::size_t>(Reader::eager) + 1> bytes{};
  std::array<bool, static_cast<std::size_t>(Remade::shared_experts) + 1> remade{};
};

// A part of a layer: of the tensors that its description states, those that the plan does not run again, and
// all. Of parts that run again what they read is kept as it is; a product whose input does, too, does not
// keep that in another format (Megatron-Core, CheckpointWithoutOutput and set_save_original_input).
class KeptOfPart {
 public:
  KeptOfPart(const Keeping& keeping, ModelComponent part)
      : keeping_(keeping),
        beside_(part == ModelComponent::mlp && keeping.setup.plan.recompute_mlp ? wide - keeping.input : 0) {}

  void operator()(const Activation& each) {
    const double share = each.is_lent ? keeping_.making : 1;
    add(share * rows_of(keeping_.setup, each.rows) * real(each.elements) *
            keeping_.bytes[static_cast<std::size_t>(each.reader)],
        each.is_split, each.remade);
  }
  void operator()(const Weight& each) {
    if (each.kind < WeightKind::product) return;
    const double inputs = kept_inputs(keeping_.setup, each);
    if (inputs <= 0) return;
    const double elements = inputs * real(times(each.reads_apart ? each.copies : 1, each.inputs.size));
    const double narrow = each.reads_kept && keeping_.input >= wide ? 0 : keeping_.input;
    const bool is_split = each.split == Split::inputs || each.rows == Rows::experts || each.reads_apart;
    const double rows = rows_of(keeping_.setup, each.rows) * elements;
    add(rows * narrow, is_split, each.remade, rows * beside_);
  }

  Kept all;   // while the layer runs
  Kept kept;  // until its backward pass

 private:
  void add(double bytes, bool is_split, Remade remade, double beside = 0) {
    const auto to = [&](Kept& sum, double some) { (is_split ? sum.split : sum.whole) += some; };
    to(all, bytes);
    if (!keeping_.remade[static_cast<std::size_t>(remade)])
      to(kept, bytes + (remade == Remade::norms ? beside : 0));
  }

  const Keeping& keeping_;
  double beside_;  // of an input that a part which runs again keeps in 16 bits
};

// Bytes per layer, averaged over layers: `all` of it, and what is `kept`.
struct KeptOfLayer {
  Kept all;
  Kept kept;
};
constexpr std::array<ModelComponent, weighty_parts.size() + 1> parts_of_a_layer = [] {
  std::array<ModelComponent, weighty_parts.size() + 1> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<ModelComponent>(i);
  return out;
}();
KeptOfLayer of_layer(const Setup& setup) {
  KeptOfLayer out;
  const Keeping keeping(setup);
  for (const ModelComponent part : parts_of_a_layer) {
    const double share = real(layers_of(setup.model, part)) / at_least_one(setup.model.num_layers);
    if (share <= 0) continue;
    KeptOfPart of(keeping, part);
    visit_weights(setup.model, part, {.is_apart = setup.plan.adapters}, of);
    out.all += share * of.all;
    out.kept += share * of.kept;
  }
  return out;
}

// Where operations are chosen, and not parts: the layer's input, and what products of matrices put out, each
// (`every`, where attention runs again) or every second one, and what attention does (torchtitan,
// SelectiveAC; MaxText, remat_policy minimal). What experts on other ranks exchange is kept then, too.
Kept of_operations(const Setup& setup, bool every) {
  const ModelSpec& model = setup.model;
  const double layers = at_least_one(model.num_layers);
  int products = 0;
  const auto of_part = [&](ModelComponent part) {
    Kept out;
    visit_weights(model, part, {1, 1, true}, [&](const Weight& each) {
      if (each.kind != WeightKind::matrix) return;
      for (std::int64_t copy = 0; copy < (each.reads_apart ? 1 : each.copies); ++copy) {
        const double elements = rows_of(setup, each.rows) *
                                real(times(each.reads_apart ? each.copies : 1, each.outputs.size)) *
                                (each.is_lent ? share_of_layers_with_own_keys(model) : 1);
        const bool is_split = each.split == Split::outputs || each.rows == Rows::experts;
        if (every || products % 2 == 0) (is_split ? out.split : out.whole) += wide * elements;
        ++products;
      }
    });
    return out;
  };
  const auto add = [&](Kept& sum, ModelComponent part, Kept of) {
    sum += real(layers_of(model, part)) / layers * of;
  };
  Kept kept{wide * real(model.hidden_size), 0};
  const Keeping keeping(setup);
  KeptOfPart frame(keeping, ModelComponent::frame);
  if (model.residual_streams > 1 || model.layer_embedding_size > 0 || model.laurel_rank > 0)
    visit_weights(model, ModelComponent::frame, {}, frame);
  kept += frame.kept;
  Kept attention = of_part(ModelComponent::attention);
  if (!every)
    attention.split += wide * real(model.num_attention_heads) *
                       real(model.mla.kv_lora_rank > 0 ? model.mla.v_head_dim : model.value_head_dim);
  add(kept, ModelComponent::attention, attention);
  // An MLP and a mixture come behind attention alike.
  const int before = products;
  add(kept, ModelComponent::mlp, of_part(ModelComponent::mlp));
  products = before;
  Kept mixture = of_part(ModelComponent::mixture);
  if (setup.plan.expert > 1)
    mixture.split += wide * 2 * rows_of(setup, Rows::experts) * real(model.hidden_size);
  add(kept, ModelComponent::mixture, mixture);
  for (const ModelComponent part : mixer_parts) {
    products = 0;
    add(kept, part, of_part(part));
  }
  return kept;
}

}  // namespace

LayerActivations layer_activations(const Setup& setup) {
  const ModelSpec& model = setup.model;
  if (model.layers_differ) {
    LayerActivations out;
    for (const DistinctLayer& layer : distinct_layers(setup)) {
      const LayerActivations each = layer_activations(layer.one);
      const double share = static_cast<double>(layer.count) / at_least_one(model.num_layers);
      out.kept += share * each.kept;
      out.scores += share * each.scores;
      out.again = std::max(out.again, each.again);
    }
    return out;
  }
  const Plan& plan = setup.plan;
  const double ranks = at_least_one(plan.tensor);
  const double length = at_least_one(plan.sequence_length) + static_cast<double>(joined_length(setup));
  const double tokens = at_least_one(plan.micro_batch_size) * length / at_least_one(plan.context);
  const double own = plan.sequence_parallel ? tokens / ranks : tokens;
  const auto bytes = [&](const Kept& kept) {
    return width_factor(plan) * (own * kept.whole + tokens / ranks * kept.split);
  };
  const KeptOfLayer tensors = of_layer(setup);
  const double layer = bytes(tensors.all);
  // What the softmax puts out, the same with some dropped, and a mask (equation 2 of arXiv 2205.05198);
  // PyTorch returns its input where the probability is 0 (aten/src/ATen/native/Dropout.cpp). Module by module
  // what the softmax puts out in fp32, the same narrowed, and a mask where something is dropped.
  const double of_fused = plan.without_dropout ? wide : 2 * wide + mask;
  const double of_score =
      plan.eager ? (fp32 + wide + (plan.dropout ? mask : 0)) / width_factor(plan) : of_fused;
  const double scores =
      plan.attention == Attention::unfused
          ? width_factor(plan) * of_score * tokens / ranks * at_least_one(model.num_attention_heads) * length
          : 0;
  const double unit = at_least_one(plan.recompute_unit);
  const double parts = bytes(tensors.kept);
  switch (plan.recompute) {
    case Recompute::none:
      return {parts, scores, layer - parts};
    case Recompute::selective:
      return {parts, 0, layer - parts + scores};
    case Recompute::operations:
    case Recompute::elementwise: {
      const bool every = plan.recompute == Recompute::elementwise;
      const double kept = std::min(parts, bytes(of_operations(setup, every)));
      return {kept, every ? 0 : scores, layer - kept + (every ? scores : 0)};
    }
    case Recompute::full:
      break;
  }
  const double share = recomputed_share(setup);
  const double input = own * stream_bytes(plan) * at_least_one(model.residual_streams) *
                       at_least_one(model.hidden_size) / unit;
  return {share * input + (1 - share) * parts, (1 - share) * scores, unit * (layer + scores)};
}

double gathered_sequence_bytes(const Setup& setup) {
  const Plan& plan = setup.plan;
  if (!plan.sequence_parallel || plan.tensor <= 1) return 0;
  const double tokens =
      at_least_one(plan.micro_batch_size) * at_least_one(plan.sequence_length) / at_least_one(plan.context);
  return 2 * width_factor(plan) * wide * tokens * at_least_one(setup.model.hidden_size);
}

double logit_bytes(const Plan& plan) {
  const double element = width_factor(plan) * wide;
  switch (plan.loss) {
    case Loss::unfused:
      if (plan.compiled) return 3 * element;
      return plan.tensor > 1 ? element + 4 * fp32 : 3 * fp32;
    case Loss::vocab_parallel:
      return (element < fp32 ? element : 0) + fp32;  // what is in fp32 is no copy
    case Loss::vocab_parallel_fused:
      return element + 2 * fp32;
    case Loss::fused:
      return 2 * element;
    case Loss::chunked:
      break;
  }
  return 0;
}

}  // namespace shapelint::model
