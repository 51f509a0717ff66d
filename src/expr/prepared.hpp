// Expressions that the build compiles, so that a start of the program does not.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "expr/program.hpp"

namespace shapelint::expr {

// What a text is compiled to. `names`: those that it uses, by the numbers that its instructions have for
// them.
struct Prepared {
  std::string_view text;
  std::span<const Instruction> instructions;
  std::size_t depth = 0;
  std::span<const std::string_view> names;
};

// Programs of the built-in rules, sorted by text; none in a small build. compile() takes from them what
// it finds there. The generated source defines it.
std::span<const Prepared> prepared();

// For who writes that source: the names of a text, and what compiling it over them makes.
std::vector<std::string_view> distinct_names(std::string_view text);
std::optional<Program> compile_program(std::string_view text, std::span<const std::string_view> names,
                                       std::vector<Error>& errors);

}  // namespace shapelint::expr
