// `shapelint roofline`: where each op stands under a GPU's roofs, and what would help.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io.hpp"
#include "cli/option.hpp"
#include "cli/project_options.hpp"
#include "model/reading.hpp"
#include "report/formats.hpp"
#include "report/roofline/roofline.hpp"
#include "suggest/edit/axes.hpp"

namespace shapelint::cli {

// The files that are written in addition to the table.

struct PictureOptions {
  std::string plot;       // SVG or PNG; empty: none
  std::string waterfall;  // SVG or PNG
  std::string page;       // HTML
  bool any() const { return !plot.empty() || !waterfall.empty() || !page.empty(); }
};

// Writes what is asked for; with several cases each picture gets the case's GPU (and model) before its
// extension, the page holds all. `lint` is for the page. Errors are printed; false when there was one.
bool write_pictures(const report::RooflineReport& roofline, const lint::Report& lint,
                    const PictureOptions& options, Io& io);

// Whether a path, if there is one, ends as what is written there; else an error is printed.
bool has_ending(const std::string& path, std::string_view option, std::string_view ending, Io& io);

// The same of a drawing: `.svg`, or `.png`.
bool has_drawing_ending(const std::string& path, std::string_view option, Io& io);

// Writes an SVG. Of `a.png` it writes `a.svg` and what rsvg-convert or resvg makes of that; without either
// that is an error, and `a.svg` is there.
bool write_drawing(const std::string& path, const std::string& svg, Io& io);

// Writes one file, or prints why not.
bool write_picture(const std::string& path, const std::string& content, Io& io);

struct RooflineOptions {
  std::vector<std::string> files;
  std::string model;  // of a file that holds several
  ProjectOptions project;
  std::string over;
  std::optional<std::int64_t> top;
  std::int64_t prefill_chunk = 0;
  std::int64_t output_tokens = 0;
  std::string draft;
  std::size_t format = 0;  // text, json, csv
  PictureOptions pictures;
};

std::vector<Option> roofline_options(RooflineOptions& options);
ExitCode roofline(const RooflineOptions& options, Io& io);

// The default sweeps of the interactive page.

// The fields that a reader of the page may choose among, the most telling first, each with values around the
// file's own: fine enough for tiles and waves to show, and few enough for the page to stay small.
std::vector<suggest::RangeRequest> page_sweeps(const model::Reading& reading);

}  // namespace shapelint::cli
