// Expressions over named values: conditions, fixes and messages of rules, constraints of searches.
//
// Numbers are doubles; conditions are 1 or 0. An operation without a value (division by zero, remainder by
// zero, overflow) has no result, and neither has anything computed from it: a comparison with it is an error,
// never true or false. `a && b`, `a || b` and `if(c, a, b)` need only the operands that decide them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shapelint::expr {

struct Function {
  std::string_view name;
  int arguments = 1;  // -1: any number, at least one
  std::string_view signature;
  std::string_view doc;
};

// The functions that expressions may call; for documentation.
std::span<const Function> functions();

// A compiled expression. Evaluation writes into its own buffers: one object must not be evaluated by two
// threads at once.
class Expression {
 public:
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  // `values` by index into the names given to compile(); only those in used() are read. Error: the result is
  // not a finite number; the message names the values.
  Result<double> evaluate(std::span<const double> values) const;

  // Indices of the names that occur, each once, ascending.
  std::span<const std::int32_t> used() const;
  std::string_view text() const;

 private:
  friend std::optional<Expression> compile(std::string_view, std::span<const std::string_view>,
                                           std::vector<Error>&);
  struct State;
  static bool is_plain(std::string_view text, State& state);
  explicit Expression(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Compiles `text` over `names`. All unknown names are reported, otherwise the first mistake of syntax; each
// error's span is relative to `text` and its path is empty.
std::optional<Expression> compile(std::string_view text, std::span<const std::string_view> names,
                                  std::vector<Error>& errors);

// Indices of the names that occur in `text`, each once, ascending; nothing where compile() would report
// unknown names or characters.
std::optional<std::vector<std::int32_t>> names_in(std::string_view text,
                                                  std::span<const std::string_view> names);

}  // namespace shapelint::expr
