// Layouts of a model as text, CSV and JSON.
#include "base/strings.hpp"
#include "cli/commands/fits/fits.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/units.hpp"
#include "contracts/check.hpp"
#include "objects/convert.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/plans.hpp"
#include "report/formats.hpp"

namespace shapelint::cli {

namespace {

using contracts::Fit;
using contracts::FitRow;
using report::Role;
using report::Style;

constexpr std::size_t reason_indent = 6;
constexpr std::size_t max_shown = 12;  // rows of each count that run, and of those that do not
// "   TP   PP   CP    DP   EP ZeRO  dtype"; a dtype with its recipe is longer.
std::string layout_titles(std::size_t dtype_width) {
  return fmt::format("  {:>3}{:>5}{:>5}{:>6}{:>5}{:>5}  {:<{}}", "TP", "PP", "CP", "DP", "EP", "ZeRO",
                     "dtype", dtype_width);
}

Role role_of(Fit fit) {
  switch (fit) {
    case Fit::runs:
      return Role::gain;
    case Fit::pads:
    case Fit::slower:
      return Role::info;
    case Fit::falls_back:
      return Role::warning;
    case Fit::too_large:
    case Fit::refused:
      return Role::error;
  }
  return Role::plain;
}

bool runs(const FitRow& row) {
  return row.fit != Fit::refused && row.fit != Fit::too_large;
}

// The outcome as people read it; JSON and CSV have the names of the API.
std::string_view fit_words(Fit fit) {
  return fit == Fit::refused ? std::string_view("rejected") : contracts::name(fit);
}

// Reason of a result: unmet requirements with their numbers, or violated rules.
std::string reasons(const FitRow& row) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  const bool is_refused = row.fit == Fit::refused;
  for (const contracts::Verdict& each : row.unmet) {
    const bool refuses = each.contract->outcome == contracts::Consequence::refuses;
    if (is_refused && !refuses) continue;
    const std::string sum = contracts::sum_words(each);
    add(sum.empty() ? each.contract->id : fmt::format("{}: {}", each.contract->id, sum));
  }
  if (!row.broken.empty() && out.empty()) {
    add(fmt::format("{}: {}", fmt::join(row.broken, " "), row.broken_summary));
  }
  if (row.fit == Fit::too_large && row.memory_gb <= row.usable_gb) {
    out = fmt::format("no room for a sequence of {}: at most {} fit{}{}",
                      counted(row.capacity.longest, "token"), with_commas(row.capacity.largest),
                      out.empty() ? "" : "; ", out);
  } else if (row.fit == Fit::too_large) {
    out = fmt::format("{} GiB per GPU, {} usable{}{}", gib(row.memory_gb * bytes_per_gb),
                      gib(row.usable_gb * bytes_per_gb), out.empty() ? "" : "; ", out);
  }
  return out;
}

// Cost of padding and fallback kernels; empty if there is none.
std::string cost(const FitRow& row) {
  const double more = row.price.time_us - row.price.as_written_us;
  constexpr double percent = 100;
  if (row.fit == Fit::refused || more <= 0) return {};
  return fmt::format("+{:.1f} %", percent * more / row.price.as_written_us);
}

std::string layout_cells(const FitRow& row, std::size_t dtype_width) {
  return fmt::format("  {:>3}{:>5}{:>5}{:>6}{:>5}{:>5}  {:<{}}", row.tensor, row.pipeline, row.context,
                     row.data, row.expert, row.zero, contracts::name(row.format), dtype_width);
}

std::size_t dtype_width(std::span<const FitRow* const> rows) {
  std::size_t width = std::string_view("dtype").size();
  for (const FitRow* row : rows)
    width = std::max(width, std::string_view(contracts::name(row->format)).size());
  return width;
}

std::string speed(const FitRow& row) {
  return row.fit == Fit::refused ? "" : with_commas(std::llround(row.tokens_per_s));
}

std::string title(std::int64_t count, std::size_t running, std::size_t all, const Style& style) {
  return style.paint(Role::strong, fmt::format("{}: {} of {} run", counted(count, "GPU"), running,
                                               counted(all, "layout"))) +
         '\n';
}

// Limits the rows shown, separately for layouts that run and those that do not.
class Shown {
 public:
  explicit Shown(bool every) : every_(every) {}
  bool take(bool runs) {
    std::size_t& shown = runs ? running_ : others_;
    if (!every_ && shown >= max_shown) {
      ++left_out_;
      return false;
    }
    ++shown;
    return true;
  }
  std::string rest() const {
    return left_out_ > 0 ? fmt::format("  and {} more: `--all`\n", left_out_) : std::string();
  }

 private:
  bool every_;
  std::size_t running_ = 0;
  std::size_t others_ = 0;
  std::size_t left_out_ = 0;
};

std::string table_of(std::span<const FitRow* const> rows, bool every, const Style& style) {
  const auto running = std::count_if(rows.begin(), rows.end(), [](const FitRow* row) { return runs(*row); });
  std::string out = title(rows.front()->gpus, static_cast<std::size_t>(running), rows.size(), style);
  const std::size_t width = dtype_width(rows);
  out += fmt::format("{}{:>8}{:>11}{:>9}\n", layout_titles(width), "GiB", "tokens/s", "cost");
  Shown shown(every);
  std::string reason;  // of the rows above: one line for all in a sequence
  const auto end_reason = [&] {
    if (!reason.empty()) out += wrap(reason, reason_indent, 0, style) + '\n';
    reason.clear();
  };
  for (const FitRow* row : rows) {
    if (!shown.take(runs(*row))) continue;
    std::string next = reasons(*row);
    if (next != reason) end_reason();
    reason = std::move(next);
    out +=
        fmt::format("{}{:>8}{:>11}{:>9}  {}\n", layout_cells(*row, width), gib(row->memory_gb * bytes_per_gb),
                    speed(*row), cost(*row), style.paint(role_of(row->fit), fit_words(row->fit)));
  }
  end_reason();
  return out + shown.rest();
}

auto layout_of(const FitRow& row) {
  return std::tuple(row.tensor, row.pipeline, row.context, row.data, row.zero, row.expert, row.expert_tensor,
                    row.format.dtype, row.format.recipe);
}

// One layout on each of the GPUs; null if a GPU has no tensor cores for its dtype.
struct Layout {
  std::vector<const FitRow*> rows;  // by GPU
  const FitRow* any = nullptr;
  double fastest = 0;  // tokens per second of those that run; 0: none
};

std::vector<Layout> layouts_of(std::span<const GpuFits> all, std::int64_t count) {
  std::vector<Layout> out;
  for (std::size_t gpu = 0; gpu < all.size(); ++gpu) {
    for (const FitRow& row : all[gpu].rows) {
      if (row.gpus != count) continue;
      auto place = std::find_if(out.begin(), out.end(),
                                [&](const Layout& each) { return layout_of(*each.any) == layout_of(row); });
      if (place == out.end()) place = out.insert(out.end(), Layout{{}, &row, 0});
      place->rows.resize(all.size());
      place->rows[gpu] = &row;
      if (runs(row)) place->fastest = std::max(place->fastest, row.tokens_per_s);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Layout& a, const Layout& b) { return a.fastest > b.fastest; });
  return out;
}

std::string in_words(const FitRow& row) {
  std::string out = fmt::format("TP {}", row.tensor);
  append_degrees(out, {{"PP", row.pipeline}, {"CP", row.context}, {"DP", row.data}, {"EP", row.expert}});
  if (row.zero > 0) out += fmt::format(", ZeRO-{}", row.zero);
  return fmt::format("{}, {}", out, contracts::name(row.format));
}

constexpr std::size_t min_column = 14;

std::string columns_of(std::span<const GpuFits> all, std::int64_t count, bool every, const Style& style) {
  const std::vector<Layout> layouts = layouts_of(all, count);
  const auto running =
      std::count_if(layouts.begin(), layouts.end(), [](const Layout& layout) { return layout.fastest > 0; });
  std::string out = title(count, static_cast<std::size_t>(running), layouts.size(), style);
  std::vector<const FitRow*> rows;
  for (const Layout& layout : layouts) rows.push_back(layout.any);
  const std::size_t dtype = dtype_width(rows);
  out += layout_titles(dtype);
  for (const GpuFits& each : all)
    out += fmt::format("  {:>{}}", each.gpu, std::max(min_column, each.gpu.size()));
  out += '\n';
  Shown shown(every);
  for (const Layout& layout : layouts) {
    if (!shown.take(layout.fastest > 0)) continue;
    out += layout_cells(*layout.any, dtype);
    for (std::size_t gpu = 0; gpu < all.size(); ++gpu) {
      const FitRow* row = layout.rows[gpu];
      const std::string text = row == nullptr                ? "no tensor cores"
                               : !runs(*row)                 ? std::string(fit_words(row->fit))
                               : row->fit == Fit::falls_back ? speed(*row) + " *"
                                                             : speed(*row);
      const std::size_t width = std::max(min_column, all[gpu].gpu.size());
      out += "  " + std::string(width - std::min(width, text.size()), ' ') +
             style.paint(row == nullptr ? Role::error : role_of(row->fit), text);
    }
    out += '\n';
  }
  return out + shown.rest();
}

std::string best_in_words(std::span<const GpuFits> all, std::int64_t count) {
  const GpuFits* best = nullptr;
  std::string out;
  for (const GpuFits& each : all) {
    const FitRow* row = best_of(each, count);
    if (row == nullptr) {
      out += fmt::format("  {}: none runs\n", each.gpu);
      continue;
    }
    const FitRow* so_far = best == nullptr ? nullptr : best_of(*best, count);
    if (so_far == nullptr || row->tokens_per_s > so_far->tokens_per_s) best = &each;
    out += fmt::format("  {}: {}: {} tokens/s, {} of {} GiB\n", each.gpu, in_words(*row), speed(*row),
                       gib(row->memory_gb * bytes_per_gb), gib(row->usable_gb * bytes_per_gb));
  }
  if (best != nullptr) out += fmt::format("  best GPU: {}\n", best->gpu);
  return out;
}

std::vector<std::int64_t> counts_of(std::span<const GpuFits> all) {
  std::vector<std::int64_t> out;
  for (const GpuFits& fits : all) {
    for (const FitRow& row : fits.rows) {
      if (std::find(out.begin(), out.end(), row.gpus) == out.end()) out.push_back(row.gpus);
    }
  }
  return out;
}

}  // namespace

const FitRow* best_of(const GpuFits& fits, std::int64_t count) {
  const auto best = std::find_if(fits.rows.begin(), fits.rows.end(),
                                 [&](const FitRow& row) { return row.gpus == count && runs(row); });
  return best == fits.rows.end() ? nullptr : &*best;
}

std::string fits_text(std::span<const GpuFits> all, bool every, const Style& style) {
  std::string out;
  for (const std::int64_t count : counts_of(all)) {
    if (!out.empty()) out += '\n';
    if (all.size() > 1) {
      out += columns_of(all, count, every, style) + best_in_words(all, count);
      continue;
    }
    std::vector<const FitRow*> rows;
    for (const FitRow& row : all.front().rows) {
      if (row.gpus == count) rows.push_back(&row);
    }
    out += table_of(rows, every, style);
  }
  if (all.size() > 1)
    out += "\n  tokens/s; *: with a fallback kernel; a single `--gpu` shows why layouts fail\n";
  return out;
}

std::string fits_csv(std::span<const GpuFits> all) {
  std::string out =
      "gpu,gpus,tensor,pipeline,data,zero,expert,context,expert_tensor,format,fit,memory_gib,usable_gib,"
      "step_us,padding_us,slower_us,tokens_per_s,contracts\n";
  for (const GpuFits& fits : all) {
    for (const FitRow& row : fits.rows) {
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},", report::csv_field(fits.gpu), row.gpus,
                         row.tensor, row.pipeline, row.data, row.zero, row.expert, row.context,
                         row.expert_tensor, contracts::name(row.format), contracts::name(row.fit));
      constexpr double gib_per_gb = bytes_per_gb / bytes_per_gib;
      for (const double value : {row.memory_gb * gib_per_gb, row.usable_gb * gib_per_gb, row.price.time_us,
                                 row.price.padding_us, row.price.slower_us, row.tokens_per_s}) {
        append_exact(out, value);
        out += ',';
      }
      out += report::csv_field(reasons(row)) + '\n';
    }
  }
  return out;
}

namespace {

std::int64_t bytes_of(double gb) {
  return std::isfinite(gb) ? std::llround(gb * bytes_per_gb) : 0;
}

objects::Plan plan_of(std::string_view gpu, const contracts::FitRow& row) {
  objects::Plan out;
  out.gpu = gpu;
  out.num_gpus = row.gpus;
  out.parallel = {row.tensor, row.pipeline, row.context, row.data, row.expert, row.expert_tensor};
  out.zero = row.zero;
  out.dtype = name(row.format);
  out.outcome = name(row.fit);
  out.memory_bytes = bytes_of(row.memory_gb);
  out.usable_bytes = bytes_of(row.usable_gb);
  if (row.capacity.budget_bytes > 0) out.capacity = api::capacity_of(row.capacity);
  for (const contracts::Verdict& each : row.unmet) {
    out.requirements.push_back({std::string(each.contract->id), std::string(name(each.contract->outcome)),
                                std::string(each.contract->summary), each.formula, each.numbers});
  }
  out.codes = row.broken;
  if (row.fit == contracts::Fit::refused) return out;
  out.step_us = row.price.time_us;
  out.padding_us = row.price.padding_us;
  out.slower_us = row.price.slower_us;
  out.tokens_per_s_all_gpus = row.tokens_per_s;
  return out;
}

}  // namespace

std::string fits_json_text(std::span<const GpuFits> all) {
  objects::FitsResult result;
  for (const GpuFits& fits : all) {
    result.gpus.push_back(fits.gpu);
    for (const contracts::FitRow& row : fits.rows) {
      result.plans.push_back(plan_of(fits.gpu, row));
      result.plans.back().best = best_of(fits, row.gpus) == &row;
    }
  }
  std::ostringstream out;
  objects::write_document("fits", objects::Status::ok, result, out);
  return std::move(out).str();
}

}  // namespace shapelint::cli
