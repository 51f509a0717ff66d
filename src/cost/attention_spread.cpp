// Spreads of attention: of serving engines by GPU (gpu/spread.hpp), of all else those of a few together.
#include "cost/attention_spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "gpu/spread.hpp"

namespace shapelint::cost {

namespace {

// By what changes: sizes alone, the head dimension, or it and the number of heads so that their sum stays.
enum class Changed : std::uint8_t { sizes, head_dim, heads_of_width };
using Shares = std::array<double, 3>;
// Where no engine is named, beside what the errors of the effects explain: as flash-attn's kernels were timed
// forwards, on four GPUs together. Few keys leave more to chance.
constexpr std::int64_t many_keys = 2048;
constexpr Shares assumed_of_many{0.06, 0.06, 0.14};
constexpr Shares assumed_of_few{0.19, 0.3, 0.41};
// An engine's on GPUs where nobody timed it.
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
    return op.kind == model::OpKind::attention && op.experts.engine != model::Engine::fastest;
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

}  // namespace shapelint::cost
