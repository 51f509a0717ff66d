// Conditions evaluated part by part say what the whole expression says.
#include "expr/condition.hpp"

#include <array>
#include <limits>

#include "tests/catch.hpp"

using namespace shapelint;

namespace {

constexpr std::array<std::string_view, 4> condition_names{"a", "b", "is_c", "d"};

// "true", "false", or the error.
std::string outcome(const Result<bool>& result) {
  return !result ? result.error().message : *result ? "true" : "false";
}

std::string by_parts(std::string_view text, const std::array<double, 4>& values) {
  auto condition = expr::Condition::read(text, condition_names);
  if (!condition) return "unreadable";
  return outcome(condition->holds([&](std::int32_t name) { return values[static_cast<std::size_t>(name)]; }));
}

std::string as_a_whole(std::string_view text, const std::array<double, 4>& values) {
  std::vector<Error> errors;
  const auto expression = expr::compile(text, condition_names, errors);
  if (!expression) return "unreadable";
  const Result<double> value = expression->evaluate(values);
  if (!value) return value.error().message;
  return *value != 0 ? "true" : "false";
}

}  // namespace

TEST_CASE("a condition by its parts is the condition", "[expr]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::array<double, 7> some{0, 1, 2, 3, -4, nan, infinity};
  int held = 0;
  for (const std::string_view text : {"is_c",
                                      "!is_c",
                                      "! is_c && a",
                                      "a == b",
                                      "a != 2",
                                      "a<=b && b >= 2 && a < 3",
                                      "a > b && d % b == 0",
                                      "is_c && a % b != 0",
                                      "is_c && (a > 1 || b > 1) && d",
                                      "a || b && d",
                                      "(a && b) && d",
                                      "a && (b && d)",
                                      "a / b > 1",
                                      "1 < a && 2 > b",
                                      "a - b > 0 && a == 0.5",
                                      "!(a && b)",
                                      "a > -1 && b",
                                      "\n a\n && b == 1",
                                      "max(a, b) > 1 && if(is_c, a, b) == a",
                                      "(a || !is_c || d == 0) && b",
                                      "a % 4 == 2 || b",
                                      "(a % b < d)",
                                      "7 % b != 0 && 2 == b",
                                      "(a) || (b)",
                                      "(is_c || a) && (b % 2 || d)",
                                      "a % b % 3",
                                      "!a % b",
                                      "(a % b)",
                                      "a == b == is_c"}) {
    for (const double a : some) {
      for (const double b : some) {
        for (const double c : {0.0, 1.0, nan}) {
          for (const double d : {0.0, 6.0}) {
            CAPTURE(text, a, b, c, d);
            const std::string found = by_parts(text, {a, b, c, d});
            CHECK(found == as_a_whole(text, {a, b, c, d}));
            held += found == "true" ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(held > 100);
}

TEST_CASE("a condition asks for the values that decide it only", "[expr]") {
  auto condition = expr::Condition::read("is_c && a > b && d % 2 == 0", condition_names);
  REQUIRE(condition);
  CHECK(condition->used().size() == 4);
  std::string asked;
  const auto value = [&](std::int32_t name) {
    asked += condition_names[static_cast<std::size_t>(name)];
    return 0.0;
  };
  CHECK_FALSE(*condition->holds(value));
  CHECK(asked == "is_c");
}

TEST_CASE("what is no condition", "[expr]") {
  CHECK_FALSE(expr::Condition::read("", condition_names));
  CHECK_FALSE(expr::Condition::read(" \n", condition_names));
  CHECK_FALSE(expr::Condition::read("unknown && a", condition_names));
  CHECK_FALSE(expr::Condition::read("a && $", condition_names));
  // A mistake of syntax never holds.
  CHECK(by_parts("a && (b", {1, 1, 1, 1}) == "false");
  CHECK(by_parts("a b", {1, 1, 1, 1}) == "false");
  CHECK(by_parts("a &&", {1, 1, 1, 1}) == "false");
}

TEST_CASE("a condition that is longer than expressions can be is none", "[expr]") {
  // Its parts would hold one by one, where the whole cannot be compiled.
  std::string text = "a";
  while (text.size() < 20000) text += " && a";
  std::vector<Error> errors;
  CHECK_FALSE(expr::compile(text, condition_names, errors));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "the expression has 20001 characters");
  CHECK(errors[0].hint == "at most 19999 are read");
  CHECK_FALSE(expr::Condition::read(text, condition_names));
}
