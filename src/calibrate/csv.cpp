// Lines of a CSV file.
#include "calibrate/csv.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"

namespace shapelint::calibrate {

namespace {

constexpr std::size_t max_errors = 20;

// Cuts one line into fields; quotes may hold commas. Returns how many there are.
template <std::size_t N>
std::size_t cut(std::string_view line, std::array<std::string_view, N>& fields) {
  std::size_t count = 0;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != ',' || quoted)) continue;
    std::string_view field = line.substr(begin, i - begin);
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    if (count < N) fields[count] = field;
    ++count;
    begin = i + 1;
  }
  return count;
}

}  // namespace

bool CsvLines::advance() {
  if (position_ >= text_.size()) return false;
  begin_ = position_;
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  line_ = text_.substr(position_, end - position_);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  position_ = end + 1;
  ++number_;
  return true;
}

void CsvLines::fail(std::string message, std::string hint) {
  Error error;
  error.message = fmt::format("line {}: {}", number_, message);
  error.hint = std::move(hint);
  error.path = path_;
  error.span = Span{static_cast<std::int64_t>(begin_), static_cast<std::int64_t>(begin_ + line_.size())};
  errors_.push_back(std::move(error));
}

bool CsvLines::read_header(std::string_view hint) {
  if (!advance()) {
    fail("no header", fmt::format("the first line names the columns: {}", hint));
    return false;
  }
  header_ = line_;
  width_ = cut(line_, names_);
  return true;
}

std::optional<std::size_t> CsvLines::column(std::string_view name) const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < std::min(width_, max_columns); ++i) {
    if (names_[i] == name) found = i;
  }
  return found;
}

bool CsvLines::next() {
  while (errors_.size() < max_errors && advance()) {
    if (line_.empty()) continue;
    const std::size_t count = cut(line_, fields_);
    if (count == width_) return true;
    fail(counted(count, "field"), fmt::format("the header has {}", width_));
  }
  return false;
}

}  // namespace shapelint::calibrate
