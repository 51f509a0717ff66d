// Reads tables of matrix products.
#include "calibrate/shapes.hpp"

#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"

namespace shapelint::calibrate {

namespace {

constexpr std::int64_t largest_size = 1'000'000'000'000;
constexpr std::size_t most_errors = 20;
constexpr std::size_t most_columns = 64;

enum Column : std::size_t { batch, m, n, k, dtype_name, op, layout, gpu, time_us, column_count };
constexpr std::array<std::string_view, column_count> column_names{"batch", "m",      "n",   "k",      "dtype",
                                                                  "op",    "layout", "gpu", "time_us"};
constexpr std::array<std::string_view, 3> layout_names{"tn", "nn", "nt"};

// Cuts one line into fields; quotes may hold commas. Returns how many there are.
std::size_t cut(std::string_view line, std::array<std::string_view, most_columns>& fields) {
  std::size_t count = 0;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != ',' || quoted)) continue;
    std::string_view field = line.substr(begin, i - begin);
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    if (count < most_columns) fields[count] = field;
    ++count;
    begin = i + 1;
  }
  return count;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view path, DType dtype, std::vector<Error>& errors)
      : text_(text), path_(path), dtype_(dtype), errors_(errors) {}

  ShapeTable read() {
    ShapeTable table;
    std::string_view line;
    if (!next(line)) {
      fail("no header", "the first line names the columns: `m,n,k` and others");
      return table;
    }
    table.header = line;
    if (!read_header(line)) return table;
    table.has_times = columns_[time_us].has_value();
    while (next(line)) {
      if (line.empty()) continue;
      MeasuredShape row;
      if (read_row(line, row)) table.rows.push_back(row);
      if (errors_.size() >= most_errors) break;
    }
    return table;
  }

 private:
  bool next(std::string_view& line) {
    if (position_ >= text_.size()) return false;
    begin_ = position_;
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    line = text_.substr(position_, end - position_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    size_ = line.size();
    position_ = end + 1;
    ++number_;
    return true;
  }

  void fail(std::string message, std::string hint = {}) {
    Error error;
    error.message = fmt::format("line {}: {}", number_, message);
    error.hint = std::move(hint);
    error.path = path_;
    error.span = Span{static_cast<std::int64_t>(begin_), static_cast<std::int64_t>(begin_ + size_)};
    errors_.push_back(std::move(error));
  }

  bool read_header(std::string_view line) {
    width_ = cut(line, fields_);
    for (std::size_t i = 0; i < std::min(width_, most_columns); ++i) {
      for (std::size_t column = 0; column < column_count; ++column) {
        if (fields_[i] == column_names[column]) columns_[column] = i;
      }
    }
    for (const Column needed : {m, n, k}) {
      if (!columns_[needed])
        fail(fmt::format("no column `{}`", column_names[needed]), "needed are `m`, `n` and `k`");
    }
    return columns_[m] && columns_[n] && columns_[k];
  }

  bool read_size(Column column, std::int64_t& size) {
    if (!columns_[column]) return true;
    const std::string_view field = fields_[*columns_[column]];
    const char* end = field.data() + field.size();
    const auto [stop, problem] = std::from_chars(field.data(), end, size);
    if (problem == std::errc{} && stop == end && size >= 1 && size <= largest_size) return true;
    fail(fmt::format("`{}` is `{}`", column_names[column], field), "a whole number from 1 to 10^12");
    return false;
  }

  bool read_row(std::string_view line, MeasuredShape& row) {
    row.line = line;
    if (const std::size_t count = cut(line, fields_); count != width_) {
      fail(fmt::format("{} fields", count), fmt::format("the header has {}", width_));
      return false;
    }
    cost::GemmShape& shape = row.shape;
    if (!read_size(batch, shape.batch) || !read_size(m, shape.m) || !read_size(n, shape.n) ||
        !read_size(k, shape.k)) {
      return false;
    }
    shape.dtype = dtype_;
    if (columns_[dtype_name]) {
      const std::string_view field = fields_[*columns_[dtype_name]];
      const auto parsed = parse_dtype(field);
      if (!parsed) {
        fail(fmt::format("`dtype` is `{}`", field), "fp32, tf32, fp16, bf16, fp8, int8 or fp4");
        return false;
      }
      shape.dtype = *parsed;
    }
    shape.layout = model::Layout::tn;
    if (columns_[op] && fields_[*columns_[op]] == "bmm") shape.layout = model::Layout::nn;
    if (columns_[layout]) {
      const std::string_view field = fields_[*columns_[layout]];
      std::size_t index = 0;
      while (index < layout_names.size() && layout_names[index] != field) ++index;
      if (index == layout_names.size()) {
        fail(fmt::format("`layout` is `{}`", field), "tn, nn or nt");
        return false;
      }
      shape.layout = static_cast<model::Layout>(index);
    }
    if (columns_[gpu]) row.gpu = fields_[*columns_[gpu]];
    if (columns_[time_us]) {
      const std::string_view field = fields_[*columns_[time_us]];
      const auto time = parse_number(field);
      if (!time || *time <= 0) {
        fail(fmt::format("`time_us` is `{}`", field), "a positive number of microseconds");
        return false;
      }
      row.time_us = *time;
    }
    return true;
  }

  std::string_view text_;
  std::string_view path_;
  DType dtype_;
  std::vector<Error>& errors_;
  std::array<std::optional<std::size_t>, column_count> columns_{};
  std::array<std::string_view, most_columns> fields_{};
  std::size_t width_ = 0;
  std::size_t position_ = 0;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace

ShapeTable read_shapes(std::string_view text, std::string_view path, DType dtype,
                       std::vector<Error>& errors) {
  return Reader(text, path, dtype, errors).read();
}

}  // namespace shapelint::calibrate
