// A small recursive-descent evaluator, independent of the one that rules use.
#include "tests/model/expression_support.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>

#include "model/arithmetic.hpp"
#include "model/lower/mixture/routing.hpp"

namespace shapelint::tests {

namespace {

// expression = term {"+" term}; term = factor {("*" | "/") factor};
// factor = number | name | name "(" expression {"," expression} ")" | "(" expression ")"
class Parser {
 public:
  Parser(std::string_view text, const model::Setup& setup) : text_(text), setup_(setup) {}

  std::int64_t all() {
    const std::int64_t value = expression();
    if (at_ != text_.size()) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("cannot read `" + std::string(text_) + "` at " + std::to_string(at_));
  }
  bool accept(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  std::int64_t expression() {
    std::int64_t value = term();
    while (accept('+')) value = model::plus(value, term());
    return value;
  }
  std::int64_t term() {
    std::int64_t value = factor();
    for (;;) {
      if (accept('*')) {
        value = model::times(value, factor());
      } else if (accept('/')) {
        value = model::divide_up(value, factor());
      } else {
        return value;
      }
    }
  }
  std::int64_t factor() {
    if (accept('(')) {
      const std::int64_t value = expression();
      expect(')');
      return value;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    const std::string name(text_.substr(begin, at_ - begin));
    if (name.empty()) fail();
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) return std::stoll(name);
    if (accept('(')) {
      std::vector<std::int64_t> values{expression()};
      while (accept(',')) values.push_back(expression());
      expect(')');
      return call(name, values);
    }
    const model::FieldId field = model::find_field(name);
    if (field == model::no_field) throw std::runtime_error("no field `" + name + "`");
    return model::get(setup_, field);
  }
  std::int64_t call(const std::string& name, const std::vector<std::int64_t>& values) const {
    if (name == "visited" && values.size() == 3) return model::visited(values[0], values[1], values[2]);
    if (name.starts_with("busiest_") && values.size() == 5) {
      const model::Busiest most =
          model::busiest(values[0], values[1], values[2], values[3], static_cast<model::Routing>(values[4]));
      return name == "busiest_experts" ? most.experts : most.tokens;
    }
    if (values.size() != 2) fail();
    if (name == "min") return std::min(values[0], values[1]);
    if (name == "max") return std::max(values[0], values[1]);
    if (name == "ceil_to") return model::ceil_to(values[0], values[1]);
    throw std::runtime_error("no function `" + name + "`");
  }

  std::string_view text_;
  const model::Setup& setup_;
  std::size_t at_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view expression, const model::Setup& setup) {
  return Parser(expression, setup).all();
}

model::Setup smallest_setup() {
  model::Setup setup;
  for (const model::FieldInfo& field : model::fields()) field.set(setup, field.minimum);
  return setup;
}

}  // namespace shapelint::tests
