// How often the stated interval of a gain holds the measured one, over pairs of measured attention kernels.
//
//   attention_coverage FILE.csv            rows of docs/benchmarks/intervals.md
//   attention_coverage FILE.csv --flash    the same of flash-attn in 16 bits, priced as where no engine is
//   named attention_coverage FILE.csv --spread   entries of gpus/spreads/attention.toml
//
// A pair: the same engine's kernel on two shapes that differ in one dimension, by a factor of two at most,
// both of 50 us and more, where launches do not matter.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/dtype.hpp"
#include "cost/step.hpp"
#include "cost/uncertainty.hpp"
#include "gpu/registry.hpp"
#include "gpu/spread.hpp"

using namespace shapelint;

namespace {

constexpr double min_us = 50;
constexpr double most_ratio = 2.01;
constexpr std::size_t most_steps = 6;
constexpr std::size_t min_pairs = 50;      // for a share to mean something
constexpr std::size_t least_spread = 200;  // for a quantile that is known to a few per cent
constexpr double share_held = 0.9;
enum Size : std::size_t { sequences, tokens, heads, key_value_heads, head_dim, cached, sizes };
constexpr std::size_t same_width = sizes;  // heads of another dimension, and as many as keep their sum
enum class Changed : std::uint8_t { sizes_alone, head_dim, head_dim_of_width };
constexpr std::array<const char*, 3> names{"up to twice as large", "another head dimension",
                                           "another head dimension, same width"};
constexpr std::array<const char*, sizes> columns{"batch_size",          "isl",      "num_heads",
                                                 "num_key_value_heads", "head_dim", "step"};

struct Row {
  std::string gpu;
  std::string rest;  // engine, its version and kernel, formats, window
  std::array<std::int64_t, sizes> size{};
  model::Workload workload;
  cost::StepCost cost;
  double time_us = 0;
};

struct Pair {
  Changed changed = Changed::sizes_alone;
  bool half = false;
  cost::Gain gain;
  double measured = 0;
  double ratio = 1;  // of predicted times
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  if (!cells.empty() && cells.back().ends_with('\r')) cells.back().pop_back();
  return cells;
}

std::int64_t number(const std::string& text) {
  return text.empty() ? 0 : std::stoll(text);
}

// A step of this kernel alone, as a plan that names its engine is priced.
bool price(const gpu::Gpu& gpu, const std::string& framework, const std::string& scores,
           const std::string& cache, std::int64_t window, bool decodes, bool flash, Row& row) {
  const auto dtype = parse_dtype(scores == "bfloat16" ? "bf16" : scores);
  if (!dtype || !can_multiply(gpu, *dtype)) return false;
  model::Op op;
  op.name = "attention";
  op.kind = model::OpKind::attention;
  op.dtype = *dtype;
  if (!flash) {
    op.experts.engine = framework == "vllm"     ? model::ServingEngine::vllm
                        : framework == "sglang" ? model::ServingEngine::sglang
                                                : model::ServingEngine::trtllm;
  }
  op.attention.sequences.value = row.size[sequences];
  op.attention.heads.value = row.size[heads];
  op.attention.key_value_heads.value = std::min(row.size[key_value_heads], row.size[heads]);
  op.attention.query_length.value = decodes ? 1 : row.size[tokens];
  op.attention.key_length.value = op.attention.query_length.value + row.size[cached];
  op.attention.head_dim.value = op.attention.value_head_dim.value = row.size[head_dim];
  op.attention.cache_bytes = cache == "fp8" ? 1 : 2;
  op.attention.window = window;
  row.workload.ops.push_back(op);
  row.cost = cost::price(gpu, row.workload, *dtype);
  return row.cost.time_us > 0;
}

std::vector<Row> read(const char* path, bool decodes, bool flash) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = cells_of(line);
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != header.size()) continue;
    const auto cell = [&](const char* name) -> const std::string& { return cells[at(name)]; };
    const auto gpu = gpu::find_gpu(cell("gpu"));
    Row row;
    row.time_us = std::stod(cell("time_us"));
    if (!gpu || row.time_us < min_us) continue;
    const bool is_flash = cell("kernel_source").find("flash_att") != std::string::npos &&
                          cell("attn_dtype") == "bfloat16" && cell("kv_cache_dtype") == "bfloat16" &&
                          number(cell("window_size")) == 0;
    if (flash && !is_flash) continue;
    row.gpu = gpu->id;
    for (std::size_t i = 0; i < sizes; ++i) row.size[i] = number(cell(columns[i]));
    for (const char* each :
         {"framework", "version", "kernel_source", "attn_dtype", "kv_cache_dtype", "window_size"})
      row.rest += cell(each) + ',';
    if (price(*gpu, cell("framework"), cell("attn_dtype"), cell("kv_cache_dtype"),
              number(cell("window_size")), decodes, flash, row))
      rows.push_back(std::move(row));
  }
  return rows;
}

// By GPU.
std::map<std::string, std::vector<Pair>> pairs_of(const std::vector<Row>& rows, bool decodes) {
  std::map<std::string, std::vector<Pair>> pairs;
  for (std::size_t axis = 0; axis <= same_width; ++axis) {
    std::map<std::string, std::vector<const Row*>> lines;  // by all that stays the same
    for (const Row& row : rows) {
      std::string key = row.gpu + ',' + row.rest;
      for (std::size_t i = 0; i < sizes; ++i) {
        const bool is_sum = axis == same_width && (i == heads || i == key_value_heads);
        const bool is_free = i == axis || (axis == same_width && i == head_dim);
        key += is_free ? "*," : fmt::format("{},", row.size[i] * (is_sum ? row.size[head_dim] : 1));
      }
      lines[key].push_back(&row);
    }
    for (auto& [key, line] : lines) {
      // Of each token of a step the cache is one longer.
      const auto size = [&](const Row* row) {
        return row->size[axis == same_width ? head_dim : axis] +
               (axis == cached && !decodes ? row->size[tokens] : 0);
      };
      std::stable_sort(line.begin(), line.end(),
                       [&](const Row* a, const Row* b) { return size(a) < size(b); });
      for (std::size_t i = 0; i < line.size(); ++i) {
        for (std::size_t j = i + 1; j < line.size() && j <= i + most_steps; ++j) {
          const Row& from = *line[i];
          const Row& to = *line[j];
          if (size(&from) == size(&to)) continue;
          if (static_cast<double>(size(&to)) > most_ratio * static_cast<double>(size(&from))) break;
          const auto gpu = gpu::find_gpu(from.gpu);
          pairs[from.gpu].push_back({axis == head_dim     ? Changed::head_dim
                                     : axis == same_width ? Changed::head_dim_of_width
                                                          : Changed::sizes_alone,
                                     std::hash<std::string>{}(key) % 2 == 1,
                                     cost::gain_between(*gpu, from.workload, from.cost, to.workload, to.cost),
                                     1 - to.time_us / from.time_us, to.cost.time_us / from.cost.time_us});
        }
      }
    }
  }
  return pairs;
}

// What the effects do not explain of an error, as a share of the later time.
double unexplained(const Pair& pair) {
  const double error = pair.gain.share - pair.measured;
  return std::sqrt(std::max(0.0, error * error - pair.gain.from_effects * pair.gain.from_effects)) /
         pair.ratio;
}

// What 90 of 100 of those keep to; 0: too few.
double spread_of(const std::vector<Pair>& pairs, const std::function<bool(const Pair&)>& counts) {
  std::vector<double> all;
  for (const Pair& each : pairs) {
    if (counts(each)) all.push_back(unexplained(each));
  }
  if (all.size() < least_spread) return 0;
  std::sort(all.begin(), all.end());
  return all[static_cast<std::size_t>(share_held * static_cast<double>(all.size() - 1))];
}

void print_row(const std::string& file, const std::string& gpu, const std::vector<Pair>& pairs,
               Changed changed) {
  std::size_t count = 0;
  std::size_t held = 0;
  std::size_t apart = 0;
  std::size_t held_apart = 0;
  double width = 0;
  double gain = 0;
  std::array<double, 2> halves{};
  for (std::size_t half = 0; half < 2; ++half) {
    halves[half] = spread_of(
        pairs, [&](const Pair& each) { return each.changed == changed && each.half == (half == 1); });
  }
  for (const Pair& each : pairs) {
    if (each.changed != changed) continue;
    const double error = std::fabs(each.gain.share - each.measured);
    ++count;
    held += error <= each.gain.half_width ? 1U : 0U;
    width += each.gain.half_width;
    gain += std::fabs(each.measured);
    const double spread = halves[each.half ? 0 : 1];
    if (spread <= 0) continue;
    ++apart;
    held_apart += error <= std::hypot(each.gain.from_effects, spread * each.ratio) ? 1U : 0U;
  }
  if (count < min_pairs) return;
  const auto percent = [](std::size_t part, std::size_t all) {
    return all == 0 ? std::string("-")
                    : fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(all));
  };
  const auto n = static_cast<double>(count);
  fmt::print("| {} | {} | {} | {} | {} | {:.1f} % | {:.1f} % | {} |\n", file, gpu,
             names[static_cast<std::size_t>(changed)], count, percent(held, count), 100 * width / n,
             100 * gain / n, percent(held_apart, apart));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string option = argc == 3 ? argv[2] : "";
  const bool fits = option == "--spread";
  const bool flash = option == "--flash";
  if (argc != 2 && !fits && !flash) {
    fmt::print(stderr, "usage: attention_coverage FILE.csv [--flash | --spread]\n");
    return 2;
  }
  const std::string name = std::filesystem::path(argv[1]).stem().string();
  const bool decodes = name.ends_with("decode");
  for (const auto& [gpu, pairs] : pairs_of(read(argv[1], decodes, flash), decodes)) {
    if (fits) {
      gpu::AttentionSpread spread;
      spread.architecture = gpu::find_gpu(gpu)->architecture.id;
      spread.gpu = gpu;
      spread.phase = decodes ? "decode" : "prefill";
      spread.pairs = static_cast<std::int64_t>(pairs.size());
      const auto slice = [&each = pairs](Changed changed) {
        return spread_of(each, [changed](const Pair& pair) { return pair.changed == changed; });
      };
      spread.same_head_dim = slice(Changed::sizes_alone);
      spread.other_head_dim = slice(Changed::head_dim);
      spread.same_width = slice(Changed::head_dim_of_width);
      if (spread.same_head_dim > 0) fmt::print("{}", gpu::write_spread(spread));
      continue;
    }
    for (const Changed changed : {Changed::sizes_alone, Changed::head_dim, Changed::head_dim_of_width})
      print_row(flash ? name + " (flash-attn)" : name, gpu, pairs, changed);
  }
  return 0;
}
