// Gradient accumulation and the update in mixed precision: memory-bound passes over the parameters of a rank.
#include "model/lower/emit.hpp"
#include "model/lower/learning/learning.hpp"
#include "model/stages.hpp"
#include "model/training_bytes.hpp"

namespace shapelint::model {

namespace {

// Both moments, their correction, root, quotient, decay and the update, per parameter.
constexpr double adam_flops = 15;
constexpr double percent = 100;

// Gradients are fp32 (Megatron-LM with bf16) unless the plan says otherwise.
double gradient_bytes(const Plan& plan) {
  if (plan.gradient_bits > 0) return static_cast<double>(plan.gradient_bits) / bits_per_byte;
  return plan.weight_precision == WeightPrecision::half ? parameter_bytes(plan).gradient : fp32_bytes;
}

// Gradients that go to the host's memory as they are made, weights that come from there before each use, and
// the copies of an update that the host does: gradients there, weights back (ZeRO-Offload, 2101.06840,
// section 4).
void lower_host_copies(const LoweringContext& shared, double held, double learning, double updated,
                       Emitter& emit) {
  const Plan& plan = shared.plan;
  const double element = shared.activation;
  const auto copy = [&](std::string_view name, Pass pass, double bytes, double count, bool overlapped) {
    if (bytes > 0) emit.collective_once(name, pass, CollectiveKind::host_copy, bytes, 1, count, overlapped);
  };
  if (plan.offload_weights) {
    copy("parameters.offload", Pass::forward, element * held, shared.micro_batches, true);
    copy("parameters.offload", Pass::backward, element * held, shared.micro_batches, true);
  }
  if (plan.offload_gradients)
    copy("gradients.offload", Pass::backward, element * learning, shared.micro_batches, true);
  if (plan.offload_optimizer <= 0) return;
  const double there = updated * static_cast<double>(plan.offload_optimizer) / percent;
  if (!plan.offload_gradients) copy("gradients.offload", Pass::update, element * there, 1, false);
  if (!plan.offload_weights) copy("optimizer.offload", Pass::update, element * there, 1, false);
}

// FSDP2, which torch.compile works with, gathers a layer's weights into one buffer, from where each is copied
// to its own, forward and backward, and copies gradients into one buffer of fp32 that is reduced (PyTorch,
// torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py: foreach_all_gather_copy_out,
// foreach_reduce_scatter_copy_in). Whether an eager run is FSDP's first version, whose weights are views, no
// plan says.
void lower_fsdp_copies(const LoweringContext& shared, RankParameters held, RankParameters learning,
                       Emitter& emit) {
  const Plan& plan = shared.plan;
  if (plan.zero < 3 || !plan.compiled || shards(plan).dense <= 1) return;
  const double copied = 2 * shared.activation * (held.dense + held.expert);
  const double widened = (shared.activation + fp32_bytes) * (learning.dense + learning.expert);
  emit.once("parameters.copy", Pass::forward, copied, shared.micro_batches);
  emit.once("parameters.copy", Pass::backward, copied, shared.micro_batches);
  emit.once("gradients.copy", Pass::backward, widened, shared.micro_batches);
}

// Parameters of the shard that ZeRO gives a rank.
double sharded(const Plan& plan, RankParameters held) {
  const Replicas same = shards(plan);
  return held.dense / same.dense + held.expert / same.expert;
}

}  // namespace

namespace {

ModelParameters counted(const Setup& setup, bool with_whole) {
  const double all = static_cast<double>(parameter_count(setup));
  const double expert = static_cast<double>(expert_parameter_count(setup));
  const RankParameters further = mtp_parameters(setup);
  return {all - expert + further.dense, expert + further.expert,
          with_whole ? real(whole_parameter_count(setup)) : 0};
}

}  // namespace

ModelParameters model_parameters(const Setup& setup) {
  return counted(setup, true);
}

RankParameters parameters_per_rank(const Plan& plan, const ModelParameters& parameters) {
  return parameters_per_rank(plan, parameters.dense, parameters.expert,
                             plan.tensor > 1 ? parameters.whole : 0);
}

RankParameters parameters_per_rank(const Setup& setup) {
  return parameters_per_rank(setup.plan, counted(setup, setup.plan.tensor > 1));
}

RankParameters parameters_per_rank(const Plan& plan, double dense, double expert, double whole) {
  const auto pipeline = static_cast<double>(plan.pipeline);
  const auto tensor = static_cast<double>(plan.tensor);
  return {(dense + (tensor - 1) * whole) / tensor / pipeline,
          expert / static_cast<double>(plan.expert) / static_cast<double>(plan.expert_tensor) / pipeline};
}

Replicas replicas(const Plan& plan, double data) {
  const double dense = std::max(1.0, data * static_cast<double>(std::max<std::int64_t>(1, plan.context)));
  const double group = static_cast<double>(plan.expert) * static_cast<double>(plan.expert_tensor);
  return {dense, std::max(1.0, dense * static_cast<double>(plan.tensor) / group)};
}

Replicas replicas(const Plan& plan) {
  return replicas(plan, static_cast<double>(plan.data));
}

Replicas shards(const Plan& plan, double data) {
  const Replicas same = replicas(plan, data);
  if (plan.zero_ranks <= 0) return same;
  const auto group = static_cast<double>(plan.zero_ranks);
  const double of_expert = static_cast<double>(times(plan.expert, plan.expert_tensor));
  const double expert = std::max(1.0, group * static_cast<double>(plan.tensor) / of_expert);
  return {std::min(same.dense, group), std::min(same.expert, expert)};
}

Replicas shards(const Plan& plan) {
  return shards(plan, static_cast<double>(plan.data));
}

void Emitter::update_product(std::string_view name, DType dtype, Dim batch, Dim m, Dim n, Dim k,
                             Layout layout, double count) {
  Op op = wide_product(name, batch, m, n, k, {count});
  op.component = Component::optimizer;
  op.dtype = dtype;
  op.layout = layout;
  push(op, Pass::update);
}

void lower_optimizer(const LoweringContext& shared, RankParameters held, RankParameters learning,
                     Emitter& emit) {
  const Plan& plan = shared.plan;
  const double parameters = learning.dense + learning.expert;
  if (parameters <= 0) return;
  // From ZeRO 2 on, each micro-batch's gradients are reduced, and each rank adds up its shard. Fused, the sum
  // is read and written by the products, behind their arithmetic.
  const double gradient = gradient_bytes(plan);
  const double summed = plan.zero >= 2 ? sharded(plan, learning) : parameters;
  if (plan.gradient_accumulation > 1 && !plan.fused_gradient_accumulation) {
    // the new gradient in, the running sum in and out
    emit.once("gradients.accumulate", Pass::backward, summed * (shared.activation + 2 * gradient),
              shared.micro_batches, summed);
  }
  if (shared.autocast) {
    // Weights are narrowed in each forward pass, and their gradients widened.
    const double moved = (half_bytes + fp32_bytes) * parameters;
    emit.once("parameters.cast", Pass::forward, moved, shared.micro_batches);
    emit.once("parameters.cast", Pass::backward, moved, shared.micro_batches);
  }
  const double updated = plan.zero >= 1 ? sharded(plan, learning) : parameters;
  lower_fsdp_copies(shared, held, learning, emit);
  // PyTorch's clip_grad_norm_ reads them for their norm, and scales them whatever it is.
  const bool is_pytorch = plan.eager || plan.compiled;
  emit.once("optimizer.gradient_norm", Pass::update, (is_pytorch ? 3 : 1) * updated * gradient, 1,
            2 * updated);
  // Adam keeps a master copy, momentum and variance of each parameter, and the 16-bit weight and its
  // gradient (ZeRO, 1910.02054, section 3.1). One step reads and writes the three, reads the gradient, and
  // writes the weight, which is the master itself where there is no other.
  const ParameterBytes each = parameter_bytes(plan);
  const double master = each.master > 0 ? each.master : each.weight;
  const double weight = each.master > 0 ? each.weight : 0;
  const double here = updated * (1 - static_cast<double>(plan.offload_optimizer) / percent);
  // Muon keeps the momentum alone, but reads and writes the update once more before and after its products:
  // as many bytes (fp32 gradient read, momentum and master read and written; 16 bits: the update written,
  // normalized, and read, the weight written). Shampoo's passes, grafted on Adam's size, are no fewer.
  const bool is_adam = plan.optimizer == Optimizer::adam || shared.adapting;
  if (here > 0) {
    emit.once(is_adam ? "optimizer.adam" : "optimizer.update", Pass::update,
              here * (2 * (master + each.states) + gradient + weight), 1, adam_flops * here);
  }
  const double held_here = plan.zero >= 3 ? sharded(plan, held) : held.dense + held.expert;
  lower_host_copies(shared, held_here, summed, updated, emit);
}

void lower_update(const Setup& setup, RankParameters held, RankParameters adapters, Workload& workload) {
  const LoweringContext shared(setup);
  if (!shared.training) return;
  Emitter emit(shared, workload);
  const RankParameters learning = shared.adapting ? adapters : learning_parameters(setup, held);
  emit.set_component(Component::gradients);
  lower_data_parallel(shared, held, learning, emit);
  emit.set_component(Component::optimizer);
  lower_optimizer(shared, held, learning, emit);
}

void lower_update(const Setup& setup, RankParameters held, Workload& workload) {
  const AdapterSize adapters = adapter_size(setup);
  lower_update(setup, held,
               parameters_per_rank(setup.plan, static_cast<double>(adapters.dense),
                                   static_cast<double>(adapters.expert)),
               workload);
}

}  // namespace shapelint::model
