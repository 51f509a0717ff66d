// The table of variables.
#include "rules/book/variables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/kernels/attention.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::rules {

namespace {

using model::FieldId;
using model::Setup;

constexpr double bytes_per_gb = 1e9;

double real(std::int64_t value) {
  return static_cast<double>(value);
}
// A share of a dimension on each of `ranks`, rounded up as the lowering does.
double per_rank(std::int64_t value, std::int64_t ranks) {
  return ranks > 0 ? std::ceil(real(value) / real(ranks)) : real(value);
}
const model::ModelSpec& spec(const Context& c) {
  return c.setup->model;
}
const model::Plan& plan(const Context& c) {
  return c.setup->plan;
}
double tokens_of(const Setup& setup) {
  const model::Plan& p = setup.plan;
  if (p.mode == model::Mode::decode) return real(p.micro_batch_size);
  return real(p.micro_batch_size) * per_rank(p.sequence_length, p.context);
}
double share_of_step(const Context& c, double time_us) {
  return c.step->time_us > 0 ? time_us / c.step->time_us : 0;
}
double op_share(const Context& c) {
  return share_of_step(c, c.op->count * c.cost->time_us);
}
// Elements that `bytes` hold of the run's number format.
double elements(const Context& c, std::int64_t bytes) {
  return std::max(1.0, real(bytes) / bytes_of(plan(c).dtype));
}
const gpu::Alignment& alignment_of(const Context& c) {
  return gpu::alignment(c.gpu->architecture, plan(c).dtype);
}
cost::BucketUse bucket(const Context& c) {
  return cost::attention_bucket(*c.gpu, spec(c).head_dim, spec(c).value_head_dim,
                                plan(c).mode == model::Mode::decode);
}
double largest_bucket(const Context& c) {
  std::int64_t largest = 0;
  for (const gpu::AttentionBucket& each : c.gpu->attention.buckets) {
    if (!each.decode_only) largest = std::max(largest, each.head_dim);
  }
  return real(largest);
}
double tile_count(const Context& c) {
  if (c.cost->tile_m <= 0 || c.cost->tile_n <= 0) return 0;
  return real(c.op->batch.value) * std::ceil(real(c.op->m.value) / real(c.cost->tile_m)) *
         std::ceil(real(c.op->n.value) / real(c.cost->tile_n)) *
         real(std::max<std::int64_t>(1, c.cost->split_k));
}

// A value that the file's dialect worked out on the way (model::Extra); 0 where it has none.
double extra(const Context& c, std::string_view name) {
  for (const model::Extra& each : c.reading->extras) {
    if (each.name == name) return each.value;
  }
  return 0;
}

double is_remark(const Context& c, model::Remark::Kind kind) {
  return c.remark != nullptr && c.remark->kind == kind ? 1.0 : 0.0;
}

// clang-format off
constexpr Variable table[] = {
    // what derives from the model and the plan
    {"vocab_rows", Level::model, "rows of the embedding after padding, over all ranks", [](const Context& c) { return real(model::vocab_rows(*c.setup)); }, {FieldId::vocab_size}},
    {"vocab_rows_per_rank", Level::model, "rows of the embedding on one tensor-parallel rank", [](const Context& c) { return per_rank(model::vocab_rows(*c.setup), plan(c).tensor); }, {FieldId::vocab_size}},
    {"tokens", Level::model, "rows of the matrix products on one rank: micro_batch_size * sequence_length / context (decode: micro_batch_size)", [](const Context& c) { return tokens_of(*c.setup); }, {FieldId::sequence_length}},
    {"tokens_per_expert", Level::model, "tokens that one expert gets on average from one micro-batch of each expert-parallel rank; 0 without experts", [](const Context& c) { const auto& m = spec(c).moe; return m.num_experts > 0 ? tokens_of(*c.setup) * real(plan(c).expert) * real(m.experts_per_token) / real(m.num_experts) : 0; }, {FieldId::sequence_length}},
    {"parameters", Level::model, "parameters of the whole model", [](const Context& c) { return real(model::parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"params", Level::model, "the same as `parameters`", [](const Context& c) { return real(model::parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"active_parameters", Level::model, "parameters that one token uses", [](const Context& c) { return real(model::active_parameter_count(*c.setup)); }, {FieldId::hidden_size, FieldId::num_layers}},
    {"attention_width", Level::model, "num_attention_heads * head_dim", [](const Context& c) { return real(spec(c).num_attention_heads) * real(spec(c).head_dim); }, {FieldId::num_attention_heads}},
    {"heads_per_rank", Level::model, "query heads on one tensor-parallel rank, rounded up", [](const Context& c) { return per_rank(spec(c).num_attention_heads, plan(c).tensor); }, {FieldId::num_attention_heads}},
    {"key_value_heads_per_rank", Level::model, "key and value heads on one tensor-parallel rank, at least one", [](const Context& c) { return per_rank(spec(c).num_key_value_heads, plan(c).tensor); }, {FieldId::num_key_value_heads}},
    {"hidden_per_rank", Level::model, "hidden_size / tensor, rounded up", [](const Context& c) { return per_rank(spec(c).hidden_size, plan(c).tensor); }, {FieldId::hidden_size}},
    {"intermediate_per_rank", Level::model, "intermediate_size / tensor, rounded up", [](const Context& c) { return per_rank(spec(c).intermediate_size, plan(c).tensor); }, {FieldId::intermediate_size}},
    {"moe_intermediate_per_rank", Level::model, "moe_intermediate_size / tensor, rounded up", [](const Context& c) { return per_rank(spec(c).moe.intermediate_size, plan(c).tensor); }, {FieldId::moe_intermediate_size}},
    {"layers_per_stage", Level::model, "num_layers / pipeline, rounded up: the stage that all others wait for", [](const Context& c) { return per_rank(spec(c).num_layers, plan(c).pipeline); }, {FieldId::num_layers}},
    {"has_dense_mlp", Level::model, "whether any layer has an ordinary MLP", [](const Context& c) { const auto& m = spec(c).moe; return m.num_experts <= 0 || m.first_dense_layers > 0 || m.layer_interval > 1 ? 1.0 : 0.0; }},
    {"is_moe", Level::model, "whether any layer is a mixture of experts", [](const Context& c) { return spec(c).moe.num_experts > 0 ? 1.0 : 0.0; }},
    {"is_mla", Level::model, "whether attention is multi-head latent attention", [](const Context& c) { return spec(c).mla.kv_lora_rank > 0 ? 1.0 : 0.0; }},
    {"is_transformer", Level::model, "whether the file describes a transformer (and not convolutions)", [](const Context& c) { return spec(c).conv.empty() ? 1.0 : 0.0; }},
    {"element_bytes", Level::model, "bytes of one element of the matrix products", [](const Context& c) { return bytes_of(plan(c).dtype); }},
    {"ranks", Level::model, "GPUs of one replica of the model: tensor * pipeline * context", [](const Context& c) { return real(plan(c).tensor) * real(plan(c).pipeline) * real(plan(c).context); }},
    {"memory_gb", Level::model, "estimated memory of one GPU in GB (docs: suggest/footprint)", [](const Context& c) { return suggest::memory_bytes(*c.setup) / bytes_per_gb; }, {FieldId::hidden_size, FieldId::num_layers}},

    // what only files of some dialects say; 0 elsewhere
    {"gated_linear1_branch", Level::model, "width of one branch that a gated MLP's first linear layer gives, by the framework's own rounding", [](const Context& c) { return extra(c, "gated_linear1_branch"); }},
    {"gated_linear2_width", Level::model, "width that the second linear layer of the same MLP takes", [](const Context& c) { return extra(c, "gated_linear2_width"); }},
    {"gated_as_written", Level::model, "the width that the file gives for a gated MLP, before the framework cuts it into branches", [](const Context& c) { return extra(c, "gated_as_written"); }},
    {"quantization_block", Level::model, "values that share a scale in the file's quantized weights", [](const Context& c) { return extra(c, "quantization_block"); }},
    {"state_space_layers", Level::model, "layers with a state space or linear attention, which are not costed", [](const Context& c) { return extra(c, "state_space_layers"); }},
    {"added_tokens", Level::model, "tokens that the file adds to the model's vocabulary", [](const Context& c) { return extra(c, "added_tokens"); }},
    {"resizes_to_32", Level::model, "whether the grown vocabulary is rounded up to a multiple of 32", [](const Context& c) { return extra(c, "resizes_to_32"); }},

    // the GPU
    {"sm_count", Level::gpu, "SMs (compute units) of the GPU", [](const Context& c) { return real(c.gpu->sm_count); }},
    {"alignment", Level::gpu, "elements that a contiguous dimension must be a multiple of for full-width loads (16 bytes on NVIDIA GPUs)", [](const Context& c) { return elements(c, alignment_of(c).efficient_bytes); }},
    {"alignment_best", Level::gpu, "elements of a whole cache line, beyond which no multiple helps (A100: 128 bytes)", [](const Context& c) { return elements(c, std::max(alignment_of(c).best_bytes, alignment_of(c).efficient_bytes)); }},
    {"has_tensor_cores", Level::gpu, "whether the GPU multiplies this number format on tensor (matrix) cores", [](const Context& c) { return gpu::on_tensor_cores(*c.gpu, plan(c).dtype) ? 1.0 : 0.0; }},
    {"dram_size_gb", Level::gpu, "memory of the GPU in GB; 0 when unknown", [](const Context& c) { return c.gpu->dram_size_gb; }},
    {"link_gpus", Level::gpu, "GPUs that the fast link joins", [](const Context& c) { return real(c.gpu->link_gpus); }},
    {"has_flash", Level::gpu, "whether a fused attention kernel takes this head dimension", [](const Context& c) { return bucket(c).bucket != nullptr ? 1.0 : 0.0; }, {FieldId::head_dim}},
    {"flash_head_dim", Level::gpu, "head dimension that the fused attention kernel computes, zeros included; 0 when none takes it", [](const Context& c) { return bucket(c).bucket != nullptr ? real(bucket(c).head_dim) : 0; }, {FieldId::head_dim}},
    {"flash_limit", Level::gpu, "largest head dimension of any fused attention kernel; 0 without any", largest_bucket},
    {"flash_multiple", Level::gpu, "head dimensions that are no multiple of this are padded in memory by copies", [](const Context& c) { return real(c.gpu->attention.head_dim_multiple); }},

    // the predicted step
    {"step_us", Level::step, "time of the step in microseconds", [](const Context& c) { return c.step->time_us; }},
    {"mfu", Level::step, "model FLOPs utilization", [](const Context& c) { return c.step->mfu; }},
    {"hfu", Level::step, "hardware FLOPs utilization", [](const Context& c) { return c.step->hfu; }},
    {"compute_share", Level::step, "share of the step in operations bound by arithmetic", [](const Context& c) { return share_of_step(c, c.step->compute_us); }},
    {"memory_share", Level::step, "share of the step in operations bound by memory bandwidth", [](const Context& c) { return share_of_step(c, c.step->memory_us); }},
    {"communication_share", Level::step, "share of the step spent waiting for communication", [](const Context& c) { return share_of_step(c, c.step->communication_us); }},
    {"overhead_share", Level::step, "share of the step in launches and other fixed costs", [](const Context& c) { return share_of_step(c, c.step->overhead_us); }},
    {"bubble_share", Level::step, "share of the step in which a pipeline stage idles", [](const Context& c) { return share_of_step(c, c.step->bubble_us); }},

    // one operation
    {"share", Level::op, "share of the step that all runs of the operation take", op_share},
    {"op_us", Level::op, "time of one run in microseconds", [](const Context& c) { return c.cost->time_us; }},
    {"ideal_us", Level::op, "time of one run at the roofline", [](const Context& c) { return c.cost->ideal_us; }},
    {"is_forward", Level::op, "whether it belongs to the forward pass", [](const Context& c) { return c.op->pass == model::Pass::forward ? 1.0 : 0.0; }},
    {"is_grad_input", Level::op, "whether it computes the gradient of its input", [](const Context& c) { return c.op->pass == model::Pass::grad_input ? 1.0 : 0.0; }},
    {"is_grad_weight", Level::op, "whether it computes the gradient of its weight", [](const Context& c) { return c.op->pass == model::Pass::grad_weight ? 1.0 : 0.0; }},
    {"compute_bound", Level::op, "whether arithmetic bounds it", [](const Context& c) { return c.cost->bound == cost::Bound::compute ? 1.0 : 0.0; }},
    {"memory_bound", Level::op, "whether memory bandwidth bounds it", [](const Context& c) { return c.cost->bound == cost::Bound::memory ? 1.0 : 0.0; }},
    {"overhead_bound", Level::op, "whether its launch bounds it", [](const Context& c) { return c.cost->bound == cost::Bound::overhead ? 1.0 : 0.0; }},
    {"alignment_efficiency", Level::op, "what misaligned rows leave of the speed, 0 to 1", [](const Context& c) { return c.cost->efficiency.alignment; }},
    {"tile_efficiency", Level::op, "what partial tiles leave of the speed, 0 to 1", [](const Context& c) { return c.cost->efficiency.tile; }},
    {"wave_efficiency", Level::op, "what idle SMs leave of the speed, 0 to 1", [](const Context& c) { return c.cost->efficiency.wave; }},
    {"rest_efficiency", Level::op, "what everything else leaves of the speed, 0 to 1", [](const Context& c) { return c.cost->efficiency.rest; }},

    // one matrix product C[m,n] = A[m,k] B[k,n]
    {"m", Level::gemm, "rows of the output", [](const Context& c) { return real(c.op->m.value); }},
    {"n", Level::gemm, "columns of the output", [](const Context& c) { return real(c.op->n.value); }},
    {"k", Level::gemm, "the dimension that is summed over", [](const Context& c) { return real(c.op->k.value); }},
    {"batch", Level::gemm, "independent products of the batch", [](const Context& c) { return real(c.op->batch.value); }},
    {"op_element_bytes", Level::gemm, "bytes of one element of its operands", [](const Context& c) { return bytes_of(c.op->dtype); }},
    {"dimension", Level::gemm, "the dimension in question: the rule is evaluated for each that `blame` lists", [](const Context& c) { return c.dimension; }},
    {"contiguous", Level::gemm, "whether that dimension is the contiguous one of an operand or of the output", [](const Context& c) { return c.contiguous ? 1.0 : 0.0; }},
    {"tile", Level::gemm, "side of the tile along that dimension; 1 for k", [](const Context& c) { return c.dimension_letter == 'm' ? real(c.cost->tile_m) : c.dimension_letter == 'n' ? real(c.cost->tile_n) : 1.0; }},
    {"tile_m", Level::gemm, "rows of the tile that the library is predicted to choose", [](const Context& c) { return real(c.cost->tile_m); }},
    {"tile_n", Level::gemm, "columns of that tile", [](const Context& c) { return real(c.cost->tile_n); }},
    {"split_k", Level::gemm, "parts that k is split into", [](const Context& c) { return real(c.cost->split_k); }},
    {"tiles", Level::gemm, "tiles of the output, times batch and split_k", tile_count},
    {"waves", Level::gemm, "tiles / SMs that work on them", [](const Context& c) { return c.cost->waves; }},

    // one likely mistake in what the file writes
    {"is_duplicate_key", Level::remark, "whether a key is written twice in one table", [](const Context& c) { return is_remark(c, model::Remark::Kind::duplicate_key); }},
    {"is_number_misread", Level::remark, "whether what looks like a number is read as something else", [](const Context& c) { return is_remark(c, model::Remark::Kind::number_misread); }},
    {"is_unresolved", Level::remark, "whether a size is written, but only the run knows its value", [](const Context& c) { return is_remark(c, model::Remark::Kind::unresolved); }},

    // one layer of a CNN
    {"in_channels", Level::conv, "channels of the input; of a linear layer all that it reads", [](const Context& c) { return real(c.layer->in.channels); }},
    {"out_channels", Level::conv, "channels of the output", [](const Context& c) { return real(c.layer->out.channels); }},
    {"groups", Level::conv, "groups of channels", [](const Context& c) { return real(c.layer->groups); }},
    {"channels_per_group", Level::conv, "input channels of one group", [](const Context& c) { return real(c.layer->in.channels / c.layer->groups); }},
    {"filters_per_group", Level::conv, "output channels of one group", [](const Context& c) { return real(c.layer->out.channels / c.layer->groups); }},
    {"kernel_taps", Level::conv, "height times width of the kernel", [](const Context& c) { return real(c.layer->kernel_height * c.layer->kernel_width); }},
    {"conv_stride", Level::conv, "step of the kernel", [](const Context& c) { return real(c.layer->stride); }},
    {"pixels", Level::conv, "height times width of the output", [](const Context& c) { return real(c.layer->out.height * c.layer->out.width); }},
    {"is_depthwise", Level::conv, "whether each group has one input channel", [](const Context& c) { return model::is_depthwise(*c.layer) ? 1.0 : 0.0; }},
    {"is_linear", Level::conv, "whether it is a linear layer", [](const Context& c) { return c.layer->kind == model::ShapeKind::linear ? 1.0 : 0.0; }},
    {"is_first", Level::conv, "whether it reads the image", [](const Context& c) { return c.layer->needs_input_gradient ? 0.0 : 1.0; }},
    {"layer_share", Level::conv, "share of the step that the layer takes in all passes", [](const Context& c) { return share_of_step(c, c.layer_us); }},
    {"hits_share", Level::conv, "share of the step that all layers take where the rule's condition holds (in messages)", [](const Context& c) { return share_of_step(c, c.hits_us); }},

    // one model of the table of known models
    {"known_differences", Level::known, "dimensions in which the file differs from the known model", [](const Context& c) { return c.known_differences; }},
    {"known_value", Level::known, "what the known model has where the file differs", [](const Context& c) { return c.known_value; }},
    {"known_digits", Level::known, "digits in which the blamed value differs from the known model's", [](const Context& c) { return c.known_digits; }},
    {"known_swapped", Level::known, "whether two dimensions of the known model are exchanged", [](const Context& c) { return c.known_swapped ? 1.0 : 0.0; }},
    {"known_here", Level::known, "what the file has there", [](const Context& c) { return c.known_here; }},
    {"known_same_width", Level::known, "whether the width is the known model's, and its MLP differs in one digit", [](const Context& c) { return c.known_same_width ? 1.0 : 0.0; }},
    {"known_head_dim", Level::known, "whether the first difference is the head dimension", [](const Context& c) { return c.known_head_dim ? 1.0 : 0.0; }},

    {"blamed", Level::model, "the blamed field's value (in fixes and messages)", [](const Context& c) { return c.blamed; }},
};
// clang-format on

constexpr std::string_view stated_prefix = "stated_";

struct Names {
  std::vector<std::string> owned;
  std::vector<std::string_view> all;
  std::vector<double> choices;
  std::size_t first_stated = 0;
  std::size_t first_choice = 0;
  std::size_t first_variable = 0;
};

const Names& names() {
  static const Names built = [] {
    Names out;
    const auto fields = model::fields();
    out.owned.reserve(fields.size());  // views into it must stay valid
    for (const model::FieldInfo& field : fields) out.all.push_back(field.name);
    out.first_stated = out.all.size();
    for (const model::FieldInfo& field : fields) {
      out.owned.push_back(std::string(stated_prefix) + std::string(field.name));
      out.all.push_back(out.owned.back());
    }
    out.first_choice = out.all.size();
    for (const model::FieldInfo& field : fields) {
      for (std::size_t i = 0; i < field.choices.size(); ++i) {
        out.all.push_back(field.choices[i]);
        out.choices.push_back(static_cast<double>(i));
      }
    }
    out.first_variable = out.all.size();
    for (const Variable& variable : table) out.all.push_back(variable.name);
    return out;
  }();
  return built;
}

}  // namespace

bool allows(Scope scope, Effect effect, Level level) {
  const bool constrains = effect == Effect::fails && !is_of_ops(scope);
  switch (level) {
    case Level::model:
      return true;
    case Level::gpu:
      return !constrains;
    case Level::step:
      return !constrains && (scope == Scope::step || is_of_ops(scope));
    case Level::op:
      return is_of_ops(scope);
    case Level::gemm:
      return scope == Scope::gemm || scope == Scope::conv;
    case Level::conv:
      return scope == Scope::conv;
    case Level::remark:
      return scope == Scope::remark;
    case Level::known:
      return scope == Scope::known;
  }
  return false;
}

std::span<const Variable> variables() {
  return table;
}

std::span<const std::string_view> variable_names() {
  return names().all;
}

Level level_of(std::size_t index) {
  const Names& all = names();
  return index < all.first_variable ? Level::model : table[index - all.first_variable].level;
}

double value_of(std::size_t index, const Context& context) {
  const Names& all = names();
  if (index < all.first_stated) return real(model::fields()[index].get(*context.setup));
  if (index < all.first_choice) {
    return model::is_stated(*context.reading, model::fields()[index - all.first_stated].id) ? 1.0 : 0.0;
  }
  if (index < all.first_variable) return all.choices[index - all.first_choice];
  return table[index - all.first_variable].get(context);
}

void append_needs(std::size_t index, std::vector<model::FieldId>& out) {
  const Names& all = names();
  if (index < all.first_stated) {
    out.push_back(model::fields()[index].id);
  } else if (index >= all.first_variable) {
    const Needs& needs = table[index - all.first_variable].needs;
    for (const FieldId field : {needs.first, needs.second}) {
      if (field != model::no_field) out.push_back(field);
    }
  }
}

}  // namespace shapelint::rules
