// Answers for programs.
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/commands/kernels/answer.hpp"
#include "objects/printed/document.hpp"
#include "text/json/write.hpp"

namespace shapelint::cli {

namespace {

using calibrate::KernelRow;
using nlohmann::ordered_json;

}  // namespace

std::optional<Answer> answer(const cost::KernelKind& kind, const gpu::Gpu& gpu, const KernelRow& row) {
  const std::optional<cost::OpCost> cost = kind.price(gpu, row.cells);
  if (!cost || !std::isfinite(cost->time_us) || cost->time_us <= 0) return std::nullopt;
  const double efficiency = cost->ideal_us / cost->time_us;
  return Answer{cost->time_us, name(cost->bound), std::isfinite(efficiency) ? efficiency : 0};
}

std::string_view type_of(const cost::KernelColumn& column) {
  return column.type == cost::CellType::whole ? "whole number" : "word";
}

std::string kernels_json_text(const cost::KernelKind& kind, const gpu::Gpu& gpu,
                              const calibrate::KernelTable& table) {
  ordered_json rows = ordered_json::array();
  for (const KernelRow& row : table.rows) {
    ordered_json shape = ordered_json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.stated[i]) continue;
      const cost::KernelColumn& column = kind.columns[i];
      shape[std::string(column.name)] = column.type == cost::CellType::whole
                                            ? ordered_json(row.cells[i].whole)
                                            : ordered_json(row.cells[i].word);
    }
    const std::optional<Answer> found = answer(kind, gpu, row);
    rows.push_back({{"shape", std::move(shape)},
                    {"predicted_us", found ? ordered_json(found->time_us) : ordered_json(nullptr)},
                    {"bound", found ? ordered_json(found->bound) : ordered_json(nullptr)},
                    {"efficiency", found ? ordered_json(found->efficiency) : ordered_json(nullptr)}});
  }
  const ordered_json out = {{"kind", kind.name}, {"gpu", gpu.id}, {"rows", std::move(rows)}};
  return objects::document("kernels", text::json_text(out, 2), 2) + "\n";
}

std::string kernel_kinds_json_text() {
  ordered_json kinds = ordered_json::array();
  for (const cost::KernelKind& kind : cost::kernel_kinds()) {
    ordered_json columns = ordered_json::array();
    for (const cost::KernelColumn& column : kind.columns) {
      columns.push_back({{"name", column.name},
                         {"type", type_of(column)},
                         {"needed", column.is_needed},
                         {"meaning", column.meaning}});
    }
    kinds.push_back({{"name", kind.name}, {"summary", kind.summary}, {"columns", std::move(columns)}});
  }
  const ordered_json out = {{"kinds", std::move(kinds)}};
  return objects::document("kernels", text::json_text(out, 2), 2) + "\n";
}

}  // namespace shapelint::cli
