// Pairs of a query and a key that attention's mask leaves over.
#include "model/lower/attention/pairs.hpp"

#include <algorithm>

namespace shapelint::model {

double visible_pairs(double queries, double keys, bool causal, double window) {
  if (!causal && window <= 0) return queries * keys;
  if (keys < queries && window <= 0) return queries * (keys + 1) / 2;
  const double rows = std::min(queries, keys);
  if (window > 0) {  // the first queries of all see fewer
    const double before = keys - rows;
    const double growing = std::clamp(window - before, 0.0, rows);
    return growing * before + growing * (growing + 1) / 2 + (rows - growing) * window;
  }
  return rows * keys - rows * (rows - 1) / 2;
}

}  // namespace shapelint::model
