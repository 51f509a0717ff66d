// Reports as one HTML file that needs nothing else, and no network: the interactive one of predictions, and
// that of a measured step and its prediction.
#pragma once

#include <string>
#include <string_view>

#include "report/formats.hpp"
#include "report/profile/profile.hpp"
#include "report/roofline/roofline.hpp"

namespace shapelint::chart {

// Whether the build had the libraries that make the page interactive; without them it shows still pictures of
// the first case, and carries the specifications and the data anyway.
bool has_interactive_charts();

// `roofline` holds at least one case; `lint` the findings of the same files for the same GPUs.
std::string page(const report::RooflineReport& roofline, const lint::Report& lint);

// Two bars for each row of operations, the longest first.
std::string profile_svg(const report::ProfileReport& report);
// The picture, the tables, and nothing that needs a network or a script.
std::string profile_page(const report::ProfileReport& report);

// The interactive page's parts, compiled in; cmake/WebAssets.cmake writes the source.

struct WebAssets {
  std::string_view page;  // with `{{name}}` where the rest goes
  std::string_view style;
  std::string_view script;
  std::string_view roofline_spec;  // Vega-Lite, without data
  std::string_view waterfall_spec;
  std::string_view sweep_spec;
  std::string_view vega;  // this and the two below are empty in a build without npm
  std::string_view vega_lite;
  std::string_view vega_embed;
};
const WebAssets& web_assets();

// What a page's Content-Security-Policy calls its scripts by, so that no other runs.

// `'sha256-…'` of a script element's text, in the form that a policy lists.
std::string script_hash(std::string_view script);

}  // namespace shapelint::chart
