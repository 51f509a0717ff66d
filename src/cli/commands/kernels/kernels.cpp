// `shapelint kernels`: predicts a table of single kernels of one kind.
#include "cli/commands/kernels/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "calibrate/tables.hpp"
#include "cli/commands/table_input.hpp"
#include "cli/output.hpp"
#include "cost/engines/kinds.hpp"
#include "objects/printed/document.hpp"
#include "objects/printed/lists.hpp"
#include "report/formats.hpp"

namespace shapelint::cli {

namespace {

using calibrate::KernelRow;

constexpr std::array<std::string_view, 3> kernels_formats{"text", "csv", "json"};
constexpr std::array<std::string_view, 3> added{"predicted_us", "bound", "efficiency"};
constexpr int efficiency_decimals = 4;
constexpr double least_with_decimals = 1e-3;  // smaller ones would be 0

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const cost::KernelKind& kind : cost::kernel_kinds()) names.push_back(kind.name);
  return names;
}

// A text of the row's columns, or of the answer's.
std::array<std::string, added.size()> fields_of(const std::optional<Answer>& answer) {
  if (!answer) return {};
  return {fmt::format("{:.6g}", answer->time_us), std::string(answer->bound),
          answer->efficiency < least_with_decimals && answer->efficiency > 0
              ? fmt::format("{:.2g}", answer->efficiency)
              : fixed(answer->efficiency, efficiency_decimals)};
}

std::string csv(const cost::KernelKind& kind, const gpu::Gpu& gpu, const calibrate::KernelTable& table) {
  std::string out = fmt::format("{},{}\n", table.header, fmt::join(added, ","));
  for (const KernelRow& row : table.rows) {
    out += fmt::format("{},{}\n", row.line, fmt::join(fields_of(answer(kind, gpu, row)), ","));
  }
  return out;
}

// Columns that the table states, aligned, and the answer.
std::string aligned(const cost::KernelKind& kind, const gpu::Gpu& gpu, const calibrate::KernelTable& table) {
  std::vector<std::vector<std::string>> lines(1);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < kind.columns.size(); ++i) {
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [&](const KernelRow& row) { return row.stated[i]; })) {
      shown.push_back(i);
      lines.front().emplace_back(kind.columns[i].name);
    }
  }
  for (const std::string_view name : added) lines.front().emplace_back(name);
  for (const KernelRow& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::size_t i : shown) line.emplace_back(row.cells[i].word);
    for (std::string& field : fields_of(answer(kind, gpu, row))) line.push_back(std::move(field));
  }
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += fmt::format("{}{:>{}}", i == 0 ? "" : "  ", line[i], widths[i]);
    }
    out += '\n';
  }
  return out;
}

// Says of each word that its column does not know where it stands: rows with it have no answer.
void tell_unknown_words(const cost::KernelKind& kind, const calibrate::KernelTable& table,
                        std::string_view path, Io& io) {
  for (std::size_t i = 0; i < kind.columns.size(); ++i) {
    const cost::KernelColumn& column = kind.columns[i];
    if (column.knows == nullptr) continue;
    std::map<std::string_view, std::pair<std::int64_t, std::size_t>> unknown;  // first line, rows
    for (const KernelRow& row : table.rows) {
      const std::string_view word = row.cells[i].word;
      if (word.empty() || column.knows(word)) continue;
      ++unknown.try_emplace(word, row.number, 0).first->second.second;
    }
    for (const auto& [word, seen] : unknown) {
      const auto& [line, rows] = seen;
      print_note(io, fmt::format("{}:{}: unknown `{}` `{}`: {} no prediction (see `--list`)", path, line,
                                 column.name, word,
                                 rows == 1 ? std::string("the row has")
                                           : fmt::format("the {} with it have", counted(rows, "row"))));
    }
  }
}

std::string list_text() {
  std::string out;
  for (const cost::KernelKind& kind : cost::kernel_kinds()) {
    out += fmt::format("{}{}: {}\n", out.empty() ? "" : "\n", kind.name, kind.summary);
    for (const cost::KernelColumn& column : kind.columns) {
      out +=
          fmt::format("  {:<28} {}{}\n", column.name, column.is_needed ? "" : "(optional) ", column.meaning);
    }
  }
  return out;
}

std::string list_csv() {
  std::string out = "kind,column,type,needed,meaning\n";
  for (const cost::KernelKind& kind : cost::kernel_kinds()) {
    for (const cost::KernelColumn& column : kind.columns) {
      out += fmt::format("{},{},{},{},{}\n", kind.name, column.name, type_of(column), column.is_needed,
                         report::csv_field(column.meaning));
    }
  }
  return out;
}

}  // namespace

std::vector<Option> kernels_options(KernelsOptions& options) {
  std::vector<Option> all{
      {.names = "KIND",
       .value = "KIND",
       .doc = "kind of the rows",
       .set = into(options.kind),
       .choices = strings(kind_names())},
      {.names = "--shapes",
       .value = "CSV",
       .doc = "table with a header and a row per kernel; `-`: standard input",
       .set = into(options.shapes)},
      {.names = "--list", .doc = "list the kinds of kernels with their columns", .set = into(options.list)},
      format_option(options.format, kernels_formats),
  };
  append(all, configuration_options(options.project));
  append(all, one_gpu_options(options.project));
  return all;
}

ExitCode kernels(const KernelsOptions& options, Io& io) {
  const std::string_view format = kernels_formats[options.format];
  if (options.list) {
    if (format == "json") {
      print_kernel_kinds_json(io.out);
    } else {
      io.out << (format == "csv" ? list_csv() : list_text());
    }
    return ExitCode::clean;
  }
  const cost::KernelKind* kind = cost::find_kernel_kind(options.kind);
  if (kind == nullptr) {
    const std::string near = did_you_mean(options.kind, kind_names());
    print_error(io,
                options.kind.empty() ? std::string("`KIND` is missing")
                                     : fmt::format("unknown kind `{}`", options.kind),
                near.empty() ? "`--list` lists them" : near);
    return ExitCode::error;
  }
  if (options.shapes.empty()) {
    print_error(io, "`--shapes` is missing", "its FILE is a table; `-`: standard input");
    return ExitCode::error;
  }
  const std::optional<gpu::Gpu> gpu = one_gpu(options.project, io);
  if (!gpu) return ExitCode::error;
  const std::optional<std::string> text = table_text(options.shapes, io);
  if (!text) return ExitCode::error;
  std::vector<Error> errors;
  const calibrate::KernelTable table = calibrate::read_kernel_rows(*text, options.shapes, *kind, errors);
  if (print_errors(io, options.shapes, errors)) return ExitCode::error;
  tell_unknown_words(*kind, table, options.shapes, io);
  if (format == "json") {
    print_kernels_json(*kind, *gpu, table, io.out);
  } else {
    io.out << (format == "csv" ? csv(*kind, *gpu, table) : aligned(*kind, *gpu, table));
  }
  return ExitCode::clean;
}

namespace {

using calibrate::KernelRow;

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

void print_kernels_json(const cost::KernelKind& kind, const gpu::Gpu& gpu,
                        const calibrate::KernelTable& table, std::ostream& out) {
  objects::KernelList list;
  list.kind = kind.name;
  list.gpu = gpu.id;
  for (const KernelRow& row : table.rows) {
    objects::KernelAnswer& each = list.rows.emplace_back();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.stated[i]) continue;
      const cost::KernelColumn& column = kind.columns[i];
      api::Scalar& cell = each.shape[std::string(column.name)];
      if (column.type == cost::CellType::whole) {
        cell = row.cells[i].whole;
      } else {
        cell = std::string(row.cells[i].word);
      }
    }
    const std::optional<Answer> found = answer(kind, gpu, row);
    if (!found) continue;
    each.predicted_us = found->time_us;
    each.bound = std::string(found->bound);
    each.efficiency = found->efficiency;
  }
  objects::write_document("kernels", objects::Status::ok, list, out);
}

void print_kernel_kinds_json(std::ostream& out) {
  objects::KernelList list;
  for (const cost::KernelKind& kind : cost::kernel_kinds()) {
    objects::KernelKind& each = list.kinds.emplace_back();
    each.name = kind.name;
    each.summary = kind.summary;
    for (const cost::KernelColumn& column : kind.columns)
      each.columns.push_back({std::string(column.name), std::string(type_of(column)), column.is_needed,
                              std::string(column.meaning)});
  }
  objects::write_document("kernels", objects::Status::ok, list, out);
}

}  // namespace shapelint::cli
