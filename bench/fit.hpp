// What programs that fit an entry of gpus/engines to a table of timings have in common: which half of the
// sites takes part, which constants are searched for, and the search.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlopt.hpp>

#include "base/number.hpp"
#include "calibrate/tables.hpp"
#include "cost/engines/kinds.hpp"
#include "gpu/engines.hpp"
#include "gpu/registry.hpp"

namespace shapelint::bench {

constexpr double min_us = 50;         // below, launches are most of the time
constexpr double short_weight = 0.4;  // of such rows
constexpr double most_log =
    1.5;  // that one row adds: kernels that an autotuner chose badly say nothing of others
constexpr int default_evaluations = 900;

// Which half a site is in; the same for all runs of it. FNV-1a from a start of its own:
// another start would make other halves than the constants of gpus/engines were fitted to.
inline bool is_fitted(const std::string& site) {
  std::uint64_t hash = 1469598103934665603U;
  for (const char c : site) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return ((hash >> 20U) & 1U) != 0;
}

// A table of timings: its rows as `shapelint kernels` reads them, the GPU of each, and what it took.
struct Table {
  std::string text;  // that the rows point into
  calibrate::KernelTable rows;
  std::vector<std::string> gpus;
  std::vector<double> times_us;
};

inline std::vector<std::string_view> cells_of(std::string_view line) {
  while (line.ends_with('\r') || line.ends_with('\n')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// False, with the reason on stderr, where it cannot be read.
inline bool read_table(const char* path, const cost::KernelKind& kind, Table& table) {
  std::ifstream file(path);
  table.text.assign(std::istreambuf_iterator<char>(file), {});
  std::vector<Error> errors;
  table.rows = calibrate::read_kernel_rows(table.text, path, kind, errors);
  for (const Error& error : errors) fmt::print(stderr, "{}\n", error.message);
  const std::vector<std::string_view> header = cells_of(table.rows.header);
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const std::size_t gpu = at("gpu");
  const std::size_t time = at("time_us");
  if (gpu == header.size() || time == header.size()) {
    fmt::print(stderr, "{}: no columns `gpu` and `time_us`\n", path);
    return false;
  }
  for (const calibrate::KernelRow& row : table.rows.rows) {
    const std::vector<std::string_view> cells = cells_of(row.line);
    table.gpus.emplace_back(cells.size() == header.size() ? cells[gpu] : "");
    table.times_us.push_back(cells.size() == header.size() ? parse_number(cells[time]).value_or(0) : 0);
  }
  return errors.empty();
}

// The GPUs of an architecture that a table names.
inline std::map<std::string, gpu::Gpu> gpus_of(const Table& table, std::string_view architecture) {
  std::map<std::string, gpu::Gpu> out;
  for (const std::string& name : table.gpus) {
    if (out.contains(name)) continue;
    if (auto gpu = gpu::find_gpu(name); gpu && gpu->architecture.id == architecture) out.emplace(name, *gpu);
  }
  return out;
}

// A constant that is searched for: by its logarithm, or by its root where it may be 0.
template <class Kernel>
struct Constant {
  std::string_view key;
  double Kernel::*member;
  double least;
  double most;
  double place_of(double value) const { return least > 0 ? std::log(value) : std::sqrt(value); }
  double value_at(double place) const { return least > 0 ? std::exp(place) : place * place; }
};

// All numbers of a kernel that are no counts, those of its traffic first.
template <class Kernel>
std::vector<Constant<Kernel>> constants_of(std::span<const gpu::Field<Kernel>> fields) {
  std::vector<Constant<Kernel>> out;
  for (const auto& field : gpu::traffic_fields()) {
    if (const auto* member = std::get_if<double gpu::L2Residency::*>(&field.member)) {
      out.push_back({field.key, static_cast<double Kernel::*>(*member), field.least, field.most});
    }
  }
  for (const auto& field : fields) {
    if (const auto* member = std::get_if<double Kernel::*>(&field.member)) {
      out.push_back({field.key, *member, field.least, field.most});
    }
  }
  return out;
}

// One timing: what the kernel's constants predict for it, and what was measured.
template <class Kernel>
struct Timing {
  std::function<double(const Kernel&)> time_us;
  double measured_us = 0;
  bool is_fitted = false;
};

template <class Kernel>
struct Search {
  std::span<const Timing<Kernel>> rows;
  std::span<const Constant<Kernel>> constants;
  Kernel kernel;  // what is not searched for

  Kernel at(const std::vector<double>& places) const {
    Kernel made = kernel;
    for (std::size_t i = 0; i < places.size(); ++i) {
      made.*constants[i].member = constants[i].value_at(places[i]);
    }
    return made;
  }
  double loss(const Kernel& of) const {
    double sum = 0;
    double weights = 0;
    for (const Timing<Kernel>& row : rows) {
      if (!row.is_fitted) continue;
      const double weight = row.measured_us < min_us ? short_weight : 1;
      sum += weight * std::min(most_log, std::fabs(std::log(row.time_us(of) / row.measured_us)));
      weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
  }
};

template <class Kernel>
double loss_at(const std::vector<double>& places, std::vector<double>& /*gradient*/, void* search) {
  const auto& of = *static_cast<const Search<Kernel>*>(search);
  return of.loss(of.at(places));
}

template <class Kernel>
void tell_error(const Search<Kernel>& search, const Kernel& kernel, std::string_view when, bool fitted) {
  std::vector<double> errors;
  double sum = 0;
  for (const Timing<Kernel>& row : search.rows) {
    if (row.is_fitted != fitted || row.measured_us < min_us) continue;
    errors.push_back(std::fabs(row.time_us(kernel) / row.measured_us - 1));
    sum += errors.back();
  }
  if (errors.empty()) return;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  fmt::print(stderr, "{}, {}: {} rows, mean {:.1f} %, median {:.1f} %\n", when,
             fitted ? "fitted" : "left out", errors.size(), 100 * sum / static_cast<double>(errors.size()),
             100 * *middle);
}

// The constants near those of `entry` that fit the rows' fitted half best; both halves' errors go to stderr.
template <class Kernel>
Kernel fit(const Kernel& entry, std::span<const Timing<Kernel>> rows,
           std::span<const Constant<Kernel>> constants, int evaluations) {
  Search<Kernel> search{rows, constants, entry};
  search.kernel.rows =
      std::count_if(rows.begin(), rows.end(), [](const Timing<Kernel>& row) { return row.is_fitted; });
  std::vector<double> places;
  std::vector<double> least;
  std::vector<double> most;
  for (const Constant<Kernel>& constant : constants) {
    least.push_back(constant.place_of(constant.least));
    most.push_back(constant.place_of(constant.most));
    places.push_back(std::clamp(constant.place_of(entry.*constant.member), least.back(), most.back()));
  }
  nlopt::opt nearby(nlopt::LN_SBPLX, static_cast<unsigned>(constants.size()));
  nearby.set_lower_bounds(least);
  nearby.set_upper_bounds(most);
  nearby.set_min_objective(loss_at<Kernel>, &search);
  nearby.set_maxeval(evaluations);
  double loss = 0;
  nearby.optimize(places, loss);
  const Kernel fitted = search.at(places);
  for (const bool half : {true, false}) {
    tell_error(search, search.kernel, "before", half);
    tell_error(search, fitted, "after", half);
  }
  return fitted;
}

// The entry as gpus/engines has it: its names, what is no number to be searched for and not as usual, and the
// constants. `tuned`: a line of sizes, or nothing.
template <class Kernel>
void print_entry(const Kernel& kernel, std::span<const gpu::Field<Kernel>> fields,
                 std::span<const Constant<Kernel>> constants, std::string_view tuned = {}) {
  fmt::print(
      "[[kernels]]\narchitecture = \"{}\"\nengine = \"{}\"\nkernel = \"{}\"\nrows = {}\ndtype = \"{}\"\n",
      kernel.architecture, kernel.engine, kernel.kernel, kernel.rows, kernel.dtype);
  if (!kernel.cache.empty()) fmt::print("cache = \"{}\"\n", kernel.cache);
  fmt::print("{}", tuned);
  for (const auto& field : fields) {
    if (const auto* flag = std::get_if<bool Kernel::*>(&field.member)) {
      if (kernel.**flag != Kernel{}.**flag) fmt::print("{} = {}\n", field.key, kernel.**flag);
    } else if (const auto* count = std::get_if<std::int64_t Kernel::*>(&field.member)) {
      if (kernel.**count != Kernel{}.**count) fmt::print("{} = {}\n", field.key, kernel.**count);
    }
  }
  for (const Constant<Kernel>& constant : constants)
    fmt::print("{} = {:.4g}\n", constant.key, kernel.*constant.member);
}

}  // namespace shapelint::bench
