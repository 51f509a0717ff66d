// Prices of a model's parts.
#include "suggest/search/part_table.hpp"

#include <algorithm>

namespace shapelint::suggest {

namespace {

using model::FieldId;
using model::StepPart;

enum Phase : std::size_t { forward, backward, update };

Phase phase_of(model::Pass pass) {
  if (pass == model::Pass::forward) return forward;
  return pass == model::Pass::update ? update : backward;
}

bool is_searched(FieldId field) {
  const auto fields = search_fields();
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

// Fields that change the ops of one run of a part, directly or through linked fields; of fields that are only
// varied alone all parts. A property test varies the others.
bool depends(StepPart part, FieldId field) {
  if (field == FieldId::hidden_size || field == FieldId::tensor || field == FieldId::micro_batch_size ||
      field == FieldId::sequence_length || !is_searched(field)) {
    return true;
  }
  switch (part) {
    case StepPart::attention:
      return field == FieldId::num_attention_heads || field == FieldId::num_key_value_heads ||
             field == FieldId::head_dim;
    case StepPart::mlp:
      return field == FieldId::intermediate_size;
    case StepPart::mixture:
      return field == FieldId::intermediate_size || field == FieldId::moe_intermediate_size;
    case StepPart::frame:
      return false;
    case StepPart::ends:
      return field == FieldId::vocab_size || field == FieldId::pipeline;
  }
  return true;
}

std::uint64_t mixed(std::uint64_t key) {  // MurmurHash3's finalizer
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdULL;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ULL;
  return key ^ (key >> 33);
}

void add_op(PartTime& to, const model::Op& op, double time_us, bool once) {
  const Phase phase = phase_of(op.pass);
  if (op.kind != model::OpKind::collective) {
    to.busy_us[phase] += time_us;
  } else if (op.overlapped) {
    (once ? to.once_us : to.each_us)[phase] += time_us;
  } else {
    (phase == update ? to.update_waiting_us : to.waiting_us) += time_us;
  }
}

constexpr std::uint64_t no_key = ~std::uint64_t{0};
constexpr std::size_t first_slots = 64;

}  // namespace

void add(PartTime& to, const PartTime& part, double times) {
  for (std::size_t i = 0; i < to.busy_us.size(); ++i) {
    to.busy_us[i] += times * part.busy_us[i];
    to.each_us[i] += times * part.each_us[i];
    to.once_us[i] += times * part.once_us[i];
  }
  to.waiting_us += times * part.waiting_us;
  to.update_waiting_us += times * part.update_waiting_us;
}

double step_us(const PartTime& sum, double micro_batches, double pipeline_bubble) {
  double time_us = sum.waiting_us + sum.update_waiting_us;
  for (std::size_t i = 0; i < sum.busy_us.size(); ++i) {
    const double once_hidden_us = std::min(sum.once_us[i], sum.busy_us[i] / std::max(micro_batches, 1.0));
    const double each_hidden_us = std::min(sum.each_us[i], sum.busy_us[i] - once_hidden_us);
    time_us += sum.busy_us[i] + sum.once_us[i] - once_hidden_us + sum.each_us[i] - each_hidden_us;
  }
  const double per_micro_batch_us = sum.busy_us[forward] + sum.busy_us[backward] + sum.waiting_us;
  return time_us + std::max(pipeline_bubble, 0.0) * per_micro_batch_us;
}

PartTable::PartTable(const Problem& problem, std::span<cost::PriceMemo* const> memos)
    : problem_(problem), memos_(memos.begin(), memos.end()) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    PartAxes& each = parts_[part];
    for (std::size_t axis = 0; axis < problem.axes.size(); ++axis) {
      if (depends(static_cast<StepPart>(part), problem.axes[axis].field)) each.axes.push_back(axis);
    }
    each.maps.resize(each.axes.size() + 1);
  }
  values_.resize(problem.axes.size());
  clear();
}

std::size_t PartTable::bytes() const {
  std::size_t bytes = nodes_.capacity() * sizeof(PartNode) + times_.capacity() * sizeof(PartTime);
  for (const PartAxes& each : parts_) {
    for (const Map& map : each.maps)
      bytes += map.keys.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  }
  for (const auto& memo : own_memos_) bytes += memo->bytes();
  return bytes;
}

void PartTable::clear() {
  nodes_ = {};
  times_ = {};
  if (memos_.empty() || !own_memos_.empty()) {
    own_memos_.clear();
    memos_.clear();
    for (const gpu::Gpu* gpu : problem_.gpus) {
      own_memos_.push_back(std::make_unique<cost::PriceMemo>(*gpu));
      memos_.push_back(own_memos_.back().get());
    }
  }
  for (PartAxes& each : parts_) {
    for (Map& map : each.maps) {
      map.keys.assign(first_slots, no_key);
      map.nodes.assign(first_slots, 0);
      map.count = 0;
    }
  }
}

const PartNode& PartTable::node(StepPart part, std::size_t depth, std::span<const std::uint32_t> positions) {
  const PartAxes& each = parts_[static_cast<std::size_t>(part)];
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < depth; ++i) {
    key = key * problem_.axes[each.axes[i]].values.size() + positions[each.axes[i]];
  }
  return nodes_[find(static_cast<std::size_t>(part), depth, key)];
}

std::uint32_t PartTable::find(std::size_t part, std::size_t depth, std::uint64_t key) {
  {
    const Map& map = parts_[part].maps[depth];
    const std::size_t mask = map.keys.size() - 1;
    for (std::size_t at = mixed(key) & mask; map.keys[at] != no_key; at = (at + 1) & mask) {
      if (map.keys[at] == key) return map.nodes[at];
    }
  }
  const PartNode made = depth == parts_[part].axes.size() ? compute(part, key) : combine(part, depth, key);
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(made);
  Map& map = parts_[part].maps[depth];
  if (2 * (map.count + 1) > map.keys.size()) {
    Map larger;
    larger.keys.assign(2 * map.keys.size(), no_key);
    larger.nodes.assign(2 * map.keys.size(), 0);
    const std::size_t mask = larger.keys.size() - 1;
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      if (map.keys[i] == no_key) continue;
      std::size_t at = mixed(map.keys[i]) & mask;
      while (larger.keys[at] != no_key) at = (at + 1) & mask;
      larger.keys[at] = map.keys[i];
      larger.nodes[at] = map.nodes[i];
    }
    larger.count = map.count;
    map = std::move(larger);
  }
  const std::size_t mask = map.keys.size() - 1;
  std::size_t at = mixed(key) & mask;
  while (map.keys[at] != no_key) at = (at + 1) & mask;
  map.keys[at] = key;
  map.nodes[at] = index;
  ++map.count;
  return index;
}

PartNode PartTable::compute(std::size_t part, std::uint64_t key) {
  const PartAxes& each = parts_[part];
  std::fill(values_.begin(), values_.end(), keep_value);
  for (std::size_t i = each.axes.size(); i-- > 0;) {
    const auto& values = problem_.axes[each.axes[i]].values;
    values_[each.axes[i]] = values[key % values.size()];
    key /= values.size();
  }
  model::Setup setup;
  const Unresolved failed = resolve(problem_, values_, setup);
  PartNode node;
  const auto which = static_cast<StepPart>(part);
  if (failed.attention && which == StepPart::attention) return node;
  if (failed.mlp && (which == StepPart::mlp || which == StepPart::mixture)) return node;
  node.valid = true;
  const bool absent = (which == StepPart::mixture && setup.model.moe.num_experts <= 0);
  const model::PartSize size = absent ? model::PartSize{} : model::part_size(setup, which);
  node.parameters_low = node.parameters_high = size.parameters;
  node.experts_low = node.experts_high = size.expert_parameters;
  node.products_low = node.products_high = size.products;
  node.times = static_cast<std::uint32_t>(times_.size());
  scratch_.ops.clear();
  if (!absent) model::lower_part(setup, which, scratch_);
  for (cost::PriceMemo* memo : memos_) {
    PartTime& sum = times_.emplace_back();
    for (const model::Op& op : scratch_.ops) add_op(sum, op, op.count * memo->price(op).time_us, false);
  }
  return node;
}

PartNode PartTable::combine(std::size_t part, std::size_t depth, std::uint64_t key) {
  const std::size_t values = problem_.axes[parts_[part].axes[depth]].values.size();
  PartNode out;
  std::vector<PartTime> least;
  for (std::size_t i = 0; i < values; ++i) {
    const PartNode& child = nodes_[find(part, depth + 1, key * values + i)];
    if (!child.valid) continue;
    if (!out.valid) {
      out = child;
      least.assign(times_.begin() + child.times,
                   times_.begin() + child.times + static_cast<std::ptrdiff_t>(memos_.size()));
      continue;
    }
    out.parameters_low = std::min(out.parameters_low, child.parameters_low);
    out.parameters_high = std::max(out.parameters_high, child.parameters_high);
    out.experts_low = std::min(out.experts_low, child.experts_low);
    out.experts_high = std::max(out.experts_high, child.experts_high);
    out.products_low = std::min(out.products_low, child.products_low);
    out.products_high = std::max(out.products_high, child.products_high);
    for (std::size_t gpu = 0; gpu < least.size(); ++gpu) {
      PartTime& a = least[gpu];
      const PartTime& b = times_[child.times + gpu];
      for (std::size_t p = 0; p < a.busy_us.size(); ++p) {
        a.busy_us[p] = std::min(a.busy_us[p], b.busy_us[p]);
        a.each_us[p] = std::min(a.each_us[p], b.each_us[p]);
        a.once_us[p] = std::min(a.once_us[p], b.once_us[p]);
      }
      a.waiting_us = std::min(a.waiting_us, b.waiting_us);
      a.update_waiting_us = std::min(a.update_waiting_us, b.update_waiting_us);
    }
  }
  if (!out.valid) return out;
  out.times = static_cast<std::uint32_t>(times_.size());
  times_.insert(times_.end(), least.begin(), least.end());
  return out;
}

void PartTable::add_update(const model::Setup& plan, model::RankParameters held, std::size_t gpu,
                           PartTime& sum) {
  scratch_.ops.clear();
  model::lower_update(plan, held, scratch_);
  const auto micro_batches = static_cast<double>(plan.plan.gradient_accumulation);
  for (const model::Op& op : scratch_.ops) {
    add_op(sum, op, op.count * cost::price(*problem_.gpus[gpu], op).time_us, op.count < micro_batches);
  }
}

}  // namespace shapelint::suggest
