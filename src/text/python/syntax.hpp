// The syntax tree of a Python file, in flat arrays: a file of half a million tokens takes 40 MB.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace shapelint::text::python {

using Index = std::uint32_t;
inline constexpr Index nothing = 0xffffffffU;

struct Expression {
  enum class Kind : std::uint8_t {
    missing,  // what this reader does not understand
    name,
    number,
    string,    // one token
    joined,    // strings that stand side by side, or the parts of an f-string
    list,      // [a, b]
    tuple,     // a, b
    set,       // {a, b}
    table,     // {a: b, **c}: keys and values alternate, `nothing` is the key of `**c`
    call,      // the called, then its arguments
    keyword,   // name=value
    starred,   // *x
    unpacked,  // **x
    attribute,
    subscript,  // x[i]
    slice,      // a:b of a subscript, each may be `nothing`; with steps without children
    unary,
    binary,
    compare,  // a < b; a < b < c is an `and` of two
    logic,    // and, or
    choice,   // a if b else c: b, a, c
    lambda,
    listed  // [a for b in c if d]: a, then b, c and conditions of the one loop that is understood
  };
  Kind kind = Kind::missing;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t text_begin = 0;  // a name, number, string, operator
  std::uint32_t text_end = 0;
  std::uint32_t first = 0;  // in Syntax::children
  std::uint32_t count = 0;
};
using ExpressionKind = Expression::Kind;

struct Parameter {
  enum class Kind : std::uint8_t { plain, keyword_only, rest, rest_of_keywords };
  Kind kind = Kind::plain;
  std::string_view name;
  Index fallback = nothing;
};

struct Imported {
  std::string_view module;  // `a.b`, without the leading dots
  std::string_view name;    // empty: the module itself; `*`: all of its names
  std::string_view as;
  int dots = 0;
};

struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct Statement {
  enum class Kind : std::uint8_t {
    other,     // passed over; what is in its block may or may not run
    evaluate,  // an expression
    assign,    // targets, then the value
    augment,   // target, value; `text` is the operator
    declare,   // x: int
    give,      // return
    leave,     // break, continue, raise: the rest of the block does not run
    branch,    // if: condition
    loop,      // for: target, iterated
    enclose,   // with: expression and target (or `nothing`) alternate
    function,  // its decorators
    type,      // class: its decorators, `parameters` are its bases' expressions
    import
  };
  Kind kind = Kind::other;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view text;
  Range parts;       // expressions, in Syntax::children
  Range body;        // statements, in Syntax::blocks
  Range otherwise;   // else, elif, except
  Range parameters;  // in Syntax::parameters; of a class in Syntax::children
  Range imports;     // in Syntax::imports
};
using StatementKind = Statement::Kind;

struct Syntax {
  std::string_view source;
  std::vector<Expression> expressions;
  std::vector<Index> children;
  std::vector<Statement> statements;
  std::vector<Index> blocks;
  std::vector<Parameter> parameters;
  std::vector<Imported> imports;
  Range module;  // in `blocks`

  const Expression& at(Index index) const { return expressions[index]; }
  Index child(const Expression& of, std::uint32_t i) const { return children[of.first + i]; }
  std::string_view text(const Expression& of) const {
    return source.substr(of.text_begin, of.text_end - of.text_begin);
  }
};

// What cannot be parsed is ExpressionKind::missing or StatementKind::other; the rest is read on. Throws
// Unclosed and TooMuch (see scan.hpp).
Syntax parse(std::string_view source);

}  // namespace shapelint::text::python
