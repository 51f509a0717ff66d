// What expressions compute, and what they say of mistakes.
#include "expr/expression.hpp"

#include <array>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "base/number.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

constexpr std::array<std::string_view, 6> names{"a", "zero", "hidden_size", "tensor", "context", "x"};
constexpr std::array<double, 6> values{7, 0, 2560, 3, 1, -5};

// The value, or "error text; hint @begin-end", several with " | " between them.
std::string result(std::string_view text) {
  std::vector<Error> errors;
  const auto compiled = expr::compile(text, names, errors);
  std::string out;
  for (const Error& error : errors) {
    out += (out.empty() ? "" : " | ") + error.message + (error.hint.empty() ? "" : "; " + error.hint) + " @" +
           std::to_string(error.span->begin) + "-" + std::to_string(error.span->end);
  }
  if (!compiled) return out;
  const auto value = compiled->evaluate(values);
  return value ? exact(*value) : value.error().message;
}

}  // namespace

TEST_CASE("expressions have the operators and functions that rules need") {
  const std::array<std::array<std::string_view, 2>, 34> table{{
      {"1 + 2 * 3", "7"},
      {"-a^2", "-49"},
      {"2^-1", "0.5"},
      {"2^3^2", "512"},
      {"a - -x", "2"},
      {"7 % 4", "3"},
      {"-7 % 4", "1"},
      {"1e3 / 4", "250"},
      {"ceil_to(hidden_size, 64 * tensor)", "2688"},
      {"ceil_to(2688, 64 * tensor)", "2688"},
      {"floor_to(hidden_size, 64 * tensor)", "2496"},
      {"nearest_to(5, 2)", "6"},
      {"pow2_divisor(48)", "16"},
      {"pow2_divisor(1)", "1"},
      {"divides(3, 9)", "1"},
      {"divides(3, 10)", "0"},
      {"min(a, x, 3)", "-5"},
      {"max(a, x, 3)", "7"},
      {"abs(x)", "5"},
      {"ceil(2.1) + floor(2.9)", "5"},
      {"round(2.5)", "3"},
      {"if(a == 7, 1, 2)", "1"},
      {"a > 3 && tensor <= 3", "1"},
      {"a < 3 || tensor >= 3", "1"},
      {"!(a == 7)", "0"},
      {"!zero", "1"},
      {"a != 7", "0"},
      {"1 < 2 == 1", "1"},
      {"a > 1 || zero && zero", "1"},
      {"hidden_size\n  % 64\n == 0", "1"},
      // What decides may be looked at alone.
      {"zero == 0 || a / zero > 3", "1"},
      {"zero != 0 && a / zero > 3", "0"},
      {"if(zero == 0, 1, a / zero)", "1"},
      {"context", "1"},
  }};
  for (const auto& [text, expected] : table) {
    INFO(text);
    CHECK(result(text) == expected);
  }
}

TEST_CASE("what has no value is an error, never a comparison that passes") {
  CHECK(result("a / zero") == "`a / zero` has no value for a = 7, zero = 0");
  CHECK(result("a / zero > 3") == "`a / zero > 3` has no value for a = 7, zero = 0");
  CHECK(result("a / zero < 3") == "`a / zero < 3` has no value for a = 7, zero = 0");
  CHECK(result("!(a / zero == 1)") == "`!(a / zero == 1)` has no value for a = 7, zero = 0");
  CHECK(result("a % zero == 0") == "`a % zero == 0` has no value for a = 7, zero = 0");
  CHECK(result("10 ^ 400") == "`10 ^ 400` has no value");
  CHECK(result("min(a, 1 / zero)") == "`min(a, 1 / zero)` has no value for a = 7, zero = 0");
  CHECK(result("pow2_divisor(zero)") == "`pow2_divisor(zero)` has no value for zero = 0");
  CHECK(result("0.5 % 2") == "`0.5 % 2` has no value");
}

TEST_CASE("mistakes are reported with their place") {
  const std::array<std::array<std::string_view, 2>, 20> table{{
      {"hiden_size % 64", "unknown variable `hiden_size`; did you mean `hidden_size`? @0-10"},
      {"a + hiden_size * tensr",
       "unknown variable `hiden_size`; did you mean `hidden_size`? @4-14 | "
       "unknown variable `tensr`; did you mean `tensor`? @17-22"},
      {"celi_to(1, 2)", "unknown function `celi_to`; did you mean `ceil_to`? @0-7"},
      {"hidden_size(3)", "unknown function `hidden_size` @0-11"},
      {"qqqqqq", "unknown variable `qqqqqq` @0-6"},
      {"a = 3", "`=` is not an operator; compare with `==` @2-3"},
      {"a & tensor", "`&` is not an operator; did you mean `&&`? @2-3"},
      {"a +", "the expression ends too early; a value is missing at its end @3-3"},
      {"a >", "the expression ends too early; a value is missing at its end @3-3"},
      {"(a", "a parenthesis is not closed @2-2"},
      {"a)", "a parenthesis too many @1-2"},
      {"ceil_to(1)", "too few arguments for `ceil_to`; it is `ceil_to(x, m)` @9-10"},
      {"ceil_to(1, 2, 3)", "too many arguments for `ceil_to`; it is `ceil_to(x, m)` @15-16"},
      {"a tensor", "unexpected `tensor` @2-8"},
      {"2 a", "unexpected `a` @2-3"},
      {"1, 2", "several values separated by commas; an expression has one value @0-4"},
      {"", "the expression is empty @0-0"},
      {"  ", "the expression is empty @0-2"},
      {"a # b", "`#` cannot stand in an expression @2-3 | unknown variable `b`; did you mean `a`? @4-5"},
      {"1e", "unexpected `e` @1-2"},
  }};
  for (const auto& [text, expected] : table) {
    INFO(text);
    CHECK(result(text) == expected);
  }
}

TEST_CASE("an expression knows which names it uses") {
  std::vector<Error> errors;
  const auto compiled = expr::compile("tensor * a + tensor", names, errors);
  REQUIRE(compiled);
  CHECK(std::vector<std::int32_t>(compiled->used().begin(), compiled->used().end()) ==
        std::vector<std::int32_t>{0, 3});
}

TEST_CASE("of equal names the first is meant, in lists of any length") {
  for (const std::size_t count : {20U, 900U, 3000U, 900U}) {
    std::vector<std::string> owned;
    for (std::size_t i = 0; i < count; ++i) owned.push_back("name_" + std::to_string(i));
    owned.push_back("name_7");
    const std::vector<std::string_view> all(owned.begin(), owned.end());
    const auto compiled = expr::compile("name_7 + name_13", all);
    REQUIRE(compiled);
    CHECK(std::vector<std::int32_t>(compiled->used().begin(), compiled->used().end()) ==
          std::vector<std::int32_t>{7, 13});
  }
}

TEST_CASE("no text makes the compiler throw or crash") {
  CHECK(rc::check("random text", [](const std::string& text) { result(text); }));
  CHECK(rc::check("random pieces", [] {
    static const std::vector<std::string> pieces{
        "a", "zero", "(", ")",   ",",    "+",   "-", "*",  "/",  "%", "1",  "&&",      "||", "!",
        "<", "==",   "^", "min", "max(", "if(", " ", ".5", "1e", "2", "\"", "ceil_to", "\n"};
    const auto picks =
        *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, pieces.size()));
    std::string text;
    for (const std::size_t pick : picks) text += pieces[pick];
    result(text);
  }));
}

TEST_CASE("rounding functions keep their promises") {
  CHECK(rc::check("ceil_to and floor_to enclose", [] {
    const auto x = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
    const auto m = *rc::gen::inRange<std::int64_t>(1, 5000);
    const auto call = [&](const std::string& name) {
      std::vector<Error> errors;
      const auto compiled =
          expr::compile(name + "(" + std::to_string(x) + ", " + std::to_string(m) + ")", names, errors);
      return static_cast<std::int64_t>(*compiled->evaluate(values));
    };
    const std::int64_t up = call("ceil_to");
    const std::int64_t down = call("floor_to");
    RC_ASSERT(up % m == 0);
    RC_ASSERT(down % m == 0);
    RC_ASSERT(down <= x);
    RC_ASSERT(x <= up);
    RC_ASSERT(up - down == (x % m == 0 ? 0 : m));
  }));
}
