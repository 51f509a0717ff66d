// Messages with expressions in braces: `{head_dim} is not a multiple of {alignment}, {share:percent} of the
// step`. `{{` and `}}` are braces.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "expr/expression.hpp"

namespace shapelint::rules {

// How a number is written: plain (whole numbers whole, others with two decimals), or
//   percent  a share as 12.3 %        commas   50,257          duration  microseconds as 1.23 ms
//   count    2.65 B                   times    1.3x            name      a choice's name (see lint)
//   plural NOUN   1 tile, 3 tiles; `plural layer is|layers are`: 1 layer is, 3 layers are
struct Piece {
  std::string literal;
  std::size_t expression = 0;  // index into expressions, when literal is empty
  std::string_view format;
  std::string_view word;  // a word such as `gpu`, filled in by the caller
};

// What a word stands for, worked out where a text says it.
struct Word {
  std::string_view name;
  std::function<std::string()> text;
};

class Template {
 public:
  // Words are names that stand for text; everything else in braces is an expression over `names`. Errors'
  // spans are relative to `text`, which must outlive the template.
  static Template compile(std::string_view text, std::span<const std::string_view> names,
                          std::span<const std::string_view> words, std::vector<Error>& errors);

  std::span<const expr::Expression> expressions() const { return expressions_; }
  // `values`: results of expressions(), in their order.
  std::string fill(std::span<const double> values, std::span<const Word> words) const;

 private:
  std::vector<Piece> pieces_;
  std::vector<expr::Expression> expressions_;
};

std::span<const std::string_view> number_formats();

}  // namespace shapelint::rules
