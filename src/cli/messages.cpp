// Messages to standard error.
#include "cli/messages.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/number.hpp"
#include "objects/convert.hpp"
#include "report/findings/snippet.hpp"
#include "report/wrap.hpp"
#include "text/printable.hpp"

namespace shapelint::cli {

namespace {

// Columns of the terminal's window; 0: not known.
std::size_t window_of(const Io& io) {
  const auto columns = io.environment.find("COLUMNS");
  if (columns == io.environment.end()) return 0;
  return static_cast<std::size_t>(std::max<std::int64_t>(0, parse_integer(columns->second).value_or(0)));
}

}  // namespace

report::Style out_style(const Io& io) {
  return {io.out_color, io.out_is_terminal ? window_of(io) : 0};
}

report::Style err_style(const Io& io) {
  return {io.err_color, io.err_is_terminal ? window_of(io) : 0};
}

void print_error(Io& io, std::string_view message, std::string_view hint) {
  print_error(io, Error{std::string(message), std::string(hint), {}, {}});
}

bool print_errors(Io& io, std::string_view file, const std::vector<Error>& errors) {
  for (const Error& error : errors) print_error(io, fmt::format("{}: {}", file, error.message), error.hint);
  return !errors.empty();
}

void print_error(Io& io, const Error& error, const text::SharedText& source) {
  const auto otherwise = error.path.empty() ? api::code::invalid_option : api::code::invalid_file;
  io.problems.push_back(api::error_of(error, otherwise, source));
  io.err << report::render(error, source, err_style(io));
}

void print_note(Io& io, std::string_view text) {
  io.err << report::headline(fmt::format("note: {}", shapelint::text::one_line(text)), 2, 2, err_style(io))
         << '\n';
}

void print_note(Io& io, std::string_view file, const model::Note& note) {
  print_note(io, fmt::format("{}: {}", note.path.empty() ? file : std::string_view(note.path), note.message));
}

}  // namespace shapelint::cli
