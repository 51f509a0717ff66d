// Fields, bounds, and setups from values.
#include "suggest/problem.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "model/derive.hpp"
#include "model/lower/lower.hpp"
#include "model/mixer.hpp"

namespace shapelint::suggest {

namespace {

using model::FieldId;
using model::Origin;

constexpr std::array<std::string_view, 6> objectives{"tokens", "mfu", "step", "prefill", "decode", "cost"};
constexpr std::array<std::string_view, 2> baskets{"worst", "mean"};

// In the order of the search.
constexpr std::array before_mixers{FieldId::tensor,
                                   FieldId::pipeline,
                                   FieldId::micro_batch_size,
                                   FieldId::sequence_length,
                                   FieldId::hidden_size,
                                   FieldId::num_layers,
                                   FieldId::head_dim,
                                   FieldId::num_attention_heads,
                                   FieldId::num_key_value_heads,
                                   FieldId::intermediate_size,
                                   FieldId::moe_intermediate_size};
constexpr std::array behind_mixers{FieldId::vocab_size, FieldId::vocab_padding_multiple};
constexpr auto searched = [] {
  std::array<FieldId, before_mixers.size() + 3 * model::most_mixers + behind_mixers.size()> out{};
  std::size_t at = 0;
  for (const FieldId each : before_mixers) out[at++] = each;
  for (const model::MixerFields& each : model::mixer_fields)
    for (const FieldId size : {each.value_heads, each.key_dim, each.value_dim}) out[at++] = size;
  for (const FieldId each : behind_mixers) out[at++] = each;
  return out;
}();

bool follows_hidden_size(const FieldDependencies& links, FieldId field) {
  return (field == FieldId::intermediate_size && links.intermediate_size) ||
         (field == FieldId::moe_intermediate_size && links.moe_intermediate_size);
}

struct Range {
  double low, high;
};
Range around(double value, double share) {
  if (share < 0) return {0, std::numeric_limits<double>::infinity()};
  constexpr double rounding = 1e-12;  // of the multiplication itself
  return {value * (1 - share - rounding), value * (1 + share + rounding)};
}

}  // namespace

std::span<const std::string_view> objective_names() {
  return objectives;
}
std::span<const std::string_view> basket_names() {
  return baskets;
}

std::span<const FieldId> search_fields() {
  return searched;
}

int search_order(FieldId field) {
  const auto found = std::find(searched.begin(), searched.end(), field);
  return found == searched.end() ? -1 : static_cast<int>(found - searched.begin());
}

Bounds bounds_of(const model::Setup& start, const Budget& budget) {
  Bounds out;
  const auto own = static_cast<double>(model::parameter_count(start));
  const double target = budget.target_parameters > 0 ? static_cast<double>(budget.target_parameters) : own;
  const Range parameters = around(target, budget.parameters);
  out.parameters_low = parameters.low;
  out.parameters_high = parameters.high;
  const Range tokens = around(model::tokens_per_step(start), budget.tokens);
  out.tokens_low = tokens.low;
  out.tokens_high = tokens.high;
  const Range flops = around(model::forward_flops_per_token(start), budget.flops);
  out.flops_low = flops.low;
  out.flops_high = flops.high;
  const Range aspect = around(static_cast<double>(start.model.hidden_size) /
                                  static_cast<double>(std::max<std::int64_t>(1, start.model.num_layers)),
                              budget.aspect);
  out.aspect_low = aspect.low;
  out.aspect_high = aspect.high;
  return out;
}

model::Setup in_mode_of(const model::Setup& start, Objective objective) {
  model::Setup setup = start;
  if (objective == Objective::prefill) setup.plan.mode = model::Mode::prefill;
  if (objective == Objective::decode) {
    setup.plan.mode = model::Mode::decode;
    if (setup.plan.context_length == 0) setup.plan.context_length = setup.plan.sequence_length;
  }
  return setup;
}

Unresolved resolve(const Problem& problem, std::span<const std::int64_t> values, model::Setup& setup) {
  Unresolved failed;
  setup = problem.start;
  ChangedFields moved;
  bool groups_relative = false;
  std::int64_t groups_choice = 0;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const FieldId field = problem.axes[i].field;
    if (values[i] == keep_value) continue;
    // Left as it is, a width that nobody states goes on following.
    if (follows_hidden_size(problem.links, field) && values[i] == model::get(problem.start, field)) continue;
    if (problem.relative_groups && field == FieldId::num_key_value_heads) {
      groups_relative = true;
      groups_choice = values[i];
      continue;
    }
    model::set(setup, field, values[i]);
    moved.add(field);
  }
  const DependencyFailures links = follow(problem.start, problem.links, moved, setup);
  failed.attention = links.heads;
  failed.mlp = links.intermediate;
  if (groups_relative && !failed.attention) {
    model::ModelSpec& model = setup.model;
    const std::int64_t groups = problem.start.model.num_key_value_heads;
    const std::int64_t heads = problem.start.model.num_attention_heads;
    const std::int64_t now = model.num_attention_heads;
    if (groups_choice == 0) {
      model.num_key_value_heads = groups;
      failed.attention = now % groups != 0 && heads % groups == 0;
    } else {
      // as many per query head, where that is another number
      const bool whole = heads > 0 && (now * groups) % heads == 0;
      model.num_key_value_heads = whole ? now * groups / heads : groups;
      failed.attention = !whole || model.num_key_value_heads == groups || model.num_key_value_heads < 1;
    }
  }
  // No file may say that, whatever rules the start breaks.
  const model::ModelSpec& model = setup.model;
  const model::ModelSpec& start = problem.start.model;
  if (model.num_key_value_heads > model.num_attention_heads &&
      start.num_key_value_heads <= start.num_attention_heads) {
    failed.attention = true;
  }
  return failed;
}

Edits edits_between(const model::Reading& reading, const model::Setup& target) {
  Edits edits;
  const FieldDependencies links = links_of(reading);
  model::PerField<Origin> origins = reading.origins;
  model::Setup reached = reading.setup;
  ChangedFields moved;
  const auto change = [&](const Change& each) {
    const std::int64_t from = model::get(reading.setup, each.field);
    edits.changes.push_back({each.field, from, each.to});
    model::set(reached, each.field, each.to);
    moved.add(each.field);
    origins[each.field].kind = Origin::Kind::stated;
  };
  const auto follow_all = [&] {
    follow(reading.setup, links, moved, reached);
    model::rederive(reached, origins);
  };
  for (const Change& each : differences(reading.setup, target)) {
    if (is_stated(reading, each.field)) change(each);
  }
  follow_all();
  // What follows is not edited; what does not follow is, one at a time, since more may follow from it.
  for (auto left = differences(reached, target);
       !left.empty() && edits.changes.size() < model::fields().size(); left = differences(reached, target)) {
    change(left.front());
    follow_all();
  }
  for (const Change& each : differences(reading.setup, target)) {
    const bool edited = std::any_of(edits.changes.begin(), edits.changes.end(),
                                    [&](const Change& c) { return c.field == each.field; });
    if (!edited && !is_copy(each.field, links, target)) edits.implied.push_back(each);
  }
  std::sort(edits.changes.begin(), edits.changes.end(),
            [](const Change& a, const Change& b) { return a.field < b.field; });
  return edits;
}

}  // namespace shapelint::suggest
