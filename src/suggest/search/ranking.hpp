// Keeping the best of many candidates, and the front of parameters against speed. Internal to the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "suggest/search/optimize.hpp"

namespace shapelint::suggest {

// Values closer than this are the same value: 0.05 % of the step, which no prediction can tell apart.
inline constexpr double value_resolution = 5e-4;

// A total order, so that answers do not depend on the order of the search: larger value first; then fewer
// changed fields, the smaller change of parameters, the smaller values.
class Order {
 public:
  explicit Order(const Problem& problem);
  bool operator()(const RankedPoint& a, const RankedPoint& b) const;
  std::size_t changes(const RankedPoint& found) const;
  // Whether both change the same fields.
  bool same_fields(const RankedPoint& a, const RankedPoint& b) const;
  // Whether `a` changes some of the fields that `b` changes, and no others.
  bool fewer_fields(const RankedPoint& a, const RankedPoint& b) const;

 private:
  std::vector<std::int64_t> start_;  // by axis
  std::int64_t parameters_ = 0;
};

// Leaves out candidates that change what another one changes and more besides, and are no better for it.
void drop_idle_changes(const Order& order, std::vector<RankedPoint>& best);

// The best candidates; of those that change the same fields only the best one, when `distinct`.
class TopList {
 public:
  TopList(const Order& order, std::size_t keep, bool distinct)
      : order_(order), keep_(keep), distinct_(distinct) {}
  // The value that candidates must reach to get in; 0 while there is room.
  double cut() const { return best_.size() < keep_ ? 0 : best_.back().value - value_resolution; }
  void add(RankedPoint found);
  const std::vector<RankedPoint>& best() const { return best_; }

 private:
  const Order& order_;
  std::size_t keep_;
  bool distinct_;
  std::vector<RankedPoint> best_;
};

// Candidates that no other beats in speed with as many parameters.
class ParetoFront {
 public:
  explicit ParetoFront(const Order& order) : order_(order) {}
  bool dominates(std::int64_t parameters, double speed) const;
  void add(const RankedPoint& found);
  std::vector<RankedPoint> points() const;  // by parameters, ascending

 private:
  const Order& order_;
  std::map<std::int64_t, RankedPoint> points_;  // the more parameters, the slower
};

}  // namespace shapelint::suggest
