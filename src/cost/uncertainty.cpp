// Errors of gains; equations in docs/explanation/accuracy.md.
#include "cost/uncertainty.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "cost/kernels/attention.hpp"
#include "gpu/spread.hpp"

namespace shapelint::cost {

namespace {

// By what changes: sizes alone, the head dimension, or it and the number of heads so that their sum stays.
enum class Changed : std::uint8_t { sizes, head_dim, heads_of_width };
using Shares = std::array<double, 3>;
// Without a named engine, on top of what the errors of the effects explain: as flash-attn's kernels were
// timed forwards, on four GPUs together. Few keys leave more to chance.
constexpr std::int64_t many_keys = 2048;
constexpr Shares assumed_of_many{0.06, 0.06, 0.14};
constexpr Shares assumed_of_few{0.19, 0.3, 0.41};
// An engine's on GPUs without timings.
constexpr Shares assumed_prefill{0.12, 0.21, 0.18};
constexpr Shares assumed_decode{0.25, 0.3, 0.25};

double doublings(const model::AttentionShape& a, const model::AttentionShape& b) {
  double apart = 0;
  for (const auto dim : {&model::AttentionShape::sequences, &model::AttentionShape::heads,
                         &model::AttentionShape::key_length, &model::AttentionShape::head_dim}) {
    apart += std::fabs(std::log2(static_cast<double>((a.*dim).value) / static_cast<double>((b.*dim).value)));
  }
  return apart;
}

}  // namespace

bool both_are_timed(const model::Op& before, const model::Op& after) {
  const auto is_timed = [](const model::Op& op) {
    return op.kind == model::OpKind::attention && op.experts.engine != model::ServingEngine::fastest;
  };
  return is_timed(before) && is_timed(after);
}

double attention_spread(const gpu::Gpu& gpu, const model::Op& before, const model::Op& after) {
  const model::AttentionShape& a = before.attention;
  const model::AttentionShape& b = after.attention;
  const auto width = [](const model::AttentionShape& shape) {
    return shape.heads.value * shape.head_dim.value;
  };
  const Changed changed = a.head_dim.value == b.head_dim.value ? Changed::sizes
                          : width(a) == width(b)               ? Changed::heads_of_width
                                                               : Changed::head_dim;
  const auto of = [&](const Shares& shares) { return shares[static_cast<std::size_t>(changed)]; };
  if (!both_are_timed(before, after)) {
    const bool many = std::min(a.key_length.value, b.key_length.value) >= many_keys;
    return of(many ? assumed_of_many : assumed_of_few);
  }
  const bool decodes = b.query_length.value < b.key_length.value;
  const gpu::AttentionSpread known = gpu::attention_spread_of(gpu, decodes);
  const double measured = of({known.same_head_dim, known.other_head_dim, known.same_width});
  // Heads of twice the size, half as many, are one doubling.
  const double apart = doublings(a, b) / (changed == Changed::heads_of_width ? 2 : 1);
  return (measured > 0 ? measured : of(decodes ? assumed_decode : assumed_prefill)) *
         std::sqrt(std::clamp(apart, 1.0, most_doublings));
}

namespace {

// For normal errors, the half width of a 90 % interval divided by their mean absolute value: `[errors]` are
// such means.
constexpr double ninety_by_mean = 1.6449 / 0.7979;
// A kernel is not faster for what it pads or loads in pieces: in 90 of 100 cases some of such a loss is
// there.
constexpr double most_of_a_loss = 0.9;
constexpr bool is_a_loss(Effect effect) {
  return effect == Effect::alignment || effect == Effect::tile || effect == Effect::wave;
}
// The library may choose another kernel for the new shape, for reasons that no model knows. Of products that
// is measured (gpu/spread.hpp); of GPUs without them, the spread of all pairs that were measured on four
// others counts.
constexpr gpu::GemmSpread assumed_spread{0.1, 0.14, 0.12, 0};
constexpr gpu::GemmSpread assumed_spread_doubled{0.17, 0.18, 0.13, 0};
// Errors of different products that change at once, without measurements on the architecture.
constexpr double assumed_together = 0.1;
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

bool same_work(const model::Op& a, const model::Op& b) {
  return a.pass == b.pass && a.name == b.name;
}

// For each op before the change the one after it that does the same work; the number of those where there is
// none. Several of a name and pass (Muon updates many matrices) are paired in their order, where their number
// changes those of the same shape first.
class Partners {
 public:
  Partners(const std::vector<model::Op>& before, const std::vector<model::Op>& after)
      : before_(before), after_(after), of_(before.size(), after.size()) {
    if (std::equal(before.begin(), before.end(), after.begin(), after.end(), same_work)) {
      std::iota(of_.begin(), of_.end(), std::size_t{0});
      return;
    }
    // What is as it was at both ends, which is most of it, needs no search.
    const auto same = [](const model::Op& a, const model::Op& b) {
      return same_work(a, b) && same_shape(a, b);
    };
    const auto stays = std::mismatch(before.begin(), before.end(), after.begin(), after.end(), same).first;
    const auto first = static_cast<std::size_t>(stays - before.begin());
    std::iota(of_.begin(), of_.begin() + static_cast<std::ptrdiff_t>(first), std::size_t{0});
    std::size_t end = before.size();
    std::size_t after_end = after.size();
    for (; end > first && after_end > first && same(before[end - 1], after[after_end - 1]); --end)
      of_[end - 1] = --after_end;
    search(first, end, after_end);
  }
  std::size_t operator[](std::size_t op) const { return of_[op]; }

 private:
  struct Alike {
    std::vector<std::size_t> left;  // after the change, in their order
    std::ptrdiff_t more = 0;        // than before it
  };
  using Key = std::pair<std::string_view, model::Pass>;
  static Key key_of(const model::Op& op) { return {op.name, op.pass}; }

  void search(std::size_t first, std::size_t end, std::size_t after_end) {
    std::map<Key, Alike> alike;
    for (std::size_t i = first; i < after_end; ++i) {
      alike[key_of(after_[i])].left.push_back(i);
      ++alike[key_of(after_[i])].more;
    }
    for (std::size_t i = first; i < end; ++i) --alike[key_of(before_[i])].more;
    for (std::size_t i = first; i < end; ++i) {
      Alike& same = alike[key_of(before_[i])];
      if (same.more == 0) continue;
      const auto shaped = std::find_if(same.left.begin(), same.left.end(),
                                       [&](std::size_t j) { return same_shape(before_[i], after_[j]); });
      if (shaped != same.left.end()) take(i, same, shaped);
    }
    for (std::size_t i = first; i < end; ++i) {
      Alike& same = alike[key_of(before_[i])];
      if (of_[i] == after_.size() && !same.left.empty()) take(i, same, same.left.begin());
    }
  }

  void take(std::size_t op, Alike& same, std::vector<std::size_t>::iterator partner) {
    of_[op] = *partner;
    same.left.erase(partner);
  }

  const std::vector<model::Op>& before_;
  const std::vector<model::Op>& after_;
  std::vector<std::size_t> of_;
};

// The slice `misaligned` of gpu::GemmErrors.
bool misaligned(const model::Op& op) {
  constexpr std::int64_t aligned_elements = 8;
  return op.n.value % aligned_elements != 0 || op.k.value % aligned_elements != 0;
}

// Mean error of the calibration of this very GPU on products of this slice that were left out of the fit, as
// a share of their time; 0: not measured.
double left_out_error(const gpu::Gpu& gpu, const model::Op& op) {
  if (gpu.calibration.status != "calibrated") return 0;
  const gpu::GemmCalibration& calibration = gpu::gemm_calibration(gpu.calibration, op.dtype);
  if (!calibration.own) return 0;
  const gpu::GemmErrors& errors = calibration.errors;
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
// their time, and all of it is taken to be the loss's. 0 relative: not measured.
gpu::EffectError measured_alignment(const gpu::Gpu& gpu, const model::Op& op, const OpCost& cost) {
  const double loss = 1 - cost.efficiency.alignment;
  if (gpu.calibration.status != "calibrated" || !misaligned(op) || loss <= 0) return {};
  const gpu::GemmCalibration& calibration = gpu::gemm_calibration(gpu.calibration, op.dtype);
  if (!calibration.own || calibration.alignment.empty() || calibration.errors.misaligned <= 0) return {};
  return {std::min(1.0, calibration.errors.misaligned / loss), true};
}

// How far sizes are apart, in factors of two; each dimension counts.
double doublings(const model::Op& a, const model::Op& b) {
  const auto log_ratio = [](std::int64_t x, std::int64_t y) {
    return std::fabs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  return log_ratio(a.batch.value, b.batch.value) + log_ratio(a.m.value, b.m.value) +
         log_ratio(a.n.value, b.n.value) + log_ratio(a.k.value, b.k.value);
}

// The slice of a spread that a product belongs to.
double gpu::GemmSpread::*spread_slice(const model::Op& op, double time_us) {
  constexpr std::int64_t decode_rows = 64;
  constexpr double large_us = 256;
  if (op.m.value <= decode_rows) return &gpu::GemmSpread::decode;
  return time_us < large_us ? &gpu::GemmSpread::small : &gpu::GemmSpread::large;
}

// The spreads that count for a product, the best first.
std::array<gpu::Spread, 2> spreads_of(const gpu::Gpu& gpu, const model::Op& op) {
  return {gpu::spread_of(gpu, gpu::constants_for(gpu.calibration, op.dtype, op.recipe)),
          gpu::spread_of(gpu, gpu::constant_set(op.dtype))};
}

// Correlation of its error with those of other products.
double together_of(const std::array<gpu::Spread, 2>& known) {
  for (const gpu::Spread& each : known) {
    if (each.together >= 0) return each.together;
  }
  return assumed_together;
}

// For a GEMM that becomes another one: by what share of its time it may differ from what the ratio of both
// predictions says, in 90 of 100 cases.
double spread_of(const std::array<gpu::Spread, 2>& known, const model::Op& before, double before_us,
                 const model::Op& after, double after_us) {
  const double apart = std::min(most_doublings, doublings(before, after));
  const auto at = [&](double near, double doubled) {
    return std::sqrt(near * near + std::max(0.0, doubled * doubled - near * near) * apart);
  };
  const auto in_slice = [&](double gpu::GemmSpread::*slice, double fallback) {
    for (const gpu::Spread& each : known) {
      if (each.near.*slice > 0) return at(each.near.*slice, each.doubled.*slice);
    }
    return fallback;
  };
  const auto by_size = [&](double gpu::GemmSpread::*slice) {
    return in_slice(slice, at(assumed_spread.*slice, assumed_spread_doubled.*slice));
  };
  const double usual_spread =
      std::max(by_size(spread_slice(before, before_us)), by_size(spread_slice(after, after_us)));
  return misaligned(before) || misaligned(after) ? in_slice(&gpu::GemmSpread::misaligned, usual_spread)
                                                 : usual_spread;
}

// An operation whose kernel another one takes the place of.
struct Replaced {
  const model::Op* before = nullptr;
  const model::Op* after = nullptr;
  double error_us = 0;
  double together = 0;  // correlation with the errors of others
};

// Sums over the ops of a change.
struct Change {
  EffectTimes absolute_us{};  // moved time by effect
  double error_us[effect_count] = {};
  std::vector<Replaced> replaced;
  double measured_us = 0;

  void add(Effect effect, double delta_us, const gpu::EffectError& error) {
    absolute_us[index(effect)] += std::abs(delta_us);
    error_us[index(effect)] += std::abs(delta_us) * error.relative;
    if (error.measured) measured_us += std::abs(delta_us);
  }

  // The same kernel in several places is off by as much in each; different ones are correlated.
  void replace(const model::Op& before, const model::Op& after, double error_us_of_it, double together) {
    for (Replaced& each : replaced) {
      if (!same_shape(*each.before, before) || !same_shape(*each.after, after)) continue;
      each.error_us += error_us_of_it;
      return;
    }
    replaced.push_back({&before, &after, error_us_of_it, together});
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
      gpu::EffectError error =
          worse(error_of(gpu, *before, *before_cost, effect), error_of(gpu, *after, *after_cost, effect));
      // Its spread, as measured, has that in it.
      if (effect == Effect::attention && both_are_timed(*before, *after) && !same_shape(*before, *after))
        error.relative = 0;
      change.add(effect, delta_us, error);
    }
  }
  if (before == nullptr || after == nullptr || same_shape(*before, *after)) return;
  const double after_us = to_count * after_cost->time_us;
  if (before->kind == model::OpKind::gemm && after->kind == model::OpKind::gemm) {
    const std::array<gpu::Spread, 2> known = spreads_of(gpu, *after);
    change.replace(*before, *after,
                   after_us * spread_of(known, *before, before_cost->time_us, *after, after_cost->time_us),
                   together_of(known));
  } else if (before->kind == model::OpKind::attention && after->kind == model::OpKind::attention) {
    change.replace(*before, *after, after_us * attention_spread(gpu, *before, *after), 0);
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
  if (effect == Effect::memory) {
    error.relative = std::sqrt(error.relative * error.relative + fusion_error * fusion_error);
  }
  // The time of a scan is modeled; of few GPUs any was measured.
  if (op.kind == model::OpKind::scan) error.measured = false;
  if (op.kind == model::OpKind::attention && effect == Effect::attention) {
    const BucketUse use =
        attention_bucket(gpu, op.attention.head_dim.value, op.attention.value_head_dim.value,
                         op.attention.query_length.value == 1, op.attention.library);
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
  const Partners partners(before.ops, after.ops);
  std::vector<bool> matched(after.ops.size(), false);
  bool hides = false;  // the step after it, other communication
  for (std::size_t i = 0; i < before.ops.size(); ++i) {
    const model::Op& op = before.ops[i];
    if (op.overlapped) continue;  // hidden time changes nothing; what is exposed is small and shared
    const std::size_t partner = partners[i];
    const bool found = partner < after.ops.size();
    if (found) matched[partner] = true;
    if (found && op.kind == model::OpKind::collective) hides = hides || after.ops[partner].overlapped;
    add_op(gpu, &op, &before_cost.ops[i], found ? &after.ops[partner] : nullptr,
           found ? &after_cost.ops[partner] : nullptr, change);
  }
  for (std::size_t i = 0; i < after.ops.size(); ++i) {
    if (matched[i] || after.ops[i].overlapped) continue;
    add_op(gpu, nullptr, nullptr, &after.ops[i], &after_cost.ops[i], change);
  }
  // What waits no more is as uncertain as communication that is no longer there.
  if (hides)
    change.add(Effect::communication, after_cost.hidden_us - before_cost.hidden_us,
               gpu.errors[Effect::communication]);

  double total_us = 0;
  double variance_us2 = 0;
  for (std::size_t i = 0; i < effect_count; ++i) {
    total_us += change.absolute_us[i];
    double error_us = ninety_by_mean * change.error_us[i];
    if (is_a_loss(static_cast<Effect>(i)))
      error_us = std::min(error_us, most_of_a_loss * change.absolute_us[i]);
    variance_us2 += error_us * error_us;
    if (change.absolute_us[i] > change.absolute_us[index(gain.largest)])
      gain.largest = static_cast<Effect>(i);
  }
  gain.from_effects = std::sqrt(variance_us2) / before_cost.time_us;
  double common_us = 0;
  for (const Replaced& each : change.replaced) {
    variance_us2 += (1 - each.together) * each.error_us * each.error_us;
    common_us += std::sqrt(each.together) * each.error_us;
  }
  variance_us2 += common_us * common_us;
  gain.half_width = std::sqrt(variance_us2) / before_cost.time_us;
  gain.measured = total_us > 0 && change.measured_us >= measured_majority * total_us;
  return gain;
}

}  // namespace shapelint::cost
