// What an unquoted YAML scalar means.
//
// The frameworks that people train with load YAML with PyYAML, which follows YAML 1.1 with rules of its own:
// `1e-5` is a string there, `32_000` an integer, `1:30` is 90 and `no` is false. Reading it any other way
// would describe a run that does not happen.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "text/document.hpp"

namespace shapelint::text::yaml {

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

}  // namespace shapelint::text::yaml
