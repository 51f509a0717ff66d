// Prices of a model's parts.
#include "suggest/search/part_table.hpp"
#include "model/mixer.hpp"

#include <algorithm>

namespace shapelint::suggest {

using model::ModelComponent;

void add_op(PartTime& to, const model::Op& op, double time_us, bool once) {
  const cost::Phase phase = cost::phase_of(op.pass);
  if (op.component == model::Component::embedding && phase != cost::Phase::update) to.embedding_us += time_us;
  cost::PhaseTimes& times = to.phases[static_cast<std::size_t>(phase)];
  to.host_us += op.count * op.host_us;
  if (op.kind != model::OpKind::collective) {
    times.busy_us += time_us;
    if (op.overlaps_shared_experts) times.shared_us += time_us;
  } else if (op.overlaps_shared_experts) {
    times.overlapped_all_to_all_us += time_us;
  } else if (op.overlapped) {
    (once ? times.per_step_us : times.each_us) += time_us;
  } else {
    (phase == cost::Phase::update ? to.update_waiting_us : to.waiting_us) += time_us;
  }
}

void add(PartTime& to, const PartTime& part, double times) {
  for (std::size_t i = 0; i < to.phases.size(); ++i) {
    to.phases[i].busy_us += times * part.phases[i].busy_us;
    to.phases[i].each_us += times * part.phases[i].each_us;
    to.phases[i].per_step_us += times * part.phases[i].per_step_us;
    to.phases[i].shared_us += times * part.phases[i].shared_us;
    to.phases[i].overlapped_all_to_all_us += times * part.phases[i].overlapped_all_to_all_us;
  }
  to.waiting_us += times * part.waiting_us;
  to.update_waiting_us += times * part.update_waiting_us;
  to.embedding_us += times * part.embedding_us;
  to.host_us += times * part.host_us;
}

cost::StageSums sums_of(const PartTime& sum, double micro_batches) {
  double time_us = sum.waiting_us + sum.update_waiting_us;
  double per_micro_batch_us = 0;
  for (std::size_t i = 0; i < sum.phases.size(); ++i) {
    const cost::PhaseTimes& phase = sum.phases[i];
    const cost::HiddenCommunication behind = cost::hidden(phase, micro_batches);
    const double waited_us = phase.overlapped_all_to_all_us - behind.overlapped_all_to_all_us;
    time_us +=
        phase.busy_us + phase.per_step_us - behind.per_step_us + phase.each_us - behind.each_us + waited_us;
    if (static_cast<cost::Phase>(i) != cost::Phase::update) per_micro_batch_us += phase.busy_us + waited_us;
  }
  per_micro_batch_us += sum.waiting_us;
  return {std::max(time_us, sum.host_us), per_micro_batch_us, sum.embedding_us, 0};
}

double step_us(const PartTime& sum, double micro_batches, double pipeline_bubble) {
  const cost::StageSums sums = sums_of(sum, micro_batches);
  return sums.time_us + std::max(pipeline_bubble, 0.0) * sums.each_us;
}

PartTable::PartTable(const Problem& problem, std::span<cost::PriceMemo* const> memos)
    : problem_(problem), memos_(memos.begin(), memos.end()) {
  std::vector<model::FieldId> varying;
  for (const Axis& axis : problem.axes) varying.push_back(axis.field);
  const model::PartDependence dependence = model::part_dependence(problem.start, varying);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    PartAxes& each = parts_[part];
    for (std::size_t axis = 0; axis < problem.axes.size(); ++axis) {
      if (model::depends_on(static_cast<ModelComponent>(part), problem.axes[axis].field, dependence))
        each.axes.push_back(axis);
    }
    each.maps.resize(each.axes.size() + 1);
  }
  values_.resize(problem.axes.size());
  clear();
}

std::size_t PartTable::bytes() const {
  std::size_t bytes = nodes_.capacity() * sizeof(PartNode) + times_.capacity() * sizeof(PartTime);
  for (const PartAxes& each : parts_) {
    for (const Map& map : each.maps) bytes += map.bucket_count() * 3 * sizeof(std::uint64_t);
  }
  for (const auto& memo : own_memos_) bytes += memo->bytes();
  return bytes;
}

void PartTable::limit(std::size_t most_bytes, const std::atomic<bool>* stop, std::size_t most_parts) {
  most_bytes_ = most_bytes;
  stop_ = stop;
  parts_left_ = most_parts;
}

void PartTable::weigh() {
  constexpr std::size_t between = 1024;  // parts: looking at the maps takes longer than one
  if (++made_ < between) return;
  made_ = 0;
  const std::size_t now = bytes();
  is_full_ = now > most_bytes_;
  is_overfull_ = now / 2 > most_bytes_;
  std::size_t memos = 0;
  for (const auto& memo : own_memos_) memos += memo->bytes();
  if (memos > most_bytes_ / 2) clear_memos();
}

void PartTable::clear_memos() {
  if (!memos_.empty() && own_memos_.empty()) return;
  own_memos_.clear();
  memos_.clear();
  for (const gpu::Gpu* gpu : problem_.gpus) {
    own_memos_.push_back(std::make_unique<cost::PriceMemo>(*gpu));
    memos_.push_back(own_memos_.back().get());
  }
}

void PartTable::clear() {
  nodes_ = {};
  times_ = {};
  is_full_ = is_overfull_ = false;
  clear_memos();
  for (PartAxes& each : parts_) {
    for (Map& map : each.maps) map = {};
  }
}

const PartNode& PartTable::node(ModelComponent part, std::size_t depth,
                                std::span<const std::uint32_t> positions) {
  const PartAxes& each = parts_[static_cast<std::size_t>(part)];
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < depth; ++i) {
    key = key * problem_.axes[each.axes[i]].values.size() + positions[each.axes[i]];
  }
  return nodes_[find(static_cast<std::size_t>(part), depth, key)];
}

std::uint32_t PartTable::find(std::size_t part, std::size_t depth, std::uint64_t key) {
  const Map& known = parts_[part].maps[depth];
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const PartNode made = make(part, depth, key);
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(made);
  parts_[part].maps[depth].emplace(key, index);
  return index;
}

PartNode PartTable::make(std::size_t part, std::size_t depth, std::uint64_t key) {
  if (depth < parts_[part].axes.size()) return combine(part, depth, key);
  if (parts_left_ == 0 || (stop_ != nullptr && stop_->load(std::memory_order_relaxed))) throw Stopped{};
  --parts_left_;
  weigh();
  return compute(part, key);
}

PartNode PartTable::price_node(std::size_t part, std::size_t depth, std::uint64_t key) {
  const Map& known = parts_[part].maps[depth];
  if (const auto found = known.find(key); found != known.end()) return nodes_[found->second];
  return is_full_ ? make(part, depth, key) : nodes_[find(part, depth, key)];
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
  const auto which = static_cast<ModelComponent>(part);
  if (failed.attention && which == ModelComponent::attention) return node;
  if (failed.mlp && (which == ModelComponent::mlp || which == ModelComponent::mixture)) return node;
  node.valid = true;
  const bool absent = (which == ModelComponent::mixture && setup.model.moe.num_experts <= 0) ||
                      (model::mixer_of(which) < model::most_mixers &&
                       setup.model.mixers[model::mixer_of(which)].kind == model::MixerKind::none);
  const model::PartSize size = absent ? model::PartSize{} : model::part_size(setup, which);
  node.parameters_low = node.parameters_high = size.parameters;
  node.experts_low = node.experts_high = size.expert_parameters;
  node.whole_low = size.whole_parameters;
  node.products_low = node.products_high = size.products;
  if (!absent) node.adapters = model::adapter_size(setup, which);
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
    // What a child that is not remembered leaves behind goes when it has been looked at.
    const std::size_t nodes_before = nodes_.size();
    const std::size_t times_before = times_.size();
    const PartNode child = price_node(part, depth + 1, key * values + i);
    const auto forget = [&] {
      if (nodes_.size() == nodes_before) times_.resize(times_before);
    };
    if (!child.valid) {
      forget();
      continue;
    }
    if (!out.valid) {
      out = child;
      const auto begin = times_.begin() + static_cast<std::ptrdiff_t>(child.times);
      least.assign(begin, begin + static_cast<std::ptrdiff_t>(memos_.size()));
      forget();
      continue;
    }
    out.parameters_low = std::min(out.parameters_low, child.parameters_low);
    out.parameters_high = std::max(out.parameters_high, child.parameters_high);
    out.experts_low = std::min(out.experts_low, child.experts_low);
    out.whole_low = std::min(out.whole_low, child.whole_low);
    out.experts_high = std::max(out.experts_high, child.experts_high);
    out.products_low = std::min(out.products_low, child.products_low);
    out.products_high = std::max(out.products_high, child.products_high);
    out.adapters.dense = std::min(out.adapters.dense, child.adapters.dense);
    out.adapters.expert = std::min(out.adapters.expert, child.adapters.expert);
    for (std::size_t gpu = 0; gpu < least.size(); ++gpu) {
      PartTime& a = least[gpu];
      const PartTime& b = times_[child.times + gpu];
      for (std::size_t p = 0; p < a.phases.size(); ++p) {
        a.phases[p].busy_us = std::min(a.phases[p].busy_us, b.phases[p].busy_us);
        a.phases[p].each_us = std::min(a.phases[p].each_us, b.phases[p].each_us);
        a.phases[p].per_step_us = std::min(a.phases[p].per_step_us, b.phases[p].per_step_us);
        a.phases[p].shared_us = std::max(a.phases[p].shared_us, b.phases[p].shared_us);  // they hide
        a.phases[p].overlapped_all_to_all_us =
            std::min(a.phases[p].overlapped_all_to_all_us, b.phases[p].overlapped_all_to_all_us);
      }
      a.waiting_us = std::min(a.waiting_us, b.waiting_us);
      a.update_waiting_us = std::min(a.update_waiting_us, b.update_waiting_us);
      a.embedding_us = std::max(a.embedding_us, b.embedding_us);  // other stages are without
      a.host_us = std::min(a.host_us, b.host_us);
    }
    forget();
  }
  if (!out.valid) return out;
  out.times = static_cast<std::uint32_t>(times_.size());
  times_.insert(times_.end(), least.begin(), least.end());
  return out;
}

void PartTable::add_update(const model::Setup& plan, model::RankParameters held,
                           model::RankParameters adapters, std::size_t gpu, PartTime& sum) {
  scratch_.ops.clear();
  model::lower_update(plan, held, adapters, scratch_);
  const auto micro_batches = static_cast<double>(plan.plan.gradient_accumulation);
  for (const model::Op& op : scratch_.ops) {
    add_op(sum, op, op.count * cost::price(*problem_.gpus[gpu], op).time_us, op.count < micro_batches);
  }
}

}  // namespace shapelint::suggest
