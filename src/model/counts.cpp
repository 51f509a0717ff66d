// Parameters and FLOPs of a whole model, as papers and model cards count them.
#include <algorithm>

#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/end_weights.hpp"
#include "model/layer_list.hpp"
#include "model/layer_weights.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"

namespace shapelint::model {

namespace {

// Elements of the weights of a layer's part: that layers may share, that are lent to layers which read an
// earlier one's keys, of each layer's own, and of one routed expert.
struct Elements {
  std::int64_t common = 0;
  std::int64_t lent = 0;
  std::int64_t own = 0;
  std::int64_t expert = 0;
  std::int64_t whole = 0;  // of these, on every rank of tensor parallelism
};
Elements elements_of(const ModelSpec& model, ModelComponent part) {
  Elements out;
  visit_weights(model, part, {}, [&](const Weight& weight) {
    std::int64_t& sum = weight.rows == Rows::experts ? out.expert
                        : weight.is_lent             ? out.lent
                        : weight.is_own              ? out.own
                                                     : out.common;
    sum = plus(sum, elements_of(weight));
    if (is_on_every_rank(weight)) out.whole = plus(out.whole, elements_of(weight));
  });
  return out;
}

// For all layers, with so many experts in each MoE layer.
std::int64_t layers_with(const ModelSpec& model, std::int64_t experts) {
  std::int64_t all =
      times(times_in(model, ModelComponent::frame), layer_parameters(model, ModelComponent::frame, 0));
  for (const ModelComponent part : weighty_parts)
    if (const std::int64_t number = times_in(model, part); number > 0)
      all = plus(all, times(number, layer_parameters(model, part, experts)));
  return all;
}

// `experts`: of a layer with so many, those that count.
template <class Experts>
std::int64_t parameters_with(const Setup& setup, const Experts& experts) {
  const ModelSpec& model = setup.model;
  const std::int64_t ends = plus(embedding_parameters(model), head_parameters(model));
  if (!model.layers_differ) return plus(layers_with(model, experts(model.moe)), ends);
  std::int64_t layers = 0;
  for (const DistinctLayer& each : distinct_layers(setup))
    layers = plus(layers, times(each.count, layers_with(each.one.model, experts(each.one.model.moe))));
  return plus(layers, ends);
}

// Tokens that a layer computes for each that counts: the text's come along.
double computed_per_token(const Setup& setup) {
  const auto own = at_least_one(setup.plan.sequence_length);
  return (own + real(joined_length(setup))) / own;
}

// Queries of a decoding step and the keys that each meets: of sequences that decode, and of a prompt.
struct Decoding {
  Decoding(const Plan& plan, CausalFlops convention)
      : decoded(real(plan.micro_batch_size) * (real(plan.speculative_tokens) + 1)),
        read(real(plan.prefill_tokens)),
        own_keys(real(plan.context_length) + real(plan.speculative_tokens) + 1),
        cached(std::max(0.0, real(plan.context_length) - read) / 2),
        prompt_keys(cached + (convention == CausalFlops::half ? own_prompt(plan) / 2 : own_prompt(plan))) {}

  // The tokens of one prompt among those that are read.
  static double own_prompt(const Plan& plan) {
    return real(plan.prefill_tokens) / real(prompts_of_step(plan));
  }
  // Means over queries of one kind and of the other.
  double mean(double own, double prompt) const { return (decoded * own + read * prompt) / (decoded + read); }

  double decoded;
  double read;
  double own_keys;
  double cached;  // of a prompt as long as the cache, read in parts as long as this one
  double prompt_keys;
};

// Keys that one query meets: both products of attention run over them.
double keys_per_query(const Setup& setup, CausalFlops convention) {
  const Plan& plan = setup.plan;
  if (plan.mode == Mode::decode) {
    const Decoding step(plan, convention);
    return step.mean(step.own_keys, step.prompt_keys);
  }
  const double cached = real(cached_tokens(plan));
  const std::int64_t document = document_tokens(setup);
  const double all = real(document > 0 ? document : plus(plan.sequence_length, joined_length(setup)));
  return cached + (setup.model.causal && convention == CausalFlops::half ? all / 2 : all);
}

// Relative positions: distances of both signs, or only those within a window. They are embedded once for
// all sequences of a micro-batch, and met by each query.
double distances_of(const Setup& setup) {
  const std::int64_t length = std::max<std::int64_t>(1, setup.plan.sequence_length);
  const std::int64_t window = setup.model.window.size;
  const bool is_local =
      window > 0 && window < length && num_window_layers(setup.model) == num_attention_layers(setup.model);
  return real(is_local ? window : times(2, length));
}
double tokens_of_micro_batch(const Plan& plan) {
  return real(times(std::max<std::int64_t>(1, plan.micro_batch_size),
                    std::max<std::int64_t>(1, plan.sequence_length)));
}

// How often a weight is multiplied for one token.
double runs_of(const Setup& setup, const Weight& weight) {
  const ModelSpec& model = setup.model;
  const Plan& plan = setup.plan;
  switch (weight.rows) {
    case Rows::tokens:
    case Rows::handed:
      break;
    case Rows::experts:
      return real(model.moe.experts_per_token);
    case Rows::source:  // once for all tokens; while decoding what it makes is cached
      return plan.mode == Mode::decode || plan.sequence_length <= 0
                 ? 0.0
                 : real(plan.source_length) / real(plan.sequence_length);
    case Rows::distances:
      return plan.mode == Mode::decode ? 0.0 : distances_of(setup) / tokens_of_micro_batch(plan);
    case Rows::strides:
      return real(model.num_key_value_heads) / at_least_one(model.sparse.compressed_stride);
    case Rows::few:
      return 0;
  }
  return weight.is_lent ? share_of_layers_with_own_keys(model) : 1.0;
}

double further_products(const ModelSpec& model) {
  double sum = 0;
  visit_further(model, [&](const Weight& weight) { sum += products_of(weight); });
  return sum;
}

// Multiply-adds of the weights of a layer's part for one token.
double weight_products(const Setup& setup, ModelComponent part) {
  double sum = 0;
  visit_weights(setup.model, part, {}, [&](const Weight& weight) {
    if (weight.kind != WeightKind::vector) sum += runs_of(setup, weight) * products_of(weight);
  });
  return sum;
}

// The last keys of a query, at most `limit`: the first queries of a causal prompt meet
// fewer.
double keys_within(const Setup& setup, CausalFlops convention, double limit) {
  const double all_keys = keys_per_query(setup, convention);
  const bool grows = setup.plan.mode != Mode::decode && setup.model.causal && convention == CausalFlops::half;
  if (!grows) return std::min(all_keys, limit);
  const double cached = real(cached_tokens(setup.plan));
  const double length = 2 * (all_keys - cached);
  if (limit >= cached + length) return all_keys;
  const double growing = std::max(0.0, limit - cached);
  return limit - growing * growing / (2 * length);
}

// Keys that a query reads, as a mean over the layers with a window and those without.
double keys_read(const Setup& setup, CausalFlops convention) {
  const ModelSpec& model = setup.model;
  const double all_keys = keys_per_query(setup, convention);
  const auto up_to = [&](std::int64_t most) { return keys_within(setup, convention, real(most)); };
  if (const Sparse& sparse = model.sparse; sparse.blocks > 0 && model.mla.kv_lora_rank <= 0) {
    const double selected = up_to(times(sparse.blocks, sparse.block_size));
    if (sparse.kind == SparseKind::moba) return selected;
    return all_keys / at_least_one(sparse.compressed_stride) + selected + up_to(sparse.window);
  }
  const std::int64_t chosen = model.indexer.keys;
  if (model.compressed.ratio > 0) {
    const double from = chosen > 0 ? up_to(times(chosen, model.compressed.ratio)) : all_keys;
    return from / real(model.compressed.ratio) + (model.window.size > 0 ? up_to(model.window.size) : 0);
  }
  if (chosen > 0) return up_to(chosen);
  const double narrow = real(num_window_layers(model)) / at_least_one(num_attention_layers(model));
  return narrow * up_to(model.window.size) + (1 - narrow) * all_keys;
}

// Multiply-adds of the scores of latent attention and of what they weigh.
double latent_scores(const Setup& setup, CausalFlops convention, double keys) {
  const ModelSpec& model = setup.model;
  const double heads = real(model.num_attention_heads);
  const double rank = real(model.mla.kv_lora_rank);
  const double nope = real(model.mla.qk_nope_head_dim);
  const double rope = real(model.mla.qk_rope_head_dim);
  const double value = real(model.mla.v_head_dim);
  // Expanding keys and values costs as much as absorbing the expansion into query and output.
  const bool absorbs = setup.plan.mode == Mode::decode || model.indexer.keys > 0;
  const double folded = 2 * rank + rope;
  const double unfolded = nope + rope + value;
  if (setup.plan.mode != Mode::decode || setup.plan.prefill_tokens <= 0 || model.indexer.keys > 0)
    return heads * (absorbs ? folded : unfolded) * keys;
  // A prompt's queries absorb nothing; what is cached of it is expanded again.
  const Decoding step(setup.plan, convention);
  return heads * step.mean(folded * step.own_keys, unfolded * step.prompt_keys) +
         step.mean(0, rank * heads * (nope + value) * step.cached / step.read);
}

// Multiply-adds of one layer's attention for one token.
double attention_macs_per_token(const Setup& setup, CausalFlops convention) {
  const ModelSpec& model = setup.model;
  const Plan& plan = setup.plan;
  const double heads = real(model.num_attention_heads);
  const double widths = real(plus(model.head_dim, model.value_head_dim));
  const double all_keys = keys_per_query(setup, convention);
  const double keys = keys_read(setup, convention);
  double products = weight_products(setup, ModelComponent::attention);
  if (model.indexer.keys > 0)
    products += real(model.indexer.heads) * real(model.indexer.head_dim) * all_keys /
                at_least_one(model.compressed.ratio);
  products += model.mla.kv_lora_rank > 0 ? latent_scores(setup, convention, keys) : heads * widths * keys;
  if (model.relative_positions && plan.mode != Mode::decode && model.mla.kv_lora_rank <= 0)
    products += heads * real(model.head_dim) * distances_of(setup);
  if (model.cross_attention) products += heads * widths * real(plan.source_length);
  return computed_per_token(setup) * products;
}

}  // namespace

std::int64_t parameter_count(const Setup& setup) {
  if (!setup.model.conv.empty()) return size_of(resolve(setup.model)).parameters;
  return parameters_with(setup, [](const Moe& moe) { return moe.num_experts; });
}

std::int64_t parameter_count(const ModelSpec& model, const PartSizes& sizes) {
  std::int64_t all = 0;
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    all = plus(all, times(times_in(model, static_cast<ModelComponent>(part)), sizes[part].parameters));
  }
  return all;
}

std::int64_t expert_parameter_count(const ModelSpec& model, const PartSizes& sizes) {
  return times(times_in(model, ModelComponent::mixture),
               sizes[static_cast<std::size_t>(ModelComponent::mixture)].expert_parameters);
}

std::int64_t whole_parameter_count(const ModelSpec& model, const PartSizes& sizes) {
  std::int64_t all = 0;
  for (const ModelComponent part : weighty_parts)
    all = plus(all, times(times_in(model, part), sizes[static_cast<std::size_t>(part)].whole_parameters));
  return all;
}

std::int64_t whole_parameter_count(const Setup& setup) {
  if (!setup.model.conv.empty()) return 0;
  std::int64_t all = 0;
  if (setup.model.layers_differ) {
    for (const DistinctLayer& each : distinct_layers(setup))
      all = plus(all, times(each.count, whole_parameter_count(each.one)));
    return all;
  }
  for (const ModelComponent part : weighty_parts)
    if (const std::int64_t number = times_in(setup.model, part); number > 0)
      all = plus(all, times(number, elements_of(setup.model, part).whole));
  return all;
}

std::int64_t expert_parameter_count(const Setup& setup) {
  const ModelSpec& model = setup.model;
  if (!model.conv.empty()) return 0;
  if (model.layers_differ) return part_size(setup, ModelComponent::mixture).expert_parameters;
  return times(num_moe_layers(model), model.moe.num_experts,
               elements_of(model, ModelComponent::mixture).expert);
}

std::int64_t active_parameter_count(const Setup& setup) {
  if (!setup.model.conv.empty()) return parameter_count(setup);
  // Embeddings that layers read next to the stream cost one row per token each: Gemma 3n's and 4's
  // "effective" parameters.
  const std::int64_t tables = times(setup.model.layer_embedding_rows, layer_embedding_elements(setup.model));
  return parameters_with(setup,
                         [](const Moe& moe) { return std::min(moe.num_experts, moe.experts_per_token); }) -
         tables;
}

double head_flops_per_token(const Setup& setup) {
  if (!setup.model.conv.empty()) return 0;
  double products = 0;
  visit_head(setup.model, [&](const Weight& weight) {
    if (weight.rows == Rows::tokens) products += products_of(weight);
  });
  return 2 * products;
}

namespace {

std::int64_t parameters_of(const ModelSpec& model, ModelComponent part, const Elements& of,
                           std::int64_t experts) {
  const std::int64_t borrowing = of.lent > 0 ? num_shared_key_value_layers(model) : 0;
  std::int64_t common = plus(of.common, of.lent);
  if (borrowing > 0)
    common -= times(borrowing, of.lent) / std::max<std::int64_t>(1, num_attention_layers(model));
  const WeightSets shared = weight_sets(model, part);
  common = times(shared.sets, common) / shared.layers;
  return plus(common, of.own, times(experts, of.expert));
}

}  // namespace

std::int64_t layer_parameters(const ModelSpec& model, ModelComponent part, std::int64_t experts) {
  return parameters_of(model, part, elements_of(model, part), experts);
}

std::int64_t embedding_parameters(const ModelSpec& model) {
  std::int64_t sum = 0;
  visit_embedding(model, [&](const Weight& weight) { sum = plus(sum, elements_of(weight)); });
  return sum;
}

std::int64_t head_parameters(const ModelSpec& model) {
  std::int64_t sum = 0;
  visit_head(model, [&](const Weight& weight) {
    if (!weight.is_lent) sum = plus(sum, elements_of(weight));
  });
  return sum;
}

std::int64_t layers_of(const ModelSpec& model, ModelComponent part) {
  if (const std::size_t which = mixer_of(part); which < most_mixers) return num_mixer_layers(model, which);
  switch (part) {
    case ModelComponent::attention:
      return num_attention_layers(model);
    case ModelComponent::mixer:
      break;
    case ModelComponent::mlp:
      return num_mlps(model);
    case ModelComponent::mixture:
      return num_moe_layers(model);
    case ModelComponent::frame:
      return model.num_layers;
    case ModelComponent::ends:
    case ModelComponent::last_ends:
      break;
  }
  return 1;
}

namespace {

// How often one token runs through it: a further token that is predicted, through one more layer.
double runs_in(const ModelSpec& model, ModelComponent part, double further) {
  const double layers = real(layers_of(model, part));
  if (further <= 0) return layers;
  const ModelComponent feeding = num_moe_layers(model) > 0 ? ModelComponent::mixture : ModelComponent::mlp;
  return layers + (part == ModelComponent::attention || part == feeding ? further : 0);
}

}  // namespace

std::int64_t times_in(const ModelSpec& model, ModelComponent part) {
  if (model.layers_differ) return 1;
  const std::int64_t layers = layers_of(model, part);
  if (!model.diffusion.text_joined) return layers;
  const std::int64_t joint = num_joint_layers(model);
  // Layers of two streams have the weights of both and, with a single-branch layer, the vectors of four.
  if (part == ModelComponent::frame) return plus(layers, times(model.parallel_block ? 3 : 1, joint));
  return part == ModelComponent::attention || part == ModelComponent::mlp ? plus(layers, joint) : layers;
}

WeightSets weight_sets(const ModelSpec& model, ModelComponent part) {
  const std::int64_t blocks = model.shared_block.blocks;
  if (blocks <= 0 || (part != ModelComponent::attention && part != ModelComponent::mlp)) return {};
  const std::int64_t layers =
      std::max<std::int64_t>(1, model.single.is_one ? model.single.sharing : times_in(model, part));
  return {std::min(layers, blocks), layers};
}

namespace {

double products_of(const Setup& setup, ModelComponent part, CausalFlops convention) {
  if (const std::size_t which = mixer_of(part); which < most_mixers)
    return mixer_macs_per_token(setup.model, setup.model.mixers[which], setup.plan);
  switch (part) {
    case ModelComponent::attention:
      return attention_macs_per_token(setup, convention);
    case ModelComponent::mixer:
      break;
    case ModelComponent::mlp:
    case ModelComponent::mixture:
      return computed_per_token(setup) * weight_products(setup, part);
    case ModelComponent::frame:
      return weight_products(setup, part);
    case ModelComponent::ends:
      return head_flops_per_token(setup) / 2;
    case ModelComponent::last_ends:
      break;
  }
  return 0;
}

// For layers that differ: parameters of all of them, and the mean of their arithmetic.
PartSize sum_of_sizes(const Setup& setup, ModelComponent part) {
  PartSize out;
  for (const DistinctLayer& each : distinct_layers(setup)) {
    const std::int64_t number = times(each.count, layers_of(each.one.model, part));
    if (number <= 0) continue;
    const PartSize one = part_size(each.one, part);
    out.parameters = plus(out.parameters, times(each.count, times_in(each.one.model, part), one.parameters));
    out.expert_parameters = plus(out.expert_parameters, times(number, one.expert_parameters));
    out.whole_parameters =
        plus(out.whole_parameters, times(each.count, times_in(each.one.model, part), one.whole_parameters));
    out.products += real(number) * one.products;
  }
  out.products /= at_least_one(layers_of(setup.model, part));
  return out;
}

}  // namespace

PartSize part_size(const Setup& setup, ModelComponent part) {
  const ModelSpec& model = setup.model;
  if (part == ModelComponent::last_ends) return {};  // what is in it is counted there
  if (model.layers_differ && part != ModelComponent::ends) return sum_of_sizes(setup, part);
  if (part == ModelComponent::ends)
    return {plus(embedding_parameters(model), head_parameters(model)), 0, 0, head_flops_per_token(setup) / 2};
  const std::int64_t experts = part == ModelComponent::mixture ? model.moe.num_experts : 0;
  const Elements elements = elements_of(model, part);
  return {parameters_of(model, part, elements, experts), elements.whole, times(experts, elements.expert),
          products_of(setup, part, mfu_convention)};
}

RankParameters mtp_parameters(const Setup& setup) {
  const double layers = mtp_layers(setup);
  const ModelSpec& model = setup.model;
  if (layers <= 0 || !model.conv.empty()) return {};
  const TransformerLayer last = model.layers.empty() ? TransformerLayer{} : model.layers.back().layer;
  const Setup one{layer_model(model, last), setup.plan};
  const auto all = real(layers_with(one.model, one.model.moe.num_experts));
  const auto expert = real(expert_parameter_count(one));
  double further = 0;
  visit_further(model, [&](const Weight& weight) { further += real(elements_of(weight)); });
  return {layers * (all - expert + further), layers * expert};
}

double forward_flops_per_token(const Setup& setup, CausalFlops convention) {
  const ModelSpec& model = setup.model;
  if (!model.conv.empty()) return 2 * size_of(resolve(model)).multiply_adds;
  if (model.layers_differ) {
    const auto of_layer = [&](const Setup& one) {
      return forward_flops_per_token(one, convention) - head_flops_per_token(one);
    };
    double sum = head_flops_per_token(setup);
    for (const DistinctLayer& each : distinct_layers(setup)) sum += real(each.count) * of_layer(each.one);
    // A layer that predicts a further token is as the last one.
    if (const double further = mtp_layers(setup); further > 0)
      sum += further * (of_layer({layer_model(model, model.layers.back().layer), setup.plan}) +
                        2 * further_products(model));
    return sum;
  }
  detail::PartProducts products{};
  for (std::size_t i = 0; i < products.size(); ++i)
    if (const auto part = static_cast<ModelComponent>(i); runs_in(model, part, mtp_layers(setup)) > 0)
      products[i] = products_of(setup, part, convention);
  return detail::forward_flops_per_token(setup, products);
}

double detail::forward_flops_per_token(const Setup& setup, const PartProducts& products) {
  const double further = mtp_layers(setup);
  double all = further > 0 ? further * further_products(setup.model) : 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const double runs = runs_in(setup.model, static_cast<ModelComponent>(i), further);
    if (runs > 0) all += runs * products[i];
  }
  return 2 * all;
}

}  // namespace shapelint::model
