// Order, best and front.
#include "suggest/search/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/lower/lower.hpp"

namespace shapelint::suggest {

Order::Order(const Problem& problem) : parameters_(model::parameter_count(problem.start)) {
  for (const Axis& axis : problem.axes) {
    const bool relative = problem.relative_groups && axis.field == model::FieldId::num_key_value_heads;
    start_.push_back(relative ? 0 : model::get(problem.start, axis.field));
  }
}

std::size_t Order::changes(const RankedPoint& found) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < start_.size(); ++i) count += found.values[i] == start_[i] ? 0 : 1;
  return count;
}

bool Order::operator()(const RankedPoint& a, const RankedPoint& b) const {
  const auto rank_a = std::llround(a.value / value_resolution);
  const auto rank_b = std::llround(b.value / value_resolution);
  if (rank_a != rank_b) return rank_a > rank_b;
  const std::size_t changes_a = changes(a);
  const std::size_t changes_b = changes(b);
  if (changes_a != changes_b) return changes_a < changes_b;
  const std::int64_t distance_a = std::abs(a.parameters - parameters_);
  const std::int64_t distance_b = std::abs(b.parameters - parameters_);
  if (distance_a != distance_b) return distance_a < distance_b;
  return a.values < b.values;
}

bool Order::same_fields(const RankedPoint& a, const RankedPoint& b) const {
  for (std::size_t i = 0; i < start_.size(); ++i) {
    if ((a.values[i] == start_[i]) != (b.values[i] == start_[i])) return false;
  }
  return true;
}

bool Order::fewer_fields(const RankedPoint& a, const RankedPoint& b) const {
  bool fewer = false;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const bool in_a = a.values[i] != start_[i];
    const bool in_b = b.values[i] != start_[i];
    if (in_a && !in_b) return false;
    fewer = fewer || (in_b && !in_a);
  }
  return fewer;
}

void drop_idle_changes(const Order& order, std::vector<RankedPoint>& best) {
  std::vector<RankedPoint> kept;
  for (const RankedPoint& each : best) {
    const bool idle = std::any_of(best.begin(), best.end(), [&](const RankedPoint& other) {
      return order.fewer_fields(other, each) && other.value >= each.value - value_resolution;
    });
    if (!idle) kept.push_back(each);
  }
  best = std::move(kept);
}

void TopList::add(RankedPoint found) {
  if (distinct_) {
    const auto same = std::find_if(best_.begin(), best_.end(),
                                   [&](const RankedPoint& each) { return order_.same_fields(each, found); });
    if (same != best_.end()) {
      if (!order_(found, *same)) return;
      best_.erase(same);
    }
  }
  const auto place = std::upper_bound(best_.begin(), best_.end(), found, order_);
  if (place == best_.end() && best_.size() >= keep_) return;
  best_.insert(place, std::move(found));
  if (best_.size() > keep_) best_.pop_back();
}

bool ParetoFront::dominates(std::int64_t parameters, double speed) const {
  const auto found = points_.lower_bound(parameters);
  return found != points_.end() && found->second.speed > speed;
}

void ParetoFront::add(const RankedPoint& found) {
  const auto beside = points_.lower_bound(found.parameters);
  if (beside != points_.end()) {
    if (beside->second.speed > found.speed) return;
    if (beside->second.speed == found.speed &&
        (beside->first > found.parameters || !order_(found, beside->second))) {
      return;
    }
  }
  auto slower = points_.upper_bound(found.parameters);
  while (slower != points_.begin()) {
    const auto before = std::prev(slower);
    if (before->second.speed > found.speed) break;
    slower = points_.erase(before);
  }
  points_[found.parameters] = found;
}

std::vector<RankedPoint> ParetoFront::points() const {
  std::vector<RankedPoint> out;
  out.reserve(points_.size());
  for (const auto& [parameters, found] : points_) out.push_back(found);
  return out;
}

}  // namespace shapelint::suggest
