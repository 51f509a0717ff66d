// Fits an entry of gpus/engines/moe.toml or wide-ep-moe.toml to a table of timings, and prints it.
//
//   fit_experts KIND GPU ENGINE KERNEL DTYPE TABLE.csv [EVALUATIONS]
//
// TABLE has the columns of `shapelint kernels KIND` and `time_us`. The entry that there is says what the
// search starts from, and which sizes and habits (`tuned`, `tiles_by_tokens`, …) it has; of a kernel with
// entries for some sizes each is fitted to its own. Half of the sites take part, by a hash of the shape;
// stderr says the error of both halves, of rows from 50 us.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlopt.hpp>

#include "base/number.hpp"
#include "cost/engines/kernels.hpp"
#include "gpu/engines.hpp"
#include "gpu/registry.hpp"

using namespace shapelint;
using gpu::MoeKernel;

namespace {

constexpr double least_us = 50;       // below, launches are most of the time
constexpr double short_weight = 0.4;  // of such rows
constexpr double most_log =
    1.5;  // that one row adds: kernels that an autotuner chose badly say nothing of others
constexpr int default_evaluations = 900;

struct Row {
  cost::ExpertLayer layer;
  std::vector<cost::ExpertLoad> loads;
  double measured_us = 0;
  bool is_fitted = false;
};

std::vector<std::string> cells_of(std::string line) {
  while (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// Which half a site is in; the same for all runs of it. FNV-1a from a start of its own:
// another start would make other halves than the constants of gpus/engines/moe.toml were fitted to.
bool is_fitted(const std::string& site) {
  std::uint64_t hash = 1469598103934665603U;
  for (const char c : site) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return ((hash >> 20U) & 1U) != 0;
}

gpu::ExpertShape shape_of(const cost::ExpertLayer& layer) {
  return {static_cast<std::int64_t>(layer.experts / layer.expert),
          static_cast<std::int64_t>(layer.intermediate / layer.tensor)};
}

// The rows of this kernel that are for the entry's sizes, and for no other entry's.
std::vector<Row> read_rows(const char* path, const MoeKernel& entry, const cost::ExpertFormat& format,
                           std::span<const MoeKernel> others) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::map<std::string, std::size_t> at;
  for (const std::string& name : cells_of(line)) at.emplace(name, at.size());
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    const auto text = [&](const char* name) { return cells.at(at.at(name)); };
    const auto number = [&](const char* name) { return parse_number(text(name)).value_or(0); };
    if (text("framework") != entry.engine || text("kernel_source") != entry.kernel ||
        text("moe_dtype") != format.name) {
      continue;
    }
    Row row;
    cost::ExpertLayer& layer = row.layer;
    layer.tokens = number("num_tokens");
    layer.hidden = number("hidden_size");
    layer.intermediate = number("inter_size");
    layer.top_k = number("topk");
    layer.experts = number("num_experts");
    layer.tensor = number("moe_tp_size");
    layer.expert = number("moe_ep_size");
    layer.dtype = format.dtype;
    layer.weight_bytes = format.packed_bytes;
    layer.gated = entry.kernel.find("nongated") == std::string::npos;
    const gpu::ExpertShape shape = shape_of(layer);
    const bool is_others = std::any_of(others.begin(), others.end(), [&](const MoeKernel& other) {
      return other.engine == entry.engine && other.kernel == entry.kernel && other.dtype == entry.dtype &&
             other.architecture == entry.architecture &&
             gpu::tuned_for(other, shape) > gpu::tuned_for(entry, shape);
    });
    if (gpu::tuned_for(entry, shape) < 0 || is_others) continue;
    const double slots = std::max(layer.experts, at.contains("num_slots") ? number("num_slots") : 0);
    row.loads = routed_loads(layer, text("distribution"), slots);
    row.is_fitted =
        is_fitted(fmt::format("{} {} {} {} {} {} {}", layer.hidden, layer.intermediate, layer.top_k,
                              layer.experts, layer.tensor, layer.expert, layer.tokens));
    layer.experts = slots;
    row.measured_us = number("time_us");
    if (row.measured_us > 0) rows.push_back(std::move(row));
  }
  return rows;
}

// A constant that is searched for: by its logarithm, or by its root where it may be 0.
struct Constant {
  std::string_view key;
  double MoeKernel::*member;
  double least;
  double most;
  double place_of(double value) const { return least > 0 ? std::log(value) : std::sqrt(value); }
  double value_at(double place) const { return least > 0 ? std::exp(place) : place * place; }
};

std::vector<Constant> constants() {
  std::vector<Constant> out;
  for (const auto& field : gpu::traffic_fields()) {
    if (const auto* member = std::get_if<double gpu::Traffic::*>(&field.member)) {
      out.push_back({field.key, static_cast<double MoeKernel::*>(*member), field.least, field.most});
    }
  }
  for (const auto& field : gpu::moe_fields()) {
    if (const auto* member = std::get_if<double MoeKernel::*>(&field.member)) {
      out.push_back({field.key, *member, field.least, field.most});
    }
  }
  return out;
}

struct Search {
  const gpu::Gpu* gpu;
  std::span<const Row> rows;
  std::span<const Constant> constants;
  const cost::ExpertFormat* format;
  MoeKernel kernel;  // what is not searched for

  MoeKernel at(const std::vector<double>& places) const {
    MoeKernel made = kernel;
    for (std::size_t i = 0; i < places.size(); ++i) {
      made.*constants[i].member = constants[i].value_at(places[i]);
    }
    return made;
  }
  double time_us(const MoeKernel& of, const Row& row) const {
    return price_moe_kernel(*gpu, of, row.layer, row.loads, format->stored_bytes).time_us;
  }
  double loss(const MoeKernel& of) const {
    double sum = 0;
    double weights = 0;
    for (const Row& row : rows) {
      if (!row.is_fitted) continue;
      const double weight = row.measured_us < least_us ? short_weight : 1;
      sum += weight * std::min(most_log, std::fabs(std::log(time_us(of, row) / row.measured_us)));
      weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
  }
};

double loss_at(const std::vector<double>& places, std::vector<double>& /*gradient*/, void* search) {
  const auto& of = *static_cast<const Search*>(search);
  return of.loss(of.at(places));
}

void tell_error(const Search& search, const MoeKernel& kernel, bool fitted) {
  std::vector<double> errors;
  double sum = 0;
  for (const Row& row : search.rows) {
    if (row.is_fitted != fitted || row.measured_us < least_us) continue;
    errors.push_back(std::fabs(search.time_us(kernel, row) / row.measured_us - 1));
    sum += errors.back();
  }
  if (errors.empty()) return;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  fmt::print(stderr, "{}: {} rows, mean {:.1f} %, median {:.1f} %\n", fitted ? "fitted" : "left out",
             errors.size(), 100 * sum / static_cast<double>(errors.size()), 100 * *middle);
}

void print_entry(const MoeKernel& kernel, std::span<const Constant> constants) {
  fmt::print(
      "[[kernels]]\narchitecture = \"{}\"\nengine = \"{}\"\nkernel = \"{}\"\nrows = {}\ndtype = \"{}\"\n",
      kernel.architecture, kernel.engine, kernel.kernel, kernel.rows, kernel.dtype);
  std::string shapes;
  for (const gpu::ExpertShape& shape : kernel.tuned) {
    shapes += fmt::format("{}[{}, {}]", shapes.empty() ? "" : ", ", shape.experts, shape.width);
  }
  if (!shapes.empty()) fmt::print("tuned = [{}]\n", shapes);
  for (const auto& field : gpu::moe_fields()) {
    if (const auto* flag = std::get_if<bool MoeKernel::*>(&field.member); flag != nullptr && kernel.**flag) {
      fmt::print("{} = true\n", field.key);
    }
  }
  fmt::print("least_tile = {}\nmost_tile = {}\n", kernel.least_tile, kernel.most_tile);
  for (const Constant& constant : constants)
    fmt::print("{} = {:.4g}\n", constant.key, kernel.*constant.member);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 7) {
    fmt::print(stderr, "usage: fit_experts KIND GPU ENGINE KERNEL DTYPE TABLE.csv [EVALUATIONS]\n");
    return 2;
  }
  const auto gpu = gpu::find_gpu(arguments[2]);
  const std::string_view dtype = arguments[5];
  const auto* format = cost::find_expert_format(dtype == "bf16" ? "bfloat16" : dtype);
  if (!gpu || format == nullptr) {
    fmt::print(stderr, "fit_experts: no such GPU, or format of experts\n");
    return 2;
  }
  const int evaluations = count > 7 ? std::atoi(arguments[7]) : default_evaluations;
  const std::span<const MoeKernel> known = gpu::moe_kernels(arguments[1]);
  const std::vector<Constant> searched = constants();
  int found = 0;
  for (const MoeKernel& entry : known) {
    if (entry.architecture != gpu->architecture.id || entry.engine != arguments[3] ||
        entry.kernel != arguments[4] || entry.dtype != dtype) {
      continue;
    }
    ++found;
    const std::vector<Row> rows = read_rows(arguments[6], entry, *format, known);
    Search search{&*gpu, rows, searched, format, entry};
    search.kernel.rows =
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.is_fitted; });
    nlopt::opt nearby(nlopt::LN_SBPLX, static_cast<unsigned>(searched.size()));
    std::vector<double> places;
    std::vector<double> least;
    std::vector<double> most;
    for (const Constant& constant : searched) {
      least.push_back(constant.place_of(constant.least));
      most.push_back(constant.place_of(constant.most));
      places.push_back(std::clamp(constant.place_of(entry.*constant.member), least.back(), most.back()));
    }
    nearby.set_lower_bounds(least);
    nearby.set_upper_bounds(most);
    nearby.set_min_objective(loss_at, &search);
    nearby.set_maxeval(evaluations);
    double loss = 0;
    nearby.optimize(places, loss);
    const MoeKernel fitted = search.at(places);
    tell_error(search, fitted, true);
    tell_error(search, fitted, false);
    print_entry(fitted, searched);
  }
  if (found == 0) fmt::print(stderr, "fit_experts: gpus/engines has no such entry\n");
  return found > 0 ? 0 : 2;
}
