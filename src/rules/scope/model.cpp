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
  constexpr double least_expansion = 1.5;  // as in SL906
  return extra(*c.reading, "gated_linear1_branch") == second &&
         (extra(*c.reading, "gated_as_written") <= 0 || second > least_expansion * real(spec(c).hidden_size));
}

// Whether the model is known well enough to say what it needs.
bool has_size(const Context& c) {
  return !spec(c).conv.empty() ||
         (is_known(*c.reading, FieldId::hidden_size) && is_known(*c.reading, FieldId::num_layers));
}

double least_gib(const Context& c, bool with_activations) {
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

double engine_stops(const Context& c) {
  // Where layers keep a window and nobody says how many do, less may be needed.
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
    {"tokens", "rows of the matrix products on one rank: micro_batch_size * sequence_length / context (decode: micro_batch_size)", [](const Context& c) { return tokens_of(*c.setup); }, {FieldId::sequence_length}},
    {"tokens_per_expert", "tokens that one expert gets on average from one micro-batch of all ranks among which the experts are shared out; 0 without experts", [](const Context& c) { const auto& m = spec(c).moe; return m.num_experts > 0 ? real(model::routed_tokens(*c.setup)) * real(m.experts_per_token) / real(m.num_experts) : 0; }, {FieldId::sequence_length}},
    {"parameters", "parameters of the whole model", [](const Context& c) { return real(model::parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"params", "the same as `parameters`", [](const Context& c) { return real(model::parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"active_parameters", "parameters that one token uses", [](const Context& c) { return real(model::active_parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"attention_width", "num_attention_heads * head_dim", [](const Context& c) { return real(spec(c).num_attention_heads) * real(spec(c).head_dim); }, {FieldId::num_attention_heads}},
    {"heads_per_rank", "query heads on one tensor-parallel rank, rounded up", [](const Context& c) { return per_rank(spec(c).num_attention_heads, plan(c).tensor); }, {FieldId::num_attention_heads}},
    {"key_value_heads_per_rank", "key and value heads on one tensor-parallel rank, at least one", [](const Context& c) { return per_rank(spec(c).num_key_value_heads, plan(c).tensor); }, {FieldId::num_key_value_heads}},
    {"hidden_per_rank", "hidden_size / tensor, rounded up", [](const Context& c) { return per_rank(spec(c).hidden_size, plan(c).tensor); }, {FieldId::hidden_size}},
    {"intermediate_per_rank", "intermediate_size / tensor, rounded up", [](const Context& c) { return per_rank(spec(c).intermediate_size, plan(c).tensor); }, {FieldId::intermediate_size}},
    {"moe_intermediate_per_rank", "moe_intermediate_size / expert_tensor, rounded up", [](const Context& c) { return per_rank(spec(c).moe.intermediate_size, plan(c).expert_tensor); }, {FieldId::moe_intermediate_size}},
    {"layers_per_stage", "num_layers / pipeline, rounded up: the stage that all others wait for (where embedding and head count as layers, with them)", [](const Context& c) { return real(model::layers_of_stage(*c.setup)); }, {FieldId::num_layers}},
    {"has_dense_mlp", "whether any layer has an ordinary MLP", [](const Context& c) { return model::num_dense_layers(spec(c)) > 0 ? 1.0 : 0.0; }, {}, true},
    {"is_moe", "whether any layer is a mixture of experts", [](const Context& c) { return spec(c).moe.num_experts > 0 ? 1.0 : 0.0; }, {}, true},
    {"is_mla", "whether attention is multi-head latent attention", [](const Context& c) { return spec(c).mla.kv_lora_rank > 0 ? 1.0 : 0.0; }, {}, true},
    {"is_transformer", "whether the file describes a transformer (and not convolutions)", [](const Context& c) { return spec(c).conv.empty() ? 1.0 : 0.0; }, {}, true},
    {"element_bytes", "bytes of one element of the matrix products", [](const Context& c) { return bytes_of(plan(c).dtype); }},
    {"ranks", "GPUs of one replica of the model: tensor * pipeline * context", [](const Context& c) { return real(plan(c).tensor) * real(plan(c).pipeline) * real(plan(c).context); }},
    {"expert_ranks", "GPUs of a pipeline stage, over which experts can be shared out: data * tensor * context; 0 where neither the file nor its launch says how many there are", [](const Context& c) { return real(stage_ranks(c)); }},
    {"known_micro_batches", "gradient_accumulation, where the file says how many micro-batches a step has; 0 where it leaves that open", [](const Context& c) { return knows_micro_batches(c) ? real(plan(c).gradient_accumulation) : 0; }},
    {"assumes_micro_batches", "whether a framework's file leaves open how many micro-batches a step has, so that gradient_accumulation is assumed", [](const Context& c) { return assumes_micro_batches(*c.reading) ? 1.0 : 0.0; }},
    {"launched_gpus", "GPUs that the file's launch starts, which replicas of the model share; 0 where it does not say how many", [](const Context& c) { return real(launched_gpus(c)); }},
    {"shared_batch", "sequences of an optimizer step, where the file says how many and the framework takes whole micro-batches of all ranks only; else 0", [](const Context& c) { return real(shared_batch(c)); }},
    {"rounded_batch", "sequences of an optimizer step, where the file says how many and the framework leaves out those that make up no whole micro-batch on every rank; else 0", [](const Context& c) { return plan(c).mode == model::Mode::train ? extra(*c.reading, "rounded_batch") : 0; }},
    {"batch_unit", "sequences of which shared_batch must be a multiple: micro_batch_size times the data-parallel ranks and the micro-batches, as far as the file and its launch say how many there are; 0 where it does not state micro_batch_size", [](const Context& c) { return real(batch_unit(c)); }},
    {"own_micro_batch", "sequences of a micro-batch by a trainer's own argument, where DeepSpeed's file has one, too; 0 where it states none", [](const Context& c) { return extra(*c.reading, "own_micro_batch"); }},
    {"deepspeed_micro_batch", "the same by DeepSpeed's file; 0 where it leaves it to the trainer", [](const Context& c) { return extra(*c.reading, "deepspeed_micro_batch"); }},
    {"own_accumulation", "micro-batches of a step by a trainer's own argument, beside DeepSpeed's file; 0 where it states none", [](const Context& c) { return extra(*c.reading, "own_accumulation"); }},
    {"deepspeed_accumulation", "the same by DeepSpeed's file; 0 where it leaves it to the trainer", [](const Context& c) { return extra(*c.reading, "deepspeed_accumulation"); }},
    {"is_chunk", "whether a prefill is a chunk of prompts, of a size that is the engine's to choose: the file states it (step_tokens)", [](const Context& c) { return is_chunk(c) ? 1.0 : 0.0; }},
    {"memory_gib", "estimated memory of one GPU in GiB (docs: lowering.md)", [](const Context& c) { return suggest::memory_bytes(*c.setup) / bytes_per_gib; }, {FieldId::hidden_size, FieldId::num_layers}},
    {"state_gib", "the part of memory_gib that does not depend on activations: weights, gradients and optimizer states; in serving weights and the cache of keys and values", [](const Context& c) { return has_size(c) ? suggest::footprint(*c.setup).state_bytes / bytes_per_gib : 0; }},
    {"least_state_gib", "the least that state_gib can be: what ZeRO shares over ranks that the file does not count takes nothing; 0 for training where the file does not tell what is shared, offloaded or frozen", [](const Context& c) { return least_gib(c, false); }},
    {"least_memory_gib", "the same and activations", [](const Context& c) { return least_gib(c, true); }},
    {"states_plan", "whether the file or the command line says how the run is laid out: a degree of parallelism, ZeRO or the micro-batch (and nothing of it is left to the run)", [](const Context& c) { return states_plan(*c.reading) ? 1.0 : 0.0; }},
    // what only files of some dialects say; 0 elsewhere
    {"gated_linear1_branch", "width of one branch that a gated MLP's first linear layer gives, by the framework's own rounding", [](const Context& c) { return extra(*c.reading, "gated_linear1_branch"); }},
    {"gated_linear2_width", "width that the second linear layer of the same MLP takes", [](const Context& c) { return extra(*c.reading, "gated_linear2_width"); }},
    {"gated_as_written", "the width that the file gives for a gated MLP, before the framework cuts it into branches", [](const Context& c) { return extra(*c.reading, "gated_as_written"); }},
    {"quantization_block", "values that share a scale in the file's quantized weights", [](const Context& c) { return extra(*c.reading, "quantization_block"); }},
    {"may_be_longer", "whether a server's command lifts that limit, or changes the model's rotary embedding", [](const Context& c) { return extra(*c.reading, "may_be_longer"); }, {}, true},
    {"undivided_tokens", "tokens of a server's step where it does not divide prompts among several; else 0", [](const Context& c) { return extra(*c.reading, "undivided_tokens"); }},
    {"visible_gpus", "GPUs that a server sees (CUDA_VISIBLE_DEVICES); 0 where nothing says how many", [](const Context& c) { return extra(*c.reading, "visible_gpus"); }},
    {"decode_context", "tensor-parallel ranks that share the cached text of a sequence among them (decode context parallelism of vLLM)", [](const Context& c) { return std::max(1.0, extra(*c.reading, "decode_context")); }},
    {"asks_bf16", "whether a server's command asks for bf16, and does not leave the format to the GPU", [](const Context& c) { return extra(*c.reading, "asks_bf16"); }, {}, true},
    {"pattern_layers", "layers of which the file's pattern says what each is, where it has one that must be as long as the layers; 0: none", [](const Context& c) { return extra(*c.reading, "pattern_layers"); }, {}, true},
    {"state_space_layers", "layers with a state space or linear attention, which are not costed", [](const Context& c) { return extra(*c.reading, "state_space_layers"); }, {}, true},
    {"other_heads", "layers whose attention has other heads than the file's first, which is costed as if it had not; 0: none", [](const Context& c) { return extra(*c.reading, "other_heads"); }, {}, true},
    {"uncosted_parts", "whether layers hold more than attention and an MLP, which is not costed", [](const Context& c) { return extra(*c.reading, "uncosted_parts"); }, {}, true},
    {"pads_for_tensor", "whether the framework pads the vocabulary until `tensor` divides it, whatever the file says", [](const Context& c) { return extra(*c.reading, "pads_for_tensor"); }, {}, true},
    {"splits_stages", "whether the framework lets the last stage of a pipeline have fewer layers than the others", [](const Context& c) { return c.reading->dialect == "native" ? 1.0 : extra(*c.reading, "splits_stages"); }, {}, true},
    {"states_split", "whether the file itself says which layers each stage of the pipeline holds", [](const Context& c) { return extra(*c.reading, "states_split"); }, {}, true},
    {"has_whole_heads", "whether a head has a whole width: it is given, or the heads divide `hidden_size`, or the framework cuts off the rest", [](const Context& c) { return has_whole_heads(c) ? 1.0 : 0.0; }},
    {"is_framework_file", "whether the file is a framework's: what a native file leaves out has a documented default, and what it says describes a run; a framework's file has switches", [](const Context& c) { return c.reading->dialect == "native" ? 0.0 : 1.0; }, {}, true},
    {"is_tower", "whether this is a tower of images or sound beside a language model that is served", [](const Context& c) { return is_tower(*c.reading) ? 1.0 : 0.0; }, {}, true},
    {"pads_sequences", "whether the framework pads a sequence until context parallelism divides it (ms-swift)", [](const Context& c) { return extra(*c.reading, "pads_sequences"); }, {}, true},
    {"reshards_checkpoints", "whether the framework's checkpoints load at any tensor-parallel degree, whatever rows are padded (Megatron-core's torch_dist)", [](const Context& c) { return extra(*c.reading, "reshards_checkpoints"); }, {}, true},
    {"gated_width_stands", "whether nothing speaks against the width of a gated MLP that the framework makes of what is written (see SL905, SL906)", [](const Context& c) { return gated_width_stands(c) ? 1.0 : 0.0; }},
    {"interleaves_stages", "whether the framework has an interleaved schedule, in which a stage holds several chunks of layers; a native file may have one", [](const Context& c) { return c.reading->dialect == "native" ? 1.0 : extra(*c.reading, "interleaves_stages"); }, {}, true},
    {"fixes_batch", "whether the file states how many sequences an optimizer step takes in all, whatever a micro-batch is", [](const Context& c) { return extra(*c.reading, "fixes_batch"); }, {}, true},
    {"gives_head_dim", "whether the width of a head is given: by the file, or by the published model or the framework that it names", [](const Context& c) { return gives_head_dim(c) ? 1.0 : 0.0; }, {}, true},
    {"cuts_heads", "whether the framework rounds the width of a head down where the heads do not divide `hidden_size`", [](const Context& c) { return extra(*c.reading, "cuts_heads"); }, {}, true},
    {"added_tokens", "tokens that the file adds to the model's vocabulary", [](const Context& c) { return extra(*c.reading, "added_tokens"); }},
    {"resizes_to_32", "whether the grown vocabulary is rounded up to a multiple of 32", [](const Context& c) { return extra(*c.reading, "resizes_to_32"); }},
    {"pipelines_by_deepspeed", "whether DeepSpeed's engine runs the pipeline", [](const Context& c) { return extra(*c.reading, "pipelines_by_deepspeed"); }, {}, true},
    {"half_formats", "16-bit number formats that the file turns on", [](const Context& c) { return extra(*c.reading, "half_formats"); }},
    {"checks_arguments", "whether Megatron-LM checks the arguments of a training run before it starts", [](const Context& c) { return extra(*c.reading, "checks_arguments"); }, {}, true},
    {"compared_positions", "positions that the file gives a model which has not learned them, where its framework compares them with the sequence; 0 elsewhere", [](const Context& c) { return extra(*c.reading, "compared_positions"); }},
    {"chunk_layers", "layers that the file gives each chunk of an interleaved pipeline; 0 where it gives none", [](const Context& c) { return extra(*c.reading, "chunk_layers"); }},
    {"overlaps_gather", "whether weights are gathered beside computation", [](const Context& c) { return extra(*c.reading, "overlaps_gather"); }, {}, true},
    {"overlaps_reduction", "whether gradients are reduced beside computation", [](const Context& c) { return extra(*c.reading, "overlaps_reduction"); }, {}, true},
    {"states_recompute_method", "whether the file says which layers are computed again, beside how much of a layer", [](const Context& c) { return extra(*c.reading, "states_recompute_method"); }, {}, true},
    {"device_connections", "CUDA_DEVICE_MAX_CONNECTIONS, as the file sets it; 0 where it does not", [](const Context& c) { return extra(*c.reading, "device_connections"); }},
    {"lacks_hierarchy", "whether context parallelism exchanges by levels (`a2a+p2p`) whose sizes the file does not give", [](const Context& c) { return extra(*c.reading, "lacks_hierarchy"); }, {}, true},
    {"first_stage_layers", "layers that the file gives the pipeline's first stage; 0 where it gives none", [](const Context& c) { return extra(*c.reading, "first_stage_layers"); }},
    {"last_stage_layers", "the same of the last stage", [](const Context& c) { return extra(*c.reading, "last_stage_layers"); }},
    {"layout_layers", "layers in the file's layout of the pipeline; 0 without one", [](const Context& c) { return extra(*c.reading, "layout_layers"); }},
    {"layout_stages", "stages, or chunks of them, in the file's layout of the pipeline; 0 without one", [](const Context& c) { return extra(*c.reading, "layout_stages"); }},
    {"tokens_without_positions", "tokens that come in after positions are added: a class token, registers", [](const Context& c) { return extra(*c.reading, "tokens_without_positions"); }, {}, true},
    {"mixture_pattern_layers", "layers of which a list says whether they are mixtures; 0 without one", [](const Context& c) { return extra(*c.reading, "mixture_pattern_layers"); }},
    {"heads_by_context", "whether `context` is Ulysses's: ranks exchange tokens for heads", [](const Context& c) { return extra(*c.reading, "heads_by_context"); }, {}, true},
    {"sequence_is_limit", "whether sequences are as long as their texts, and `sequence_length` is only the most that one may have", [](const Context& c) { return extra(*c.reading, "sequence_is_limit"); }},
    {"keeps_adapter_rank", "whether tensor parallelism leaves the rank of adapters whole (ms-swift)", [](const Context& c) { return extra(*c.reading, "keeps_adapter_rank"); }},
    {"rollout_samples", "answers that one step of reinforcement learning generates, where its trainer shares them out evenly; else 0", [](const Context& c) { return extra(*c.reading, "rollout_samples"); }},
    {"blamed", "the blamed field's value (in fixes and messages)", [](const Context& c) { return c.blamed; }},
};
// clang-format on

// clang-format off
constexpr Variable of_gpu[] = {
    {"sm_count", "SMs (compute units) of the GPU", [](const Context& c) { return real(c.gpu->sm_count); }},
    {"alignment", "elements that a contiguous dimension must be a multiple of for full-width loads (16 bytes on NVIDIA GPUs)", [](const Context& c) { return elements(c, alignment_of(c).efficient_bytes); }},
    {"alignment_best", "elements of a whole cache line, beyond which no multiple helps (A100: 128 bytes)", [](const Context& c) { return elements(c, std::max(alignment_of(c).best_bytes, alignment_of(c).efficient_bytes)); }},
    {"has_tensor_cores", "whether the GPU multiplies this number format on tensor (matrix) cores", [](const Context& c) { return gpu::on_tensor_cores(*c.gpu, plan(c).dtype) ? 1.0 : 0.0; }},
    {"scales_in_blocks", "whether the GPU has units for MXFP8, operands of 8 bits that share a scale in blocks of 32", [](const Context& c) { return gpu::can_scale(*c.gpu, Recipe::mxfp8) ? 1.0 : 0.0; }},
    {"colocated_gib", "memory in GiB that other models keep on the same GPU meanwhile (colocated_mib)", [](const Context& c) { return real(plan(c).colocated_mib) * bytes_per_mib / bytes_per_gib; }},
    {"gpu_memory_gib", "memory of the GPU in GiB, as its driver reports; 0 when unknown", [](const Context& c) { return gpu::memory_gib(*c.gpu); }},
    {"compute_capability", "compute capability of an NVIDIA GPU (9.0: Hopper); 0 of others", [](const Context& c) { return compute_capability(*c.gpu); }},
    {"budget_gib", "what of gpu_memory_gib the run may take: all of it, or the share that an engine is given (memory_percent); 0 when unknown", [](const Context& c) { return gpu::memory_gib(*c.gpu) > 0 ? suggest::budget_bytes(gpu::memory_gib(*c.gpu), plan(c)) / bytes_per_gib : 0; }},
    {"usable_gib", "what of budget_gib is left beside the memory that is assumed to be taken (see reserve_gib) and what an engine keeps free (cache_percent); 0 when unknown", [](const Context& c) { return gpu::memory_gib(*c.gpu) > 0 ? suggest::usable_bytes(gpu::memory_gib(*c.gpu), *c.setup) / bytes_per_gib : 0; }},
    {"reserve_gib", "memory beside memory_gib that is assumed to be taken: the driver's part, CUDA's context, kernels and buffers (2 GB), and 5 % for fragmentation and temporary copies; of vLLM what its profile run was measured to take", reserve_gib},
    {"engine_stops", "whether the engine stops at startup, since its KV cache has no room for the longest sequence: 2 for certain, 1 by the estimated memory of activations and context, 0 where it starts or where that is not known", engine_stops},
    {"served_longest", "tokens of the longest sequence that an engine admits: longest_sequence, or else max_positions; 0 when unknown", [](const Context& c) { return real(suggest::longest_sequence(*c.setup)); }},
    {"longest_cache_gib", "KV cache of one such sequence on one GPU, in GiB", [](const Context& c) { return capacity(c).longest_bytes / bytes_per_gib; }},
    {"cache_room_gib", "GiB that the engine has left for the KV cache beside weights, activations, context and buffers", [](const Context& c) { return capacity(c).cache_bytes / bytes_per_gib; }},
    {"unweighted_gib", "GiB that weights alone leave of what the engine may take", [](const Context& c) { return (capacity(c).budget_bytes - capacity(c).weight_bytes) / bytes_per_gib; }},
    {"largest_sequence", "tokens of the longest sequence whose KV cache has room", [](const Context& c) { return real(capacity(c).largest); }},
    {"largest_sequence_8_bit", "the same with a KV cache of 8 bits", largest_sequence_8_bit},
    {"kv_cache_tokens", "tokens that the KV cache of one GPU holds, in sequences of the longest length", [](const Context& c) { return real(capacity(c).tokens); }},
    {"kv_cache_requests", "sequences of that length that it holds at a time", [](const Context& c) { return capacity(c).requests; }},
    {"link_gpus", "GPUs that the fast link joins", [](const Context& c) { return real(c.gpu->link_gpus); }},
    {"has_flash", "whether a fused attention kernel takes this head dimension", [](const Context& c) { return bucket(c).bucket != nullptr ? 1.0 : 0.0; }, {FieldId::head_dim}},
    {"flash_head_dim", "head dimension that the fused attention kernel computes, zeros included; 0 when none takes it", [](const Context& c) { return bucket(c).bucket != nullptr ? real(bucket(c).head_dim) : 0; }, {FieldId::head_dim}},
    {"scan_key_dim", "elements of a mixer's key that the kernels of prompts and training compute, zeros included; 0 without one", scanned_key_dim, {FieldId::mixer_key_dim}},
    {"flash_limit", "largest head dimension of any fused attention kernel; 0 without any", largest_bucket},
    {"flash_multiple", "head dimensions that are no multiple of this are padded in memory by copies", [](const Context& c) { return real(c.gpu->attention.head_dim_multiple); }},
};
// clang-format on

// Formats of as many bits are no slower or faster for their width.
double bf16_step_us(const Context& c) {
  if (bytes_of(plan(c).dtype) == bytes_of(DType::bf16)) return c.step->time_us;
  Setup setup = *c.setup;
  setup.plan.dtype = DType::bf16;
  return cost::price_step(*c.gpu, setup).time_us;
}

// Of formats that the tensor cores do not multiply, or multiply slowly.
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
    {"bf16_step_us", "time of the same step in bf16, in microseconds; of a format of 16 bits its own", bf16_step_us},
    {"half_step_us", "time of the same step in the faster of bf16 and fp16 on tensor cores, in microseconds; of narrower formats, and without such units, its own", half_step_us},
    {"mfu", "model FLOPs utilization", [](const Context& c) { return c.step->mfu; }},
    {"hfu", "hardware FLOPs utilization", [](const Context& c) { return c.step->hfu; }},
    {"compute_share", "share of the step in operations bound by arithmetic", [](const Context& c) { return share_of_step(c, c.step->compute_us); }},
    {"memory_share", "share of the step in operations bound by memory bandwidth", [](const Context& c) { return share_of_step(c, c.step->memory_us); }},
    {"communication_share", "share of the step spent waiting for communication", [](const Context& c) { return share_of_step(c, c.step->communication_us); }},
    {"overhead_share", "share of the step in launches and other fixed costs", [](const Context& c) { return share_of_step(c, c.step->overhead_us); }},
    {"end_layers", "what stands behind the last layer of a pipeline, the head and layers that predict further tokens, as a number of layers that take as long; 0 without a pipeline", [](const Context& c) { return c.step->end_layers; }},
    {"bubble_share", "share of the step in which a pipeline stage idles", [](const Context& c) { return share_of_step(c, own_bubble_us(c)); }},
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
