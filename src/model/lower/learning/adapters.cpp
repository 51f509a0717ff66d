// Matrices of a layer, their LoRA adapters, and which parameters of a model are trained.
#include "model/lower/learning/matrices.hpp"

#include <algorithm>
#include <deque>
#include <string>

#include "model/layer_list.hpp"
#include "model/layer_weights.hpp"

namespace shapelint::model {

std::vector<Matrix> matrices_of(const LoweringContext& shared, ModelComponent part) {
  const ModelSpec& model = shared.model;
  const Plan& plan = shared.plan;
  const Listing listing{plan.tensor, plan.expert_tensor, plan.adapted == LoraTargets::query_value};
  std::vector<Matrix> out;
  const auto add = [&](const Weight& weight) {
    const double some = weight.is_lent ? share_of_layers_with_own_keys(model) : 1;
    if (weight.kind != WeightKind::matrix || some <= 0) return;
    Matrix& matrix = out.emplace_back();
    static_cast<Weight&>(matrix) = weight;
    matrix.alike = some * real(weight.copies);
    matrix.rank_alike =
        weight.split == Split::copies ? some * real(divide_up(weight.copies, plan.tensor)) : matrix.alike;
    if (matrix.is_expert())
      matrix.experts = dim(divide_up(model.moe.num_experts, plan.expert), "moe_num_experts / expert");
  };
  if (const std::size_t which = mixer_of(part); which < most_mixers) {
    const Mixer& mixer = model.mixers[which];
    visit_mixer(model, mixer, mixer_texts(mixer.kind, which), listing, add);
  } else {
    visit_weights(model, part, listing, add);
  }
  return out;
}

double number_of(const ModelSpec& model, const Matrix& matrix) {
  return matrix.alike * (matrix.is_expert() ? static_cast<double>(model.moe.num_experts) : 1.0);
}

// Low-rank adapters of frozen GEMMs: y = x W^T + s (x A^T) B^T with A[r,k] and B[n,r] in
// 16 bits (Hu et al., LoRA, 2106.09685; QLoRA, 2305.14314, computes them in bf16 with packed weights).

namespace {

// Tensor passes of the eager forward `result + lora_B(lora_A(x)) * scaling` (PEFT, tuners/lora/layer.py;
// torchtune and Megatron Bridge scale as widely): the scaling reads and writes, the sum reads two and writes
// one. Backward the gradient is scaled for B, and the two gradients of x are added.
constexpr double scaling_passes = 2;
constexpr double sum_passes = 3;
// Adapters of a base in 16 bits are in fp32 (PEFT, autocast_adapter_dtype): the input is widened for them,
// and narrowed again by autocast, backwards its gradient.
constexpr Modules cast_modules{2, 2, 2, 2, 2, 2};

// Share of the rank, where TP divides it (Megatron Bridge, ParallelLinearAdapter): next to a GEMM
// that is split along its outputs, A is too, and what it makes is gathered.
Dim rank_of(const Plan& plan, const Matrix& matrix) {
  if (matrix.split != Split::outputs) return dim(plan.adapter_rank, "adapter_rank");
  return matrix.is_expert()
             ? dim(divide_up(plan.adapter_rank, plan.expert_tensor), "adapter_rank / expert_tensor")
             : dim(divide_up(plan.adapter_rank, plan.tensor), "adapter_rank / tensor");
}

// Names of an adapter's ops.
struct AdapterNames {
  AdapterNames(const Matrix& matrix, Emitter& emit)
      : texts(emit.keep(of(std::string(matrix.name) + "_lora_"))) {}
  static std::deque<std::string> of(const std::string& stem) {
    return {stem + "down",   stem + "up",     stem + "add", stem + "gather",
            stem + "reduce", stem + "output", stem + "cast"};
  }

  const std::deque<std::string>& texts;
  std::string_view down = texts[0], up = texts[1], add = texts[2], gather = texts[3], reduce = texts[4],
                   output = texts[5], cast = texts[6];
};

void lower_adapter(const LoweringContext& shared, const Matrix& matrix, Dim rows, Dim experts, Repeat layer,
                   Emitter& emit) {
  const Plan& plan = shared.plan;
  const AdapterNames names(matrix, emit);
  const Repeat each{layer.count * matrix.rank_alike, layer.recomputed};
  const Dim rank = dim(plan.adapter_rank, "adapter_rank");
  const double all_rows = real(experts.value) * real(rows.value);
  const double narrow_bytes = all_rows * real(rank.value) * shared.activation;
  const double input_bytes = all_rows * at_least_one(matrix.inputs.on_rank) * shared.activation;
  const std::int64_t ranks = matrix.is_expert() ? plan.expert_tensor : plan.tensor;
  const bool by_outputs = matrix.split == Split::outputs;

  // The input's gradients of the ranks are summed; of inputs that several adapters read, once.
  if (by_outputs && !matrix.reads_again) {
    if (plan.sequence_parallel) {
      emit.collective(names.reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter, input_bytes,
                      ranks, layer);
    } else {
      emit.collective(names.reduce, std::nullopt, CollectiveKind::all_reduce, input_bytes, ranks, layer);
    }
  }
  emit.product(names.down, experts, rows, rank_of(plan, matrix), dim(matrix.inputs), Layout::tn, each);
  if (matrix.split != Split::none) {
    emit.collective(names.gather, by_outputs ? CollectiveKind::all_gather : CollectiveKind::all_reduce,
                    CollectiveKind::all_reduce, narrow_bytes, ranks, each);
  }
  emit.product(names.up, experts, rows, dim(matrix.outputs), rank, Layout::tn, each);
  const std::int64_t outputs = matrix.split == Split::inputs ? matrix.outputs.size : matrix.outputs.on_rank;
  const double output_bytes = all_rows * at_least_one(outputs) * shared.activation;
  if (matrix.split == Split::inputs) {
    emit.collective(names.output, CollectiveKind::all_gather, std::nullopt, output_bytes, ranks, each);
  }
  emit.elementwise(names.add, (scaling_passes + sum_passes) * output_bytes,
                   scaling_passes * output_bytes + sum_passes * input_bytes, each,
                   {2 * output_bytes / shared.activation, (output_bytes + input_bytes) / shared.activation});
  emit.modules_alone(names.cast, input_bytes, cast_modules, each);
}

}  // namespace

bool is_adapted(const Plan& plan, const Weight& weight) {
  if (!plan.adapters || plan.adapter_rank <= 0 || weight.kind != WeightKind::matrix) return false;
  switch (plan.adapted) {
    case LoraTargets::all:
      return true;
    case LoraTargets::attention:
      return weight.role != Role::other;
    case LoraTargets::query_value:
      return weight.role == Role::query || weight.role == Role::value;
  }
  return false;
}

void lower_adapters(const LoweringContext& shared, ModelComponent part, Repeat layer, Emitter& emit,
                    const MixtureRows& mixture) {
  const Plan& plan = shared.plan;
  if (!shared.adapting || plan.adapter_rank <= 0) return;
  const Dim source = dim(divide_up(times(plan.micro_batch_size, plan.source_length), plan.context),
                         "micro_batch_size * source_length / context");
  for (const Matrix& matrix : matrices_of(shared, part)) {
    if (!is_adapted(plan, matrix)) continue;
    const Dim rows = matrix.is_expert()            ? mixture.rows
                     : matrix.rows == Rows::handed ? mixture.tokens
                     : matrix.rows == Rows::source ? source
                                                   : shared.tokens;
    lower_adapter(shared, matrix, rows, matrix.is_expert() ? mixture.experts : Dim{1, "1"}, layer, emit);
  }
}

AdapterSize adapter_size(const Setup& setup, ModelComponent part) {
  AdapterSize out;
  const Plan& plan = setup.plan;
  if (plan.mode != Mode::train || !plan.adapters || plan.adapter_rank <= 0) return out;
  if (setup.model.layers_differ) {
    for (const DistinctLayer& layer : distinct_layers(setup)) {
      const std::int64_t number = times(layer.count, times_in(layer.one.model, part));
      const AdapterSize each = number > 0 ? adapter_size(layer.one, part) : AdapterSize{};
      out.dense = plus(out.dense, times(number, each.dense));
      out.expert = plus(out.expert, times(number, each.expert));
    }
    return out;
  }
  for (const Matrix& matrix : matrices_of(LoweringContext(setup), part)) {
    if (!is_adapted(plan, matrix)) continue;
    // To less than a parameter where only some layers have the matrix.
    const double number = number_of(setup.model, matrix);
    const auto parameters = static_cast<std::int64_t>(
        std::min(real(count_limit),
                 number * real(times(plan.adapter_rank, plus(matrix.inputs.size, matrix.outputs.size)))));
    std::int64_t& sum = matrix.is_expert() ? out.expert : out.dense;
    sum = plus(sum, parameters);
  }
  return out;
}

AdapterSize adapter_size(const Setup& setup) {
  AdapterSize out;
  if (!setup.plan.adapters) return out;
  for (const ModelComponent part : weighty_parts) {
    const AdapterSize each = adapter_size(setup, part);
    const std::int64_t layers = times_in(setup.model, part);
    out.dense = plus(out.dense, times(layers, each.dense));
    out.expert = plus(out.expert, times(layers, each.expert));
  }
  return out;
}

double learning_table_parameters(const Setup& setup) {
  return real(setup.plan.learning_tables) * real(vocab_rows(setup)) * real(setup.model.hidden_size) /
         at_least_one(setup.plan.tensor);
}

bool freezes_layers(const Setup& setup) {
  return setup.plan.learning_layers > 0 && setup.plan.learning_layers < setup.model.num_layers;
}

RankParameters learning_parameters(const Setup& setup, RankParameters held) {
  const ModelSpec& model = setup.model;
  const Plan& plan = setup.plan;
  const double ranks = at_least_one(plan.tensor) * at_least_one(plan.pipeline);
  if (!freezes_layers(setup)) {
    const double frozen = plan.frozen_towers ? real(model.tower_parameters) / ranks : 0;
    return {std::max(0.0, held.dense - frozen), held.expert};
  }
  const double ends = real(plus(embedding_parameters(model), head_parameters(model))) / ranks;
  const double share = real(plan.learning_layers) / at_least_one(model.num_layers);
  const double tables = std::min(ends, learning_table_parameters(setup) / at_least_one(plan.pipeline));
  return {share * std::max(0.0, held.dense - ends) + tables, share * held.expert};
}

}  // namespace shapelint::model
