// Conditions of rules, most of which fail at the first of their parts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "expr/expression.hpp"

namespace shapelint::expr {

// `a && b && c`, of which each part is compiled when all before it hold: compiling takes a hundred times
// longer than evaluating. For one thread.
class Condition {
 public:
  // Nothing for a blank text, and where names or characters are unknown. `names` must outlive it; a mistake
  // of syntax is one's that compile() reports, and makes a condition that never holds.
  static std::optional<Condition> read(std::string_view text, std::span<const std::string_view> names);

  // `value` gives that of a name by its index; it is asked for those only that decide. Error: there is no
  // value, as compile(text)->evaluate() says it.
  Result<bool> holds(const std::function<double(std::int32_t)>& value);
  // Indices of the names that occur, each once, ascending.
  std::span<const std::int32_t> used() const { return used_; }

 private:
  // What need not be compiled: names and numbers, remainders of those, `!name`, two of them compared, and
  // several of such joined by `||`.
  struct Atom {
    std::int32_t name = -1;  // -1: the number
    double number = 0;
  };
  struct Operand {
    Atom value;
    std::optional<Atom> divisor;  // the remainder by this
  };
  struct Comparison {
    std::string_view sign;  // empty: the left one alone; `!`
    Operand left;
    Operand right;
  };
  using Value = std::function<double(std::int32_t)>;
  struct Part {
    std::string text;
    bool was_read = false;
    std::vector<Comparison> simple;  // once it was read; empty: to be compiled
    bool compiled = false;
    std::optional<Expression> expression;
  };
  std::optional<Atom> atom(std::string_view text) const;
  std::optional<Operand> operand(std::string_view text) const;
  std::optional<Comparison> comparison(std::string_view text) const;
  std::vector<Comparison> alternatives(std::string_view text) const;
  static double evaluate(const Operand& operand, const Value& value);
  static double evaluate(const Comparison& comparison, const Value& value);
  static double evaluate(std::span<const Comparison> alternatives, const Value& value);
  // Nothing where it does not compile.
  std::optional<Result<double>> evaluate(Part& part, const std::function<double(std::int32_t)>& value);

  std::span<const std::string_view> names_;
  std::vector<std::int32_t> used_;
  std::vector<Part> parts_;
  Part whole_;
  std::vector<double> values_;
};

}  // namespace shapelint::expr
