// A template filled in.
#include "chart/page.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "chart/figures.hpp"
#include "report/exchange/exchange.hpp"

namespace shapelint::chart {

namespace {

constexpr std::size_t block_bytes = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void add_block(std::string_view block, State& state) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte)
      w[i] = w[i] << 8 | static_cast<unsigned char>(block[4 * i + byte]);
  }
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t a = w[i - 15];
    const std::uint32_t b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  State s = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint32_t from_e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t first = s[7] + from_e + choice + round_constants[i] + w[i];
    const std::uint32_t from_a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    s = {first + from_a + majority, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

std::string sha256(std::string_view text) {
  State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::size_t whole = text.size() / block_bytes * block_bytes;
  for (std::size_t at = 0; at < whole; at += block_bytes) add_block(text.substr(at, block_bytes), state);
  // The rest, a bit, zeros, and the length in bits in the last eight bytes.
  std::string rest(text.substr(whole));
  rest += static_cast<char>(0x80);
  while (rest.size() % block_bytes != block_bytes - 8) rest += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    rest += static_cast<char>(static_cast<std::uint64_t>(text.size()) * 8 >> shift & 0xff);
  for (std::size_t at = 0; at < rest.size(); at += block_bytes)
    add_block(std::string_view(rest).substr(at, block_bytes), state);
  std::string out;
  for (const std::uint32_t word : state) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 0xff);
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += at + i > bytes.size() ? '=' : digits[three >> (18 - 6 * i) & 0x3f];
  }
  return out;
}

}  // namespace

std::string script_hash(std::string_view script) {
  return "'sha256-" + base64(sha256(script)) + "'";
}

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

// The content of a script's element.
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
