// Gradient accumulation and the update in mixed precision: memory-bound passes over the parameters of a rank.
#include "model/lower/emit.hpp"
#include "model/lower/learning/learning.hpp"

namespace shapelint::model {

namespace {

// Adam keeps an fp32 master copy, momentum and variance of each parameter, besides the 16-bit weight and its
// gradient (ZeRO, 1910.02054, section 3.1). One step reads and writes the three, reads the gradient, and
// writes the weight. Gradients are fp32 (Megatron-LM with bf16).
constexpr double fp32_bytes = 4;
constexpr double states = 3;
// Both moments, their correction, root, quotient, decay and the update, per parameter.
constexpr double adam_flops = 15;
constexpr double gradient_bytes = fp32_bytes;

// Parameters of the shard that ZeRO gives a rank.
double sharded(const Plan& plan, RankParameters held) {
  const Replicas same = replicas(plan);
  return held.dense / same.dense + held.expert / same.expert;
}

}  // namespace

RankParameters parameters_per_rank(const Setup& setup) {
  const double all = static_cast<double>(parameter_count(setup));
  const double expert = static_cast<double>(expert_parameter_count(setup));
  return parameters_per_rank(setup.plan, all - expert, expert);
}

RankParameters parameters_per_rank(const Plan& plan, double dense, double expert) {
  const auto pipeline = static_cast<double>(plan.pipeline);
  return {dense / static_cast<double>(plan.tensor) / pipeline,
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

void Emitter::update_product(std::string_view name, DType dtype, Dim batch, Dim m, Dim n, Dim k,
                             Layout layout, double count) {
  Op op = wide_product(name, batch, m, n, k, {count});
  op.dtype = dtype;
  op.layout = layout;
  push(op, Pass::update);
}

void lower_optimizer(const Shared& shared, RankParameters learning, Emitter& emit) {
  const Plan& plan = shared.plan;
  const double parameters = learning.dense + learning.expert;
  if (parameters <= 0) return;
  // From ZeRO 2 on, each micro-batch's gradients are reduced, and each rank adds up its shard. Fused, the sum
  // is read and written by the products, behind their arithmetic.
  const double summed = plan.zero >= 2 ? sharded(plan, learning) : parameters;
  if (plan.gradient_accumulation > 1 && !plan.fused_gradient_accumulation) {
    // the new gradient in, the running sum in and out
    emit.once("gradients.accumulate", Pass::backward, summed * (shared.activation + 2 * gradient_bytes),
              shared.micro_batches, summed);
  }
  const double updated = plan.zero >= 1 ? sharded(plan, learning) : parameters;
  emit.once("optimizer.gradient_norm", Pass::update, updated * gradient_bytes, 1, 2 * updated);
  const double weight_bytes =
      shared.activation < fp32_bytes ? shared.activation : 0;  // fp32: the master itself
  // Muon keeps the momentum alone, but reads and writes the update once more before and after its products:
  // as many bytes (fp32 gradient read, momentum and master read and written; 16 bits: the update written,
  // normalized, and read, the weight written). Shampoo's passes, grafted on Adam's size, are no fewer.
  const bool is_adam = plan.optimizer == Optimizer::adam || shared.adapting;
  emit.once(is_adam ? "optimizer.adam" : "optimizer.update", Pass::update,
            updated * (2 * states * fp32_bytes + gradient_bytes + weight_bytes), 1, adam_flops * updated);
}

void lower_update(const Setup& setup, RankParameters held, RankParameters adapters, Workload& workload) {
  const Shared shared(setup);
  if (!shared.training) return;
  Emitter emit(shared, workload);
  const RankParameters learning = shared.adapting ? adapters : held;
  lower_data_parallel(shared, held, learning, emit);
  lower_optimizer(shared, learning, emit);
}

void lower_update(const Setup& setup, RankParameters held, Workload& workload) {
  const AdapterSize adapters = adapter_size(setup);
  lower_update(setup, held,
               parameters_per_rank(setup.plan, static_cast<double>(adapters.dense),
                                   static_cast<double>(adapters.expert)),
               workload);
}

}  // namespace shapelint::model
