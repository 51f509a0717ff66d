// Internal to the native format: single values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::formats {

// What was written, for a message: numbers and booleans as they stand in the file.
std::string written(const text::Document& document, const text::NodeRef& node);

struct Bounds {
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
};
// The integer of a node; nothing, and an error, when it is none or out of bounds.
std::optional<std::int64_t> integer_value(const text::Document& document, const text::NodeRef& node,
                                          std::string_view key, Bounds bounds, std::vector<Error>& errors);
// The same for `true` and `false`.
std::optional<bool> boolean_value(const text::Document& document, const text::NodeRef& node,
                                  std::string_view key, std::vector<Error>& errors);

}  // namespace shapelint::formats
