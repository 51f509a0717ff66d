// A template filled in.
#include "chart/page.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "chart/figures.hpp"
#include "chart/script_hash.hpp"
#include "chart/web_assets.hpp"
#include "report/exchange/json.hpp"
#include "report/exchange/xml.hpp"

namespace shapelint::chart {

namespace {

// JSON inside a <script>, without its indentation: `<` only occurs within strings, where it may be written as
// an escape.
std::string json_in_html(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool in_string = false;
  bool escaped = false;
  for (const char c : json) {
    if (!in_string && (c == ' ' || c == '\n')) continue;
    if (c == '"' && !escaped) in_string = !in_string;
    escaped = c == '\\' && !escaped;
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

// Of a script what its element holds.
std::string in_element(std::string_view code) {
  std::string out;
  constexpr std::string_view end = "</script";
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t next = code.find(end, at);
    out += code.substr(at, next - at);
    if (next == std::string_view::npos) break;
    out += "<\\/script";
    at = next + end.size();
  }
  return out;
}

}  // namespace

bool has_interactive_charts() {
  return !web_assets().vega.empty();
}

std::string page(const report::RooflineReport& roofline, const lint::Report& lint) {
  const WebAssets& assets = web_assets();
  // Each an element; the policy lists them, and nothing else runs.
  std::vector<std::string> scripts;
  if (has_interactive_charts()) {
    for (const std::string_view library : {assets.vega, assets.vega_lite, assets.vega_embed})
      scripts.push_back(in_element(library));
  }
  scripts.push_back(in_element(fmt::format("\"use strict\";\n(() => {{\n{}\n}})();\n", assets.script)));
  const report::RooflineCase& first = roofline.cases.front();
  const RooflineFigure figure = roofline_figure(first);
  const auto value_of = [&](std::string_view name) -> std::string {
    if (name == "title") return report::xml_escaped(figure.title);
    if (name == "style") return std::string(assets.style);
    if (name == "hashes") {
      std::string out;
      for (const std::string& script : scripts) out += (out.empty() ? "" : " ") + script_hash(script);
      return out;
    }
    if (name == "scripts") {
      std::string out;
      for (const std::string& script : scripts) out += "<script>" + script + "</script>\n";
      return out;
    }
    if (name == "roofline_svg") return has_interactive_charts() ? "" : roofline_svg(figure);
    if (name == "waterfall_svg")
      return has_interactive_charts() ? "" : waterfall_svg(waterfall_figure(first));
    if (name == "footer")
      return "Predicted by shapelint " SHAPELINT_VERSION "; nothing on this page was measured.";
    if (name == "specs") {
      return json_in_html(fmt::format(R"({{"roofline": {}, "waterfall": {}, "sweep": {}}})",
                                      assets.roofline_spec, assets.waterfall_spec, assets.sweep_spec));
    }
    if (name == "data") {
      return json_in_html(fmt::format(R"({{"roofline": {}, "sweeps": {}, "lint": {}}})",
                                      report::roofline_json(roofline), report::sweeps_json(roofline.sweeps),
                                      report::json(lint)));
    }
    return "";
  };
  std::string out;
  std::string_view rest = assets.page;
  for (std::size_t open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
    const std::size_t close = rest.find("}}", open);
    out += rest.substr(0, open);
    out += value_of(rest.substr(open + 2, close - open - 2));
    rest.remove_prefix(close + 2);
  }
  return out + std::string(rest);
}

}  // namespace shapelint::chart
