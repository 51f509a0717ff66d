// Errors of gains; equations in docs/attention-and-step.md, section 5.
#include "cost/uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include "cost/kernels/attention.hpp"

namespace shapelint::cost {
namespace {

// The library may choose another kernel for the new shape, for reasons that no model knows: two campaigns
// that time the same product on the same GPU differ by 3 to 8 %. Pairs of shapes within one campaign share
// most of that.
constexpr double pair_noise = 0.03;
// Frameworks fuse passes over memory that the lowering counts apart, or split what it counts once: mask and
// softmax of an unfused layer of 2560 are predicted to be 26 % of it, 17 % were measured (arXiv 2401.14489,
// figure 2).
constexpr double fusion_error = 0.3;
// Share of the change that must come from measured effects for the gain to count as measured.
constexpr double measured_majority = 0.7;

std::size_t index(Effect effect) {
  return static_cast<std::size_t>(effect);
}

bool same_shape(const model::Op& a, const model::Op& b) {
  if (a.kind != b.kind || a.dtype != b.dtype) return false;
  if (a.kind == model::OpKind::gemm) {
    return a.batch.value == b.batch.value && a.m.value == b.m.value && a.n.value == b.n.value &&
           a.k.value == b.k.value && a.layout == b.layout;
  }
  if (a.kind == model::OpKind::attention || a.kind == model::OpKind::scan) {
    return a.attention.sequences.value == b.attention.sequences.value &&
           a.attention.heads.value == b.attention.heads.value &&
           a.attention.key_value_heads.value == b.attention.key_value_heads.value &&
           a.attention.query_length.value == b.attention.query_length.value &&
           a.attention.key_length.value == b.attention.key_length.value &&
           a.attention.head_dim.value == b.attention.head_dim.value &&
           a.attention.value_head_dim.value == b.attention.value_head_dim.value &&
           a.attention.window == b.attention.window;
  }
  return a.bytes == b.bytes && a.ranks == b.ranks;
}

// The op of the same name and pass, preferably at the same place.
std::size_t find_partner(const model::Workload& workload, const model::Op& op, std::size_t at) {
  const auto fits = [&](const model::Op& other) { return other.pass == op.pass && other.name == op.name; };
  if (at < workload.ops.size() && fits(workload.ops[at])) return at;
  for (std::size_t i = 0; i < workload.ops.size(); ++i) {
    if (fits(workload.ops[i])) return i;
  }
  return workload.ops.size();
}

// The slice `misaligned` of gpu::GemmErrors.
bool misaligned(const model::Op& op) {
  constexpr std::int64_t aligned_elements = 8;
  return op.n.value % aligned_elements != 0 || op.k.value % aligned_elements != 0;
}

// Mean error of the calibration of this very GPU on products of this slice that were left out of the fit, as
// a share of their time; 0: nobody measured.
double left_out_error(const gpu::Gpu& gpu, const model::Op& op) {
  if (gpu.calibration.status != "calibrated") return 0;
  const gpu::GemmErrors& errors = gpu::gemm_calibration(gpu.calibration, op.dtype).errors;
  constexpr std::int64_t decode_rows = 64;  // the slices of gpu::GemmErrors
  constexpr std::int64_t decode_width = 1024;
  constexpr std::int64_t train_rows = 1024;
  constexpr std::int64_t train_width = 512;
  if (misaligned(op) && errors.misaligned > 0) return errors.misaligned;
  const std::int64_t width = std::min(op.n.value, op.k.value);
  if (op.m.value <= decode_rows && width >= decode_width && errors.decode > 0) return errors.decode;
  return op.m.value >= train_rows && width >= train_width && errors.train > 0 ? errors.train : errors.all;
}

// Error of the loss to alignment where products that have it were measured on this GPU: theirs is a share of
// their time, and all of it is taken to be the loss's. 0 relative: nobody measured.
gpu::EffectError measured_alignment(const gpu::Gpu& gpu, const model::Op& op, const OpCost& cost) {
  const double loss = 1 - cost.efficiency.alignment;
  if (gpu.calibration.status != "calibrated" || !misaligned(op) || loss <= 0) return {};
  const gpu::GemmCalibration& calibration = gpu::gemm_calibration(gpu.calibration, op.dtype);
  if (calibration.alignment.empty() || calibration.errors.misaligned <= 0) return {};
  return {std::min(1.0, calibration.errors.misaligned / loss), true};
}

// Sums over the ops of a change.
struct Change {
  EffectTimes absolute_us{};  // moved time by effect
  double error_us[effect_count] = {};
  double noise_us2 = 0;
  double measured_us = 0;

  void add(Effect effect, double delta_us, const gpu::EffectError& error) {
    absolute_us[index(effect)] += std::abs(delta_us);
    error_us[index(effect)] += std::abs(delta_us) * error.relative;
    if (error.measured) measured_us += std::abs(delta_us);
  }
};

// The less certain of two.
gpu::EffectError worse(const gpu::EffectError& a, const gpu::EffectError& b) {
  gpu::EffectError error = a.relative >= b.relative ? a : b;
  error.measured = a.measured && b.measured;
  return error;
}

void add_op(const gpu::Gpu& gpu, const model::Op* before, const OpCost* before_cost, const model::Op* after,
            const OpCost* after_cost, Change& change) {
  const EffectTimes none{};
  const EffectTimes from = before != nullptr ? split_by_effect(*before, *before_cost) : none;
  const EffectTimes to = after != nullptr ? split_by_effect(*after, *after_cost) : none;
  const double from_count = before != nullptr ? before->count : 0;
  const double to_count = after != nullptr ? after->count : 0;
  for (std::size_t i = 0; i < effect_count; ++i) {
    const double delta_us = to_count * to[i] - from_count * from[i];
    if (delta_us == 0) continue;
    const auto effect = static_cast<Effect>(i);
    // A side without the effect says nothing about it.
    if (to[i] == 0) {
      change.add(effect, delta_us, error_of(gpu, *before, *before_cost, effect));
    } else if (from[i] == 0) {
      change.add(effect, delta_us, error_of(gpu, *after, *after_cost, effect));
    } else {
      change.add(
          effect, delta_us,
          worse(error_of(gpu, *before, *before_cost, effect), error_of(gpu, *after, *after_cost, effect)));
    }
  }
  const bool timed = before != nullptr && after != nullptr &&
                     (before->kind == model::OpKind::gemm || before->kind == model::OpKind::attention);
  if (timed && !same_shape(*before, *after)) {
    const double noise_us =
        pair_noise * std::min(from_count * before_cost->time_us, to_count * after_cost->time_us);
    change.noise_us2 += noise_us * noise_us;
  }
}

}  // namespace

EffectTimes split_by_effect(const model::Op& op, const OpCost& cost) {
  EffectTimes times{};
  const Efficiency& e = cost.efficiency;
  switch (op.kind) {
    case model::OpKind::gemm:
      times[index(Effect::alignment)] = cost.time_us * (1 - e.alignment);
      times[index(Effect::tile)] = cost.time_us * e.alignment * (1 - e.tile);
      times[index(Effect::wave)] = cost.time_us * e.alignment * e.tile * (1 - e.wave);
      times[index(Effect::throughput)] = cost.time_us * e.alignment * e.tile * e.wave;
      break;
    case model::OpKind::attention:
      times[index(Effect::wave)] = cost.time_us * e.alignment * e.tile * (1 - e.wave);
      times[index(Effect::attention)] = cost.time_us - times[index(Effect::wave)];
      break;
    case model::OpKind::scan:
      times[index(Effect::attention)] = cost.time_us;
      break;
    case model::OpKind::elementwise:
      times[index(Effect::memory)] = cost.time_us;
      break;
    case model::OpKind::collective:
      times[index(Effect::communication)] = cost.time_us;
      break;
  }
  return times;
}

gpu::EffectError error_of(const gpu::Gpu& gpu, const model::Op& op, const OpCost& cost, Effect effect) {
  gpu::EffectError error = gpu.errors[effect];
  if (op.kind == model::OpKind::gemm && effect == Effect::throughput) {
    const double left_out = left_out_error(gpu, op);
    if (left_out > 0) error = {std::min(1.0, left_out), true};
  }
  if (op.kind == model::OpKind::gemm && effect == Effect::alignment) {
    const gpu::EffectError measured = measured_alignment(gpu, op, cost);
    if (measured.measured) error = measured;
  }
  if (effect == Effect::memory) error.relative = std::hypot(error.relative, fusion_error);
  // The time of a scan is modelled; of few GPUs any was measured.
  if (op.kind == model::OpKind::scan) error.measured = false;
  if (op.kind == model::OpKind::attention && effect == Effect::attention) {
    const BucketUse use =
        attention_bucket(gpu, op.attention.head_dim.value, op.attention.value_head_dim.value,
                         op.attention.query_length.value == 1);
    if (use.bucket == nullptr || use.bucket->estimated) error.measured = false;
  }
  return error;
}

Gain gain_between(const gpu::Gpu& gpu, const model::Workload& before, const StepCost& before_cost,
                  const model::Workload& after, const StepCost& after_cost) {
  Gain gain;
  if (!(before_cost.time_us > 0)) return gain;
  gain.share = 1 - after_cost.time_us / before_cost.time_us;

  Change change;
  std::vector<bool> matched(after.ops.size(), false);
  for (std::size_t i = 0; i < before.ops.size(); ++i) {
    const model::Op& op = before.ops[i];
    if (op.overlapped) continue;  // hidden time changes nothing; what is exposed is small and shared
    const std::size_t partner = find_partner(after, op, i);
    const bool found = partner < after.ops.size() && !matched[partner];
    if (found) matched[partner] = true;
    add_op(gpu, &op, &before_cost.ops[i], found ? &after.ops[partner] : nullptr,
           found ? &after_cost.ops[partner] : nullptr, change);
  }
  for (std::size_t i = 0; i < after.ops.size(); ++i) {
    if (matched[i] || after.ops[i].overlapped) continue;
    add_op(gpu, nullptr, nullptr, &after.ops[i], &after_cost.ops[i], change);
  }

  double total_us = 0;
  double variance_us2 = change.noise_us2;
  for (std::size_t i = 0; i < effect_count; ++i) {
    total_us += change.absolute_us[i];
    variance_us2 += change.error_us[i] * change.error_us[i];
    if (change.absolute_us[i] > change.absolute_us[index(gain.largest)])
      gain.largest = static_cast<Effect>(i);
  }
  gain.half_width = std::sqrt(variance_us2) / before_cost.time_us;
  gain.measured = total_us > 0 && change.measured_us >= measured_majority * total_us;
  return gain;
}

}  // namespace shapelint::cost
