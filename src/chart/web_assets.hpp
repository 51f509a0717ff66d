// The interactive page's parts, compiled in; cmake/WebAssets.cmake writes the source.
#pragma once

#include <string_view>

namespace shapelint::chart {

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

}  // namespace shapelint::chart
