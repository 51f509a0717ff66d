// Single values of the native file.
#include "formats/native/values.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"

namespace shapelint::formats {

using text::Kind;
using text::NodeRef;

std::string written(const text::Document& document, const NodeRef& node) {
  if (!node.is(Kind::integer) && !node.is(Kind::number) && !node.is(Kind::boolean)) {
    return std::string(text::describe(node.kind()));
  }
  const Span span = node.span();
  return fmt::format("`{}`", document.source().substr(static_cast<std::size_t>(span.begin),
                                                      static_cast<std::size_t>(span.end - span.begin)));
}

std::optional<std::int64_t> integer_value(const text::Document& document, const NodeRef& node,
                                          std::string_view key, Bounds bounds, std::vector<Error>& errors) {
  const auto value = node.as_integer();
  if (!value || !node.is(Kind::integer)) {
    const auto number = node.as_number();
    const bool whole = number && std::abs(*number) < 9e15 && std::floor(*number) == *number;
    errors.push_back(
        node.error(fmt::format("`{}` is {}", key, written(document, node)),
                   whole ? fmt::format("write the integer `{}`", static_cast<std::int64_t>(*number))
                         : "write an integer"));
    return std::nullopt;
  }
  if (*value < bounds.minimum || *value > bounds.maximum) {
    errors.push_back(
        node.error(fmt::format("`{}` is `{}`", key, *value),
                   fmt::format("it is from {} to {}", bounds.minimum, with_commas(bounds.maximum))));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> boolean_value(const text::Document& document, const NodeRef& node, std::string_view key,
                                  std::vector<Error>& errors) {
  if (const auto value = node.as_boolean()) return *value;
  errors.push_back(
      node.error(fmt::format("`{}` is {}", key, written(document, node)), "write `true` or `false`"));
  return std::nullopt;
}

}  // namespace shapelint::formats
