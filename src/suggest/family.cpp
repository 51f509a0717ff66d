// Ladders of models.
#include "suggest/family.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.hpp"
#include "base/units.hpp"
#include "cost/step.hpp"
#include "model/arithmetic.hpp"
#include "model/lower/lower.hpp"
#include "suggest/edit/axes.hpp"
#include "suggest/edit/footprint.hpp"

namespace shapelint::suggest {

namespace {

using model::FieldId;
using model::real;

constexpr std::array<std::int64_t, 5> head_dims{64, 80, 96, 112, 128};
constexpr std::int64_t width_multiple = 64;
constexpr double hidden_reach = 0.3;        // of the width that the target suggests
constexpr double intermediate_reach = 0.1;  // of the start's ratio to hidden_size

std::int64_t rounded(double value, std::int64_t multiple) {
  return std::max<std::int64_t>(1, std::llround(value / real(multiple))) * multiple;
}

std::int64_t heads_per_group(const model::Setup& setup) {
  return std::max<std::int64_t>(
      1, setup.model.num_attention_heads / std::max<std::int64_t>(1, setup.model.num_key_value_heads));
}

// A width of the MLP as a share of hidden_size.
struct Width {
  FieldId field = model::no_field;
  double ratio = 1;
};

// The start scaled to a width: as many layers as its aspect says, heads of `head_dim`.
model::Setup scaled_to(const model::Setup& start, std::int64_t hidden, std::int64_t head_dim) {
  model::Setup setup = start;
  model::ModelSpec& model = setup.model;
  const double ratio = real(hidden) / real(start.model.hidden_size);
  model.hidden_size = hidden;
  model.num_layers =
      rounded(real(start.model.num_layers) * ratio, std::max<std::int64_t>(1, start.plan.pipeline));
  model.intermediate_size = rounded(real(start.model.intermediate_size) * ratio, width_multiple);
  if (model.moe.num_experts > 0) {
    const auto scaled = [&](std::int64_t width) {
      return width > 0 ? rounded(real(width) * ratio, width_multiple) : 0;
    };
    model.moe.intermediate_size = scaled(start.model.moe.intermediate_size);
    model.moe.shared_intermediate_size = scaled(start.model.moe.shared_intermediate_size);
    model.moe.first_dense_layers = std::min(start.model.moe.first_dense_layers, model.num_layers - 1);
  }
  model.head_dim = model.value_head_dim = head_dim;
  model.num_attention_heads = std::max<std::int64_t>(1, hidden / head_dim);
  const std::int64_t per_group = heads_per_group(start);
  model.num_key_value_heads = std::max<std::int64_t>(1, model.num_attention_heads / per_group);
  return setup;
}

// The width whose scaled start is nearest to the target.
std::int64_t width_for(const model::Setup& start, std::int64_t target) {
  std::int64_t best = width_multiple;
  double distance = 1e300;
  constexpr std::int64_t widest = 65'536;
  for (std::int64_t hidden = width_multiple; hidden <= widest; hidden += width_multiple) {
    const double off =
        std::fabs(real(model::parameter_count(scaled_to(start, hidden, width_multiple)) - target));
    if (off < distance) {
      best = hidden;
      distance = off;
    }
  }
  return best;
}

std::vector<std::int64_t> multiples_around(double value, double reach) {
  std::vector<std::int64_t> out;
  const auto first = static_cast<std::int64_t>(std::ceil(value * (1 - reach) / real(width_multiple)));
  for (std::int64_t at = std::max<std::int64_t>(1, first) * width_multiple; real(at) <= value * (1 + reach);
       at += width_multiple) {
    out.push_back(at);
  }
  return out;
}

// Number of key-value heads of a rung: the family's, so that all its models can be split alike; or, where no
// shape has that, as many query heads per key-value head.
enum class Groups : std::uint8_t { same, same_ratio };

Problem rung_problem(const Problem& family, const model::Setup& base, std::int64_t target,
                     std::int64_t head_dim, Groups which) {
  Problem problem = family;
  problem.start = base;
  problem.links.head_dim_from_hidden = true;
  problem.links.value_head_dim = true;
  problem.budget.target_parameters = target;
  // The aspect is the family's, whatever the rung.
  const Bounds around = bounds_of(family.start, problem.budget);
  problem.bounds = bounds_of(base, problem.budget);
  problem.bounds.aspect_low = around.aspect_low;
  problem.bounds.aspect_high = around.aspect_high;
  const auto axis = [&](FieldId field, std::vector<std::int64_t> values) {
    if (!values.empty()) problem.axes.push_back({field, std::move(values)});
  };
  axis(FieldId::hidden_size, multiples_around(real(base.model.hidden_size), hidden_reach));
  std::vector<std::int64_t> layers;
  const std::int64_t stages = std::max<std::int64_t>(1, base.plan.pipeline);
  const std::int64_t deepest = base.model.num_layers * 2;
  for (std::int64_t at = std::max<std::int64_t>(1, base.model.num_layers / 2); at <= deepest; ++at) {
    if (at % stages == 0) layers.push_back(at);
  }
  axis(FieldId::num_layers, std::move(layers));
  axis(FieldId::head_dim, {head_dim});
  const bool grouped = !problem.links.key_value_heads;
  const std::int64_t per_group = heads_per_group(family.start);
  constexpr std::int64_t least_per_group = 2;
  const bool same_groups =
      which == Groups::same &&
      base.model.hidden_size / head_dim >= least_per_group * family.start.model.num_key_value_heads;
  if (grouped) {
    std::vector<std::int64_t> groups;
    if (same_groups) {
      groups.push_back(family.start.model.num_key_value_heads);
    } else {
      for (const std::int64_t hidden : multiples_around(real(base.model.hidden_size), hidden_reach)) {
        if (hidden % (head_dim * per_group) == 0) groups.push_back(hidden / head_dim / per_group);
      }
    }
    if (groups.empty()) groups.push_back(base.model.num_key_value_heads);
    axis(FieldId::num_key_value_heads, std::move(groups));
  }
  problem.links.intermediate_size = false;
  problem.links.moe_intermediate_size = false;
  problem.links.moe_shared_intermediate_size = false;
  const model::Moe& moe = family.start.model.moe;
  const bool dense_layers = moe.num_experts <= 0 || moe.first_dense_layers > 0 || moe.layer_interval > 1;
  std::vector<FieldId> widths;
  if (dense_layers && family.start.model.intermediate_size > 0) widths.push_back(FieldId::intermediate_size);
  if (moe.num_experts > 0) widths.push_back(FieldId::moe_intermediate_size);
  std::vector<Width> kept;
  for (const FieldId field : widths) {
    axis(field, multiples_around(real(model::get(base, field)), hidden_reach + intermediate_reach));
    kept.push_back({field, real(model::get(family.start, field)) / real(family.start.model.hidden_size)});
  }
  problem.constraints = [inner = family.constraints, kept, per_group, by_ratio = grouped && !same_groups] {
    std::vector<Constraint> out = inner ? inner() : std::vector<Constraint>{};
    for (const Width& width : kept) {
      out.push_back({"widths of the MLP to hidden_size as in the family", [width](const model::Setup& s) {
                       const double ratio = real(model::get(s, width.field)) / real(s.model.hidden_size);
                       return std::fabs(ratio / width.ratio - 1) <= intermediate_reach;
                     }});
    }
    if (by_ratio) {
      out.push_back({"`num_attention_heads / num_key_value_heads` as in the family",
                     [per_group](const model::Setup& s) {
                       return s.model.num_attention_heads == per_group * s.model.num_key_value_heads;
                     }});
    }
    return out;
  };
  std::sort(problem.axes.begin(), problem.axes.end(),
            [](const Axis& a, const Axis& b) { return search_order(a.field) < search_order(b.field); });
  return problem;
}

Performance performance_of(const model::Setup& setup, const gpu::Gpu& gpu, const OnStack& stack) {
  cost::PriceMemo memo(gpu);
  Step step;
  step_of(&stack, memo, setup, step);
  Performance out;
  out.time_us = step.cost.time_us;
  out.mfu = step.cost.mfu;
  out.memory_gb = memory_bytes_of(&stack, gpu, setup) / bytes_per_gb;
  out.capacity_gb = gpu::memory_bytes(gpu) / bytes_per_gb;
  const double ranks = real(setup.plan.tensor) * real(setup.plan.pipeline) * real(setup.plan.context);
  out.tokens_per_s = step.workload.tokens_per_step / out.time_us * us_per_s / ranks;
  return out;
}

// The vocabulary with the least padding that costs nothing.
std::int64_t best_vocabulary(const Problem& family) {
  Problem problem = family;
  AxesRequest request;
  request.vary = {"vocab_size"};
  std::vector<Error> errors;
  set_axes(problem, request, errors);
  problem.budget = {-1, -1, -1, -1, false, 0};
  problem.bounds = bounds_of(problem.start, problem.budget);
  problem.constraints = nullptr;
  SearchOptions options;
  options.keep = 1;
  options.threads = 1;
  options.front = false;
  const SearchOutcome outcome = optimize(problem, options);
  return outcome.best.empty() ? family.start.model.vocab_size : outcome.best.front().values.front();
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
  double unit = 1;
  if (!text.empty()) {
    const char last = text.back();
    unit = last == 'k' || last == 'K'   ? 1e3
           : last == 'm' || last == 'M' ? 1e6
           : last == 'b' || last == 'B' ? 1e9
                                        : 1;
    if (last == 't' || last == 'T') unit = 1e12;
    if (unit > 1) text.remove_suffix(1);
  }
  const auto number = parse_number(text);
  constexpr double least = 1e5;
  constexpr double most = 1e13;
  if (!number || *number * unit < least || *number * unit > most) return std::nullopt;
  return std::llround(*number * unit);
}

Family find_family(const Problem& problem, const std::vector<std::int64_t>& sizes,
                   const SearchOptions& options) {
  const OnStack stack = problem.on_stack ? problem.on_stack() : OnStack{};
  Problem family = problem;
  if (family.start.model.lm_head) family.start.model.vocab_size = best_vocabulary(problem);
  std::vector<model::Setup> bases;
  for (const std::int64_t size : sizes) {
    bases.push_back(scaled_to(family.start, width_for(family.start, size), width_multiple));
  }
  Family best;
  double best_score = -1e300;
  for (const std::int64_t head_dim : head_dims) {
    Family candidate{head_dim, family.start.model.vocab_size, {}};
    double score = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      SearchOptions search = options;
      search.keep = 1;
      search.better_only = false;
      search.front = false;
      Problem rung = rung_problem(family, bases[i], sizes[i], head_dim, Groups::same);
      SearchOutcome outcome = optimize(rung, search);
      if (outcome.best.empty() && outcome.complete && !problem.links.key_value_heads) {
        rung = rung_problem(family, bases[i], sizes[i], head_dim, Groups::same_ratio);
        outcome = optimize(rung, search);
      }
      FamilyMember out;
      out.target = sizes[i];
      // A missing rung counts like one that is a thousand times slower.
      constexpr double missing = -7;
      score += missing;
      if (!outcome.best.empty()) {
        out.found = true;
        resolve(rung, outcome.best.front().values, out.setup);
        out.parameters = outcome.best.front().parameters;
        for (const gpu::Gpu* gpu : rung.gpus) out.gpus.push_back(performance_of(out.setup, *gpu, stack));
        score += std::log(outcome.best.front().value) - missing;
      }
      candidate.members.push_back(std::move(out));
    }
    if (score > best_score) {
      best_score = score;
      best = std::move(candidate);
    }
  }
  return best;
}

}  // namespace shapelint::suggest
