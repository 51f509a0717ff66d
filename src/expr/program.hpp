// What an expression is compiled to: instructions over a stack of numbers, in the order in which they run,
// with jumps over operands that decide nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "expr/arithmetic.hpp"

namespace shapelint::expr {

enum class Code : std::uint8_t {
  number,       // pushes `number`
  name,         // pushes the value of `at`
  prefix,       // of one operand
  infix,        // of two
  call,         // of `count` operands
  decided_and,  // leaves 0 or no value and jumps, or drops what holds
  decided_or,   // leaves 1 or no value and jumps, or drops what does not hold
  truth,        // 1 or 0, or no value
  jump,
  jump_if_none,  // leaves it
  jump_if_zero,  // drops it
};

struct Instruction {
  Code code = Code::number;
  std::uint8_t function = 0;  // of prefixes, infixes and calls: its place in their table
  std::int32_t at = 0;  // of a name, its index; of a jump, the next instruction; of a call, its operands
  double number = 0;
};

struct Program {
  std::vector<Instruction> instructions;
  std::size_t depth = 0;  // of the stack
};

struct Infix {
  const char* sign;
  int precedence;
  double (*apply)(double, double);  // null: `&&` and `||`, which jump
};
inline constexpr int precedence_of_or = 1;
inline constexpr int precedence_of_and = 2;
inline constexpr int precedence_of_prefix = 6;
// Longer signs stand before those that they begin with.
inline constexpr std::array<Infix, 14> infixes{{{"||", precedence_of_or, nullptr},
                                                {"&&", precedence_of_and, nullptr},
                                                {"<=", 3, arithmetic::less_or_equal},
                                                {">=", 3, arithmetic::greater_or_equal},
                                                {"==", 3, arithmetic::equal},
                                                {"!=", 3, arithmetic::not_equal},
                                                {"<", 3, arithmetic::less},
                                                {">", 3, arithmetic::greater},
                                                {"+", 4, arithmetic::add},
                                                {"-", 4, arithmetic::subtract},
                                                {"*", 5, arithmetic::multiply},
                                                {"/", 5, arithmetic::divide},
                                                {"%", 5, arithmetic::modulo},
                                                {"^", 7, arithmetic::power}}};  // groups from the right

struct Prefix {
  char sign;
  double (*apply)(double);
};
inline constexpr std::array<Prefix, 2> prefixes{{{'-', arithmetic::negate}, {'!', arithmetic::not_}}};

// Functions by their place among functions(). Null: `if`, which jumps.
using Call = double (*)(const double* operands, int count);
Call call_of(std::size_t function);

// NaN: there is no value. `value(index)` gives that of a name.
template <class Value>
double run(const Program& program, const Value& value) {
  constexpr std::size_t usual_depth = 32;
  std::array<double, usual_depth> usual;
  std::vector<double> deep;
  double* stack = usual.data();
  if (program.depth > usual_depth) {
    deep.resize(program.depth);
    stack = deep.data();
  }
  double* top = stack - 1;
  const auto size = static_cast<std::int32_t>(program.instructions.size());
  for (std::int32_t next = 0; next < size;) {
    const Instruction& each = program.instructions[static_cast<std::size_t>(next)];
    ++next;
    switch (each.code) {
      case Code::number:
        *++top = each.number;
        break;
      case Code::name:
        *++top = value(each.at);
        break;
      case Code::prefix:
        *top = prefixes[each.function].apply(*top);
        break;
      case Code::infix:
        --top;
        *top = infixes[each.function].apply(top[0], top[1]);
        break;
      case Code::call:
        top -= each.at - 1;
        *top = call_of(each.function)(top, each.at);
        break;
      case Code::decided_and:
        if (*top == 0 || std::isnan(*top))
          next = each.at;
        else
          --top;
        break;
      case Code::decided_or:
        if (*top != 0) {
          if (!std::isnan(*top)) *top = 1;
          next = each.at;
        } else {
          --top;
        }
        break;
      case Code::truth:
        if (!std::isnan(*top)) *top = *top != 0;
        break;
      case Code::jump:
        next = each.at;
        break;
      case Code::jump_if_none:
        if (std::isnan(*top)) next = each.at;
        break;
      case Code::jump_if_zero:
        if (*top-- == 0) next = each.at;
        break;
    }
  }
  return *top;
}

}  // namespace shapelint::expr
