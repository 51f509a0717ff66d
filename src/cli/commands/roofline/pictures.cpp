// Pictures and the page, to files.
#include "cli/commands/roofline/roofline.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "chart/figures.hpp"
#include "chart/page.hpp"
#include "cli/output.hpp"
#include "lint/process.hpp"
#include "model/fields.hpp"

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

// What distinguishes the cases: nothing for a single one, the GPU, or model and GPU.
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
  print_error(
      io,
      fmt::format("`{} {}` must end with `{}`", option, path, ending == ".svg" ? ".svg` or `.png" : ending),
      fmt::format("for example `{} {}{}`", option, stem, ending));
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
    print_error(io,
                Error{"the output is an input file and is not overwritten", "name another file", path, {}});
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
      io.err
          << "note: this shapelint was built without npm (CMake: -DSHAPELINT_NPM=ON): the page has static\n"
             "      pictures, and the Vega-Lite specifications and data of the interactive ones inside\n";
    }
  }
  return good;
}

namespace {

constexpr std::int64_t min_steps = 8;  // of a dimension that is swept on both sides of the file's value
constexpr std::int64_t most_values = 80;

suggest::RangeRequest range_of(model::FieldId field, const std::set<std::int64_t>& values) {
  suggest::RangeRequest range;
  range.field = field;
  range.values.assign(values.begin(), values.end());
  return range;
}

// A quarter to both sides, in steps of 32 or more, and the value itself.
std::set<std::int64_t> around(std::int64_t own) {
  constexpr std::int64_t fine = 32;
  std::int64_t step = fine;
  while (own / 2 / step > most_values) step *= 2;
  if (own < 4 * min_steps * step / 2) return {};
  std::set<std::int64_t> out{own};
  const std::int64_t middle = own / step * step;
  const std::int64_t reach = own / 4 / step * step;
  for (std::int64_t value = middle - reach; value <= middle + reach; value += step) out.insert(value);
  return out;
}

// Every value from a little below the file's to a little beyond the next multiple of 64: alignment changes
// from one to the next.
std::set<std::int64_t> vocabularies(std::int64_t own) {
  constexpr std::int64_t beyond = 8;
  constexpr std::int64_t aligned = 64;
  std::set<std::int64_t> out;
  const std::int64_t last = (own / aligned + 1) * aligned + beyond;
  for (std::int64_t value = std::max<std::int64_t>(1, own - beyond); value <= last; ++value)
    out.insert(value);
  return out;
}

// Powers of two from `low` to `high` and the file's own value, unless that is far outside.
std::set<std::int64_t> doublings(std::int64_t low, std::int64_t high, std::int64_t own) {
  std::set<std::int64_t> out;
  for (std::int64_t value = low; value <= high; value *= 2) out.insert(value);
  if (own >= low && own <= high) out.insert(own);
  return out;
}

// Counts of heads that divide the hidden size into heads of usual widths, with as many groups as there are.
std::set<std::int64_t> heads(const model::Setup& setup) {
  const model::ModelSpec& model = setup.model;
  constexpr std::int64_t narrowest = 32;
  constexpr std::int64_t widest = 256;
  std::set<std::int64_t> out;
  const bool grouped = model.num_key_value_heads < model.num_attention_heads;
  for (std::int64_t count = 1; count <= model.hidden_size / narrowest; ++count) {
    const bool divides = model.hidden_size % count == 0 && count % setup.plan.tensor == 0 &&
                         (!grouped || count % model.num_key_value_heads == 0);
    if (divides && model.hidden_size / count <= widest) out.insert(count);
  }
  return out;
}

}  // namespace

std::vector<suggest::RangeRequest> page_sweeps(const model::Reading& reading) {
  const model::Setup& setup = reading.setup;
  const model::Plan& plan = setup.plan;
  const bool network = !setup.model.conv.empty();
  const bool decodes = plan.mode == model::Mode::decode;
  std::vector<suggest::RangeRequest> out;
  const auto add = [&](model::FieldId field, const std::set<std::int64_t>& values) {
    constexpr std::size_t min_values = 3;
    if (values.size() >= min_values) out.push_back(range_of(field, values));
  };
  const bool few = plan.mode == model::Mode::train && !network;
  const auto batches = [&] {
    add(model::FieldId::micro_batch_size, doublings(1, few ? 64 : 1024, plan.micro_batch_size));
  };
  if (network) {
    batches();
    return out;
  }
  if (decodes) {
    batches();
    add(model::FieldId::context_length, doublings(256, 131'072, plan.context_length));
    std::set<std::int64_t> budgets = doublings(32, 4096, plan.prefill_tokens);
    budgets.insert(0);
    add(model::FieldId::prefill_tokens, budgets);
  }
  add(model::FieldId::hidden_size, around(setup.model.hidden_size));
  add(model::FieldId::intermediate_size, around(setup.model.intermediate_size));
  add(model::FieldId::num_attention_heads, heads(setup));
  if (setup.model.lm_head) add(model::FieldId::vocab_size, vocabularies(setup.model.vocab_size));
  if (!decodes) {
    batches();
    add(model::FieldId::sequence_length, doublings(256, 65'536, plan.sequence_length));
  }
  return out;
}

}  // namespace shapelint::cli
