// The weights of a layer's parts. `visit` gets a Weight each, in the order of the products.
#pragma once

#include <algorithm>

#include "model/lower/emit.hpp"
#include "model/mixer.hpp"
#include "model/weights.hpp"

namespace shapelint::model {

// `texts`: of its products and their sides, where somebody reads them.
template <class Visit>
void visit_mixer(const ModelSpec& model, const Mixer& mixer, const MixerTexts& texts, const Listing& listing,
                 Visit& visit) {
  if (mixer.kind == MixerKind::none) return;
  const MixerForm& form = form_of(mixer.kind);
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t keys = key_columns(mixer);
  const std::int64_t values = value_columns(mixer);
  const std::int64_t rank = mixer.gate_rank;
  const std::int64_t in = columns(mixer, form.in);
  const std::int64_t channels = mixer.conv_kernel > 0 ? columns(mixer, form.convolved) : 0;
  Mixer mine = mixer;
  mine.key_heads = divide_up(mixer.key_heads, listing.tensor);
  mine.value_heads = divide_up(mixer.value_heads, listing.tensor);
  if (in > 0)
    visit(Weight{WeightKind::matrix,
                 texts.in,
                 whole(hidden, "hidden_size"),
                 {in, columns(mine, form.in), texts.columns},
                 Split::outputs});
  if (mixer.bias) visit_vector(plus(in, hidden), visit);
  if (form.head_gates > 0) visit_product(hidden, times(form.head_gates, mixer.value_heads), visit);
  if (channels > 0) visit(Weight{WeightKind::filter, {}, whole(mixer.conv_kernel), whole(channels)});
  if (form.conv_bias || mixer.bias) visit_vector(channels, visit);
  if (form.gate == GateForm::time_step) {
    visit_product(values, plus(rank, times(2, mixer.key_dim)), visit);
    visit_product(rank, values, visit);
  } else if (form.gate != GateForm::none && rank > 0) {
    const std::int64_t each = form.gate == GateForm::keys_and_values ? divide_up(rank, 2) : rank;
    visit_product(hidden, rank, visit);
    if (form.gate != GateForm::values) visit_product(each, keys, visit);
    if (form.gate != GateForm::keys) visit_product(each, values, visit);
  }
  if (form.block_gates > 0)
    visit_product(mixer.value_dim, times(form.block_gates, mixer.value_dim), visit, Rows::tokens,
                  mixer.value_heads);
  visit_vector(vector_parameters(model, mixer), visit);
  if (has_output(mixer))
    visit(Weight{WeightKind::matrix,
                 texts.out,
                 {values, value_columns(mine), texts.values},
                 divided(hidden, listing.tensor, "hidden_size / tensor"),
                 Split::inputs});
  if (form.gates_mlp) visit_product(hidden, hidden, visit);
}

// All parts but mixers.
template <class Visit>
class LayerWeights {
 public:
  LayerWeights(const ModelSpec& model, const Listing& listing, Visit& visit)
      : model_(model), listing_(listing), visit_(visit), size_(model.hidden_size) {}

  void attention() {
    model_.mla.kv_lora_rank > 0 ? latent_attention() : attention_of_heads();
    if (model_.indexer.keys > 0) indexer();
    if (model_.cross_attention) cross_attention();
    if (model_.convolution_kernel > 0) convolution();
  }

  void mlp() {
    const SharedBlock& block = model_.shared_block;
    const Side width = divided(model_.intermediate_size, listing_.tensor, "intermediate_size / tensor");
    branches("layer.mlp.gate_up", "layer.mlp.up", "layer.mlp.down", hidden_, divided_, width, Rows::tokens);
    if (block.blocks <= 0) return;
    vector(norm_parameters(model_, size_));
    if (block.adapter_rank > 0) own(hidden_, whole(block.adapter_rank));
    if (block.adapter_rank > 0) own(whole(block.adapter_rank), whole(times(branches_, width.size)));
  }

  void mixture() {
    const Moe& moe = model_.moe;
    const std::int64_t parts = listing_.expert_tensor;
    const bool is_narrow = moe.latent_size > 0;  // experts read and write vectors of this width
    const Side latent = whole(moe.latent_size, "moe_latent_size");
    if (is_narrow) matrix("layer.moe.latent_down", Role::other, hidden_, latent, Split::none, Rows::handed);
    branches("layer.moe.gate_up", "layer.moe.up", "layer.moe.down", is_narrow ? latent : hidden_,
             is_narrow ? divided(moe.latent_size, parts, "moe_latent_size / expert_tensor")
                       : divided(size_, parts, "hidden_size / expert_tensor"),
             divided(moe.intermediate_size, parts, "moe_intermediate_size / expert_tensor"), Rows::experts);
    if (is_narrow) matrix("layer.moe.latent_up", Role::other, latent, hidden_, Split::none, Rows::handed);
    visit_product(size_, moe.num_experts, visit_);
    if (moe.router_bias) vector(moe.num_experts);
    if (moe.shared_intermediate_size > 0)
      branches(
          "layer.moe.shared_gate_up", "layer.moe.shared_up", "layer.moe.shared_down", hidden_, divided_,
          divided(moe.shared_intermediate_size, listing_.tensor, "moe_shared_intermediate_size / tensor"),
          Rows::tokens);
  }

  // Norms that conditions steer have no weights of their own. Of what steers a layer of a diffusion
  // transformer: where it is made once for all layers, a vector that is added to each (PixArt, Wan).
  void frame() {
    const Diffusion& diffusion = model_.diffusion;
    const std::int64_t steered = times(modulation_vectors(model_, model_.parallel_block), size_);
    if (diffusion.modulation > 0 && !diffusion.modulation_shared)
      visit_product(condition_elements(model_), steered, visit_, Rows::few);
    vector(diffusion.modulation > 0 ? steered
                                    : times(model_.norms_per_layer, norm_parameters(model_, size_)));
    if (const std::int64_t streams = model_.residual_streams; streams > 1) {
      // Of hyper-connections around each branch: a static and a dynamic part for each entry.
      const std::int64_t entries = plus(times(streams, streams), times(2, streams));
      visit_product(times(streams, size_), entries, visit_, Rows::few, 2);
      vector(times(2, plus(entries, 3)));
    }
    if (model_.single.linear_mixing) visit_product(size_, size_, visit_);
    if (model_.single.linear_feeding) visit_product(size_, size_, visit_);
  }

 private:
  void vector(std::int64_t size) { visit_vector(size, visit_); }
  void own(Side inputs, Side outputs, std::int64_t copies = 1) {
    Weight weight{WeightKind::product, {}, inputs, outputs, Split::none, Rows::tokens, copies};
    weight.is_own = true;
    visit_(weight);
  }
  void matrix(std::string_view name, Role role, Side inputs, Side outputs, Split split,
              Rows rows = Rows::tokens, std::int64_t copies = 1) {
    visit_(Weight{WeightKind::matrix, name, inputs, outputs, split, rows, copies, role});
  }

  // Of an MLP, or of each expert.
  void branches(std::string_view gated, std::string_view single, std::string_view down, Side inputs,
                Side outputs, Side width, Rows rows) {
    matrix(branches_ > 1 ? gated : single, Role::other, inputs, width, Split::outputs, rows, branches_);
    matrix(down, Role::other, width, outputs, Split::inputs, rows);
    if (!model_.mlp_bias) return;
    Weight bias{.outputs = whole(plus(times(branches_, width.size), outputs.size)), .rows = rows};
    visit_(bias);
  }

  // Of all heads of queries, and of keys and values, with so many elements each.
  Side heads(std::string_view text, std::int64_t each) const {
    return divided(model_.num_attention_heads, listing_.tensor, text, each);
  }
  Side key_heads(std::string_view text, std::int64_t each) const {
    return divided(model_.num_key_value_heads, listing_.tensor, text, each);
  }
  // The gate of attention's output belongs to the queries' (Qwen3-Next).
  Side queries(bool is_gated) const {
    return is_gated ? heads("num_attention_heads / tensor * (head_dim + value_head_dim)",
                            plus(model_.head_dim, model_.value_head_dim))
                    : heads("num_attention_heads / tensor * head_dim", model_.head_dim);
  }
  Side values() const {
    return heads("num_attention_heads / tensor * value_head_dim", model_.value_head_dim);
  }
  // Elements of a head's key and value; one projection may make both.
  std::int64_t key_value_width(bool are_two) const {
    return are_two ? plus(model_.head_dim, model_.value_head_dim) : model_.head_dim;
  }

  // Queries, keys and values apart, as Hugging Face, nanochat and (splitting its joint matrix for Muon)
  // Megatron-LM have them.
  void keys_and_values(std::string_view both, std::string_view key, std::string_view value, Side inputs,
                       bool are_two, Rows rows) {
    const bool are_alike = are_two && model_.head_dim == model_.value_head_dim && !listing_.is_apart;
    Weight weight{WeightKind::matrix,
                  are_alike ? both : key,
                  inputs,
                  key_heads("num_key_value_heads / tensor * head_dim", model_.head_dim),
                  Split::outputs,
                  rows,
                  are_alike ? 2 : 1,
                  are_alike ? Role::attention : Role::key};
    weight.is_lent = weight.reads_again = rows == Rows::tokens;
    visit_(weight);
    if (are_two && !are_alike) {
      weight.name = value;
      weight.role = Role::value;
      weight.reads_again = true;
      weight.outputs = key_heads("num_key_value_heads / tensor * value_head_dim", model_.value_head_dim);
      visit_(weight);
    }
    if (!model_.qkv_bias) return;
    Weight bias{.outputs = whole(times(model_.num_key_value_heads, key_value_width(are_two)))};
    bias.is_lent = weight.is_lent;
    visit_(bias);
  }

  void attention_of_heads() {
    const Compressed& narrow = model_.compressed;
    const SharedBlock& block = model_.shared_block;
    const bool are_two = model_.key_values == KeyValues::apart;
    const Side inputs =
        block.blocks > 0 && block.input_size > 0 ? whole(block.input_size, "shared_input_size") : hidden_;
    const Side all = queries(model_.attention_gate);
    const Side rank = whole(narrow.q_lora_rank, "compressed_q_lora_rank");
    if (narrow.q_lora_rank > 0) {
      matrix("layer.attention.q_down", Role::attention, inputs, rank, Split::none);
      vector(norm_parameters(model_, narrow.q_lora_rank));
      matrix("layer.attention.q_up", Role::query, rank, all, Split::outputs);
    } else {
      matrix("layer.attention.query", Role::query, inputs, all, Split::outputs);
    }
    if (model_.qkv_bias) vector(all.size);
    keys_and_values("layer.attention.key_value", "layer.attention.key", "layer.attention.value", inputs,
                    are_two, Rows::tokens);
    Side read = values();
    if (const std::int64_t groups = narrow.output_groups; groups > 0) {
      // Each group of heads has a projection of its own, and one reads what these put out (DeepSeek-V4).
      matrix("layer.attention.output_down", Role::attention,
             whole(divide_up(read.size, groups),
                   "num_attention_heads * value_head_dim / compressed_output_groups"),
             whole(narrow.output_rank, "compressed_output_rank"), Split::copies, Rows::tokens, groups);
      read = divided(groups, listing_.tensor, "compressed_output_groups / tensor * compressed_output_rank",
                     narrow.output_rank);
    }
    output("layer.attention.output", read);

    if (model_.qk_norm) {  // a scale for each element of a head, the same for all; or for each of all heads
      const bool is_whole = model_.qk_norm_whole;
      vector(norm_parameters(model_, times(is_whole ? model_.num_attention_heads : 1, model_.head_dim)));
      vector(norm_parameters(model_, times(is_whole ? model_.num_key_value_heads : 1, model_.head_dim)));
    }
    if (model_.window.sinks) vector(model_.num_attention_heads);
    if (model_.key_values == KeyValues::one_tensor) vector(norm_parameters(model_, model_.head_dim));
    if (narrow.ratio > 0) compressor(model_.head_dim);
    if (model_.sparse.blocks > 0) sparse();
    if (model_.relative_positions) {  // embeddings of distances, and two biases of the scores
      visit_product(size_, queries(false).size, visit_, Rows::distances);
      vector(times(2, queries(false).size));
    }
    // Of shared blocks: the norm of what they read, and of each layer what it adds to queries, keys and
    // values, and a square product behind the block.
    if (block.blocks <= 0) return;
    vector(norm_parameters(model_, inputs.size));
    if (block.adapts_attention && block.adapter_rank > 0) {
      own(inputs, whole(block.adapter_rank), 3);
      own(whole(block.adapter_rank),
          whole(plus(all.size, times(model_.num_key_value_heads, key_value_width(are_two)))));
    }
    if (block.projection) own(hidden_, hidden_);
  }

  void latent_attention() {
    const Mla& mla = model_.mla;
    const Side all = heads("num_attention_heads / tensor * (mla_qk_nope_head_dim + mla_qk_rope_head_dim)",
                           plus(mla.qk_nope_head_dim, mla.qk_rope_head_dim));
    const Side query_rank = whole(mla.q_lora_rank, "mla_q_lora_rank");
    if (mla.q_lora_rank > 0) {
      matrix("layer.attention.q_down", Role::attention, hidden_, query_rank, Split::none);
      vector(norm_parameters(model_, mla.q_lora_rank));
      matrix("layer.attention.q_up", Role::attention, query_rank, all, Split::outputs);
    } else {
      matrix("layer.attention.q", Role::query, hidden_, all, Split::outputs);
    }
    matrix("layer.attention.kv_down", Role::attention, hidden_,
           whole(plus(mla.kv_lora_rank, mla.qk_rope_head_dim), "mla_kv_lora_rank + mla_qk_rope_head_dim"),
           Split::none);
    vector(norm_parameters(model_, mla.kv_lora_rank));
    matrix("layer.attention.kv_up", Role::attention, whole(mla.kv_lora_rank, "mla_kv_lora_rank"),
           heads("num_attention_heads / tensor * (mla_qk_nope_head_dim + mla_v_head_dim)",
                 plus(mla.qk_nope_head_dim, mla.v_head_dim)),
           Split::outputs);
    output("layer.attention.output", heads("num_attention_heads / tensor * mla_v_head_dim", mla.v_head_dim));
  }

  void output(std::string_view name, Side inputs) {
    matrix(name, Role::attention, inputs, divided_, Split::inputs);
    if (model_.attention_output_bias) vector(size_);
  }

  // Queries of the stream over keys and values of an encoder's output: neither gated nor narrow.
  void cross_attention() {
    matrix("layer.cross_attention.query", Role::query, hidden_, queries(false), Split::outputs);
    if (model_.qkv_bias) vector(queries(false).size);
    keys_and_values("layer.cross_attention.key_value", "layer.cross_attention.key",
                    "layer.cross_attention.value", hidden_, true, Rows::source);
    output("layer.cross_attention.output", values());
  }

  // What scores keys: queries of many small heads (of the compressed query where there is one), one key with
  // its layer norm or as keys are compressed, a weight per head.
  void indexer() {
    const Indexer& indexer = model_.indexer;
    const std::int64_t from = model_.mla.q_lora_rank > 0          ? model_.mla.q_lora_rank
                              : model_.compressed.q_lora_rank > 0 ? model_.compressed.q_lora_rank
                                                                  : size_;
    visit_product(from, times(indexer.heads, indexer.head_dim), visit_);
    if (model_.compressed.ratio > 0) {
      compressor(indexer.head_dim);
    } else {
      visit_product(size_, indexer.head_dim, visit_);
      vector(times(2, indexer.head_dim));
    }
    visit_product(size_, indexer.heads, visit_);
  }

  // What compresses keys of so many elements: two products, of keys and of gates, a bias of the gates for
  // each of the tokens that become one, and a norm (transformers, modeling_deepseek_v4.py,
  // DeepseekV4HCACompressor). In fp32 (DeepSeek-V4's inference/model.py, Compressor).
  void compressor(std::int64_t width) {
    const std::int64_t columns = model_.indexer.keys > 0 ? times(2, width) : width;
    Weight made{WeightKind::product, {}, hidden_, whole(columns), Split::none, Rows::tokens, 2};
    made.is_fp32 = true;
    visit_(made);
    made = {.outputs = whole(plus(times(model_.compressed.ratio, columns), norm_parameters(model_, width)))};
    made.is_fp32 = true;
    visit_(made);
  }

  // Of native sparse attention: three gates per head, and unless one projection makes them for all three
  // branches, keys and values of two more, and what makes a compressed key or value of a block.
  void sparse() {
    const Sparse& sparse = model_.sparse;
    visit_product(size_, times(3, model_.num_attention_heads), visit_);
    if (sparse.shared) return;
    visit_product(size_, times(model_.num_key_value_heads, key_value_width(true)), visit_, Rows::tokens, 2);
    for (const std::int64_t each : {model_.head_dim, model_.value_head_dim})
      visit_product(times(sparse.compressed_size, each), each, visit_, Rows::strides);
  }

  // A conformer's module: a product to both halves of a gated unit, the convolution, a batch norm, a product.
  void convolution() {
    visit_product(size_, times(2, size_), visit_);
    visit_(Weight{WeightKind::filter, {}, whole(model_.convolution_kernel), whole(size_)});
    visit_product(size_, size_, visit_);
    vector(times(model_.mlp_bias ? 7 : 2, size_));
  }

  const ModelSpec& model_;
  const Listing& listing_;
  Visit& visit_;
  const std::int64_t size_;
  const std::int64_t branches_ = model_.mlp_gated ? 2 : 1;
  const Side hidden_ = whole(size_, "hidden_size");
  const Side divided_ = divided(size_, listing_.tensor, "hidden_size / tensor");
};

template <class Visit>
void visit_weights(const ModelSpec& model, StepPart part, const Listing& listing, Visit&& visit) {
  LayerWeights weights(model, listing, visit);
  if (part == StepPart::attention) return weights.attention();
  if (part == StepPart::mlp) return weights.mlp();
  if (part == StepPart::mixture) return weights.mixture();
  if (part == StepPart::frame) return weights.frame();
  if (const std::size_t which = mixer_of(part); which < most_mixers)
    visit_mixer(model, model.mixers[which], {}, listing, visit);
}

}  // namespace shapelint::model
