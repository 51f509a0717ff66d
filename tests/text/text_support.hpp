// What the tests of the readers share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "text/document.hpp"

namespace shapelint::text {

// The bytes at a span, to be compared with what the test's input says.
inline std::string bytes_at(std::string_view source, Span span) {
  if (span.begin < 0 || span.end < span.begin || span.end > static_cast<std::int64_t>(source.size())) {
    return "<span outside the source>";
  }
  return std::string(
      source.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin)));
}

inline std::string bytes_at(const Document& document, Span span) {
  return bytes_at(document.source(), span);
}

inline std::string bytes_of(const Document& document, NodeRef node) {
  return node ? bytes_at(document, node.span()) : "<absent>";
}

// One line that shows a tree: {a: 1, b: "x", c: [1.5, null], d: unknown(why)}. Numbers always show a point.
std::string outline(NodeRef node);

// How an error reads: `message @ "bytes"`.
std::string outline(const Error& error, std::string_view source);

// A random tree of at most `depth` levels, from rapidcheck's generators; only inside rc::check.
nlohmann::json random_tree(int depth);

// Whether a tree holds exactly these values.
bool same(const nlohmann::json& want, NodeRef got);

}  // namespace shapelint::text
