// Reads tables of single kernels.
#include "calibrate/kernel_rows.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/number.hpp"
#include "calibrate/csv.hpp"

namespace shapelint::calibrate {

namespace {

using Places = std::vector<std::optional<std::size_t>>;

// Where each of the kind's columns is; an error for each that is needed and not there.
bool find_columns(CsvLines& lines, const cost::KernelKind& kind, Places& places) {
  bool good = true;
  for (const cost::KernelColumn& column : kind.columns) {
    places.push_back(lines.column(column.name));
    if (places.back() || !column.is_needed) continue;
    lines.fail(fmt::format("no column `{}`", column.name),
               fmt::format("`shapelint kernels --list` names those of `{}`", kind.name));
    good = false;
  }
  return good;
}

bool read_cells(CsvLines& lines, const cost::KernelKind& kind, const Places& places, KernelRow& row) {
  row.line = lines.line();
  row.number = lines.number();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const cost::KernelColumn& column = kind.columns[i];
    cost::KernelCell cell;
    cell.whole = column.unstated;
    if (places[i]) cell.word = lines.field(*places[i]);
    const bool is_stated = !cell.word.empty();
    if (column.type == cost::CellType::whole && (is_stated || column.is_needed)) {
      const auto size = parse_integer(cell.word);
      const std::int64_t least = column.is_needed ? 1 : 0;
      if (!size || *size < least || *size > largest_size) {
        lines.fail(fmt::format("`{}` is `{}`", column.name, cell.word),
                   fmt::format("a whole number from {} to 10^12", least));
        return false;
      }
      cell.whole = *size;
    }
    row.cells.push_back(cell);
    row.stated.push_back(is_stated);
  }
  return true;
}

}  // namespace

KernelTable read_kernel_rows(std::string_view text, std::string_view path, const cost::KernelKind& kind,
                             std::vector<Error>& errors) {
  KernelTable table;
  CsvLines lines(text, path, errors);
  if (!lines.read_header("`shapelint kernels --list` has them")) return table;
  table.header = lines.header();
  Places places;
  if (!find_columns(lines, kind, places)) return table;
  while (lines.next()) {
    KernelRow row;
    if (read_cells(lines, kind, places, row)) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace shapelint::calibrate
