// A layer's parts. `visit` gets their weights, a Weight each in the order of the products, and where it takes
// them, each Activation and each Cached.
#pragma once

#include <algorithm>
#include <type_traits>

#include "model/lower/emit.hpp"
#include "model/mixer.hpp"
#include "model/weights.hpp"

namespace shapelint::model {

template <class Visit, class Entry>
void tell(Visit& visit, const Entry& entry) {
  if constexpr (std::is_invocable_v<Visit&, const Entry&>) visit(entry);
}

template <class Visit>
void keep(Visit& visit, Reader reader, std::int64_t elements, bool is_split = false,
          Remade remade = Remade::never, Rows rows = Rows::tokens, bool is_lent = false) {
  if (elements > 0) tell(visit, Activation{reader, elements, is_split, rows, remade, is_lent});
}

// What a branch of so many elements begins with: a norm of the stream, and at its end, in models with a layer
// norm, dropout (GPT-2 and 3, BERT, OPT; those with RMSNorm are trained without).
template <class Visit>
void enter_branch(const ModelSpec& model, std::int64_t read, Visit& visit) {
  keep(visit, Reader::stream, read);
  if (model.norm == Norm::layernorm) keep(visit, Reader::dropout, model.hidden_size);
}

// `texts`: of its products and their sides, where somebody reads them.
template <class Visit>
void visit_mixer(const ModelSpec& model, const Mixer& mixer, const MixerTexts& texts, const Listing& listing,
                 Visit& visit) {
  if (mixer.kind == MixerKind::none) return;
  const MixerTraits& form = form_of(mixer.kind);
  const std::int64_t hidden = model.hidden_size;
  const std::int64_t keys = key_columns(mixer);
  const std::int64_t values = value_columns(mixer);
  const std::int64_t rank = mixer.gate_rank;
  const std::int64_t in = columns(mixer, form.in);
  const std::int64_t channels = mixer.conv_kernel > 0 ? columns(mixer, form.convolved) : 0;
  Mixer mine = mixer;
  mine.key_heads = divide_up(mixer.key_heads, listing.tensor);
  mine.value_heads = divide_up(mixer.value_heads, listing.tensor);
  // Beside attention it reads what that does (Falcon-H1); a block that layers share reads something else.
  const bool is_beside =
      mixer.parallel && model.shared_block.blocks <= 0 && mixer.layers <= num_attention_layers(model);
  bool has_read = is_beside;  // the stream, normed
  const auto from_stream = [&](std::int64_t outputs) {
    Weight weight{WeightKind::product, {}, whole(hidden), whole(outputs)};
    weight.remade = Remade::norms;
    weight.reads_again = has_read;
    has_read = true;
    visit(weight);
  };
  const auto hold = [&](std::int64_t elements) { keep(visit, Reader::operation, elements, true); };
  if (!is_beside) keep(visit, Reader::stream, hidden);
  if (in > 0) {
    Weight weight{WeightKind::matrix,
                  texts.in,
                  whole(hidden, "hidden_size"),
                  {in, columns(mine, form.in), texts.columns},
                  Split::outputs};
    weight.remade = Remade::norms;
    weight.reads_again = has_read;
    has_read = true;
    visit(weight);
  }
  // The convolution or the scan reads these, and a gate the rest; the scan what is convolved.
  hold(in);
  if (!form.convolves_again || mixer.conv_kernel <= 0) hold(channels);
  if (mixer.bias) visit_vector(plus(in, hidden), visit);
  if (form.head_gates > 0) from_stream(times(form.head_gates, mixer.value_heads));
  hold(times(form.head_gates, mixer.value_heads));
  if (channels > 0) visit(Weight{WeightKind::filter, {}, whole(mixer.conv_kernel), whole(channels)});
  if (form.conv_bias || mixer.bias) visit_vector(channels, visit);
  const auto inner = [&](std::int64_t inputs, std::int64_t outputs, std::int64_t copies = 1) {
    Weight weight{WeightKind::product, {}, whole(inputs), whole(outputs), Split::none, Rows::tokens, copies};
    weight.reads_kept = weight.reads_apart = true;
    visit(weight);
  };
  if (form.gate == GateForm::time_step) {
    inner(values, plus(rank, times(2, mixer.key_dim)));
    hold(times(2, mixer.key_dim));
    visit_product(rank, values, visit);
    if (!form.convolves_again) hold(values);
  } else if (form.gate != GateForm::none && rank > 0) {
    const std::int64_t each = form.gate == GateForm::keys_and_values ? divide_up(rank, 2) : rank;
    from_stream(rank);
    const auto up = [&](std::int64_t outputs) {
      visit_product(each, outputs, visit);
      hold(outputs);
    };
    if (form.gate != GateForm::values) up(keys);
    if (form.gate != GateForm::keys) up(values);
  }
  if (form.block_gates > 0) {
    inner(mixer.value_dim, times(form.block_gates, mixer.value_dim), mixer.value_heads);
    hold(times(form.block_gates, values));
  }
  visit_vector(vector_parameters(model, mixer), visit);
  if (form.has_state) hold(values);  // what the scan puts out, before its norm or gate
  if (has_output(mixer))
    visit(Weight{WeightKind::matrix,
                 texts.out,
                 {values, value_columns(mine), texts.values},
                 divided(hidden, listing.tensor, "hidden_size / tensor"),
                 Split::inputs});
  if (form.gates_mlp) {
    visit_product(hidden, hidden, visit);
    keep(visit, Reader::operation, hidden);
  }
  const MixerState state = mixer_state(mixer);
  const double ranks = at_least_one(listing.tensor);
  tell(visit, Cached{state.recurrent_elements / ranks, Extent::once, Stored::fp32});
  tell(visit, Cached{state.convolution_elements / ranks, Extent::once, Stored::activation});
}

// All parts but mixers.
template <class Visit>
class LayerWeights {
 public:
  LayerWeights(const ModelSpec& model, const Listing& listing, Visit& visit)
      : model_(model), listing_(listing), visit_(visit), size_(model.hidden_size) {}

  void attention() {
    enter_branch(model_, shared_inputs(model_), visit_);
    model_.mla.kv_lora_rank > 0 ? latent_attention() : attention_of_heads();
    if (model_.indexer.keys > 0) indexer();
    if (model_.cross_attention) cross_attention();
    if (model_.convolution_kernel > 0) convolution();
  }

  void mlp() {
    const SharedBlock& block = model_.shared_block;
    const Side width = divided(model_.intermediate_size, listing_.tensor, "intermediate_size / tensor");
    if (!reads_attentions_norm()) enter_branch(model_, size_, visit_);
    branches("layer.mlp.gate_up", "layer.mlp.up", "layer.mlp.down", hidden_, divided_, width, Rows::tokens,
             {Remade::norms, Remade::mlp, Remade::mlp, reads_attentions_norm()});
    if (block.blocks <= 0) return;
    vector(norm_parameters(model_, size_));
    if (block.adapter_rank > 0) again(size_, block.adapter_rank, 1, true);
    if (block.adapter_rank > 0) own(whole(block.adapter_rank), whole(times(branches_, width.size)));
  }

  void mixture() {
    const Moe& moe = model_.moe;
    const std::int64_t parts = listing_.expert_tensor;
    const bool is_narrow = moe.latent_size > 0;  // experts read and write vectors of this width
    const Side latent = whole(moe.latent_size, "moe_latent_size");
    // Router and shared experts read the norm's output as it is, and for each of a token's experts there is a
    // row of its own (arXiv 2603.07685 calls what comes of these most of what a mixture keeps).
    if (!reads_attentions_norm()) {
      keep(visit_, Reader::stream, size_);
      keep(visit_, Reader::operation, size_, false, Remade::norms);
    }
    if (is_narrow) {
      matrix("layer.moe.latent_down", Role::other, hidden_, latent, Split::none, Rows::handed, 1,
             {.reads_again = true});
    }
    branches("layer.moe.gate_up", "layer.moe.up", "layer.moe.down", is_narrow ? latent : hidden_,
             is_narrow ? divided(moe.latent_size, parts, "moe_latent_size / expert_tensor")
                       : divided(size_, parts, "hidden_size / expert_tensor"),
             divided(moe.intermediate_size, parts, "moe_intermediate_size / expert_tensor"), Rows::experts,
             {Remade::experts, Remade::experts, Remade::expert_activations, false});
    if (is_narrow)
      matrix("layer.moe.latent_up", Role::other, latent, hidden_, Split::none, Rows::handed, 1,
             {.remade = Remade::experts});
    again(size_, moe.num_experts);
    if (moe.router_bias) vector(moe.num_experts);
    if (moe.shared_intermediate_size > 0)
      branches(
          "layer.moe.shared_gate_up", "layer.moe.shared_up", "layer.moe.shared_down", hidden_, divided_,
          divided(moe.shared_intermediate_size, listing_.tensor, "moe_shared_intermediate_size / tensor"),
          Rows::tokens, {Remade::norms, Remade::shared_experts, Remade::shared_experts, true});
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
    const std::int64_t streams = model_.residual_streams;
    if (altup_streams(model_) > 0) {
      // A router over the stream of the layer, before it and behind it, whose outputs are turned into a
      // weight for each pair of streams, and into one for each (transformers, modeling_gemma3n.py,
      // Gemma3nTextAltUp).
      visit_product(size_, streams, visit_, Rows::few);
      vector(plus(times(streams, plus(streams, times(streams, streams))), norm_parameters(model_, size_),
                  size_));
      keep(visit_, Reader::operation, times(2, streams, size_));  // all of them, and as predicted
    } else if (streams > 1) {
      // Of hyper-connections around each branch: a static and a dynamic part for each entry.
      const std::int64_t entries = plus(times(streams, streams), times(2, streams));
      visit_product(times(streams, size_), entries, visit_, Rows::few, 2);
      vector(times(2, plus(entries, 3)));
      // Each branch's mixing needs all streams as it found them (2409.19606, algorithm 2).
      keep(visit_, Reader::operation, times(model_.parallel_block ? 1 : 2, streams, size_));
    }
    // A gate on what the layer reads of its own embedding, a product back to the stream, and its norm
    // (transformers, modeling_gemma3n.py: per_layer_input_gate, per_layer_projection).
    if (layer_embedding_elements(model_) > 0) {
      const std::int64_t read = model_.layer_embedding_size;
      visit_product(size_, read, visit_);
      visit_product(read, size_, visit_);
      vector(norm_parameters(model_, size_));
      keep(visit_, Reader::operation, plus(size_, times(3, read)));
      keep(visit_, Reader::norm, size_);
    }
    // Two products that read attention's norm, and a norm of what they put out (Gemma3nTextLaurelBlock).
    if (const std::int64_t rank = model_.laurel_rank; rank > 0) {
      again(size_, rank);
      visit_product(rank, size_, visit_);
      vector(norm_parameters(model_, size_));
      keep(visit_, Reader::norm, size_);
    }
    for (const bool has_one : {model_.single.linear_mixing, model_.single.linear_feeding}) {
      if (!has_one) continue;
      keep(visit_, Reader::stream, size_);
      matrix({}, Role::other, hidden_, hidden_, Split::none, Rows::tokens, 1, {.remade = Remade::norms},
             WeightKind::product);
    }
    // Norms after branches, in addition to those before them (Gemma 2 and 3 have four).
    const std::int64_t at_beginnings = plus(1 + (model_.cross_attention ? 1 : 0),
                                            model_.convolution_kernel > 0 ? 1 : 0, model_.mlps_per_layer);
    keep(visit_, Reader::norm,
         times(std::max<std::int64_t>(0, model_.norms_per_layer - at_beginnings), size_));
  }

 private:
  // How a weight's input is kept.
  struct Input {
    Remade remade = Remade::never;
    bool reads_again = false;
    bool reads_apart = false;
    bool reads_kept = false;
  };

  void vector(std::int64_t size) { visit_vector(size, visit_); }
  // Reads what a weight before it does.
  void again(std::int64_t inputs, std::int64_t outputs, std::int64_t copies = 1, bool is_own = false) {
    Weight weight{WeightKind::product, {}, whole(inputs), whole(outputs), Split::none, Rows::tokens, copies};
    weight.reads_again = true;
    weight.is_own = is_own;
    visit_(weight);
  }
  void own(Side inputs, Side outputs, std::int64_t copies = 1) {
    Weight weight{WeightKind::product, {}, inputs, outputs, Split::none, Rows::tokens, copies};
    weight.is_own = true;
    visit_(weight);
  }
  void matrix(std::string_view name, Role role, Side inputs, Side outputs, Split split, Rows rows,
              std::int64_t copies, const Input& input, WeightKind kind = WeightKind::matrix) {
    Weight weight{kind, name, inputs, outputs, split, rows, copies, role};
    weight.remade = input.remade;
    weight.reads_again = input.reads_again;
    weight.reads_apart = input.reads_apart;
    weight.reads_kept = input.reads_kept;
    visit_(weight);
  }
  void matrix(std::string_view name, Role role, Side inputs, Side outputs, Split split) {
    matrix(name, role, inputs, outputs, split, Rows::tokens, 1, {});
  }
  void hold(std::int64_t elements, bool is_split, Remade remade = Remade::never, bool is_lent = false) {
    keep(visit_, Reader::operation, elements, is_split, remade, Rows::tokens, is_lent);
  }
  // In a block with one norm, the MLP reads what attention does.
  bool reads_attentions_norm() const {
    return model_.parallel_block && model_.norms_per_layer < 2 && model_.layers_without_attention == 0;
  }

  // For an MLP, or for each expert.
  struct Branches {
    Remade input;
    Remade inner;      // of both branches, and what comes of them
    Remade activated;  // what the activation function puts out
    bool reads_again;
  };
  void branches(std::string_view gated, std::string_view single, std::string_view down, Side inputs,
                Side outputs, Side width, Rows rows, const Branches& kept) {
    matrix(branches_ > 1 ? gated : single, Role::other, inputs, width, Split::outputs, rows, branches_,
           {.remade = kept.input, .reads_again = kept.reads_again});
    keep(visit_, Reader::function, times(branches_, width.size), true, kept.inner, rows);
    if (branches_ > 1) keep(visit_, Reader::eager, width.size, true, Remade::never, rows);
    matrix(down, Role::other, width, outputs, Split::inputs, rows, 1, {.remade = kept.activated});
    if (!model_.mlp_bias) return;
    Weight bias{.outputs = whole(plus(times(branches_, width.size), outputs.size)), .rows = rows};
    visit_(bias);
  }

  // For all heads of queries, and of keys and values, with so many elements each.
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
    weight.is_lent = rows == Rows::tokens && !model_.shared_key_value_weights;
    weight.reads_again = true;  // queries', or the encoder's output, which is there for all layers
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
    const Side all = queries(has_wide_gate(model_));
    const Side rank = whole(narrow.q_lora_rank, "compressed_q_lora_rank");
    const Input stream{.remade = Remade::norms};
    if (narrow.q_lora_rank > 0) {
      matrix("layer.attention.q_down", Role::attention, inputs, rank, Split::none, Rows::tokens, 1, stream);
      vector(norm_parameters(model_, narrow.q_lora_rank));
      keep(visit_, Reader::norm, rank.size);
      matrix("layer.attention.q_up", Role::query, rank, all, Split::outputs);
    } else {
      matrix("layer.attention.query", Role::query, inputs, all, Split::outputs, Rows::tokens, 1, stream);
    }
    if (model_.qkv_bias) vector(all.size);
    if (model_.attention_gate && !has_wide_gate(model_)) {
      const Side narrow_gate = whole(model_.attention_gate_rank, "attention_gate_rank");
      matrix("layer.attention.gate_down", Role::attention, inputs, narrow_gate, Split::none, Rows::tokens, 1,
             {.reads_again = true});
      matrix("layer.attention.gate_up", Role::attention, narrow_gate, values(), Split::outputs);
    }
    // Attention's core reads queries, keys and values. Keys that are values, too, are one tensor.
    const bool is_one_tensor = model_.key_values == KeyValues::one_tensor;
    const std::int64_t keys = times(model_.num_key_value_heads, model_.head_dim);
    hold(queries(false).size, true);
    hold(times(model_.num_key_value_heads, key_value_width(!is_one_tensor)), true, Remade::never, true);
    keys_and_values("layer.attention.key_value", "layer.attention.key", "layer.attention.value", inputs,
                    are_two, Rows::tokens);
    Side read = values();
    if (const std::int64_t groups = narrow.output_groups; groups > 0) {
      // Each group of heads has a projection of its own, and one reads what these put out (DeepSeek-V4).
      matrix("layer.attention.output_down", Role::attention,
             whole(divide_up(read.size, groups),
                   "num_attention_heads * value_head_dim / compressed_output_groups"),
             whole(narrow.output_rank, "compressed_output_rank"), Split::copies, Rows::tokens, groups,
             {.reads_apart = true, .reads_kept = true});
      read = divided(groups, listing_.tensor, "compressed_output_groups / tensor * compressed_output_rank",
                     narrow.output_rank);
    }
    // What the core puts out it reads again; a gate, too, and the projection what comes of both.
    hold(times(model_.attention_gate ? 3 : 1, values().size), true);
    output("layer.attention.output", read, narrow.output_groups <= 0);
    caches(is_one_tensor);

    if (model_.qk_norm) {  // a scale for each element of a head, the same for all; or for each of all heads
      const bool is_whole = model_.qk_norm_whole;
      vector(norm_parameters(model_, times(is_whole ? model_.num_attention_heads : 1, model_.head_dim)));
      vector(norm_parameters(model_, times(is_whole ? model_.num_key_value_heads : 1, model_.head_dim)));
      keep(visit_, Reader::norm, queries(false).size, true);
      keep(visit_, Reader::norm, keys, true, Remade::never, Rows::tokens, true);
    }
    if (model_.window.sinks) vector(model_.num_attention_heads);
    if (model_.key_values == KeyValues::one_tensor) vector(norm_parameters(model_, model_.head_dim));
    if (narrow.ratio > 0) compressor(model_.head_dim);
    if (model_.sparse.blocks > 0) sparse();
    if (model_.relative_positions) {  // embeddings of distances, and two biases of the scores
      visit_product(size_, queries(false).size, visit_, Rows::distances);
      vector(times(2, queries(false).size));
      hold(queries(false).size, true);  // with another bias they meet the distances
    }
    // Of shared blocks: the norm of what they read, and of each layer what it adds to queries, keys and
    // values, and a square product behind the block.
    if (block.blocks <= 0) return;
    vector(norm_parameters(model_, inputs.size));
    if (block.adapts_attention && block.adapter_rank > 0) {
      again(inputs.size, block.adapter_rank, 3, true);
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
    const Input stream{.remade = Remade::norms};
    const Input latent{.remade = Remade::up_projections};
    if (mla.q_lora_rank > 0) {
      matrix("layer.attention.q_down", Role::attention, hidden_, query_rank, Split::none, Rows::tokens, 1,
             stream);
      vector(norm_parameters(model_, mla.q_lora_rank));
      keep(visit_, Reader::norm, mla.q_lora_rank);
      matrix("layer.attention.q_up", Role::attention, query_rank, all, Split::outputs, Rows::tokens, 1,
             latent);
    } else {
      matrix("layer.attention.q", Role::query, hidden_, all, Split::outputs, Rows::tokens, 1, stream);
    }
    matrix("layer.attention.kv_down", Role::attention, hidden_,
           whole(plus(mla.kv_lora_rank, mla.qk_rope_head_dim), "mla_kv_lora_rank + mla_qk_rope_head_dim"),
           Split::none, Rows::tokens, 1, {.reads_again = true});
    vector(norm_parameters(model_, mla.kv_lora_rank));
    keep(visit_, Reader::norm, mla.kv_lora_rank);
    hold(mla.qk_rope_head_dim, false);
    matrix("layer.attention.kv_up", Role::attention, whole(mla.kv_lora_rank, "mla_kv_lora_rank"),
           heads("num_attention_heads / tensor * (mla_qk_nope_head_dim + mla_v_head_dim)",
                 plus(mla.qk_nope_head_dim, mla.v_head_dim)),
           Split::outputs, Rows::tokens, 1, latent);
    const Side read = heads("num_attention_heads / tensor * mla_v_head_dim", mla.v_head_dim);
    hold(plus(times(2, all.size), read.size), true, Remade::up_projections);  // queries, keys and values
    hold(read.size, true);                                                    // and what comes of them
    output("layer.attention.output", read, true);
    tell(visit_, Cached{real(plus(mla.kv_lora_rank, mla.qk_rope_head_dim))});
  }

  void output(std::string_view name, Side inputs, bool reads_kept) {
    matrix(name, Role::attention, inputs, divided_, Split::inputs, Rows::tokens, 1,
           {.reads_kept = reads_kept});
    if (model_.attention_output_bias) vector(size_);
  }

  // Keys and values of a layer, each rank those of its heads; compressed ones, and the last as they are; of
  // native sparse attention also one for each stride and, of a projection of its own, those of its window.
  void caches(bool is_one_tensor) {
    const double heads = real(divide_up(model_.num_key_value_heads, listing_.tensor));
    const double width =
        heads * real(is_one_tensor ? model_.head_dim : plus(model_.head_dim, model_.value_head_dim));
    const bool is_compressed = model_.compressed.ratio > 0;
    tell(visit_, Cached{width, is_compressed ? Extent::compressed : Extent::all, Stored::cache, true});
    if (is_compressed) tell(visit_, Cached{width, Extent::window, Stored::cache, true});
    if (model_.sparse.blocks <= 0) return;
    // Means of keys alone choose the blocks of MoBA.
    const bool has_values = model_.sparse.kind == SparseKind::nsa;
    tell(visit_, Cached{has_values ? width : heads * real(model_.head_dim), Extent::strides});
    if (!model_.sparse.shared) tell(visit_, Cached{width, Extent::last});
  }

  // Queries of the stream over keys and values of an encoder's output: neither gated nor narrow.
  void cross_attention() {
    enter_branch(model_, size_, visit_);
    matrix("layer.cross_attention.query", Role::query, hidden_, queries(false), Split::outputs, Rows::tokens,
           1, {.remade = Remade::norms});
    if (model_.qkv_bias) vector(queries(false).size);
    keys_and_values("layer.cross_attention.key_value", "layer.cross_attention.key",
                    "layer.cross_attention.value", hidden_, true, Rows::source);
    keep(visit_, Reader::operation, times(model_.num_key_value_heads, key_value_width(true)), true,
         Remade::never, Rows::source);
    hold(plus(queries(false).size, values().size), true);
    output("layer.cross_attention.output", values(), true);
  }

  // What scores keys: queries of many small heads (of the compressed query where there is one), one key with
  // its layer norm or as keys are compressed, a weight per head.
  void indexer() {
    const Indexer& indexer = model_.indexer;
    const std::int64_t from = model_.mla.q_lora_rank > 0          ? model_.mla.q_lora_rank
                              : model_.compressed.q_lora_rank > 0 ? model_.compressed.q_lora_rank
                                                                  : size_;
    again(from, times(indexer.heads, indexer.head_dim));
    hold(plus(times(indexer.heads, indexer.head_dim), indexer.heads), false);
    if (model_.compressed.ratio > 0) {
      compressor(indexer.head_dim);
    } else {
      again(size_, indexer.head_dim);
      vector(times(2, indexer.head_dim));
      keep(visit_, Reader::norm, indexer.head_dim);
    }
    again(size_, indexer.heads);
    // Keys are cached in fp8 with a scale (DeepSeek-V3.2, inference/model.py).
    constexpr double scale_bytes = 4;
    tell(visit_, Cached{real(indexer.head_dim) + scale_bytes,
                        model_.compressed.ratio > 0 ? Extent::compressed : Extent::all, Stored::index, true});
  }

  // What compresses keys of so many elements: two products, of keys and of gates, a bias of the gates for
  // each of the tokens that become one, and a norm (transformers, modeling_deepseek_v4.py,
  // DeepseekV4HCACompressor). In fp32 (DeepSeek-V4's inference/model.py, Compressor).
  void compressor(std::int64_t width) {
    const std::int64_t columns = model_.indexer.keys > 0 ? times(2, width) : width;
    Weight made{WeightKind::product, {}, hidden_, whole(columns), Split::none, Rows::tokens, 2};
    made.is_fp32 = true;
    made.reads_again = true;
    visit_(made);
    hold(times(2, columns), false);
    made = {.outputs = whole(plus(times(model_.compressed.ratio, columns), norm_parameters(model_, width)))};
    made.is_fp32 = true;
    visit_(made);
  }

  // Native sparse attention: three gates per head, and unless one projection makes them for all three
  // branches, keys and values of two more, and what makes a compressed key or value of a block.
  void sparse() {
    const Sparse& sparse = model_.sparse;
    if (sparse.kind == SparseKind::moba) return;
    again(size_, times(3, model_.num_attention_heads));
    // Each gate, and what it weighs, except for the sum.
    hold(times(3, model_.num_attention_heads), true);
    hold(times(2, values().size), true);
    if (sparse.shared) return;
    const std::int64_t made = times(model_.num_key_value_heads, key_value_width(true));
    again(size_, made, 2);
    hold(times(2, made), true);
    for (const std::int64_t each : {model_.head_dim, model_.value_head_dim}) {
      Weight weight{WeightKind::product, {}, whole(times(sparse.compressed_size, each)), whole(each)};
      weight.rows = Rows::strides;
      weight.reads_again = true;
      visit_(weight);
    }
  }

  // A conformer's module: a product to both halves of a gated unit, the convolution, a batch norm, a product.
  void convolution() {
    enter_branch(model_, size_, visit_);
    matrix({}, Role::other, hidden_, whole(times(2, size_)), Split::outputs, Rows::tokens, 1,
           {.remade = Remade::norms}, WeightKind::product);
    hold(times(4, size_), true);  // both halves, their product, and what is convolved
    visit_(Weight{WeightKind::filter, {}, whole(model_.convolution_kernel), whole(size_)});
    matrix({}, Role::other, hidden_, hidden_, Split::inputs, Rows::tokens, 1, {}, WeightKind::product);
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
void visit_weights(const ModelSpec& model, ModelComponent part, const Listing& listing, Visit&& visit) {
  LayerWeights weights(model, listing, visit);
  if (part == ModelComponent::attention) return weights.attention();
  if (part == ModelComponent::mlp) return weights.mlp();
  if (part == ModelComponent::mixture) return weights.mixture();
  if (part == ModelComponent::frame) return weights.frame();
  if (const std::size_t which = mixer_of(part); which < most_mixers)
    visit_mixer(model, model.mixers[which], {}, listing, visit);
}

}  // namespace shapelint::model
