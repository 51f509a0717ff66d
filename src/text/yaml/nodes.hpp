// Between the two halves of the YAML reader: the file as it is written, aliases and merge keys not followed;
// what its scalars mean, and its errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "text/document.hpp"

namespace shapelint::text::yaml {

struct RawNode {
  enum class Kind : std::uint8_t { table, list, scalar, alias };
  Kind kind = Kind::scalar;
  bool plain = true;  // a scalar without quotes: its text decides its type (none: a null)
  Span span;
  std::string text;                // scalar
  std::string tag;                 // as written, `!include`; empty when there is none
  std::size_t target = 0;          // alias: the node at the anchor
  std::vector<std::size_t> items;  // list: its items; table: key, value, key, value …
};

// Node 0 is the root. Follows aliases and merge keys, and types the scalars.
Result<Document> build(const std::string& path, const SharedText& source, const std::vector<RawNode>& nodes);

// What an unquoted YAML scalar means.
//
// The frameworks that people train with load YAML with PyYAML, which follows YAML 1.1 with rules of its own:
// `1e-5` is a string there, `32_000` an integer, `1:30` is 90 and `no` is false. Reading it any other way
// would describe a run that does not happen.

struct Scalar {
  Kind kind = Kind::string;  // string, integer, number, boolean or null
  std::int64_t integer = 0;  // Kind::integer
  double number = 0;         // Kind::integer and Kind::number
  bool boolean = false;      // Kind::boolean
};

// PyYAML 6.0 (yaml/resolver.py and SafeConstructor in yaml/constructor.py), except that dates stay strings.
// An integer past 64 bits becomes a number.
Scalar resolve_scalar(std::string_view plain);

// The number that a person reads in `text`, where PyYAML reads a string: `1e-5`, `2E3`, `1.5e6`, `0o17`.
// Nothing for text that is no number to anyone, or that PyYAML reads as a number.
std::optional<double> number_read_as_string(std::string_view text);

struct Explanation {
  std::string message;
  std::string hint;
  bool at_context = false;  // it is about what began earlier: a quote that is never closed
};

// For a message of libyaml; one that is not in the table stays unchanged.
Explanation explain(std::string_view problem);

}  // namespace shapelint::text::yaml
