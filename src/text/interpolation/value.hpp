// What an interpolation comes to, as text, as a number, and arithmetic on it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "text/document.hpp"
#include "text/yaml/scalar.hpp"

namespace shapelint::text::interpolation {

// What a string comes to: a node of the document, a scalar, or nothing for a reason.
struct Outcome {
  enum class Kind : std::uint8_t { node, scalar, unknown };
  Kind kind = Kind::unknown;
  NodeRef node;
  yaml::Scalar scalar;
  std::string text;  // of a string scalar, or the reason
};

Outcome unknown(std::string reason);
Outcome of_string(std::string text);
Outcome of_number(double value, bool is_integer);
// Unquoted text in an interpolation is typed as YAML types it.
Outcome of_written(std::string_view text);

// As it reads within a longer text (`True`, `None`); nothing for tables, lists and what is unknown.
std::optional<std::string> as_text(const Outcome& outcome);

struct WrittenNumber {
  double value = 0;
  bool is_integer = false;
};
std::optional<WrittenNumber> as_number(const Outcome& outcome);

// Names of resolvers that real configurations register for arithmetic: `${multiply:4,${hidden_size}}`.
bool is_arithmetic(std::string_view name);
// From left to right. A division by zero and an infinite result are unknown.
Outcome calculated(std::string_view name, std::span<const WrittenNumber> operands);

}  // namespace shapelint::text::interpolation
