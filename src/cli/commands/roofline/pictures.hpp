// The files that `shapelint roofline` writes beside its table.
#pragma once

#include <string>
#include <string_view>

#include "cli/io.hpp"
#include "report/report.hpp"
#include "report/roofline/roofline.hpp"

namespace shapelint::cli {

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

}  // namespace shapelint::cli
