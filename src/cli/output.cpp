// Messages, and reports that go to several places.
#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/strings.hpp"
#include "cli/option.hpp"
#include "objects/convert.hpp"
#include "report/exchange/exchange.hpp"
#include "report/findings/snippet.hpp"
#include "report/style.hpp"
#include "text/errors.hpp"
#include "text/files.hpp"
#include "text/printable.hpp"
#include "text/replace.hpp"

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

namespace {

// `text` is also known as `full`, as other linters call it.
std::optional<std::string> into_format(std::size_t& format, std::string_view text) {
  return into_choice(format, report::format_names)(text == "full" ? report::format_names.front() : text);
}

constexpr std::array<std::string_view, 2> part_names{"fields", "operations"};

// Each use adds the parts between commas.
Setter into_parts(report::JsonParts& parts) {
  return [&parts](std::string_view text) -> std::optional<std::string> {
    std::vector<std::string> named;
    if (auto expected = into_list(named)(text)) return expected;
    for (const std::string& name : named) {
      std::size_t part = 0;
      if (auto expected = into_choice(part, part_names)(name)) return expected;
      (part == 0 ? parts.fields : parts.operations) = true;
    }
    return std::nullopt;
  };
}

std::optional<std::string> add_file(OutputOptions& options, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    return "a format and a file such as `sarif=out.sarif`";
  }
  std::size_t format = 0;
  if (auto expected = into_format(format, text.substr(0, equals))) return expected;
  options.files.emplace_back(static_cast<report::Format>(format), text.substr(equals + 1));
  return std::nullopt;
}

std::string standard_output(const lint::Report& report, const OutputOptions& options, const Io& io) {
  const report::Style style = out_style(io);
  if (!options.statistics)
    return report::render(options.format, report, {style, options.quiet, options.verbose, options.parts});
  return options.format == report::Format::json ? report::statistics_json(report)
                                                : report::statistics(report, style);
}

}  // namespace

std::vector<Option> output_options(OutputOptions& options) {
  return {
      {.names = "--format",
       .value = "NAME",
       .doc = "output format",
       .set =
           [&options](std::string_view text) {
             std::size_t format = 0;
             auto expected = into_format(format, text);
             if (!expected) options.format = static_cast<report::Format>(format);
             return expected;
           },
       .choices = strings(report::format_names)},
      {.names = "-o,--output",
       .value = "FORMAT=FILE",
       .doc = "also write this format to a file, such as `sarif=out.sarif`; repeatable",
       .set = [&options](std::string_view text) { return add_file(options, text); },
       .many = true,
       .words = output_words},
      {.names = "--with",
       .value = "PARTS",
       .doc = "add to `--format json`: `fields` (every field and its origin), `operations` (every operation "
              "and its cost)",
       .set = into_parts(options.parts),
       .many = true,
       .choices = strings(part_names),
       .is_list = true},
      {.names = "--statistics",
       .doc = "print counts by rule instead of findings (also `--format json`)",
       .set = into(options.statistics)},
      {.names = "-q,--quiet",
       .doc = "print only findings from the fail level on",
       .set = into(options.quiet)},
  };
}

bool OutputOptions::wants(report::Format wanted) const {
  return format == wanted ||
         std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.first == wanted; });
}

bool write_files(const lint::Report& report, const OutputOptions& options, Io& io) {
  bool written = true;
  for (const auto& [format, path] : options.files) {
    const auto result =
        io.files.write(path, report::render(format, report, {{}, false, false, options.parts}));
    if (result) continue;
    print_error(io, result.error());
    written = false;
  }
  return written;
}

bool write_over(const std::string& path, std::string_view before, std::string_view after, Io& io) {
  const auto now = io.files.read(path, text::max_source_bytes);
  bool has_changed = now && *now != before;
  Result<bool> written = true;
  if (!has_changed) {
    const text::ReplaceGuard guard(before);
    written = io.files.write(path, after);
    has_changed = written && !*written;
  }
  if (has_changed) {
    print_error(io, {"the file changed while it was being fixed and was not written", "run it again", path,
                     std::nullopt});
    return false;
  }
  if (!written) print_error(io, written.error());
  return static_cast<bool>(written);
}

bool write_report(const lint::Report& report, const OutputOptions& options, Io& io) {
  const bool written = write_files(report, options, io);
  // Workflow commands are what it is for; their values are escaped (report/exchange/ci.cpp).
  const bool is_commands = options.format == report::Format::github && !options.statistics;
  if (options.format == report::Format::json && !options.statistics) {
    report::write_json(report, options.parts, io.out);
  } else {
    (is_commands ? io.raw() : io.out) << standard_output(report, options, io);
  }
  return written;
}

}  // namespace shapelint::cli
