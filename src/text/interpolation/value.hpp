// What an interpolation comes to, as text, as a number, and arithmetic on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.hpp"
#include "text/document.hpp"
#include "text/yaml/nodes.hpp"

namespace shapelint::text::interpolation {

// The pieces of an interpolation's text.

// One past the `}` that closes the `${` at `at`; npos when there is none.
std::size_t reference_end(std::string_view text, std::size_t at);

// Splits at commas outside of brackets and quotes, and trims. What it gives is charged to `held`.
std::vector<std::string_view> split_arguments(std::string_view text, HeldBytes& held);

// Upper case, digits and underscores: what environment variables are called.
bool is_variable_name(std::string_view text);

// What a string comes to: a node of the document, a scalar, or nothing for a reason.
struct Resolved {
  enum class Kind : std::uint8_t { node, scalar, unknown };
  Kind kind = Kind::unknown;
  NodeRef node;
  yaml::Scalar scalar;
  std::string text;  // of a string scalar, or the reason
};

Resolved unknown(std::string reason);
Resolved of_string(std::string text);
Resolved of_number(double value, bool is_integer);
// Unquoted text in an interpolation is typed as YAML types it.
Resolved of_written(std::string_view text);

// As it reads within a longer text (`True`, `None`); nothing for tables, lists and what is unknown.
std::optional<std::string> as_text(const Resolved& outcome);

struct WrittenNumber {
  double value = 0;
  bool is_integer = false;
};
std::optional<WrittenNumber> as_number(const Resolved& outcome);

// Names of resolvers that real configurations register for arithmetic: `${multiply:4,${hidden_size}}`.
bool is_arithmetic(std::string_view name);
// From left to right. A division by zero and an infinite result are unknown.
Resolved calculated(std::string_view name, std::span<const WrittenNumber> operands);

}  // namespace shapelint::text::interpolation
