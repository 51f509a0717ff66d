// Expressions over named values: conditions, fixes and messages of rules, constraints of searches.
//
// Numbers are doubles; conditions are 1 or 0. An operation without a value (division by zero, remainder by
// zero, overflow) has no result, and neither has anything computed from it: a comparison with it is an error,
// never true or false. `a && b`, `a || b` and `if(c, a, b)` need only the operands that decide them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "expr/program.hpp"

namespace shapelint::expr {

struct Function {
  std::string_view name;
  int arguments = 1;  // -1: any number, at least one
  std::string_view signature;
  std::string_view doc;
};

// The functions that expressions may call; for documentation.
std::span<const Function> functions();
// Operators as they are written, unary ones among them; for tests.
std::vector<std::string_view> operators();

// A compiled expression. Evaluating one changes nothing of it.
class Expression {
 public:
  // The value of a name, by its index among those given to compile(). NaN: it has no value.
  using Value = std::function<double(std::int32_t)>;

  // `values` by index; only those in used() are read. Error: the result is not a finite number; the message
  // names the values.
  Result<double> evaluate(std::span<const double> values) const;
  // The same of values that are asked for only where they decide.
  Result<double> evaluate(const Value& value) const;
  // Whether a condition holds.
  Result<bool> holds(const Value& value) const;

  // Indices of the names that occur, each once, ascending.
  std::span<const std::int32_t> used() const { return used_; }
  std::string_view text() const { return text_; }

 private:
  friend std::optional<Expression> compile(std::string_view, std::span<const std::string_view>,
                                           std::vector<Error>&);
  Expression() = default;
  template <class Values>
  Result<double> evaluate_with(const Values& values) const;

  std::string text_;
  Program program_;
  std::vector<std::int32_t> used_;
  std::vector<std::string_view> used_names_;
};

// Compiles `text` over `names`, whose characters must outlive it. All unknown names are reported, otherwise
// the first mistake of syntax; each error's span is relative to `text` and its path is empty.
std::optional<Expression> compile(std::string_view text, std::span<const std::string_view> names,
                                  std::vector<Error>& errors);
// The same if errors are not needed.
std::optional<Expression> compile(std::string_view text, std::span<const std::string_view> names);

// What can be said of a text that need not compile. Where `sign` stands outside of parentheses; npos:
// nowhere.
std::size_t find_outside(std::string_view text, std::string_view sign);
// The parts that `&&` joins; the whole text where `||` joins them.
std::vector<std::string_view> conjuncts(std::string_view text);
// Names in their order, functions that are called not among them.
std::vector<std::string_view> names_in(std::string_view text);

// Charges what compile() does, for those who keep what it made of a text.
void charge_compiling(std::string_view text);

}  // namespace shapelint::expr
