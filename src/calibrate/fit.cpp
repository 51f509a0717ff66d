// Searches the constants: controlled random search over the whole box, then a local simplex search from its
// result and from the base, whichever is better.
#include "calibrate/fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlopt.hpp>

#include "base/counted.hpp"
#include "base/number.hpp"

namespace shapelint::calibrate {

namespace {

constexpr std::size_t min_rows = 50;
constexpr std::size_t min_sites = 3;
constexpr double tolerance = 1e-5;
// A constant that changes the loss by less than this is not determined by the data.
constexpr double min_effect = 2e-4;

// For a few rows that are to adjust a profile. Its predictions err by `usual_error`, and its constants by
// `usual_move` of what is plausible; rows of one n and k are wrong alike, so that a site counts once.
constexpr std::size_t min_adjusting_rows = 5;
constexpr double usual_error = 0.05;
constexpr double usual_move = 0.1;

// A constant's value as a place between its bounds, from 0 to 1, and back.
double to_place(const gpu::GemmConstant& c, double value) {
  const double least = c.logarithmic ? std::max(c.least, c.most * 1e-4) : c.least;
  const double place = c.logarithmic ? std::log(std::max(value, least) / least) / std::log(c.most / least)
                                     : (value - least) / (c.most - least);
  return std::clamp(place, 0.0, 1.0);
}
double to_value(const gpu::GemmConstant& c, double place) {
  const double least = c.logarithmic ? std::max(c.least, c.most * 1e-4) : c.least;
  return c.logarithmic ? least * std::pow(c.most / least, place) : least + (c.most - least) * place;
}

std::size_t count_sites(std::span<const MeasuredShape> rows) {
  std::set<std::pair<std::int64_t, std::int64_t>> sites;
  for (const MeasuredShape& row : rows) sites.emplace(row.shape.n, row.shape.k);
  return sites.size();
}

struct Search {
  gpu::Gpu gpu;
  gpu::ConstantSet set;
  std::vector<MeasuredShape> rows;
  std::vector<const gpu::GemmConstant*> free;
  gpu::GemmConstants base;
  const FitOptions* options = nullptr;
  std::string what;
  double done = 0;  // evaluations so far
  double all = 1;
  double hold = 0;  // of the base's places against the rows
  std::vector<double> origin{};

  gpu::GemmConstants constants(const std::vector<double>& places) const {
    gpu::GemmConstants result = base;
    for (std::size_t i = 0; i < free.size(); ++i) result.*free[i]->member = to_value(*free[i], places[i]);
    return result;
  }
  std::vector<double> places(const gpu::GemmConstants& from) const {
    std::vector<double> result;
    for (const gpu::GemmConstant* each : free) result.push_back(to_place(*each, from.*each->member));
    return result;
  }
  double loss(const gpu::GemmConstants& candidate) {
    gpu.calibration.gemm[static_cast<std::size_t>(set)].constants = candidate;
    const std::vector<double> times = predict(gpu, rows, timing());
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) sum += std::abs(std::log(times[i] / rows[i].time_us));
    return sum / static_cast<double>(rows.size());
  }
  cost::Timing timing() const { return options->adjust ? cost::Timing::in_step : cost::Timing::as_measured; }
  void hold_to_base() {
    hold = usual_error / static_cast<double>(count_sites(rows));
    origin = places(base);
  }
  double held(const std::vector<double>& at) const {
    double sum = 0;
    for (std::size_t i = 0; i < origin.size(); ++i)
      sum += (at[i] - origin[i]) * (at[i] - origin[i]) / (2 * usual_move * usual_move);
    return hold * sum;
  }
  double objective(const std::vector<double>& at) { return loss(constants(at)) + held(at); }
};

double objective(const std::vector<double>& places, std::vector<double>&, void* data) {
  Search& search = *static_cast<Search*>(data);
  search.done += 1;
  if (search.options->progress && static_cast<std::int64_t>(search.done) % 64 == 0) {
    search.options->progress(search.what, std::min(1.0, search.done / search.all));
  }
  return search.objective(places);
}

double minimize(Search& search, nlopt::algorithm algorithm, std::vector<double>& places, int evaluations,
                unsigned population) {
  nlopt::opt opt(algorithm, static_cast<unsigned>(places.size()));
  opt.set_lower_bounds(0.0);
  opt.set_upper_bounds(1.0);
  opt.set_min_objective(objective, &search);
  opt.set_maxeval(evaluations);
  opt.set_ftol_rel(tolerance);
  if (population > 0) opt.set_population(population);
  double loss = 0;
  try {
    opt.optimize(places, loss);
  } catch (const nlopt::roundoff_limited&) {
    // The best place so far is in `places`; its loss is worked out below.
  }
  return search.objective(places);
}

gpu::GemmConstants search_all(Search& search) {
  const int evaluations = static_cast<int>(search.options->evaluations);
  search.done = 0;
  search.all = 2.5 * evaluations;
  nlopt::srand(search.options->seed);
  std::vector<double> from_base = search.places(search.base);
  if (search.options->adjust) {
    search.all = evaluations;
    search.hold_to_base();
    from_base = search.origin;
    // A simplex that has shrunk to nothing may go on from where it is.
    double loss = search.objective(from_base);
    for (double last = loss + 1; last - loss > tolerance && search.done < evaluations;) {
      last = loss;
      loss = minimize(search, nlopt::LN_SBPLX, from_base, evaluations, 0);
    }
    return search.constants(from_base);
  }
  double base_loss = minimize(search, nlopt::LN_SBPLX, from_base, evaluations / 2, 0);
  std::vector<double> from_box = from_base;
  const auto population = static_cast<unsigned>(20 * (search.free.size() + 1));
  minimize(search, nlopt::GN_CRS2_LM, from_box, evaluations, population);
  double box_loss = minimize(search, nlopt::LN_SBPLX, from_box, evaluations / 2, 0);
  std::vector<double>& best = box_loss < base_loss ? from_box : from_base;
  minimize(search, nlopt::LN_SBPLX, best, evaluations / 2, 0);
  return search.constants(best);
}

// The model takes a stricter alignment as never slower than a laxer one; the constants should say so too.
void make_monotone(gpu::GemmConstants& c) {
  c.align_k_8b = std::min(c.align_k_8b, c.align_k_16b);
  c.align_k_4b = std::min(c.align_k_4b, c.align_k_8b);
  c.align_k_2b = std::min(c.align_k_2b, c.align_k_4b);
  c.align_n_8b = std::min(c.align_n_8b, c.align_n_16b);
  c.align_n_4b = std::min(c.align_n_4b, c.align_n_8b);
  c.align_n_2b = std::min(c.align_n_2b, c.align_n_4b);
}

// Where the search ran into its limits, the loss of long products is some other effect's: it is not carried
// over to steps, which last for longer.
void forget_unknown_power(gpu::GemmConstants& c) {
  const auto limits = gpu::gemm_constants();
  const auto at_limit = [&](double gpu::GemmConstants::*member) {
    const auto each =
        std::find_if(limits.begin(), limits.end(), [&](const auto& one) { return one.member == member; });
    return c.*member >= each->most || c.*member <= each->least;
  };
  if (at_limit(&gpu::GemmConstants::power_drop) || at_limit(&gpu::GemmConstants::power_us))
    c.power_reach_us = 0;
}

std::vector<MeasuredShape> sampled(std::vector<MeasuredShape> rows, std::size_t most, std::uint32_t seed) {
  // Fisher-Yates with a linear congruential generator (Knuth's MMIX), the same everywhere.
  std::uint64_t state = seed;
  for (std::size_t i = rows.size(); i > 1; --i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::swap(rows[i - 1], rows[static_cast<std::size_t>((state >> 33U) % i)]);
  }
  if (rows.size() > most) rows.resize(most);
  return rows;
}

}  // namespace

Result<Fit> fit(const gpu::Gpu& gpu, gpu::ConstantSet set, std::span<const MeasuredShape> rows,
                const FitOptions& options) {
  const std::size_t sites = count_sites(rows);
  const std::size_t least = options.adjust ? min_adjusting_rows : min_rows;
  const std::size_t min_places = options.adjust ? 1 : min_sites;
  if (rows.size() < least || sites < min_places) {
    return Error{
        fmt::format("{} at {} of n and k", counted(rows.size(), "row"), counted(sites, "pair")),
        fmt::format("at least {} at {} are needed", counted(least, "row"), counted(min_places, "pair")),
        {},
        {}};
  }
  Choice choice =
      options.adjust ? choose_to_adjust(gpu, set) : choose_constants(gpu, set, rows, options.rotated);
  Search search{gpu, set, {}, choice.free, choice.start, &options, "fit", 0, 1};
  if (options.adjust) {
    // A value that the search could not even begin from (an effect that the base does not have) stays.
    std::erase_if(search.free, [&](const gpu::GemmConstant* each) {
      const double value = choice.start.*each->member;
      return std::abs(to_value(*each, to_place(*each, value)) - value) > 1e-9 * std::abs(value);
    });
    choice.free = search.free;
  }
  // Else the rates of a relative, and its recipe, would be what is priced.
  gpu::GemmCalibration& fitted = search.gpu.calibration.gemm[static_cast<std::size_t>(set)];
  fitted.own = !options.adjust || gpu.calibration.status == "calibrated";
  if (fitted.source.empty()) fitted.source = "the fit";
  const std::vector<MeasuredShape> all(rows.begin(), rows.end());

  Fit result;
  result.kept = std::move(choice.kept);
  result.before = score(rows, predict(gpu, rows, search.timing()));

  std::vector<double> left_out(rows.size(), 0.0);
  for (std::size_t fold = 0; fold < options.folds && options.folds > 1; ++fold) {
    std::vector<MeasuredShape> others;
    for (const MeasuredShape& row : rows) {
      if (fold_of(row.shape, options.folds) != fold) others.push_back(row);
    }
    if (others.size() < least) continue;
    search.rows = sampled(std::move(others), options.sample, options.seed);
    search.what = fmt::format("cross-validation {} of {}", fold + 1, options.folds);
    search.gpu.calibration.gemm[static_cast<std::size_t>(set)].constants = search_all(search);
    const std::vector<double> times = predict(search.gpu, rows, search.timing());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (fold_of(rows[i].shape, options.folds) == fold) left_out[i] = times[i];
    }
  }
  std::vector<MeasuredShape> covered;
  std::vector<double> covered_times;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (left_out[i] <= 0) continue;
    covered.push_back(rows[i]);
    covered_times.push_back(left_out[i]);
  }
  result.left_out = score(covered, covered_times);

  search.rows = sampled(all, options.sample, options.seed);
  search.what = "all data";
  gpu::GemmConstants best = search_all(search);
  double loss = search.loss(best);
  for (const gpu::GemmConstant* each : choice.free) {
    // Steps to both sides, of a seventh of the plausible range: when neither matters, nor does the value.
    const double place = to_place(*each, best.*each->member);
    double effect = 0;
    for (const double step : {-1.0 / 7, 1.0 / 7}) {
      gpu::GemmConstants other = best;
      other.*each->member = to_value(*each, std::clamp(place + step, 0.0, 1.0));
      effect = std::max(effect, search.loss(other) - loss);
    }
    gpu::GemmConstants without = best;
    without.*each->member = choice.start.*each->member;
    if (effect > min_effect || search.loss(without) > loss + min_effect) continue;
    best = without;
    loss = search.loss(best);
    result.kept.push_back({each->key, "the data does not determine it"});
  }
  make_monotone(best);
  if (!options.adjust) forget_unknown_power(best);
  result.loss = loss;
  search.gpu.calibration.gemm[static_cast<std::size_t>(set)].constants = best;
  result.after = score(rows, predict(search.gpu, rows, search.timing()));
  result.constants = best;
  return result;
}

}  // namespace shapelint::calibrate
