// What is printed: messages on standard error, and reports on standard output in one format and in files in
// as many as are asked for.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/io.hpp"
#include "cli/option.hpp"
#include "model/reading.hpp"
#include "report/formats.hpp"
#include "report/style.hpp"
#include "text/source.hpp"

namespace shapelint::cli {

// How results look, and messages: coloured or not, and as wide as the window where they go to one.
report::Style out_style(const Io& io);
report::Style err_style(const Io& io);

// "error: what was seen; hint".
void print_error(Io& io, std::string_view message, std::string_view hint = {});

// Each as "error: file: what was seen; hint". False when there are none.
bool print_errors(Io& io, std::string_view file, const std::vector<Error>& errors);

// With the place, when the error has one; `source` is the text of its file.
void print_error(Io& io, const Error& error, const text::SharedText& source = {});

// "note: text"; on one line where it goes elsewhere.
void print_note(Io& io, std::string_view text);

// "note: file: message": why nothing came of a file, or what in it was not understood.
void print_note(Io& io, std::string_view file, const model::Note& note);

struct OutputOptions {
  report::Format format = report::Format::text;
  std::vector<std::pair<report::Format, std::string>> files;  // --output sarif=out.sarif
  report::JsonParts parts;                                    // --with, of json
  bool statistics = false;
  bool quiet = false;
  bool verbose = false;                     // more of what is printed; set by the command
  bool wants(report::Format wanted) const;  // on standard output or in a file
};

// --format, --output, --with, --statistics and --quiet.
std::vector<Option> output_options(OutputOptions& options);

// Writes the files, each next to its target and renamed: no reader sees half of one. Those that cannot be
// written are reported; false when there was one.
bool write_files(const lint::Report& report, const OutputOptions& options, Io& io);

// Replaces a file that was read, unless somebody else has changed it since; what was wrong is printed.
bool write_over(const std::string& path, std::string_view before, std::string_view after, Io& io);

// The files, then standard output.
bool write_report(const lint::Report& report, const OutputOptions& options, Io& io);

}  // namespace shapelint::cli
