// Where a report goes: standard output in one format, and files in as many as are asked for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "report/formats.hpp"

namespace shapelint::cli {

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

// Writes the files, each beside its target and renamed, so that nobody sees half of one. Those that cannot be
// written are reported; false when there was one.
bool write_files(const lint::Report& report, const OutputOptions& options, Io& io);

// The files, then standard output.
bool write_report(const lint::Report& report, const OutputOptions& options, Io& io);

}  // namespace shapelint::cli
