// Rows of products and of kernels from CSV.
#include "calibrate/tables.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/number.hpp"
#include "calibrate/csv.hpp"
#include "model/op.hpp"

namespace shapelint::calibrate {

namespace {

enum Column : std::size_t { batch, m, n, k, dtype_name, recipe_name, op, layout, gpu, time_us, column_count };
constexpr std::array<std::string_view, column_count> column_names{"batch",  "m",  "n",      "k",   "dtype",
                                                                  "recipe", "op", "layout", "gpu", "time_us"};

class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view path, DType dtype, std::vector<Error>& errors)
      : lines_(text, path, errors), dtype_(dtype) {}

  ShapeTable read() {
    ShapeTable table;
    if (!lines_.read_header("`m,n,k` and others")) return table;
    table.header = lines_.header();
    if (!read_columns()) return table;
    table.has_times = columns_[time_us].has_value();
    while (lines_.next()) {
      MeasuredShape row;
      if (read_row(row)) table.rows.push_back(row);
    }
    return table;
  }

 private:
  void fail(std::string message, std::string hint = {}) { lines_.fail(std::move(message), std::move(hint)); }
  std::string_view field(Column column) const { return lines_.field(*columns_[column]); }

  bool read_columns() {
    for (std::size_t column = 0; column < column_count; ++column) {
      columns_[column] = lines_.column(column_names[column]);
    }
    for (const Column needed : {m, n, k}) {
      if (!columns_[needed])
        fail(fmt::format("no column `{}`", column_names[needed]), "`m`, `n` and `k` are required");
    }
    return columns_[m] && columns_[n] && columns_[k];
  }

  bool read_size(Column column, std::int64_t& size) {
    if (!columns_[column]) return true;
    const std::string_view text = field(column);
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, size);
    if (problem == std::errc{} && stop == end && size >= 1 && size <= largest_size) return true;
    fail(fmt::format("`{}` is `{}`", column_names[column], text), "expected a whole number from 1 to 10^12");
    return false;
  }

  // An empty field is no recipe.
  bool read_recipe(cost::GemmShape& shape) {
    const std::string_view text = field(recipe_name);
    if (text.empty()) return true;
    const auto parsed = parse_recipe(text);
    if (!parsed) {
      fail(fmt::format("`recipe` is `{}`", text),
           "expected tensor, row, block128, mxfp8, nvfp4, mxfp4 or nothing");
      return false;
    }
    if (!goes_with(*parsed, shape.dtype)) {
      fail(fmt::format("`{}` does not apply to {}", text, name(shape.dtype)),
           info(*parsed).operand_bits == 4 ? "use fp4" : "use fp8 or int8");
      return false;
    }
    shape.recipe = *parsed;
    return true;
  }

  bool read_row(MeasuredShape& row) {
    row.line = lines_.line();
    cost::GemmShape& shape = row.shape;
    if (!read_size(batch, shape.batch) || !read_size(m, shape.m) || !read_size(n, shape.n) ||
        !read_size(k, shape.k)) {
      return false;
    }
    shape.dtype = dtype_;
    if (columns_[dtype_name]) {
      const std::string_view text = field(dtype_name);
      const auto parsed = parse_dtype(text);
      if (!parsed) {
        fail(fmt::format("`dtype` is `{}`", text), "expected fp32, tf32, fp16, bf16, fp8, int8 or fp4");
        return false;
      }
      shape.dtype = *parsed;
    }
    if (columns_[recipe_name] && !read_recipe(shape)) return false;
    shape.layout = model::Layout::tn;
    if (columns_[op] && field(op) == "bmm") shape.layout = model::Layout::nn;
    if (columns_[layout]) {
      const std::string_view text = field(layout);
      const auto found = model::parse_layout(text);
      if (!found) {
        fail(fmt::format("`layout` is `{}`", text), "tn, nn, nt or tt");
        return false;
      }
      shape.layout = *found;
    }
    if (columns_[gpu]) row.gpu = field(gpu);
    if (columns_[time_us]) {
      const std::string_view text = field(time_us);
      const auto time = parse_number(text);
      if (!time || *time <= 0) {
        fail(fmt::format("`time_us` is `{}`", text), "a positive number of microseconds");
        return false;
      }
      row.time_us = *time;
    }
    return true;
  }

  CsvLines lines_;
  DType dtype_;
  std::array<std::optional<std::size_t>, column_count> columns_{};
};

}  // namespace

ShapeTable read_shapes(std::string_view text, std::string_view path, DType dtype,
                       std::vector<Error>& errors) {
  return CsvReader(text, path, dtype, errors).read();
}

namespace {

using Places = std::vector<std::optional<std::size_t>>;

// Where each of the kind's columns is; an error for each that is needed and not there.
bool find_columns(CsvLines& lines, const cost::KernelKind& kind, Places& places) {
  bool good = true;
  for (const cost::KernelColumn& column : kind.columns) {
    places.push_back(lines.column(column.name));
    if (places.back() || !column.is_needed) continue;
    lines.fail(fmt::format("no column `{}`", column.name),
               fmt::format("`shapelint kernels --list` lists those of `{}`", kind.name));
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
                   fmt::format("expected a whole number from {} to 10^12", least));
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
