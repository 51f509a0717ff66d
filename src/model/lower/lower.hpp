// From a model and a plan to the operations of one rank.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/fields.hpp"
#include "model/op.hpp"
#include "model/spec.hpp"

namespace shapelint::model {

// Rows of the embedding table over all ranks: vocab_size padded to vocab_padding_multiple * tensor.
// Source: Megatron-LM, `make_vocab_size_divisible_by`.
std::int64_t vocab_rows(const Setup& setup);
// The same on one tensor-parallel rank.
std::int64_t vocab_rows_per_rank(const Setup& setup);

// Layers (of all stages) that are mixtures of experts.
std::int64_t num_moe_layers(const ModelSpec& model);

// All ops of one step (train) or one forward pass (prefill, decode) on one rank. A stage has the average
// share of layers, rounded up, and of each kind of layer; embedding and head are spread over the stages
// (their counts are divided by the pipeline degree). A dimension that does not divide is rounded up, as
// padding frameworks do, so that it can still be costed; any Setup within the bounds of fields() can be
// lowered. Ops of one layer stand together, each with its passes. Biases are taken to be fused into the
// matrix product before them, except for that of experts' second products in Megatron.
Workload lower(const Setup& setup);

// A step in parts that depend on few fields each, for searches that price many similar models: the sum over
// the parts of a layer times their layer_runs(), the ends, and the update, is the step.
enum class ModelComponent : std::uint8_t {
  attention,  // with its projections
  mixer,      // what other layers have in its place: as many parts as a model may have kinds of it
  mlp = mixer + most_mixers,
  mixture,
  frame,     // norms, residuals and collectives of a layer
  ends,      // embedding, head, pipeline: of a stage that is first, or the only one
  last_ends  // the same of the last stage of several
};
inline constexpr std::size_t part_count = static_cast<std::size_t>(ModelComponent::last_ends) + 1;
// Parts of a layer with weights: all before the frame.
inline constexpr auto weighty_parts = [] {
  std::array<ModelComponent, static_cast<std::size_t>(ModelComponent::frame)> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<ModelComponent>(i);
  return out;
}();
// All parts of a layer. The frame is first: the others stand between its ops.
inline constexpr auto layer_parts = [] {
  std::array<ModelComponent, weighty_parts.size() + 1> out{ModelComponent::frame};
  for (std::size_t i = 0; i < weighty_parts.size(); ++i) out[i + 1] = weighty_parts[i];
  return out;
}();
inline constexpr auto mixer_parts = [] {
  std::array<ModelComponent, most_mixers> out{};
  for (std::size_t i = 0; i < most_mixers; ++i)
    out[i] = static_cast<ModelComponent>(static_cast<std::size_t>(ModelComponent::mixer) + i);
  return out;
}();
// Which of the model's mixers a part is; most_mixers: none.
constexpr std::size_t mixer_of(ModelComponent part) {
  const std::size_t which = static_cast<std::size_t>(part) - static_cast<std::size_t>(ModelComponent::mixer);
  return which < most_mixers ? which : most_mixers;
}

// Parameters that one rank holds.
struct RankParameters {
  double dense = 0;   // all but the routed experts
  double expert = 0;  // the routed experts
};

// Of the layers that predict further tokens while training, over all ranks: as the last layer each, with a
// product of two hidden sizes and two norms (DeepSeek-V3, 2412.19437, section 2.2). Counts that papers
// publish leave them out.
RankParameters mtp_parameters(const Setup& setup);
// Of a model with so many of either, experts and the rest each over their own ranks; `whole` of the rest are
// on every rank of tensor parallelism.
RankParameters parameters_per_rank(const Plan& plan, double dense, double expert, double whole = 0);
// Ranks that hold the same parameters of a stage, with `data` data-parallel ones: of what is dense `data` x
// `context`; of experts as many as there are groups of expert x expert_tensor among data x tensor x context.
struct Replicas {
  double dense = 1;
  double expert = 1;
};
Replicas replicas(const Plan& plan, double data);
Replicas replicas(const Plan& plan);
// The ones among them that ZeRO shards over: the others are replicas of one of them.
Replicas shards(const Plan& plan, double data);
Replicas shards(const Plan& plan);

// Appends the ops of one run of a layer's part (`ends`: of a step). In a layer the parts stand between each
// other's ops: `pieces`, if given, gets the number of ops at the end of each piece. A layer of lower() is the
// first piece of every part, then the second of every part, and so on; the ends are two, around the layers.
void lower_part(const Setup& setup, ModelComponent part, Workload& workload,
                std::vector<std::uint32_t>* pieces = nullptr);
// For setups that differ in some fields: decides which of these a part depends on.
struct PartDependence {
  bool has_pattern = false;       // layers are not all alike (model/mixer.hpp): parts of one are averages
  bool updates_multiply = false;  // the optimizer multiplies matrices, so that a layer's parts have updates
};
PartDependence part_dependence(const Setup& setup, std::span<const FieldId> varying);
// Whether a field changes the ops of a part (except for their counts, where it is a layer's), directly or
// through fields that commonly follow from it.
bool depends_on(ModelComponent part, FieldId field, const PartDependence& of);
constexpr bool updates_multiply(Optimizer optimizer) {
  return optimizer == Optimizer::muon || optimizer == Optimizer::shampoo;
}
// Appends what happens once per step and depends on the number of parameters: gradients and optimizer.
void lower_update(const Setup& setup, RankParameters held, Workload& workload);
RankParameters parameters_per_rank(const Setup& setup);
// What a workload says of the step as a whole, except for hardware_flops: that is the sum over its ops.
void set_totals(const Setup& setup, Workload& workload);
// Arithmetic of one run of an op.
double op_flops(const Op& op);
// Runs of layers in a step: layers of this rank times micro-batches; `all` is the sum of the two kinds of
// MLP, but in hybrids.
struct LayerRuns {
  double all = 0;
  double attention = 0;                      // layers with attention; all but in hybrids
  std::array<double, most_mixers> mixers{};  // layers with what hybrids have in its place
  double mlp = 0;                            // ordinary MLPs
  double mixture = 0;                        // layers with a mixture of experts
};
// Layers with attention, with what hybrids have in its place, and with an ordinary MLP.
std::int64_t num_attention_layers(const ModelSpec& model);
std::int64_t num_mixer_layers(const ModelSpec& model);
// Those among them with one of its mixers.
std::int64_t num_mixer_layers(const ModelSpec& model, std::size_t which);
// MLPs that are no experts, of all layers.
std::int64_t num_mlps(const ModelSpec& model);
// Attention layers that read an earlier layer's keys and values.
std::int64_t num_shared_key_value_layers(const ModelSpec& model);
// Attention layers with a window.
std::int64_t num_window_layers(const ModelSpec& model);
// Layers whose products are in 16 bits although the plan's format is narrower.
std::int64_t num_wide_layers(const Setup& setup);
std::int64_t num_dense_layers(const ModelSpec& model);
// Share of the layers that full recomputation takes.
double recomputed_share(const Setup& setup);
// Whether it is a diffusion transformer.
bool is_diffusion(const ModelSpec& model);
// Attention layers with separate weights for image and text tokens.
std::int64_t num_joint_layers(const ModelSpec& model);
// Tokens of text of one sequence that are joined with the image's in every layer; 0 where none do.
std::int64_t joined_length(const Setup& setup);
// Layers that predict further tokens: run while training only.
double mtp_layers(const Setup& setup);
LayerRuns layer_runs(const Setup& setup);
// Those among them of a part of a layer.
double runs_of(const LayerRuns& runs, ModelComponent part);
// Layers of the fullest stage of the pipeline.
std::int64_t layers_of_stage(const Setup& setup);
// Chunks of layers that a stage holds; 1 without a pipeline.
std::int64_t pipeline_chunks(const Plan& plan);
// Tokens of a micro-batch that are routed among one group of ranks that holds all experts.
std::int64_t routed_tokens(const Setup& setup);
// Tokens of a step on one replica of the model: trained on, read, or produced; images of a CNN.
double tokens_per_step(const Setup& setup);
// Prompts that a decoding step reads along, each as long as the cache or a part of one.
std::int64_t prompts_of_step(const Plan& plan);
// Tokens that a sequence gains by a decoding step: 1 + a + ... + a^k with k drafted ones, each accepted with
// chance a when those before it were (Leviathan et al. 2022, arXiv 2211.17192, equation 1).
double accepted_tokens(const Plan& plan);
// Bytes that the cache of keys and values takes per token of a sequence, on one rank, while no window is
// full.
double cache_bytes_per_token(const Setup& setup);
// Bytes that one sequence of so many tokens keeps on one rank: its keys and values, where a window is full no
// more, and the states of layers without attention.
double cache_bytes(const Setup& setup, double tokens);
// Bytes of the weights that one rank holds to serve the model: the layers' products in the format of the plan
// (packed ones with their scales), everything else in 16 bits or more.
double served_weight_bytes(const Setup& setup);
// Whether they are stored in an unstated format, so that served_weight_bytes() leaves them out.
bool weights_are_unknown(const Plan& plan);
// Arithmetic that the model needs, per rank and step, from the forward FLOPs per token of its layers and
// head.
double model_flops_per_step(const Setup& setup, double layer_flops, double head_flops);

// Parameters and arithmetic of a part: of one layer, or of the ends.
struct PartSize {
  std::int64_t parameters = 0;
  std::int64_t whole_parameters = 0;   // of these, on every rank of tensor parallelism
  std::int64_t expert_parameters = 0;  // of these, routed experts'
  double products = 0;                 // multiply-adds per token, forward
};
PartSize part_size(const Setup& setup, ModelComponent part);
// Parameters of all layers that every rank of tensor parallelism has whole.
std::int64_t whole_parameter_count(const Setup& setup);
// Layers of a model that have the part, with each of their MLPs.
std::int64_t layers_of(const ModelSpec& model, ModelComponent part);
// How often those parameters stand in the model.
std::int64_t times_in(const ModelSpec& model, ModelComponent part);
// Elements of a token that attention reads.
std::int64_t shared_inputs(const ModelSpec& model);
// Sets of weights of the part, and layers that have them: as many, but where layers share them
// ([model.shared_block]).
struct WeightSets {
  std::int64_t sets = 1;
  std::int64_t layers = 1;
};
WeightSets weight_sets(const ModelSpec& model, ModelComponent part);

// How the arithmetic of causal attention is counted. Each token attends to half of the sequence on average,
// but the usual MFU counts the full square, so that the numbers can be compared with published ones:
// PaLM (2204.02311, appendix B) and Megatron-LM (2104.04473, eq. 3) both do.
enum class CausalFlops : std::uint8_t { full, half };
inline constexpr CausalFlops mfu_convention = CausalFlops::full;

// Parameters of the whole model (all ranks), unpadded vocabulary as published counts use it. Held at
// count_limit when the product does not fit.
std::int64_t parameter_count(const Setup& setup);
// The routed experts' weights among them, which expert parallelism divides.
std::int64_t expert_parameter_count(const Setup& setup);
// Parameters that take part in one token's forward pass (mixtures of experts: the active ones), both
// embedding matrices counted whole.
std::int64_t active_parameter_count(const Setup& setup);
// Multiply-adds times two of one forward pass over one token at this sequence length (decode: with the
// context in the cache), all ranks, logits for every token; embedding look-ups and elementwise work are not
// counted. Of a CNN: over one image.
double forward_flops_per_token(const Setup& setup, CausalFlops convention = mfu_convention);
// Its part that is the projection to the vocabulary.
double head_flops_per_token(const Setup& setup);

// The same from sizes of parts that are known: for sweeps over many similar setups.

using PartSizes = std::array<PartSize, part_count>;  // by StepPart; of what a model has none of, anything

// What the functions of the same names say without sizes, to the last bit. No CNNs.
std::int64_t parameter_count(const ModelSpec& model, const PartSizes& sizes);
std::int64_t expert_parameter_count(const ModelSpec& model, const PartSizes& sizes);
std::int64_t whole_parameter_count(const ModelSpec& model, const PartSizes& sizes);
void set_totals(const Setup& setup, const PartSizes& sizes, Workload& workload);

// Where the parameters of a rank are known.
double served_weight_bytes(const Setup& setup, RankParameters held);

namespace detail {
// With the multiply-adds per token of each part of one layer, and of the ends.
using PartProducts = std::array<double, part_count>;
double forward_flops_per_token(const Setup& setup, const PartProducts& products);
}  // namespace detail

// Straggler time of synchronous training as a fraction of busy time: 0 for up to 8 GPUs, because single-node
// benchmarks already include it; growing with the number of GPUs.
double straggler_fraction(const Plan& plan);

// The version of FlashAttention that a plan asks for; 0: the newest that the GPU has.
std::int64_t kernel_version(Attention attention);

}  // namespace shapelint::model
