// Pictures and the page, to files.
#include "cli/commands/roofline/pictures.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "chart/figures.hpp"
#include "chart/page.hpp"
#include "cli/messages.hpp"
#include "lint/process.hpp"

namespace shapelint::cli {

namespace {

// `out/roofline.svg` for the H100 of several: `out/roofline.h100-sxm5.svg`.
std::string path_of(const std::string& path, const std::string& which) {
  if (which.empty()) return path;
  const std::size_t name = path.find_last_of('/') + 1;  // 0 where there is none
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot <= name) return fmt::format("{}.{}", path, which);
  return fmt::format("{}.{}{}", path.substr(0, dot), which, path.substr(dot));
}

// What tells the cases apart: nothing for a single one, the GPU, or model and GPU.
std::string name_of(const report::RooflineReport& roofline, std::size_t index) {
  if (roofline.cases.size() == 1) return "";
  std::set<std::string> models;
  for (const report::RooflineCase& each : roofline.cases) models.insert(each.path + '\n' + each.model);
  const report::RooflineCase& of = roofline.cases[index];
  if (models.size() == 1) return of.gpu.id;
  std::string model;
  for (const char c : of.model.empty() ? of.path : of.model) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    model += plain ? c : '-';
  }
  return fmt::format("{}-{}.{}", index + 1, model, of.gpu.id);
}

constexpr std::string_view png = ".png";

// The file as a converter prints it.
std::optional<std::string> png_of(const std::string& svg_path) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 26;
  constexpr std::int64_t limit_ms = 20'000;
  const std::string path = svg_path.starts_with('-') ? "./" + svg_path : svg_path;
  const std::vector<std::vector<std::string>> converters{{"rsvg-convert", "--zoom=2", path},
                                                         {"resvg", "--zoom", "2", "-c", path}};
  for (const std::vector<std::string>& command : converters) {
    const auto ran = lint::run_process(command, {}, most_bytes, false, limit_ms);
    if (ran && ran->exit_code == 0 && ran->out.starts_with("\x89PNG")) return ran->out;
  }
  return std::nullopt;
}

}  // namespace

bool has_ending(const std::string& path, std::string_view option, std::string_view ending, Io& io) {
  if (path.empty() || path.ends_with(ending)) return true;
  const std::size_t name = path.find_last_of('/') + 1;  // 0 where there is none
  const std::size_t dot = path.rfind('.');
  const std::string stem = dot == std::string::npos || dot <= name ? path : path.substr(0, dot);
  print_error(io, fmt::format("`{} {}`: only `{}` is written", option, path, ending),
              fmt::format("`{} {}{}`", option, stem, ending));
  return false;
}

bool has_drawing_ending(const std::string& path, std::string_view option, Io& io) {
  return path.ends_with(png) || has_ending(path, option, ".svg", io);
}

bool write_drawing(const std::string& path, const std::string& svg, Io& io) {
  if (!path.ends_with(png)) return write_picture(path, svg, io);
  const std::string drawn = path.substr(0, path.size() - png.size()) + ".svg";
  if (!write_picture(drawn, svg, io)) return false;
  const std::optional<std::string> pixels = png_of(drawn);
  if (pixels) return write_picture(path, *pixels, io);
  print_error(io,
              fmt::format("`{}` is written, but not `{}`: neither rsvg-convert nor resvg runs", drawn, path),
              "install one of them (Debian: librsvg2-bin)");
  return false;
}

bool write_picture(const std::string& path, const std::string& content, Io& io) {
  if (io.files.was_read(path)) {
    print_error(
        io, Error{"the output is a file that was read, and stays as it is", "name another file", path, {}});
    return false;
  }
  const auto written = io.files.write(path, content);
  if (!written) print_error(io, written.error());
  return static_cast<bool>(written);
}

bool write_pictures(const report::RooflineReport& roofline, const lint::Report& lint,
                    const PictureOptions& options, Io& io) {
  bool good = true;
  for (std::size_t i = 0; i < roofline.cases.size(); ++i) {
    const report::RooflineCase& of = roofline.cases[i];
    const std::string which = name_of(roofline, i);
    if (!options.plot.empty()) {
      good =
          write_drawing(path_of(options.plot, which), chart::roofline_svg(chart::roofline_figure(of)), io) &&
          good;
    }
    if (!options.waterfall.empty()) {
      good = write_drawing(path_of(options.waterfall, which),
                           chart::waterfall_svg(chart::waterfall_figure(of)), io) &&
             good;
    }
  }
  if (!options.page.empty()) {
    good = write_picture(options.page, chart::page(roofline, lint), io) && good;
    if (!chart::has_interactive_charts()) {
      io.err << "note: this shapelint was built without npm (CMake: -DSHAPELINT_NPM=ON): the page has still\n"
                "      pictures, and the Vega-Lite specifications and data of the interactive ones inside\n";
    }
  }
  return good;
}

}  // namespace shapelint::cli
