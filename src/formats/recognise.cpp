// Which dialect a configuration is written in.
#include "formats/recognise.hpp"

#include <algorithm>

#include "base/number.hpp"
#include "base/words.hpp"

namespace shapelint::formats {

namespace {

using text::NodeRef;

// Keys of a dialect that must be seen in a broken text before it is called one of its files.
constexpr std::int64_t keys_for_broken = 4;

bool speaks(const Dialect& dialect, std::string_view syntax) {
  return std::find(dialect.syntax.begin(), dialect.syntax.end(), syntax) != dialect.syntax.end();
}

}  // namespace

bool holds(const View& view, const KeyTest& test) {
  for (const Place& place : view.places(test.path)) {
    const NodeRef node = view.find({place, true}, {});
    if (test.kind && !node.is(*test.kind)) continue;
    if (test.equals.empty()) return true;
    std::string text(node.as_string().value_or(""));
    if (const auto value = node.as_integer()) text = std::to_string(*value);
    if (const auto value = node.as_boolean()) text = *value ? "true" : "false";
    if (matches_any(test.equals, text)) return true;
  }
  return false;
}

namespace {

bool holds(const View& view, const Test& test, std::string_view path) {
  if (!test.file.empty() && !matches_any(test.file, path)) return false;
  for (const KeyTest& each : test.has) {
    if (!holds(view, each)) return false;
  }
  for (const KeyTest& each : test.lacks) {
    if (holds(view, each)) return false;
  }
  if (test.any.empty()) return true;
  std::int64_t found = 0;
  for (const KeyTest& each : test.any) {
    if (holds(view, each) && ++found >= test.at_least) return true;
  }
  return false;
}

}  // namespace

const Dialect* recognise(std::span<const Dialect> dialects, const text::Document& document,
                         std::string_view syntax) {
  for (const Dialect& dialect : dialects) {
    if (!speaks(dialect, syntax)) continue;
    View view(dialect.flags);
    view.add({&document, {}, {}});
    for (const Test& test : dialect.recognise) {
      if (holds(view, test, document.path())) return &dialect;
    }
  }
  return nullptr;
}

const Dialect* recognise_broken(std::span<const Dialect> dialects, std::string_view source,
                                std::string_view path, std::string_view syntax) {
  for (const Dialect& dialect : dialects) {
    if (!speaks(dialect, syntax)) continue;
    for (const Test& test : dialect.recognise) {
      if (!test.file.empty() && !matches_any(test.file, path)) continue;
      std::int64_t found = 0;
      bool all = true;
      const auto count = [&](const KeyTest& each) {
        const std::string& key = each.path.components.empty() ? std::string() : each.path.components.back();
        const bool seen =
            !key.empty() && (source.find(key) != std::string_view::npos ||
                             (dialect.flags && source.find(dashed(key)) != std::string_view::npos));
        found += seen ? 1 : 0;
        return seen;
      };
      for (const KeyTest& each : test.has) all = count(each) && all;
      for (const KeyTest& each : test.any) count(each);
      if (all && found >= keys_for_broken) return &dialect;
    }
  }
  return nullptr;
}

}  // namespace shapelint::formats
