// Random expressions, of which a tree says what they compute: written with all parentheses and with as few as
// precedence allows, with values at hand and asked for, they are that.
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "expr/expression.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

constexpr std::array<std::string_view, 4> leaf_names{"a", "b", "is_c", "d"};
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Operator {
  const char* sign;
  int precedence;
};
// As docs say: or, and, comparisons, sums, products, signs, powers.
constexpr int of_signs = 6;
constexpr std::array<Operator, 14> signs_of_two{{{"||", 1},
                                                 {"&&", 2},
                                                 {"<", 3},
                                                 {"<=", 3},
                                                 {">", 3},
                                                 {">=", 3},
                                                 {"==", 3},
                                                 {"!=", 3},
                                                 {"+", 4},
                                                 {"-", 4},
                                                 {"*", 5},
                                                 {"/", 5},
                                                 {"%", 5},
                                                 {"^", 7}}};

struct Tree {
  enum class Kind { leaf, number, negative, opposite, infix, choice, largest } kind = Kind::leaf;
  std::size_t of = 0;  // name, number or operator
  std::vector<Tree> operands;
};

Tree random_tree(int depth) {
  const auto pick = [](int n) { return *rc::gen::inRange(0, n); };
  Tree out;
  const int kind = depth == 0 ? pick(2) : pick(12);
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) out.operands.push_back(random_tree(depth - 1));
  };
  if (kind == 0) {
    out.of = static_cast<std::size_t>(pick(4));
  } else if (kind == 1) {
    out.kind = Tree::Kind::number;
    out.of = static_cast<std::size_t>(pick(5));
  } else if (kind == 2) {
    out.kind = Tree::Kind::negative;
    add(1);
  } else if (kind == 3) {
    out.kind = Tree::Kind::opposite;
    add(1);
  } else if (kind == 4) {
    out.kind = Tree::Kind::choice;
    add(3);
  } else if (kind == 5) {
    out.kind = Tree::Kind::largest;
    add(1 + pick(3));
  } else {
    out.kind = Tree::Kind::infix;
    out.of = static_cast<std::size_t>(pick(signs_of_two.size()));
    add(2);
  }
  return out;
}

int precedence(const Tree& tree) {
  if (tree.kind == Tree::Kind::infix) return signs_of_two[tree.of].precedence;
  if (tree.kind == Tree::Kind::negative || tree.kind == Tree::Kind::opposite) return of_signs;
  return 8;
}

std::string written(const Tree& tree, bool all) {
  const auto in_parentheses = [&](const Tree& each, bool needed) {
    const std::string text = written(each, all);
    return all || needed ? "(" + text + ")" : text;
  };
  switch (tree.kind) {
    case Tree::Kind::leaf:
      return std::string(leaf_names[tree.of]);
    case Tree::Kind::number:
      return std::to_string(tree.of);
    case Tree::Kind::negative:
    case Tree::Kind::opposite:
      return (tree.kind == Tree::Kind::negative ? "-" : "!") +
             in_parentheses(tree.operands[0], precedence(tree.operands[0]) < of_signs);
    case Tree::Kind::infix: {
      const int own = precedence(tree);
      const bool groups_right = own == 7;
      return in_parentheses(tree.operands[0], precedence(tree.operands[0]) < own + (groups_right ? 1 : 0)) +
             " " + signs_of_two[tree.of].sign + " " +
             in_parentheses(tree.operands[1], precedence(tree.operands[1]) < own + (groups_right ? 0 : 1));
    }
    case Tree::Kind::choice:
    case Tree::Kind::largest: {
      std::string out = tree.kind == Tree::Kind::choice ? "if(" : "max(";
      for (std::size_t i = 0; i < tree.operands.size(); ++i)
        out += (i == 0 ? "" : ", ") + written(tree.operands[i], all);
      return out + ")";
    }
  }
  return {};
}

double finite_or_none(double value) {
  return std::isfinite(value) ? value : nothing;
}

double value(const Tree& tree, const std::array<double, 4>& leaves) {
  std::vector<double> of;
  for (const Tree& each : tree.operands) of.push_back(value(each, leaves));
  const auto any_absent = [&] {
    for (const double each : of)
      if (std::isnan(each)) return true;
    return false;
  };
  switch (tree.kind) {
    case Tree::Kind::leaf:
      return leaves[tree.of];
    case Tree::Kind::number:
      return static_cast<double>(tree.of);
    case Tree::Kind::negative:
      return -of[0];
    case Tree::Kind::opposite:
      return std::isnan(of[0]) ? nothing : of[0] == 0;
    case Tree::Kind::choice:
      return std::isnan(of[0]) ? nothing : of[0] != 0 ? of[1] : of[2];
    case Tree::Kind::largest: {
      if (any_absent()) return nothing;
      double most = of[0];
      for (const double each : of) most = std::max(most, each);
      return most;
    }
    case Tree::Kind::infix:
      break;
  }
  const std::string sign = signs_of_two[tree.of].sign;
  const double a = of[0];
  const double b = of[1];
  // The left operand decides, or the right one does.
  if (sign == "&&") return std::isnan(a) ? nothing : a == 0 ? 0 : std::isnan(b) ? nothing : b != 0;
  if (sign == "||") return std::isnan(a) ? nothing : a != 0 ? 1 : std::isnan(b) ? nothing : b != 0;
  if (any_absent()) return sign == "^" ? finite_or_none(std::pow(a, b)) : nothing;
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  if (sign == ">=") return a >= b;
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "+") return finite_or_none(a + b);
  if (sign == "-") return finite_or_none(a - b);
  if (sign == "*") return finite_or_none(a * b);
  if (sign == "/") return b == 0 ? nothing : finite_or_none(a / b);
  if (sign == "^") return finite_or_none(std::pow(a, b));
  constexpr double exact = 9'007'199'254'740'992.0;
  const auto is_whole = [](double each) { return std::fabs(each) <= exact && std::floor(each) == each; };
  if (b == 0 || !is_whole(a) || !is_whole(b)) return nothing;
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace

TEST_CASE("an expression computes what its tree does, however it is written", "[expr]") {
  int computed = 0;
  CHECK(rc::check("random trees", [&] {
    const Tree tree = random_tree(4);
    const std::array<double, 5> some{0, 1, 3, -4.5, nothing};
    std::array<double, 4> leaves{};
    for (double& each : leaves) each = some[static_cast<std::size_t>(*rc::gen::inRange(0, 5))];
    const double expected = finite_or_none(value(tree, leaves));
    for (const bool all : {true, false}) {
      const std::string text = written(tree, all);
      std::vector<Error> errors;
      const auto compiled = expr::compile(text, leaf_names, errors);
      RC_LOG() << text << '\n';
      RC_ASSERT(compiled.has_value());
      const Result<double> found = compiled->evaluate(leaves);
      RC_ASSERT(static_cast<bool>(found) == !std::isnan(expected));
      if (found) RC_ASSERT(*found == expected);
      const Result<bool> holds =
          compiled->holds([&](std::int32_t name) { return leaves[static_cast<std::size_t>(name)]; });
      RC_ASSERT(static_cast<bool>(holds) == static_cast<bool>(found));
      if (found) RC_ASSERT(*holds == (expected != 0));
      computed += found ? 1 : 0;
    }
  }));
  CHECK(computed > 20);
}

TEST_CASE("an expression asks for the values that decide it only", "[expr]") {
  const auto asked = [](std::string_view text, double each) {
    std::string out;
    const auto compiled = expr::compile(text, leaf_names);
    REQUIRE(compiled);
    (void)compiled->holds([&](std::int32_t name) {
      out += leaf_names[static_cast<std::size_t>(name)];
      return each;
    });
    return out;
  };
  CHECK(asked("is_c && a > b && d % 2 == 0", 0) == "is_c");
  CHECK(asked("is_c || a > b", 1) == "is_c");
  CHECK(asked("if(is_c, a, b)", 1) == "is_ca");
  CHECK(asked("if(is_c, a, b)", 0) == "is_cb");
  // What has no value is named with all of them.
  CHECK(asked("is_c && a", nothing) == "is_cais_c");
}

TEST_CASE("an expression may be nested as deep as it is long", "[expr]") {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "a+(";
  text += "a" + std::string(4000, ')');
  const auto compiled = expr::compile(text, leaf_names);
  REQUIRE(compiled);
  CHECK(*compiled->evaluate(std::array<double, 4>{1, 0, 0, 0}) == 4001);
}

TEST_CASE("an expression that is longer than they can be is none", "[expr]") {
  std::string text = "a";
  while (text.size() < 20000) text += " && a";
  std::vector<Error> errors;
  CHECK_FALSE(expr::compile(text, leaf_names, errors));
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "the expression has 20001 characters");
  CHECK(errors[0].hint == "at most 19999 are read");
}
