// Neighbourhoods of the present values.
#include "suggest/search/neighbourhood.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "model/mixer.hpp"
#include "suggest/edit/change.hpp"
#include "suggest/search/optimize.hpp"

namespace shapelint::suggest {

namespace {

using model::FieldId;

// Multiples worth trying, in elements per rank: full-width loads of 16-bit types (8, 64: 16 and 128 bytes,
// NVIDIA Matrix Multiplication Background, Table 1) and the sides of tiles (128, 256).
constexpr std::array<std::int64_t, 4> width_multiples{64, 128, 256, 512};
// Head dimensions that models have and kernels are built for. Narrower and wider ones are looked at only
// where the present one is that narrow or wide: how few heads a model can do with is not a question of speed.
constexpr std::array<std::int64_t, 9> head_dims{32, 64, 80, 96, 112, 128, 160, 192, 256};
constexpr std::int64_t narrowest_usual = 64;
constexpr std::int64_t widest_usual = 128;
// How far the number of heads may move: a quarter to four times as many.
constexpr std::int64_t head_factor = 4;
constexpr std::size_t most_values = 64;        // per axis
constexpr std::int64_t largest_degree = 1024;  // that is looked for

std::int64_t floor_multiple(std::int64_t value, std::int64_t multiple) {
  return value / multiple * multiple;
}

void add_multiples(std::vector<std::int64_t>& values, std::int64_t value, std::int64_t multiple, double reach,
                   bool down) {
  const auto distance = static_cast<std::int64_t>(std::floor(static_cast<double>(value) * reach));
  const std::int64_t below = floor_multiple(value, multiple);
  const std::int64_t above = below == value ? value + multiple : below + multiple;
  for (std::int64_t at = above, count = 0; at <= value + distance || count == 0; at += multiple, ++count) {
    if (count >= static_cast<std::int64_t>(most_values)) break;
    values.push_back(at);
  }
  if (!down) return;
  const std::int64_t first = below == value ? value - multiple : below;
  for (std::int64_t at = first, count = 0; at > 0 && (at >= value - distance || count == 0);
       at -= multiple, ++count) {
    if (count >= static_cast<std::int64_t>(most_values)) break;
    values.push_back(at);
  }
}

// A sequence stays within an eighth: further away it is another workload.
constexpr std::int64_t length_part = 8;

// The nearest multiple each way only makes sense while it is near: half the value at most.
void drop_far(std::vector<std::int64_t>& values, std::int64_t value, std::int64_t part = 2) {
  std::erase_if(values, [&](std::int64_t v) { return v < value - value / part || v > value + value / part; });
}

// Numbers of heads that split `hidden_size` into heads of usual widths.
void add_heads(std::vector<std::int64_t>& values, const model::Setup& setup, std::int64_t hidden_size) {
  const std::int64_t present = setup.model.num_attention_heads;
  for (const std::int64_t head_dim : usual_head_dims(setup.model.head_dim)) {
    const std::int64_t heads = hidden_size / head_dim;
    if (hidden_size % head_dim != 0 || heads * head_factor < present || heads > present * head_factor)
      continue;
    values.push_back(heads);
  }
}

// What a degree of parallelism shares out in whole parts; 0 for any other field.
std::int64_t shared_out(const model::Setup& setup, FieldId field) {
  const model::Plan& plan = setup.plan;
  if (field == FieldId::tensor) return setup.model.num_attention_heads;
  if (field == FieldId::pipeline) return setup.model.num_layers;
  if (field == FieldId::expert) return setup.model.moe.num_experts;
  if (field == FieldId::expert_tensor) return setup.model.moe.intermediate_size;
  if (field == FieldId::context) return plan.sequence_length;
  if (field != FieldId::virtual_pipeline) return 0;
  return (setup.model.num_layers + plan.embedding_stages) / std::max<std::int64_t>(1, plan.pipeline);
}

}  // namespace

namespace {

bool is_one_of(FieldId field, FieldId model::MixerFields::*one, FieldId model::MixerFields::*other) {
  return std::any_of(
      model::mixer_fields.begin(), model::mixer_fields.end(),
      [&](const model::MixerFields& each) { return each.*one == field || each.*other == field; });
}

}  // namespace

Axis neighbourhood(const model::Reading& reading, FieldId field, double reach) {
  const model::FieldInfo& info = model::info(field);
  const model::Setup& setup = reading.setup;
  const std::int64_t value = info.get(setup);
  const std::int64_t tensor = std::max<std::int64_t>(1, setup.plan.tensor);
  Axis axis{field, {}};
  std::vector<std::int64_t>& values = axis.values;
  if (field == FieldId::num_attention_heads) {
    if (links_of(reading).head_dim_from_hidden) {
      add_heads(values, setup, setup.model.hidden_size);
    }
    // Heads of an unusual hidden size, or whose width is stated apart from it.
    if (values.empty() || values == std::vector<std::int64_t>{value}) {
      for (const std::int64_t multiple : {tensor, 8 * tensor})
        add_multiples(values, value, multiple, 0, true);
    }
  } else if (is_one_of(field, &model::MixerFields::value_heads, &model::MixerFields::key_heads)) {
    for (const std::int64_t multiple : {tensor, 8 * tensor}) add_multiples(values, value, multiple, 0, true);
    drop_far(values, value);
  } else if (field == FieldId::head_dim || field == FieldId::value_head_dim || info.section == "model.mla" ||
             is_one_of(field, &model::MixerFields::key_dim, &model::MixerFields::value_dim)) {
    for (const std::int64_t multiple : {8, 16, 32, 64, 128}) add_multiples(values, value, multiple, 0, true);
    drop_far(values, value);
  } else if (field == FieldId::hidden_size) {
    const std::int64_t heads = std::max<std::int64_t>(1, setup.model.num_attention_heads);
    for (const std::int64_t multiple : width_multiples) add_multiples(values, value, multiple, reach, true);
    for (const std::int64_t multiple : {heads, 8 * heads, 64 * heads}) {
      add_multiples(values, value, multiple, multiple == heads ? 0 : reach, true);
    }
    drop_far(values, value);
  } else if (field == FieldId::intermediate_size || field == FieldId::moe_intermediate_size ||
             field == FieldId::moe_shared_intermediate_size) {
    if (value > 0) {
      const bool is_expert = field == FieldId::moe_intermediate_size;
      const std::int64_t ranks = is_expert ? std::max<std::int64_t>(1, setup.plan.expert_tensor) : tensor;
      for (const std::int64_t multiple : width_multiples) {
        add_multiples(values, value, multiple * ranks, reach, true);
      }
    }
    drop_far(values, value);
  } else if (field == FieldId::vocab_size) {
    for (const std::int64_t multiple : width_multiples) {
      add_multiples(values, value, multiple * tensor, 0, false);
    }
    drop_far(values, value);
  } else if (field == FieldId::sequence_length) {
    for (const std::int64_t multiple : width_multiples) add_multiples(values, value, multiple, 0, true);
    drop_far(values, value, length_part);
  } else if (field == FieldId::micro_batch_size || field == FieldId::gradient_accumulation) {
    for (const std::int64_t factor : {2, 4, 8}) values.push_back(value * factor);
    for (std::int64_t power = 1; power < 2 * value && power > 0; power *= 2) {
      if (power > value / 2) values.push_back(power);
    }
  } else if (const std::int64_t whole = shared_out(setup, field); whole > 0) {
    for (std::int64_t degree = 1; degree <= std::min(2 * value, largest_degree); ++degree) {
      if (whole % degree == 0) values.push_back(degree);
    }
  } else if (field == FieldId::num_layers) {
    add_multiples(values, value, std::max<std::int64_t>(1, setup.plan.pipeline), 0, true);
    drop_far(values, value);
  } else if (field == FieldId::num_key_value_heads) {
    for (std::int64_t heads = 1; heads <= setup.model.num_attention_heads; ++heads) {
      if (setup.model.num_attention_heads % heads == 0 && heads * 2 >= value && heads <= value * 2) {
        values.push_back(heads);
      }
    }
  }
  std::erase_if(values, [&](std::int64_t v) { return v < info.minimum || v > info.maximum; });
  values.push_back(value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return axis;
}

bool is_usual_head_dim(std::int64_t head_dim, std::int64_t present) {
  return head_dim == present ||
         (head_dim >= std::min(narrowest_usual, present) && head_dim <= std::max(widest_usual, present));
}

std::vector<std::int64_t> usual_head_dims(std::int64_t present) {
  std::vector<std::int64_t> out;
  std::copy_if(head_dims.begin(), head_dims.end(), std::back_inserter(out),
               [&](std::int64_t each) { return is_usual_head_dim(each, present); });
  return out;
}

std::vector<Axis> neighbourhoods(const model::Reading& reading, std::span<const FieldId> fields,
                                 double reach) {
  std::vector<Axis> axes;
  Axis* heads = nullptr;
  const Axis* hidden = nullptr;
  axes.reserve(fields.size());
  for (const FieldId field : fields) {
    axes.push_back(neighbourhood(reading, field, reach));
    if (field == FieldId::num_attention_heads) heads = &axes.back();
    if (field == FieldId::hidden_size) hidden = &axes.back();
  }
  if (heads != nullptr && hidden != nullptr && links_of(reading).head_dim_from_hidden) {
    for (const std::int64_t width : hidden->values) add_heads(heads->values, reading.setup, width);
    std::sort(heads->values.begin(), heads->values.end());
    heads->values.erase(std::unique(heads->values.begin(), heads->values.end()), heads->values.end());
  }
  return axes;
}

namespace {

Problem problem_of(const model::Reading& reading, const FieldDependencies& links,
                   std::span<const model::FieldId> fields, std::span<const Constraint> constraints,
                   std::span<Evaluator* const> evaluators, const NearLimits& limits) {
  Problem problem;
  problem.reading = &reading;
  problem.start = reading.setup;
  problem.links = links;
  problem.longer_is_padding = false;
  for (Evaluator* evaluator : evaluators) problem.gpus.push_back(&evaluator->gpu());
  problem.budget = {limits.parameters, -1, -1, -1, true, 0};
  problem.bounds = bounds_of(problem.start, problem.budget);
  problem.axes = neighbourhoods(reading, fields, limits.reach);
  const auto is_varied = [&](model::FieldId field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  if (is_varied(model::FieldId::num_attention_heads) && !is_varied(model::FieldId::num_key_value_heads) &&
      !links.key_value_heads && reading.setup.model.num_key_value_heads > 0) {
    problem.relative_groups = true;
    problem.axes.push_back({model::FieldId::num_key_value_heads, {0, 1}});
  }
  std::sort(problem.axes.begin(), problem.axes.end(),
            [](const Axis& a, const Axis& b) { return search_order(a.field) < search_order(b.field); });
  problem.constraints = [constraints, whole = links.head_dim_from_hidden,
                         present = reading.setup.model.head_dim] {
    std::vector<Constraint> out(constraints.begin(), constraints.end());
    if (whole) {
      out.push_back({"usual head dimensions", [present](const model::Setup& setup) {
                       return is_usual_head_dim(setup.model.head_dim, present);
                     }});
    }
    return out;
  };
  return problem;
}

std::vector<Change> changes_of(const Problem& problem, const RankedPoint& found) {
  model::Setup setup;
  resolve(problem, found.values, setup);
  std::vector<Change> changes;
  for (const Axis& axis : problem.axes) {
    const model::FieldInfo& field = model::info(axis.field);
    changes.push_back({axis.field, field.get(problem.start), field.get(setup)});
  }
  return changes;
}

// Keeps it, priced, where it is faster on every GPU or may be slower.
void keep_if_faster(Candidate candidate, const model::Setup& start, std::span<Evaluator* const> evaluators,
                    const NearLimits& limits, std::vector<Candidate>& out) {
  price(candidate, start, evaluators);
  const bool is_faster =
      std::all_of(candidate.gains.begin(), candidate.gains.end(), [](double gain) { return gain > 0; });
  if (is_faster || !limits.faster_only) out.push_back(std::move(candidate));
}

// Networks are not made of a transformer's parts: every value is priced as a whole.
std::vector<Candidate> search_network(const model::Reading& reading, const FieldDependencies& links,
                                      std::span<const model::FieldId> fields,
                                      std::span<const Constraint> constraints,
                                      std::span<Evaluator* const> evaluators, const NearLimits& limits) {
  std::vector<Candidate> out;
  for (const Axis& axis : neighbourhoods(reading, fields, limits.reach)) {
    const std::int64_t from = model::get(reading.setup, axis.field);
    for (const std::int64_t to : axis.values) {
      auto candidate = make_candidate(reading, links, {{axis.field, from, to}}, constraints);
      if (!candidate || out.size() >= limits.keep) continue;
      if (!fits(candidate->setup, reading.setup, evaluators)) continue;
      keep_if_faster(*std::move(candidate), reading.setup, evaluators, limits, out);
    }
  }
  return out;
}

}  // namespace

std::vector<Candidate> search_near(const model::Reading& reading, const FieldDependencies& links,
                                   std::span<const model::FieldId> fields,
                                   std::span<const Constraint> constraints,
                                   std::span<Evaluator* const> evaluators, const NearLimits& limits) {
  if (!reading.setup.model.conv.empty())
    return search_network(reading, links, fields, constraints, evaluators, limits);
  const Problem problem = problem_of(reading, links, fields, constraints, evaluators, limits);
  SearchOptions options;
  options.keep = limits.keep;
  options.threads = 1;
  options.better_only = limits.faster_only;
  options.front = false;
  for (Evaluator* evaluator : evaluators) options.memos.push_back(&evaluator->prices());
  std::vector<Candidate> out;
  for (const RankedPoint& found : optimize(problem, options).best) {
    auto candidate = make_candidate(reading, links, changes_of(problem, found), constraints);
    if (!candidate) continue;  // the start itself
    // The search counts the pipeline's bubble, evaluators may not.
    keep_if_faster(*std::move(candidate), reading.setup, evaluators, limits, out);
  }
  return out;
}

}  // namespace shapelint::suggest
