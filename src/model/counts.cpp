// Parameters and FLOPs of a whole model, as papers and model cards count them.
#include <algorithm>

#include "model/arithmetic.hpp"
#include "model/cnn/cnn.hpp"
#include "model/layer_list.hpp"
#include "model/lower/emit.hpp"
#include "model/lower/lower.hpp"
#include "model/lower/whole.hpp"
#include "model/mixer.hpp"
#include "model/part_counts.hpp"

namespace shapelint::model {

namespace {

std::int64_t mlp_parameters(const ModelSpec& model, std::int64_t width, std::int64_t outer) {
  const std::int64_t branches = model.mlp_gated ? 2 : 1;
  return plus(times(branches + 1, outer, width), when(model.mlp_bias, plus(times(branches, width), outer)));
}
std::int64_t mlp_parameters(const ModelSpec& model, std::int64_t width) {
  return mlp_parameters(model, width, model.hidden_size);
}
// Of a layer's MLP, with the norm before it where it belongs to a shared block.
std::int64_t layer_mlp_parameters(const ModelSpec& model) {
  const std::int64_t whole = mlp_parameters(model, model.intermediate_size);
  const SharedBlock& shared = model.shared_block;
  if (shared.blocks <= 0) return whole;
  const std::int64_t first = times(model.mlp_gated ? 2 : 1, model.intermediate_size);
  return shared_out(model, StepPart::mlp, plus(whole, norm_parameters(model, model.hidden_size)),
                    times(shared.adapter_rank, plus(model.hidden_size, first)));
}

// What an expert reads and writes is as wide as this.
std::int64_t expert_hidden_size(const ModelSpec& model) {
  return model.moe.latent_size > 0 ? model.moe.latent_size : model.hidden_size;
}
std::int64_t expert_parameters(const ModelSpec& model) {
  return mlp_parameters(model, model.moe.intermediate_size, expert_hidden_size(model));
}

// What steers a layer of a diffusion transformer: of a shared modulation a vector of its own is added to each
// (PixArt, Wan). Of all vectors of a layer with two branches, or where that has half as many, of one branch.
std::int64_t modulation_parameters(const ModelSpec& model) {
  const Diffusion& diffusion = model.diffusion;
  const std::int64_t vectors = modulation_vectors(model, model.parallel_block);
  const std::int64_t each =
      diffusion.modulation_shared ? 1 : plus(condition_elements(model), 1);  // with a bias
  return times(vectors, model.hidden_size, each);
}

// Norms that conditions steer have no weights of their own.
std::int64_t layer_norm_parameters(const ModelSpec& model) {
  if (model.diffusion.modulation > 0) return 0;
  return times(model.norms_per_layer, norm_parameters(model, model.hidden_size));
}

// Weights and mixing of hyper-connections around one branch: a static and a dynamic part for each entry.
std::int64_t hyper_parameters(const ModelSpec& model) {
  const std::int64_t streams = model.residual_streams;
  if (streams <= 1) return 0;
  const std::int64_t entries = plus(times(streams, streams), times(2, streams));
  return plus(times(entries, streams, model.hidden_size), entries, 3);
}

// One mixture layer with `experts` of its routed experts.
std::int64_t moe_parameters(const ModelSpec& model, std::int64_t experts) {
  const Moe& moe = model.moe;
  return plus(times(experts, expert_parameters(model)), times(2, model.hidden_size, moe.latent_size),
              times(model.hidden_size, moe.num_experts), when(moe.router_bias, moe.num_experts),
              when(moe.shared_intermediate_size > 0, mlp_parameters(model, moe.shared_intermediate_size)));
}

std::int64_t frame_parameters(const ModelSpec& model) {
  const std::int64_t square = times(model.hidden_size, model.hidden_size);
  return plus(layer_norm_parameters(model), times(2, hyper_parameters(model)), modulation_parameters(model),
              when(model.single.linear_mixing, square), when(model.single.linear_feeding, square));
}

// Of all layers, with so many experts in each mixture.
std::int64_t layers_with(const ModelSpec& model, std::int64_t experts) {
  const auto all = [&](StepPart part, std::int64_t each) { return times(times_in(model, part), each); };
  std::int64_t mixers = 0;
  for (const StepPart part : mixer_parts)
    mixers = plus(mixers, all(part, mixer_parameters(model, model.mixers[mixer_of(part)])));
  return plus(all(StepPart::frame, frame_parameters(model)),
              all(StepPart::attention, attention_parameters(model)), mixers,
              all(StepPart::mlp, layer_mlp_parameters(model)),
              all(StepPart::mixture, moe_parameters(model, experts)));
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
  const auto own = static_cast<double>(std::max<std::int64_t>(1, setup.plan.sequence_length));
  return (own + static_cast<double>(joined_length(setup))) / own;
}

// Queries of a decoding step and the keys that each meets: of sequences that decode, and of a prompt.
struct Decoding {
  Decoding(const Plan& plan, CausalFlops convention)
      : decoded(static_cast<double>(plan.micro_batch_size) *
                (static_cast<double>(plan.speculative_tokens) + 1)),
        read(static_cast<double>(plan.prefill_tokens)),
        own_keys(static_cast<double>(plan.context_length) + static_cast<double>(plan.speculative_tokens) + 1),
        cached(std::max(0.0, static_cast<double>(plan.context_length) - read) / 2),
        prompt_keys(cached + (convention == CausalFlops::half ? read / 2 : read)) {}

  // Of something that is each for a query of the one kind, and of the other.
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
  const double cached = static_cast<double>(cached_tokens(plan));
  const std::int64_t document = document_tokens(setup);
  const double all =
      static_cast<double>(document > 0 ? document : plus(plan.sequence_length, joined_length(setup)));
  return cached + (setup.model.causal && convention == CausalFlops::half ? all / 2 : all);
}

// Of relative positions: distances of both signs (within a window those alone), each embedded once for all
// sequences of a micro-batch, and met by each query.
double distance_products(const Setup& setup, double embedded, double met) {
  const std::int64_t length = std::max<std::int64_t>(1, setup.plan.sequence_length);
  const std::int64_t window = setup.model.window.size;
  const bool is_local =
      window > 0 && window < length && num_window_layers(setup.model) == num_attention_layers(setup.model);
  const double distances = static_cast<double>(is_local ? window : times(2, length));
  const double tokens =
      static_cast<double>(times(std::max<std::int64_t>(1, setup.plan.micro_batch_size), length));
  return distances / tokens * embedded + met * distances;
}

// Multiply-adds of one layer's attention for one token.
double attention_products(const Setup& setup, CausalFlops convention) {
  const ModelSpec& model = setup.model;
  const double hidden = static_cast<double>(model.hidden_size);
  const double heads = static_cast<double>(model.num_attention_heads);
  // Averages over the layers with a window and those without.
  const Window& window = model.window;
  const auto attention = static_cast<double>(std::max<std::int64_t>(1, num_attention_layers(model)));
  const double narrow = static_cast<double>(num_window_layers(model)) / attention;
  const double all_keys = keys_per_query(setup, convention);
  double keys = narrow * std::min(all_keys, static_cast<double>(window.size)) + (1 - narrow) * all_keys;
  double scored = 0;
  if (model.indexer.keys > 0) {
    const double heads_of_index = static_cast<double>(model.indexer.heads);
    const double index_dim = static_cast<double>(model.indexer.head_dim);
    const auto from = static_cast<double>(index_inputs(model));
    const auto ratio = static_cast<double>(std::max<std::int64_t>(1, model.compressed.ratio));
    const double made = model.compressed.ratio > 0 ? 4 * index_dim : index_dim;
    scored = from * heads_of_index * index_dim + hidden * (made + heads_of_index) +
             heads_of_index * index_dim * all_keys / ratio;
    keys = std::min(all_keys, static_cast<double>(model.indexer.keys));
  }
  if (model.compressed.ratio > 0) {
    const auto width = static_cast<double>(times(2, model.indexer.keys > 0 ? 2 : 1, model.head_dim));
    scored += hidden * width;
    const double brief = all_keys / static_cast<double>(model.compressed.ratio);
    const double chosen =
        model.indexer.keys > 0 ? std::min(brief, static_cast<double>(model.indexer.keys)) : brief;
    keys = chosen + (model.window.size > 0 ? std::min(all_keys, static_cast<double>(model.window.size)) : 0);
  }
  if (model.mla.kv_lora_rank > 0) {
    const double q_rank = static_cast<double>(model.mla.q_lora_rank);
    const double rank = static_cast<double>(model.mla.kv_lora_rank);
    const double nope = static_cast<double>(model.mla.qk_nope_head_dim);
    const double rope = static_cast<double>(model.mla.qk_rope_head_dim);
    const double value = static_cast<double>(model.mla.v_head_dim);
    const double queries = heads * (nope + rope);
    const double query = q_rank > 0 ? hidden * q_rank + q_rank * queries : hidden * queries;
    // expanding keys and values costs as much as absorbing the expansion into query and output
    const double key_value = hidden * (rank + rope) + rank * heads * (nope + value);
    const bool absorbs = setup.plan.mode == Mode::decode || model.indexer.keys > 0;
    const double folded = 2 * rank + rope;
    const double unfolded = nope + rope + value;
    double scores = heads * (absorbs ? folded : unfolded) * keys;
    if (setup.plan.mode == Mode::decode && setup.plan.prefill_tokens > 0 && model.indexer.keys == 0) {
      // A prompt's queries absorb nothing; what is cached of it is expanded again.
      const Decoding step(setup.plan, convention);
      scores = heads * step.mean(folded * step.own_keys, unfolded * step.prompt_keys) +
               step.mean(0, rank * heads * (nope + value) * step.cached / step.read);
    }
    return query + key_value + scores + heads * value * hidden + scored;
  }
  const double groups = static_cast<double>(model.num_key_value_heads);
  const double qk = static_cast<double>(model.head_dim);
  const double value = static_cast<double>(model.value_head_dim);
  const double own = 1 - static_cast<double>(num_shared_key_value_layers(model)) / attention;
  if (model.sparse.blocks > 0) {
    const Sparse& sparse = model.sparse;
    const double selected = real(times(sparse.blocks, sparse.block_size));
    const double compressed = all_keys / real(std::max<std::int64_t>(1, sparse.compressed_stride));
    keys = compressed + std::min(all_keys, selected) + std::min(all_keys, real(sparse.window));
    // Each stride of tokens makes one compressed key and value of a block.
    scored = hidden * 3 * heads;
    if (!sparse.shared)
      scored += hidden * 2 * groups * (qk + value) +
                groups * real(sparse.compressed_size) * (qk * qk + value * value) /
                    real(std::max<std::int64_t>(1, sparse.compressed_stride));
  }
  const auto inputs = static_cast<double>(shared_inputs(model));
  const Compressed& small = model.compressed;
  const double queries = heads * (model.attention_gate ? qk + value : qk);
  const double kept = model.key_values == KeyValues::apart ? groups * (qk + value) : groups * qk;
  double products =
      inputs * (queries + own * kept) + heads * (qk + value) * keys + heads * value * hidden + scored;
  if (small.q_lora_rank > 0) products += real(small.q_lora_rank) * (inputs + queries) - inputs * queries;
  if (small.output_groups > 0)
    products += real(small.output_rank) * (heads * value + real(small.output_groups) * hidden) -
                heads * value * hidden;
  if (model.shared_block.blocks > 0) {
    const SharedBlock& shared = model.shared_block;
    const auto rank = static_cast<double>(shared.adapter_rank);
    if (shared.adapts_attention) products += rank * (3 * inputs + heads * qk + groups * (qk + value));
    if (shared.projection) products += hidden * hidden;
  }
  if (model.convolution_kernel > 0)
    products += hidden * (3 * hidden + static_cast<double>(model.convolution_kernel));
  if (model.relative_positions && setup.plan.mode != Mode::decode)
    products += distance_products(setup, hidden * heads * qk, heads * qk);
  if (model.cross_attention) {
    const Plan& plan = setup.plan;
    const double source = static_cast<double>(plan.source_length);
    // Keys and values come from the encoder's output: once for all tokens, and while decoding from the cache.
    const double per_token =
        plan.mode == Mode::decode || plan.sequence_length <= 0
            ? 0.0
            : source / static_cast<double>(plan.sequence_length) * hidden * groups * (qk + value);
    products += hidden * heads * qk + per_token + heads * (qk + value) * source + heads * value * hidden;
  }
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
    all = plus(all, times(times_in(model, static_cast<StepPart>(part)), sizes[part].parameters));
  }
  return all;
}

std::int64_t expert_parameter_count(const ModelSpec& model, const PartSizes& sizes) {
  return times(times_in(model, StepPart::mixture),
               sizes[static_cast<std::size_t>(StepPart::mixture)].expert_parameters);
}

std::int64_t expert_parameter_count(const Setup& setup) {
  const ModelSpec& model = setup.model;
  if (!model.conv.empty()) return 0;
  if (model.layers_differ) return part_size(setup, StepPart::mixture).expert_parameters;
  return times(num_moe_layers(model), model.moe.num_experts, expert_parameters(model));
}

std::int64_t active_parameter_count(const Setup& setup) {
  if (!setup.model.conv.empty()) return parameter_count(setup);
  return parameters_with(setup,
                         [](const Moe& moe) { return std::min(moe.num_experts, moe.experts_per_token); });
}

double head_flops_per_token(const Setup& setup) {
  const ModelSpec& model = setup.model;
  if (!model.lm_head || !model.conv.empty()) return 0;
  const double hidden = static_cast<double>(model.hidden_size);
  return 2 * hidden * (static_cast<double>(model.vocab_size) + (model.lm_head_transform ? hidden : 0.0));
}

namespace {

// Multiply-adds of one layer's MLP for one token, and of its mixture of experts.
double mlp_products(const ModelSpec& model) {
  const double hidden = static_cast<double>(model.hidden_size);
  const double width = static_cast<double>(model.intermediate_size);
  const double first = model.mlp_gated ? 2.0 : 1.0;
  const double added =
      model.shared_block.blocks > 0 ? static_cast<double>(model.shared_block.adapter_rank) : 0.0;
  return (first + 1) * hidden * width + added * (hidden + first * width);
}
double mixture_products(const ModelSpec& model) {
  const double hidden = static_cast<double>(model.hidden_size);
  const Moe& moe = model.moe;
  const double branches = model.mlp_gated ? 3.0 : 2.0;
  const double experts =
      static_cast<double>(moe.experts_per_token) * static_cast<double>(moe.intermediate_size);
  return branches * (static_cast<double>(expert_hidden_size(model)) * experts +
                     hidden * static_cast<double>(moe.shared_intermediate_size)) +
         2 * hidden * static_cast<double>(moe.latent_size) + hidden * static_cast<double>(moe.num_experts);
}

}  // namespace

std::int64_t times_in(const ModelSpec& model, StepPart part) {
  if (model.layers_differ) return 1;
  const std::int64_t joint = num_joint_layers(model);  // these have the weights of both streams
  switch (part) {
    case StepPart::attention:
      return plus(num_attention_layers(model), joint);
    case StepPart::mixer:
    case StepPart::second_mixer:
    case StepPart::third_mixer:
      return num_mixer_layers(model, mixer_of(part));
    case StepPart::mlp:
      return plus(num_mlps(model), joint);
    case StepPart::mixture:
      return num_moe_layers(model);
    case StepPart::frame:
      // beside a layer with one branch they have the vectors of four
      return plus(model.num_layers, times(model.parallel_block ? 3 : 1, joint));
    case StepPart::ends:
      return 1;
  }
  return 0;
}

std::int64_t weights_in(const ModelSpec& model, StepPart part) {
  const std::int64_t all = times_in(model, part);
  const bool is_shared =
      model.shared_block.blocks > 0 && (part == StepPart::attention || part == StepPart::mlp);
  return is_shared ? std::min(all, model.shared_block.blocks) : all;
}

namespace {

// Layers of a model that have the part.
std::int64_t layers_of(const ModelSpec& model, StepPart part) {
  switch (part) {
    case StepPart::attention:
      return num_attention_layers(model);
    case StepPart::mixer:
    case StepPart::second_mixer:
    case StepPart::third_mixer:
      return num_mixer_layers(model, mixer_of(part));
    case StepPart::mlp:
      return num_mlps(model);
    case StepPart::mixture:
      return num_moe_layers(model);
    case StepPart::frame:
      return model.num_layers;
    case StepPart::ends:
      break;
  }
  return 1;
}

// Of layers that differ: parameters of all of them, and the mean of their arithmetic.
PartSize sum_of_sizes(const Setup& setup, StepPart part) {
  PartSize out;
  for (const DistinctLayer& each : distinct_layers(setup)) {
    const std::int64_t number = times(each.count, layers_of(each.one.model, part));
    if (number <= 0) continue;
    const PartSize one = part_size(each.one, part);
    out.parameters = plus(out.parameters, times(number, one.parameters));
    out.expert_parameters = plus(out.expert_parameters, times(number, one.expert_parameters));
    out.products += static_cast<double>(number) * one.products;
  }
  out.products /= static_cast<double>(std::max<std::int64_t>(1, layers_of(setup.model, part)));
  return out;
}

}  // namespace

PartSize part_size(const Setup& setup, StepPart part) {
  const ModelSpec& model = setup.model;
  if (model.layers_differ && part != StepPart::ends) return sum_of_sizes(setup, part);
  switch (part) {
    case StepPart::attention:
      return {attention_parameters(model), 0, attention_products(setup, mfu_convention)};
    case StepPart::mixer:
    case StepPart::second_mixer:
    case StepPart::third_mixer: {
      const Mixer& mixer = model.mixers[mixer_of(part)];
      return {mixer_parameters(model, mixer), 0, mixer_products(model, mixer, setup.plan)};
    }
    case StepPart::mlp:
      return {layer_mlp_parameters(model), 0, computed_per_token(setup) * mlp_products(model)};
    case StepPart::mixture:
      return {moe_parameters(model, model.moe.num_experts),
              times(model.moe.num_experts, expert_parameters(model)),
              computed_per_token(setup) * mixture_products(model)};
    case StepPart::frame:
      return {frame_parameters(model), 0, 0};
    case StepPart::ends:
      return {plus(embedding_parameters(model), head_parameters(model)), 0, head_flops_per_token(setup) / 2};
  }
  return {};
}

RankParameters mtp_parameters(const Setup& setup) {
  const double layers = mtp_layers(setup);
  const ModelSpec& model = setup.model;
  if (layers <= 0 || !model.conv.empty()) return {};
  const TransformerLayer last = model.layers.empty() ? TransformerLayer{} : model.layers.back().layer;
  const Setup one{layer_model(model, last), setup.plan};
  const auto all = static_cast<double>(layers_with(one.model, one.model.moe.num_experts));
  const auto expert = static_cast<double>(expert_parameter_count(one));
  const auto hidden = static_cast<double>(model.hidden_size);
  const auto norms = static_cast<double>(times(2, norm_parameters(model, model.hidden_size)));
  return {layers * (all - expert + 2 * hidden * hidden + norms), layers * expert};
}

double forward_flops_per_token(const Setup& setup, CausalFlops convention) {
  const ModelSpec& model = setup.model;
  if (!model.conv.empty()) return 2 * size_of(resolve(model)).multiply_adds;
  if (model.layers_differ) {
    const auto of_layer = [&](const Setup& one) {
      return forward_flops_per_token(one, convention) - head_flops_per_token(one);
    };
    double sum = head_flops_per_token(setup);
    for (const DistinctLayer& each : distinct_layers(setup))
      sum += static_cast<double>(each.count) * of_layer(each.one);
    // A layer that predicts a further token is as the last one.
    const double hidden = static_cast<double>(model.hidden_size);
    if (const double further = mtp_layers(setup); further > 0)
      sum += further *
             (of_layer({layer_model(model, model.layers.back().layer), setup.plan}) + 4 * hidden * hidden);
    return sum;
  }
  std::array<double, most_mixers> mixers{};
  for (std::size_t which = 0; which < most_mixers; ++which)
    mixers[which] = mixer_products(model, model.mixers[which], setup.plan);
  return detail::forward_flops_per_token(setup, attention_products(setup, convention), mixers);
}

double detail::forward_flops_per_token(const Setup& setup, double attention,
                                       const std::array<double, most_mixers>& mixers) {
  const ModelSpec& model = setup.model;
  const double further = mtp_layers(setup);
  const bool mixes = num_moe_layers(model) > 0;
  double mixed = 0;
  for (std::size_t which = 0; which < most_mixers; ++which)
    mixed += static_cast<double>(num_mixer_layers(model, which)) * mixers[which];
  const double square = static_cast<double>(model.hidden_size) * static_cast<double>(model.hidden_size);
  mixed += ((model.single.linear_mixing ? 1.0 : 0.0) + (model.single.linear_feeding ? 1.0 : 0.0)) * square;
  const double layers =
      (static_cast<double>(num_attention_layers(model)) + further) * attention + mixed +
      (static_cast<double>(num_mlps(model)) + (mixes ? 0.0 : further)) * computed_per_token(setup) *
          mlp_products(model) +
      (static_cast<double>(num_moe_layers(model)) + (mixes ? further : 0.0)) * computed_per_token(setup) *
          mixture_products(model) +
      further * 2 * static_cast<double>(model.hidden_size) * static_cast<double>(model.hidden_size);
  return 2 * layers + head_flops_per_token(setup);
}

}  // namespace shapelint::model
