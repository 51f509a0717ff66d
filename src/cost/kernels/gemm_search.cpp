// Fastest of a library's tiles and splits of k. Hopper and Blackwell have some 50 tiles: bounds, computed for
// all tiles in one loop without branches, leave a handful to try.
#include "cost/kernels/gemm_terms.hpp"

namespace shapelint::cost::product {

namespace {

constexpr auto inverse_splits = [] {
  std::array<double, splits.size()> inverse{};
  for (std::size_t i = 0; i < splits.size(); ++i) inverse[i] = 1 / splits[i];
  return inverse;
}();

// What is known before any tile is tried, and the best so far.
struct Search {
  Candidate best;
  double best_us = 1e300;
  double best_fourth = 1e300;  // of best_us
  double min_us = 0;           // the memory time that no candidate can beat
  double min_memory = 0;       // its fourth power
  double rereads = 0;          // share of the repeated loads that reach DRAM
  double slower = 1;           // of the main loop
  double thinnest_slice = 0;
};

// Fourth powers of lower bounds of the time of each tile; this where no kernel for the alignment has it.
constexpr double unavailable = 1e300;
using Bounds = std::array<double, max_tiles>;

// Whether the library has this tile for rows aligned so.
inline bool is_there(const TileTable& table, const Terms& t, std::size_t i) {
  const int tall = table.plain_m[i] >= t.min_rows ? 1 : 0;
  const int wide = table.plain_n[i] >= t.min_columns ? 1 : 0;
  return (tall & wide) != 0;
}

Search search_of(const GemmModel& g, const Terms& t) {
  Search search;
  search.min_us = ramped(g.constants, t.resident_us + t.dram_bytes * g.us_per_dram_byte);
  search.min_memory = fourth_power(search.min_us);
  search.rereads = g.constants.reread_share * std::min(1.0, t.operand_bytes * g.inverse_kept_bytes);
  search.slower = t.slowdown / t.alignment;
  search.thinnest_slice = std::max(t.k * inverse_splits.back(), std::min(t.k, min_slice));
  return search;
}

Candidate unsplit_candidate(const Terms& t, const TileRate& tile) {
  Candidate c;
  c.tile = &tile;
  c.rows = blocks(t.m, tile.inverse_m);
  c.columns = blocks(t.n, tile.inverse_n);
  c.slice = t.k;
  c.ctas = t.batch * c.rows * c.columns;
  c.waves = c.ctas * tile.inverse_units;
  return c;
}

// Whether the library splits k as c says.
bool may_split(const GemmModel& g, const Terms& t, const Candidate& c) {
  return t.k >= min_slice * c.split && c.ctas <= g.constants.split_waves * c.tile->units;
}

void set_split(const Terms& t, double tiles, std::size_t index, Candidate& c) {
  c.split = splits[index];
  c.slice = whole_ceil(t.k * inverse_splits[index]);
  c.ctas = tiles * c.split;
  c.waves = c.ctas * c.tile->inverse_units;
}

// `shared_us` is what the split costs in addition to compute and memory.
void try_candidate(const GemmModel& g, const Terms& t, Candidate& c, double shared_us, Search& search) {
  const double limit = search.best_us - shared_us;
  if (limit <= 0) return;
  const double limit_fourth = shared_us > 0 ? fourth_power(limit) : search.best_fourth;
  const double compute = compute_us(g, t, c, rounded_waves(g, t, c.waves));
  const double compute_fourth = fourth_power(compute);
  if (compute_fourth + search.min_memory >= limit_fourth) return;
  if (c.reread < 0) c.reread = search.rereads > 0 ? search.rereads * reread_bytes(g, t, c) : 0;
  const double sum = compute_fourth + fourth_power(memory_us(g, t, c, c.reread));
  if (sum >= limit_fourth) return;
  search.best = c;
  search.best_us = std::sqrt(std::sqrt(sum)) + shared_us;
  search.best_fourth = shared_us > 0 ? fourth_power(search.best_us) : sum;
}

// Tries the splits of a tile: first the one that best fills a wave, then the others, until the bound of all
// further ones says that they cannot win. `c` is the tile without a split.
void try_splits(const GemmModel& g, const Terms& t, Candidate c, Search& search) {
  const TileRate& tile = *c.tile;
  const double tiles = c.ctas;
  const double slower_step_us = step_us(t, tile) * search.slower;
  const double deepest_us = c.waves * t.k * slower_step_us;
  const double prologue_us = t.prologue_k * slower_step_us;
  const double thinnest_us = search.thinnest_slice * slower_step_us + prologue_us;
  const double filling = std::min(tile.units, t.k * (1 / min_slice) * tiles);
  std::size_t first = 1;
  while (first + 1 < splits.size() && tiles * splits[first + 1] <= filling) ++first;
  set_split(t, tiles, first, c);
  if (may_split(g, t, c)) try_candidate(g, t, c, split_us(g, t, c.split), search);
  const double waves = tiles * tile.inverse_units;
  for (std::size_t s = 1; s < splits.size(); ++s) {
    const double shared_us = split_us(g, t, splits[s]);
    const double limit = search.best_us - shared_us;
    if (limit <= 0) return;
    const double room = fourth_power(limit) - search.min_memory;
    const double even_us = deepest_us + waves * splits[s] * prologue_us;
    const double slice_us = t.k * inverse_splits[s] * slower_step_us + prologue_us;
    if (fourth_power(std::max(slice_us, even_us)) >= room) {
      if (fourth_power(std::max(thinnest_us, even_us)) >= room) return;
      continue;
    }
    if (s == first) continue;
    set_split(t, tiles, s, c);
    if (!may_split(g, t, c)) return;
    try_candidate(g, t, c, shared_us, search);
  }
}

// Unlike std::max and std::min they work on values, which the compiler can do for several tiles at once.
inline double larger(double a, double b) {
  return a > b ? a : b;
}
inline double smaller(double a, double b) {
  return a < b ? a : b;
}

// Every tile with all of k, except for rereads.
void bound_unsplit(const GemmModel& g, const Terms& t, const Search& search, Bounds& bounds) {
  const TileTable& table = g.tiles;
  const auto& step_us = t.min_rows > 0 ? table.load_step_us : table.step_us;
  const double unsplit_k = (t.k + t.prologue_k) * search.slower;
  const double feed_us = t.k * g.us_per_feed_byte * search.slower;
  const double dram_us = t.dram_bytes * g.us_per_dram_byte;
  const double sm_dram_us = t.dram_bytes / g.sm_dram_bytes_per_us;
  const double others_us = search.min_us - dram_us;  // the ramp of a longer transfer is no shorter
  for (std::size_t i = 0; i < table.count; ++i) {
    const double tiles = t.batch * blocks(t.m, table.inverse_m[i]) * blocks(t.n, table.inverse_n[i]);
    const double waves = rounded_waves(g, t, tiles * table.inverse_units[i]);
    const double compute = larger(waves * unsplit_k * step_us[i], tiles * table.row_bytes[i] * feed_us);
    const double active = smaller(tiles, table.units[i]) * table.sms[i];
    bounds[i] = fourth_power(compute) + fourth_power(others_us + larger(dram_us, sm_dram_us / active)) +
                (is_there(table, t, i) ? 0.0 : unavailable);
  }
}

// Every tile with all of its splits, without their reduction.
void bound_split(const GemmModel& g, const Terms& t, const Search& search, Bounds& bounds) {
  const TileTable& table = g.tiles;
  const auto& step_us = t.min_rows > 0 ? table.load_step_us : table.step_us;
  const double split_k = (t.k + splits[1] * t.prologue_k) * search.slower;
  const double thinnest_k = (search.thinnest_slice + t.prologue_k) * search.slower;
  const double feed_us = t.k * g.us_per_feed_byte * search.slower;
  const double dram_us = t.dram_bytes * g.us_per_dram_byte;
  const double most_splits = std::min(splits.back(), t.k / min_slice);
  const double sm_dram_us = t.dram_bytes / g.sm_dram_bytes_per_us;
  const double others_us = search.min_us - dram_us;
  for (std::size_t i = 0; i < table.count; ++i) {
    const double tiles = t.batch * blocks(t.m, table.inverse_m[i]) * blocks(t.n, table.inverse_n[i]);
    const double deepest = larger(tiles * table.inverse_units[i] * split_k, thinnest_k);
    const double compute = larger(deepest * step_us[i], tiles * table.row_bytes[i] * feed_us);
    const double active = smaller(tiles * most_splits, table.units[i]) * table.sms[i];
    bounds[i] = fourth_power(compute) + fourth_power(others_us + larger(dram_us, sm_dram_us / active)) +
                (is_there(table, t, i) ? 0.0 : unavailable);
  }
}

// Four at a time, since each comparison waits for the one before it.
std::size_t index_of_least(const Bounds& bounds, std::size_t count) {
  std::array<double, 4> least{1e300, 1e300, 1e300, 1e300};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) least[j] = smaller(least[j], bounds[i + j]);
  }
  for (; i < count; ++i) least[0] = smaller(least[0], bounds[i]);
  const double value = smaller(smaller(least[0], least[1]), smaller(least[2], least[3]));
  std::size_t index = 0;
  while (index + 1 < count && bounds[index] > value) ++index;
  return index;
}

}  // namespace

double candidate_us(const GemmModel& g, const Terms& t, const Candidate& c) {
  return smooth_max(compute_us(g, t, c, rounded_waves(g, t, c.waves)), memory_us(g, t, c, c.reread)) +
         split_us(g, t, c.split);
}

Candidate best_candidate(const GemmModel& g, const Terms& t) {
  Search search = search_of(g, t);
  const TileTable& table = g.tiles;
  Bounds bounds;
  const auto candidate = [&](std::size_t i) {
    Candidate c = unsplit_candidate(t, table.tiles[i]);
    c.reread = -1;  // not worked out yet
    return c;
  };

  bound_unsplit(g, t, search, bounds);
  // The tile of the least bound goes first, to rule out most others.
  const std::size_t first = index_of_least(bounds, table.count);
  Candidate c = candidate(first);
  try_candidate(g, t, c, 0, search);
  for (std::size_t i = 0; i < table.count; ++i) {
    if (bounds[i] >= search.best_fourth || i == first) continue;
    c = candidate(i);
    try_candidate(g, t, c, 0, search);
  }

  if (t.k < splits[1] * min_slice) return search.best;
  const double shared_us = split_us(g, t, splits[1]);
  const auto limit = [&] { return fourth_power(std::max(0.0, search.best_us - shared_us)); };
  // Tiles are sorted by the least time that they take per unit of work.
  const double min_compute = t.batch * t.m * t.n * t.k * search.slower * table.tiles[0].floor_us_per_area;
  if (fourth_power(min_compute) + search.min_memory >= limit()) return search.best;
  bound_split(g, t, search, bounds);
  const std::size_t first_split = index_of_least(bounds, table.count);
  if (bounds[first_split] >= limit()) return search.best;
  try_splits(g, t, candidate(first_split), search);
  double highest = limit();
  for (std::size_t i = 0; i < table.count; ++i) {
    if (bounds[i] >= highest || i == first_split) continue;
    try_splits(g, t, candidate(i), search);
    highest = limit();
  }
  return search.best;
}

Candidate best_by_exhaustion(const GemmModel& g, const Terms& t) {
  const double rereads = search_of(g, t).rereads;
  Candidate best;
  double best_us = 1e300;
  for (std::size_t i = 0; i < g.tiles.count; ++i) {
    if (!is_there(g.tiles, t, i)) continue;
    Candidate c = unsplit_candidate(t, g.tiles.tiles[i]);
    c.reread = rereads * reread_bytes(g, t, c);
    const double tiles = c.ctas;
    for (std::size_t s = 0; s < splits.size(); ++s) {
      if (s > 0) set_split(t, tiles, s, c);
      if (s > 0 && !may_split(g, t, c)) continue;
      const double us = candidate_us(g, t, c);
      if (us >= best_us) continue;
      best_us = us;
      best = c;
    }
  }
  return best;
}

}  // namespace shapelint::cost::product
