// A table as CSV, line by line: columns by name, and errors with their place.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shapelint::calibrate {

inline constexpr std::int64_t largest_size = 1'000'000'000'000;  // that a row may state

// Views point into the text, which must outlive it.
class CsvLines {
 public:
  CsvLines(std::string_view text, std::string_view path, std::vector<Error>& errors)
      : text_(text), path_(path), errors_(errors) {}

  // The header: false, with an error, when there is none. `hint` says which columns are needed.
  bool read_header(std::string_view hint);
  std::string_view header() const { return header_; }
  // Where a column is, or nothing.
  std::optional<std::size_t> column(std::string_view name) const;

  // The next line that is not empty, cut into fields; false at the end, or where errors are too many. A line
  // with more or fewer fields than the header is an error and passed over.
  bool next();
  std::string_view line() const { return line_; }  // as it stands, without its end
  std::int64_t number() const { return number_; }  // of that line in the text
  std::string_view field(std::size_t column) const { return fields_[column]; }

  // An error of the line that was read last.
  void fail(std::string message, std::string hint = {});

 private:
  static constexpr std::size_t max_columns = 64;
  bool advance();

  std::string_view text_;
  std::string_view path_;
  std::vector<Error>& errors_;
  std::string_view header_;
  std::string_view line_;
  std::array<std::string_view, max_columns> names_{};
  std::array<std::string_view, max_columns> fields_{};
  std::size_t width_ = 0;
  std::size_t position_ = 0;
  std::size_t begin_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace shapelint::calibrate
