// Diffusion transformers: patches in and out, and the vectors of the time and other conditions that shift,
// scale and gate each layer (Peebles and Xie 2022, arXiv 2212.09748, section 3.2).
#include "model/lower/emit.hpp"

namespace shapelint::model {

namespace {

Dim samples(const LoweringContext& shared) {
  return dim(shared.plan.micro_batch_size, "micro_batch_size");
}

Dim condition(const LoweringContext& shared) {
  return dim(condition_elements(shared.model),
             shared.model.diffusion.condition_size > 0 ? "diffusion_condition_size" : "hidden_size");
}

// Columns of the product that makes the vectors of all layers.
Dim shared_columns(const ModelSpec& model) {
  const std::int64_t joint = num_joint_layers(model);
  const bool has_others = joint < model.num_layers;
  const std::int64_t columns = times(shared_vectors(model), model.hidden_size);
  if (model.parallel_block && has_others) {
    return dim(columns, joint > 0 ? "(2 * diffusion_modulation + diffusion_modulation / 2) * hidden_size"
                                  : "diffusion_modulation / 2 * hidden_size");
  }
  return dim(columns, joint <= 0   ? "diffusion_modulation * hidden_size"
                      : has_others ? "3 * diffusion_modulation * hidden_size"
                                   : "2 * diffusion_modulation * hidden_size");
}

}  // namespace

std::int64_t condition_elements(const ModelSpec& model) {
  return model.diffusion.condition_size > 0 ? model.diffusion.condition_size : model.hidden_size;
}

std::int64_t modulation_vectors(const ModelSpec& model, bool one_branch) {
  return one_branch ? divide_up(model.diffusion.modulation, 2) : model.diffusion.modulation;
}

std::int64_t shared_vectors(const ModelSpec& model) {
  if (!model.diffusion.modulation_shared) return 0;
  const std::int64_t joint = num_joint_layers(model);
  return plus(joint > 0 ? times(2, modulation_vectors(model, false)) : 0,
              joint < model.num_layers ? modulation_vectors(model, model.parallel_block) : 0);
}

void lower_modulation(const LoweringContext& shared, double count, Emitter& emit) {
  const Diffusion& diffusion = shared.model.diffusion;
  if (diffusion.modulation <= 0 || count <= 0) return;
  const Repeat layer{count, Recomputed::with_layer};
  if (!diffusion.modulation_shared) {
    emit.linear("layer.modulation", samples(shared),
                dim(times(modulation_vectors(shared.model, shared.parallel_block), shared.model.hidden_size),
                    shared.parallel_block ? "diffusion_modulation / 2 * hidden_size"
                                          : "diffusion_modulation * hidden_size"),
                condition(shared), shared.linear_dtype, layer);
    emit.set_quantized(0, 0);  // one row for each sample: nothing to speak of
  }
  // What is fused with norms and residual additions (torch.compile, Triton's adaLN kernels) moves no bytes.
  if (shared.plan.fusion != Fusion::none) return;
  const Repeat branches{count * (shared.parallel_block ? 1 : 2), Recomputed::with_layer};
  const double stream = shared.sharded_stream_bytes;
  const double elements = stream / shared.activation;
  // forward: in and out; backward: the gradient in and out, and what went forward, for the vectors' gradients
  emit.elementwise("layer.modulate", 2 * stream, 3 * stream, branches, of_each(elements, {2, 4}));
  emit.elementwise("layer.gate", 2 * stream, 3 * stream, branches, of_each(elements, {1, 3}));
}

void lower_front(const LoweringContext& shared, Repeat once, Emitter& emit) {
  if (shared.decoding) return;  // it is run over the prompt
  const ModelSpec& model = shared.model;
  const Plan& plan = shared.plan;
  const Dim tokens =
      dim(divide_up(times(plan.micro_batch_size, plan.sequence_length), plan.context), token_expressions[0]);
  if (model.input == Input::frames) {
    // Two convolutions over three frames; the second keeps every other of its outputs.
    emit.input_linear("embedding.frames",
                      dim(times(2, tokens.value), "2 * (micro_batch_size * sequence_length / context)"),
                      shared.hidden, dim(times(3, model.input_size), "3 * input_size"), once);
    emit.wide_linear("embedding.frames_halved", tokens, shared.hidden,
                     dim(times(3, model.hidden_size), "3 * hidden_size"), once);
    const double activated = 3 * static_cast<double>(tokens.value) * static_cast<double>(shared.hidden.value);
    emit.elementwise("embedding.activation", 2 * activated * shared.activation,
                     3 * activated * shared.activation, once, of_each(activated, activation_flops));
  } else if (model.input == Input::spectrogram) {
    lower_spectrogram(shared, tokens, once, emit);
  } else {
    emit.input_linear("embedding.patches", tokens, shared.hidden, dim(model.input_size, "input_size"), once);
  }
  const Diffusion& diffusion = model.diffusion;
  if (diffusion.text_size > 0) {
    emit.input_linear(
        "embedding.text",
        dim(divide_up(times(plan.micro_batch_size, plan.source_length), plan.context), token_expressions[5]),
        shared.hidden, dim(diffusion.text_size, "diffusion_text_size"), once);
  }
  if (diffusion.conditions > 0) {
    const Dim each = dim(diffusion.conditions, "diffusion_conditions");
    emit.input_linear("embedding.condition", samples(shared), shared.hidden, dim(condition_size, "256"), once,
                      each);
    emit.wide_linear("embedding.condition_up", samples(shared), shared.hidden, shared.hidden, once, each);
  }
  if (diffusion.modulation_shared && diffusion.modulation > 0) {
    emit.wide_linear("embedding.modulation", samples(shared), shared_columns(model), condition(shared), once);
  }
}

void lower_outputs(const LoweringContext& shared, Repeat once, Emitter& emit) {
  const ModelSpec& model = shared.model;
  if (model.output_size <= 0) return;
  if (is_diffusion(model) && !model.diffusion.modulation_shared) {
    emit.wide_linear("head.modulation", samples(shared), dim(times(2, model.hidden_size), "2 * hidden_size"),
                     shared.hidden, once);
  }
  const LoweringContext read(shared.setup, joined_length(shared.setup) > 0 ? Modality::image : Modality::all);
  emit.wide_linear("head.patches", read.tokens, dim(model.output_size, "output_size"), shared.hidden, once);
}

}  // namespace shapelint::model
