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
  bool operator()(const Found& a, const Found& b) const;
  std::size_t changes(const Found& found) const;
  // Whether both change the same fields.
  bool same_fields(const Found& a, const Found& b) const;
  // Whether `a` changes some of the fields that `b` changes, and no others.
  bool fewer_fields(const Found& a, const Found& b) const;

 private:
  std::vector<std::int64_t> start_;  // by axis
  std::int64_t parameters_ = 0;
};

// Leaves out candidates that change what another one changes and more besides, and are no better for it.
void drop_idle_changes(const Order& order, std::vector<Found>& best);

// The best candidates; of those that change the same fields only the best one, when `distinct`.
class TopList {
 public:
  TopList(const Order& order, std::size_t keep, bool distinct)
      : order_(order), keep_(keep), distinct_(distinct) {}
  // The value that candidates must reach to get in; 0 while there is room.
  double cut() const { return best_.size() < keep_ ? 0 : best_.back().value - value_resolution; }
  void add(Found found);
  const std::vector<Found>& best() const { return best_; }

 private:
  const Order& order_;
  std::size_t keep_;
  bool distinct_;
  std::vector<Found> best_;
};

// Candidates that no other beats in speed with as many parameters.
class Front {
 public:
  explicit Front(const Order& order) : order_(order) {}
  bool dominates(std::int64_t parameters, double speed) const;
  void add(const Found& found);
  std::vector<Found> points() const;  // by parameters, ascending

 private:
  const Order& order_;
  std::map<std::int64_t, Found> points_;  // the more parameters, the slower
};

}  // namespace shapelint::suggest
