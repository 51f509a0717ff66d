// The model as a whole: what derives from its fields, the GPU and the predicted step.
#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "base/units.hpp"
#include "cost/kernels/attention.hpp"
#include "cost/kernels/layer_scan.hpp"
#include "cost/stages.hpp"
#include "gpu/gpu.hpp"
#include "model/arithmetic.hpp"
#include "model/layer_list.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"
#include "model/stages.hpp"
#include "rules/scope/context.hpp"
#include "rules/scope/launch.hpp"
#include "rules/scope/memory.hpp"
#include "rules/scope/subjects.hpp"
#include "rules/scope/variables.hpp"
#include "suggest/edit/footprint.hpp"
#include "suggest/serving/capacity.hpp"
#include "suggest/serving/states.hpp"

namespace shapelint::rules {

namespace {

using model::FieldId;
using model::Setup;

// A share of a dimension on each of `ranks`, rounded up as the lowering does.
double per_rank(std::int64_t value, std::int64_t ranks) {
  return ranks > 0 ? std::ceil(real(value) / real(ranks)) : real(value);
}
double tokens_of(const Setup& setup) {
  const model::Plan& p = setup.plan;
  if (p.mode == model::Mode::decode) return real(p.micro_batch_size);
  return real(p.micro_batch_size) * per_rank(p.sequence_length, p.context);
}
// Elements that `bytes` hold of the run's number format.
double elements(const Context& c, std::int64_t bytes) {
  return std::max(1.0, real(bytes) / bytes_of(plan(c).dtype));
}
const gpu::Alignment& alignment_of(const Context& c) {
  return gpu::alignment(c.gpu->architecture, plan(c).dtype);
}
model::AttentionLibrary library(const Context& c) {
  return model::library_of(plan(c).attention);
}
cost::BucketUse bucket(const Context& c) {
  return cost::attention_bucket(*c.gpu, spec(c).head_dim, spec(c).value_head_dim,
                                plan(c).mode == model::Mode::decode, library(c));
}
// For the layer under consideration, or else all layers with their own heads.
bool has_kernel(const Context& c) {
  if (bucket(c).bucket == nullptr) return false;
  const model::ModelSpec& model = spec(c);
  if (c.operation.op != nullptr || !model.layers_differ) return true;
  const std::vector<model::LayerGroup> list = model::layer_list(model);
  return std::all_of(list.begin(), list.end(), [&](const model::LayerGroup& group) {
    const model::TransformerLayer& layer = group.layer;
    if (layer.mixing >= 0 && layer.mixing != static_cast<std::int64_t>(model::Mixing::attention)) return true;
    const std::int64_t head_dim = layer.head_dim > 0 ? layer.head_dim : model.head_dim;
    const std::int64_t value_head_dim = layer.value_head_dim > 0 ? layer.value_head_dim
                                        : layer.head_dim > 0     ? layer.head_dim
                                                                 : model.value_head_dim;
    const bool decodes = plan(c).mode == model::Mode::decode;
    return cost::attention_bucket(*c.gpu, head_dim, value_head_dim, decodes, library(c)).bucket != nullptr;
  });
}
double scanned_key_dim(const Context& c) {
  const model::Mixer& mixer = spec(c).mixers[c.mixer];
  if (mixer.kind == model::MixerKind::none) return 0;
  return cost::computed_key_dim(cost::scan_kind(mixer.kind), real(mixer.key_dim));
}

double compute_capability(const gpu::Gpu& gpu) {
  return parse_number(gpu.compute_capability).value_or(0);
}

double largest_bucket(const Context& c) {
  std::int64_t largest = 0;
  for (const gpu::AttentionBucket& each : cost::attention_kernels(*c.gpu, library(c)).buckets) {
    if (!each.decode_only) largest = std::max(largest, each.head_dim);
  }
  return real(largest);
}

// By the file, or by the published model or the framework that it names; else it follows from the width.
bool gives_head_dim(const Context& c) {
  const model::Origin::Kind kind = origin(*c.reading, FieldId::head_dim).kind;
  return is_stated(*c.reading, FieldId::head_dim) || kind == model::Origin::Kind::defaulted;
}

// Latent attention says all widths itself.
bool has_whole_heads(const Context& c) {
  const model::ModelSpec& model = spec(c);
  return model.mla.kv_lora_rank > 0 || gives_head_dim(c) || extra(*c.reading, "cuts_heads") > 0 ||
         model.num_attention_heads <= 0 || model.hidden_size % model.num_attention_heads == 0;
}

bool gated_width_stands(const Context& c) {
  const double second = extra(*c.reading, "gated_linear2_width");
  constexpr double min_expansion = 1.5;  // as in SL906
  return extra(*c.reading, "gated_linear1_branch") == second &&
         (extra(*c.reading, "gated_as_written") <= 0 || second > min_expansion * real(spec(c).hidden_size));
}

// Whether the model is known well enough to say what it needs.
bool has_size(const Context& c) {
  return !spec(c).conv.empty() ||
         (is_known(*c.reading, FieldId::hidden_size) && is_known(*c.reading, FieldId::num_layers));
}

double min_gib(const Context& c, bool with_activations) {
  if (!has_size(c)) return 0;
  const suggest::Footprint least = min_footprint(*c.reading, *c.setup);
  return (least.state_bytes + (with_activations ? least.activation_bytes : 0)) / bytes_per_gib;
}

double reserve_gib(const Context& c) {
  const bool is_known = gpu::memory_gib(*c.gpu) > 0;
  if (plan(c).mode != model::Mode::train && is_known)
    return suggest::runtime_bytes(gpu::memory_gib(*c.gpu), *c.setup) / bytes_per_gib;
  const double needed = suggest::memory_bytes(*c.setup);
  return (suggest::context_bytes + suggest::fragmentation * needed) / bytes_per_gib;
}

// How long a prompt is, users decide.
bool is_chunk(const Context& c) {
  const model::Plan& p = plan(c);
  return p.mode == model::Mode::prefill && is_stated(*c.reading, FieldId::step_tokens) && p.step_tokens > 0 &&
         p.micro_batch_size * p.sequence_length >= p.step_tokens;
}

suggest::Capacity capacity(const Context& c) {
  return suggest::capacity_of(*c.gpu, *c.setup);
}

suggest::StateRoom state_room(const Context& c) {
  return suggest::state_room(*c.gpu, *c.setup);
}

double engine_stops(const Context& c) {
  // Where an unstated number of layers keeps a window, less may be needed.
  if (!has_size(c) || (extra(*c.reading, "has_window") > 0 && spec(c).window.size <= 0)) return 0;
  const suggest::Capacity of = capacity(c);
  if (suggest::certainly_lacks_cache(of)) return 2;
  return suggest::lacks_cache(of) ? 1 : 0;
}

double largest_sequence_8_bit(const Context& c) {
  return real(suggest::capacity_of(*c.gpu, suggest::with_narrow_cache(*c.setup)).largest);
}

// clang-format off
constexpr Variable of_model[] = {
    {"vocab_rows", "rows of the embedding after padding, over all ranks", [](const Context& c) { return real(model::vocab_rows(*c.setup)); }, {FieldId::vocab_size}},
    {"vocab_rows_per_rank", "rows of the embedding on one tensor-parallel rank", [](const Context& c) { return real(model::vocab_rows_per_rank(*c.setup)); }, {FieldId::vocab_size}},
    {"tokens", "M of the linear layers on one rank: micro_batch_size * sequence_length / context (decode: micro_batch_size)", [](const Context& c) { return tokens_of(*c.setup); }, {FieldId::sequence_length}},
    {"tokens_per_expert", "average tokens per expert from one micro-batch of all ranks that share the experts; 0 without experts", [](const Context& c) { const auto& m = spec(c).moe; return m.num_experts > 0 ? real(model::routed_tokens(*c.setup)) * real(m.experts_per_token) / real(m.num_experts) : 0; }, {FieldId::sequence_length}},
    {"parameters", "parameters of the whole model", [](const Context& c) { return real(model::parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"params", "the same as `parameters`", [](const Context& c) { return real(model::parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"active_parameters", "parameters that one token uses", [](const Context& c) { return real(model::active_parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"attention_width", "num_attention_heads * head_dim", [](const Context& c) { return real(spec(c).num_attention_heads) * real(spec(c).head_dim); }, {FieldId::num_attention_heads}},
    {"heads_per_rank", "query heads on one tensor-parallel rank, rounded up", [](const Context& c) { return per_rank(spec(c).num_attention_heads, plan(c).tensor); }, {FieldId::num_attention_heads}},
    {"key_value_heads_per_rank", "KV heads on one tensor-parallel rank, at least one", [](const Context& c) { return per_rank(spec(c).num_key_value_heads, plan(c).tensor); }, {FieldId::num_key_value_heads}},
    {"hidden_per_rank", "hidden_size / tensor, rounded up", [](const Context& c) { return per_rank(spec(c).hidden_size, plan(c).tensor); }, {FieldId::hidden_size}},
    {"intermediate_per_rank", "intermediate_size / tensor, rounded up", [](const Context& c) { return per_rank(spec(c).intermediate_size, plan(c).tensor); }, {FieldId::intermediate_size}},
    {"moe_intermediate_per_rank", "moe_intermediate_size / expert_tensor, rounded up", [](const Context& c) { return per_rank(spec(c).moe.intermediate_size, plan(c).expert_tensor); }, {FieldId::moe_intermediate_size}},
    {"layers_per_stage", "num_layers / pipeline, rounded up: layers of the slowest stage (embedding and LM head included if they count as layers)", [](const Context& c) { return real(model::layers_of_stage(*c.setup)); }, {FieldId::num_layers}, true},
    {"has_dense_mlp", "whether any layer has a dense MLP", [](const Context& c) { return model::num_dense_layers(spec(c)) > 0 ? 1.0 : 0.0; }, {}, true},
    {"is_moe", "whether any layer is an MoE layer", [](const Context& c) { return spec(c).moe.num_experts > 0 ? 1.0 : 0.0; }, {}, true},
    {"is_mla", "whether attention is multi-head latent attention", [](const Context& c) { return spec(c).mla.kv_lora_rank > 0 ? 1.0 : 0.0; }, {}, true},
    {"is_transformer", "whether the file describes a transformer (and not convolutions)", [](const Context& c) { return spec(c).conv.empty() ? 1.0 : 0.0; }, {}, true},
    {"element_bytes", "bytes of one GEMM element", [](const Context& c) { return bytes_of(plan(c).dtype); }},
    {"ranks", "GPUs of one replica of the model: tensor * pipeline * context", [](const Context& c) { return real(plan(c).tensor) * real(plan(c).pipeline) * real(plan(c).context); }},
    {"expert_ranks", "GPUs of a pipeline stage, over which experts can be sharded: data * tensor * context; 0 if neither the file nor its launch states them", [](const Context& c) { return real(stage_ranks(c)); }},
    {"known_micro_batches", "gradient_accumulation if the file states the micro-batches of a step; else 0", [](const Context& c) { return knows_micro_batches(c) ? real(plan(c).gradient_accumulation) : 0; }},
    {"assumes_micro_batches", "whether a framework's file leaves the micro-batches of a step open, so that gradient_accumulation is assumed", [](const Context& c) { return assumes_micro_batches(*c.reading) ? 1.0 : 0.0; }},
    {"launched_gpus", "GPUs that the file's launch starts; 0 if unknown", [](const Context& c) { return real(launched_gpus(c)); }},
    {"shared_batch", "global batch size if the file states it and the framework needs whole micro-batches on all ranks; else 0", [](const Context& c) { return real(shared_batch(c)); }},
    {"rounded_batch", "global batch size if the file states it and the framework rounds it down to whole micro-batches on all ranks; else 0", [](const Context& c) { return plan(c).mode == model::Mode::train ? extra(*c.reading, "rounded_batch") : 0; }},
    {"batch_unit", "number that shared_batch must be a multiple of: micro_batch_size times the data-parallel ranks and the micro-batches that the file and its launch state; 0 if micro_batch_size is not stated", [](const Context& c) { return real(batch_unit(c)); }},
    {"own_micro_batch", "micro-batch size in the trainer's own argument, if DeepSpeed's file has one, too; 0 if not stated", [](const Context& c) { return extra(*c.reading, "own_micro_batch"); }},
    {"deepspeed_micro_batch", "micro-batch size in DeepSpeed's file; 0 if it is left to the trainer", [](const Context& c) { return extra(*c.reading, "deepspeed_micro_batch"); }},
    {"own_accumulation", "gradient accumulation steps in the trainer's own argument, if DeepSpeed's file has them, too; 0 if not stated", [](const Context& c) { return extra(*c.reading, "own_accumulation"); }},
    {"deepspeed_accumulation", "gradient accumulation steps in DeepSpeed's file; 0 if left to the trainer", [](const Context& c) { return extra(*c.reading, "deepspeed_accumulation"); }},
    {"is_chunk", "whether a prefill is chunked with a size that the file states (step_tokens)", [](const Context& c) { return is_chunk(c) ? 1.0 : 0.0; }},
    {"memory_gib", "estimated memory of one GPU in GiB (docs: lowering.md)", [](const Context& c) { return suggest::memory_bytes(*c.setup) / bytes_per_gib; }, {FieldId::hidden_size, FieldId::num_layers}},
    {"state_gib", "the part of memory_gib without activations: weights, gradients and optimizer states; in serving weights and KV cache", [](const Context& c) { return has_size(c) ? suggest::footprint(*c.setup).state_bytes / bytes_per_gib : 0; }},
    {"least_state_gib", "lower bound of state_gib: states that ZeRO shards over an unknown number of ranks count as 0; 0 for training if the file leaves sharding, offloading or freezing open", [](const Context& c) { return min_gib(c, false); }},
    {"least_memory_gib", "the same with activations", [](const Context& c) { return min_gib(c, true); }},
    {"states_plan", "whether the file or the command line states the parallelism, ZeRO or the micro-batch size, and leaves none of it to the launch", [](const Context& c) { return states_plan(*c.reading) ? 1.0 : 0.0; }},
    // what only files of some dialects say; 0 elsewhere
    {"gated_linear1_branch", "intermediate size of one branch of a gated MLP's first linear layer, as the framework rounds it", [](const Context& c) { return extra(*c.reading, "gated_linear1_branch"); }},
    {"gated_linear2_width", "intermediate size that the second linear layer of the same MLP takes", [](const Context& c) { return extra(*c.reading, "gated_linear2_width"); }},
    {"gated_as_written", "intermediate size of each branch of a gated MLP that is meant: as stated before the framework splits it, or else as published models of the width have it", [](const Context& c) { return extra(*c.reading, "gated_as_written"); }},
    {"quantization_block", "values per scale in the file's quantized weights", [](const Context& c) { return extra(*c.reading, "quantization_block"); }},
    {"may_be_longer", "whether a server's command lifts that limit, or changes the model's RoPE", [](const Context& c) { return extra(*c.reading, "may_be_longer"); }, {}, true},
    {"undivided_tokens", "tokens of a server's step without chunked prefill; else 0", [](const Context& c) { return extra(*c.reading, "undivided_tokens"); }},
    {"visible_gpus", "GPUs that a server sees (CUDA_VISIBLE_DEVICES); 0 if unknown", [](const Context& c) { return extra(*c.reading, "visible_gpus"); }},
    {"decode_context", "tensor-parallel ranks over which the KV cache of a sequence is sharded (vLLM's decode context parallelism)", [](const Context& c) { return std::max(1.0, extra(*c.reading, "decode_context")); }},
    {"attention_replicas", "replicas of attention that do not divide a server's tensor-parallel ranks (SGLang's attention data parallelism); else 0", [](const Context& c) { return extra(*c.reading, "attention_replicas"); }},
    {"asks_bf16", "whether a server's command sets bf16 and does not leave the dtype to the GPU", [](const Context& c) { return extra(*c.reading, "asks_bf16"); }, {}, true},
    {"pattern_layers", "layers in the file's hybrid pattern, if its length must match the layers; 0: none", [](const Context& c) { return extra(*c.reading, "pattern_layers"); }, {}, true},
    {"state_space_layers", "layers with an unsupported SSM or linear attention, which are not modeled", [](const Context& c) { return extra(*c.reading, "state_space_layers"); }, {}, true},
    {"other_heads", "layers with different attention heads than the first, modeled like the first; 0: none", [](const Context& c) { return extra(*c.reading, "other_heads"); }, {}, true},
    {"uncosted_parts", "whether layers have parts other than attention and an MLP, which are not modeled", [](const Context& c) { return extra(*c.reading, "uncosted_parts"); }, {}, true},
    {"pads_for_tensor", "whether the framework pads the vocabulary to a multiple of `tensor`, whatever the file states", [](const Context& c) { return extra(*c.reading, "pads_for_tensor"); }, {}, true},
    {"splits_stages", "whether the framework lets the last stage of a pipeline have fewer layers than the others", [](const Context& c) { return c.reading->dialect == "native" ? 1.0 : extra(*c.reading, "splits_stages"); }, {}, true},
    {"states_split", "whether the file states the layers of each pipeline stage", [](const Context& c) { return extra(*c.reading, "states_split"); }, {}, true},
    {"has_whole_heads", "whether head_dim is whole: stated, or hidden_size is divisible by the heads, or the framework rounds down", [](const Context& c) { return has_whole_heads(c) ? 1.0 : 0.0; }},
    {"is_framework_file", "whether the file is a framework's, with switches, and not native", [](const Context& c) { return c.reading->dialect == "native" ? 0.0 : 1.0; }, {}, true},
    {"is_tower", "whether this is the image or audio encoder of a language model that is served", [](const Context& c) { return is_tower(*c.reading) ? 1.0 : 0.0; }, {}, true},
    {"pads_sequences", "whether the framework pads a sequence to a multiple of context parallelism (ms-swift)", [](const Context& c) { return extra(*c.reading, "pads_sequences"); }, {}, true},
    {"reshards_checkpoints", "whether the framework's checkpoints load at any TP, whatever the padding (Megatron-core's torch_dist)", [](const Context& c) { return extra(*c.reading, "reshards_checkpoints"); }, {}, true},
    {"gated_width_stands", "whether the intermediate size that the framework derives for a gated MLP is consistent (see SL905, SL906)", [](const Context& c) { return gated_width_stands(c) ? 1.0 : 0.0; }},
    {"interleaves_stages", "whether the framework has an interleaved schedule (virtual pipeline stages); a native file may use one", [](const Context& c) { return c.reading->dialect == "native" ? 1.0 : extra(*c.reading, "interleaves_stages"); }, {}, true},
    {"fixes_batch", "whether the file states the global batch size", [](const Context& c) { return extra(*c.reading, "fixes_batch"); }, {}, true},
    {"states_sequence_alone", "whether the file states sequence_length itself, and not lengths that add up to it", [](const Context& c) { return model::is_stated(*c.reading, FieldId::sequence_length) && model::origin(*c.reading, FieldId::sequence_length).note.empty() ? 1.0 : 0.0; }, {}, true},
    {"gives_head_dim", "whether head_dim is stated by the file, or by the published model or framework that it names", [](const Context& c) { return gives_head_dim(c) ? 1.0 : 0.0; }, {}, true},
    {"cuts_heads", "whether the framework rounds head_dim down if `hidden_size` is not divisible by the heads", [](const Context& c) { return extra(*c.reading, "cuts_heads"); }, {}, true},
    {"added_tokens", "tokens that the file adds to the model's vocabulary", [](const Context& c) { return extra(*c.reading, "added_tokens"); }},
    {"resizes_to_32", "whether the grown vocabulary is rounded up to a multiple of 32", [](const Context& c) { return extra(*c.reading, "resizes_to_32"); }},
    {"pipelines_by_torch", "whether PyTorch's schedules run the pipeline (torch.distributed.pipelining)", [](const Context& c) { return extra(*c.reading, "pipelines_by_torch"); }, {}, true},
    {"loops_stages", "whether the file's pipeline schedule has several stages on a rank", [](const Context& c) { return extra(*c.reading, "loops_stages"); }, {}, true},
    {"joins_map_and_sharding", "GPUs over which a process spreads the layers although DeepSpeed or FSDP is to shard them; else 0", [](const Context& c) { return extra(*c.reading, "joins_map_and_sharding"); }},
    {"pipelines_by_deepspeed", "whether DeepSpeed's engine runs the pipeline", [](const Context& c) { return extra(*c.reading, "pipelines_by_deepspeed"); }, {}, true},
    {"half_formats", "16-bit dtypes that the file enables", [](const Context& c) { return extra(*c.reading, "half_formats"); }},
    {"checks_arguments", "whether Megatron-LM checks the arguments of a training run at startup", [](const Context& c) { return extra(*c.reading, "checks_arguments"); }, {}, true},
    {"compared_positions", "max_position_embeddings of a model without learned positions, if its framework compares it with the sequence length; else 0", [](const Context& c) { return extra(*c.reading, "compared_positions"); }},
    {"chunk_layers", "layers per virtual pipeline stage that the file states; else 0", [](const Context& c) { return extra(*c.reading, "chunk_layers"); }},
    {"overlaps_gather", "whether the parameter all-gather overlaps with computation", [](const Context& c) { return extra(*c.reading, "overlaps_gather"); }, {}, true},
    {"overlaps_reduction", "whether the gradient reduction overlaps with computation", [](const Context& c) { return extra(*c.reading, "overlaps_reduction"); }, {}, true},
    {"states_recompute_method", "whether the file selects the layers of activation recomputation (its method)", [](const Context& c) { return extra(*c.reading, "states_recompute_method"); }, {}, true},
    {"device_connections", "CUDA_DEVICE_MAX_CONNECTIONS as the file sets it; else 0", [](const Context& c) { return extra(*c.reading, "device_connections"); }},
    {"lacks_hierarchy", "whether context parallelism is hierarchical (`a2a+p2p`) without the sizes of its levels", [](const Context& c) { return extra(*c.reading, "lacks_hierarchy"); }, {}, true},
    {"first_stage_layers", "layers of the first pipeline stage that the file states; else 0", [](const Context& c) { return extra(*c.reading, "first_stage_layers"); }},
    {"last_stage_layers", "layers of the last pipeline stage that the file states; else 0", [](const Context& c) { return extra(*c.reading, "last_stage_layers"); }},
    {"layout_layers", "layers in the file's pipeline layout; 0 without one", [](const Context& c) { return extra(*c.reading, "layout_layers"); }},
    {"layout_stages", "stages, virtual ones included, in the file's pipeline layout; 0 without one", [](const Context& c) { return extra(*c.reading, "layout_stages"); }},
    {"tokens_without_positions", "tokens added after the positions: a class token, registers", [](const Context& c) { return extra(*c.reading, "tokens_without_positions"); }, {}, true},
    {"mixture_pattern_layers", "entries of a list of MoE layers; 0 without one", [](const Context& c) { return extra(*c.reading, "mixture_pattern_layers"); }},
    {"heads_by_context", "whether `context` is Ulysses sequence parallelism: an all-to-all exchanges tokens for heads", [](const Context& c) { return extra(*c.reading, "heads_by_context"); }, {}, true},
    {"sequence_is_limit", "whether sequences are neither padded nor packed, so that `sequence_length` is only their maximum", [](const Context& c) { return extra(*c.reading, "sequence_is_limit"); }},
    {"keeps_adapter_rank", "whether tensor parallelism keeps the LoRA rank whole (ms-swift)", [](const Context& c) { return extra(*c.reading, "keeps_adapter_rank"); }},
    {"rollout_samples", "samples per step of reinforcement learning, if the trainer divides them evenly over GPUs; else 0", [](const Context& c) { return extra(*c.reading, "rollout_samples"); }},
    {"rollout_prompts", "prompts per step of reinforcement learning, if the trainer compares them with those of a mini-batch; else 0", [](const Context& c) { return extra(*c.reading, "rollout_prompts"); }},
    {"mini_batch_prompts", "prompts of a mini-batch; 0 if not stated", [](const Context& c) { return extra(*c.reading, "mini_batch_prompts"); }},
    {"generated_samples", "samples that are generated at a time, over all GPUs, if the trainer wants whole groups of them; else 0", [](const Context& c) { return extra(*c.reading, "generated_samples"); }},
    {"generation_group", "samples generated for each prompt; 0 if not stated", [](const Context& c) { return extra(*c.reading, "generation_group"); }},
    {"checks_state_blocks", "whether a server wants a block of its cache for the state of each sequence that it may run", [](const Context& c) { return extra(*c.reading, "checks_state_blocks"); }, {}, true},
    {"blamed", "the blamed field's value (in fixes and messages)", [](const Context& c) { return c.blamed; }},
};
// clang-format on

// clang-format off
constexpr Variable of_gpu[] = {
    {"sm_count", "SMs (compute units) of the GPU", [](const Context& c) { return real(c.gpu->sm_count); }},
    {"alignment", "elements that a contiguous dimension must be a multiple of for full-width loads (16 bytes on NVIDIA GPUs)", [](const Context& c) { return elements(c, alignment_of(c).efficient_bytes); }},
    {"alignment_best", "elements of a whole cache line, beyond which larger multiples do not help (A100: 128 bytes)", [](const Context& c) { return elements(c, std::max(alignment_of(c).best_bytes, alignment_of(c).efficient_bytes)); }},
    {"has_tensor_cores", "whether the GPU has tensor (matrix) cores for this dtype", [](const Context& c) { return gpu::on_tensor_cores(*c.gpu, plan(c).dtype) ? 1.0 : 0.0; }},
    {"scales_in_blocks", "whether the GPU has tensor cores for MXFP8: 8-bit operands with one scale per 32 values", [](const Context& c) { return gpu::can_scale(*c.gpu, Recipe::mxfp8) ? 1.0 : 0.0; }},
    {"colocated_gib", "memory in GiB of other models on the same GPU (colocated_mib)", [](const Context& c) { return real(plan(c).colocated_mib) * bytes_per_mib / bytes_per_gib; }},
    {"gpu_memory_gib", "memory of the GPU in GiB, as its driver reports; 0 when unknown", [](const Context& c) { return gpu::memory_gib(*c.gpu); }},
    {"compute_capability", "compute capability of an NVIDIA GPU (9.0: Hopper); 0 of others", [](const Context& c) { return compute_capability(*c.gpu); }},
    {"gpu_is_assumed", "whether neither the command line nor a configuration names the GPU", [](const Context& c) { return model::extra_named(*c.reading, "gpu_is_assumed"); }},
    {"budget_gib", "memory that the job may use: gpu_memory_gib, or the share of an engine (memory_percent); 0 when unknown", [](const Context& c) { return gpu::memory_gib(*c.gpu) > 0 ? suggest::budget_bytes(gpu::memory_gib(*c.gpu), plan(c)) / bytes_per_gib : 0; }},
    {"usable_gib", "budget_gib less reserve_gib and the share that an engine keeps free (cache_percent); 0 when unknown", [](const Context& c) { return gpu::memory_gib(*c.gpu) > 0 ? suggest::usable_bytes(gpu::memory_gib(*c.gpu), *c.setup) / bytes_per_gib : 0; }},
    {"reserve_gib", "assumed memory in addition to memory_gib: driver, CUDA context, kernels and buffers (2 GB), and 5 % for fragmentation and temporary copies; for vLLM as measured for its profile run", reserve_gib},
    {"engine_stops", "whether the engine fails at startup because its KV cache cannot hold the longest sequence: 2 for certain, 1 by the estimated activations and context, 0 if it starts or that is unknown", engine_stops},
    {"served_longest", "tokens of the longest sequence that an engine admits: longest_sequence, or else max_positions; 0 when unknown", [](const Context& c) { return real(suggest::longest_sequence(*c.setup)); }},
    {"longest_cache_gib", "KV cache of one such sequence on one GPU, in GiB", [](const Context& c) { return capacity(c).longest_bytes / bytes_per_gib; }},
    {"cache_room_gib", "GiB left for the KV cache after weights, activations, context and buffers", [](const Context& c) { return capacity(c).cache_bytes / bytes_per_gib; }},
    {"unweighted_gib", "GiB of the engine's share left after the weights", [](const Context& c) { return (capacity(c).budget_bytes - capacity(c).weight_bytes) / bytes_per_gib; }},
    {"largest_sequence", "tokens of the longest sequence whose KV cache has room", [](const Context& c) { return real(capacity(c).largest); }},
    {"largest_sequence_8_bit", "the same with an 8-bit KV cache", largest_sequence_8_bit},
    {"kv_cache_tokens", "tokens that the KV cache of one GPU holds, in sequences of the longest length", [](const Context& c) { return real(capacity(c).tokens); }},
    {"kv_cache_requests", "sequences of that length that fit in the KV cache", [](const Context& c) { return capacity(c).requests; }},
    {"state_blocks", "blocks of vLLM's cache that have room for the state of a sequence, by the estimated activations and context; 0 without such layers, or of other engines", [](const Context& c) { return state_room(c).blocks; }},
    {"most_state_blocks", "the same of all memory that the weights leave", [](const Context& c) { return state_room(c).most_blocks; }},
    {"served_sequences", "sequences that an engine may run at a time: most_sequences, or its default on this GPU; 0 when unknown", [](const Context& c) { return real(state_room(c).sequences); }},
    {"link_gpus", "GPUs in one NVLink domain (fast interconnect)", [](const Context& c) { return real(c.gpu->link_gpus); }},
    {"has_flash", "whether a fused attention kernel supports this head_dim, and of a whole model those of all its layers", [](const Context& c) { return has_kernel(c) ? 1.0 : 0.0; }, {FieldId::head_dim}},
    {"flash_head_dim", "head_dim that the fused attention kernel computes, padding included; 0 without a kernel", [](const Context& c) { return bucket(c).bucket != nullptr ? real(bucket(c).head_dim) : 0; }, {FieldId::head_dim}},
    {"scan_key_dim", "key dim of a token mixer that the kernels of prefill and training compute, padding included; 0 without one", scanned_key_dim, {FieldId::mixer_key_dim}},
    {"flash_limit", "largest head_dim of any fused attention kernel; 0 without any", largest_bucket},
    {"flash_multiple", "a head_dim that is not a multiple of this is padded in memory", [](const Context& c) { return real(c.gpu->attention.head_dim_multiple); }},
};
// clang-format on

// Formats of as many bits are no slower or faster for their width.
double bf16_step_us(const Context& c) {
  if (bytes_of(plan(c).dtype) == bytes_of(DType::bf16)) return c.step->time_us;
  Setup setup = *c.setup;
  setup.plan.dtype = DType::bf16;
  return cost::price_step(*c.gpu, setup).time_us;
}

// For formats that the tensor cores do not multiply, or multiply slowly.
double half_step_us(const Context& c) {
  const DType own = plan(c).dtype;
  const bool is_slow =
      own == DType::fp32 || own == DType::tf32 || (own == DType::bf16 && !gpu::on_tensor_cores(*c.gpu, own));
  double best = c.step->time_us;
  if (!is_slow) return best;
  for (const DType half : {DType::bf16, DType::fp16}) {
    if (!gpu::on_tensor_cores(*c.gpu, half)) continue;
    Setup setup = *c.setup;
    setup.plan.dtype = half;
    best = std::min(best, cost::price_step(*c.gpu, setup).time_us);
  }
  return best;
}

// Idle time is the pipeline's, and what ranks wait for the slowest.
double own_bubble_us(const Context& c) {
  const double own = model::pipeline_bubble(plan(c), model::slowest_stage(cost::paced(*c.gpu, *c.setup)));
  const double all = own + model::straggler_fraction(plan(c));
  return all > 0 ? c.step->bubble_us * own / all : 0;
}

// clang-format off
constexpr Variable of_step[] = {
    {"step_us", "time of the step in microseconds", [](const Context& c) { return c.step->time_us; }},
    {"bf16_step_us", "time of the same step in bf16, in microseconds; for a 16-bit dtype its own", bf16_step_us},
    {"half_step_us", "time of the same step in the faster of bf16 and fp16 on tensor cores, in microseconds; its own for narrower dtypes, and without such tensor cores", half_step_us},
    {"mfu", "model FLOPs utilization", [](const Context& c) { return c.step->mfu; }},
    {"hfu", "hardware FLOPs utilization", [](const Context& c) { return c.step->hfu; }},
    {"compute_share", "share of the step in compute-bound operations", [](const Context& c) { return share_of_step(c, c.step->compute_us); }},
    {"memory_share", "share of the step in memory-bound operations", [](const Context& c) { return share_of_step(c, c.step->memory_us); }},
    {"communication_share", "share of the step that is exposed communication", [](const Context& c) { return share_of_step(c, c.step->communication_us); }},
    {"overhead_share", "share of the step that is kernel launch and other fixed overhead", [](const Context& c) { return share_of_step(c, c.step->overhead_us); }},
    {"end_layers", "LM head and multi-token prediction layers on the last pipeline stage, as a number of layers with the same time; 0 without a pipeline", [](const Context& c) { return c.step->end_layers; }},
    {"bubble_share", "share of the step that is pipeline bubble", [](const Context& c) { return share_of_step(c, own_bubble_us(c)); }},
};
// clang-format on

}  // namespace

std::span<const Variable> model_variables() {
  return of_model;
}
std::span<const Variable> gpu_variables() {
  return of_gpu;
}
std::span<const Variable> step_variables() {
  return of_step;
}

Context context_of(const EvaluationInput& scene) {
  Context context;
  context.reading = &scene.reading;
  context.setup = &scene.reading.setup;
  context.gpu = scene.baseline.gpu;
  context.step = scene.baseline.step;
  context.mixer = scene.mixer;
  return context;
}

double value_of(const model::Reading& reading, FieldId field) {
  return field == model::no_field ? 0 : real(model::get(reading.setup, field));
}

Blame listed_blame(const EvaluationInput& scene) {
  std::vector<FieldId> fields;
  for (const std::string_view name : scene.blame) {
    const FieldId field = model::find_field(name);
    if (field != model::no_field) fields.push_back(model::of_mixer(field, scene.mixer));  // else a dimension
  }
  return choose_blame(scene.reading, std::move(fields), true);
}

std::vector<Subject> the_model(const EvaluationInput& scene) {
  Subject subject{context_of(scene), listed_blame(scene)};
  subject.context.blamed = value_of(scene.reading, subject.blame.field);
  return {std::move(subject)};
}

std::vector<Subject> nothing(const EvaluationInput& scene) {
  (void)scene;
  return {};
}

}  // namespace shapelint::rules
