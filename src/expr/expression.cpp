// Expressions on muparser, whose operators are replaced by ones that carry "no value" (NaN) through to the
// end: its own give `1 / 0 > 3` as true.
#include "expr/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <muParserBase.h>

#include "base/budget.hpp"
#include "base/decimal.hpp"
#include "base/names.hpp"
#include "base/number.hpp"
#include "base/words.hpp"
#include "expr/arithmetic.hpp"

namespace shapelint::expr {

namespace {

using namespace arithmetic;

constexpr std::array<Function, 15> function_table{{
    {"abs", 1, "abs(x)", "x without its sign"},
    {"ceil", 1, "ceil(x)", "x rounded up to a whole number"},
    {"ceil_to", 2, "ceil_to(x, m)", "x rounded up to a multiple of m"},
    {"divides", 2, "divides(a, b)", "whether b is a multiple of a"},
    {"floor", 1, "floor(x)", "x rounded down to a whole number"},
    {"floor_to", 2, "floor_to(x, m)", "x rounded down to a multiple of m"},
    {"if", 3, "if(c, a, b)", "a where c holds, otherwise b"},
    {"log2", 1, "log2(x)", "logarithm to base 2"},
    {"max", -1, "max(a, b, ...)", "the largest"},
    {"min", -1, "min(a, b, ...)", "the smallest"},
    {"nearest_to", 2, "nearest_to(x, m)", "the multiple of m nearest to x; halves go up"},
    {"pow2_divisor", 1, "pow2_divisor(x)", "the largest power of two that divides x"},
    {"round", 1, "round(x)", "the whole number nearest to x; halves go up"},
    {"sqrt", 1, "sqrt(x)", "square root"},
    {"trunc", 1, "trunc(x)", "x without its fraction"},
}};

// A decimal number at the start of `text`; muparser calls this at every place where a value may stand.
int read_number(const mu::char_type* text, int* position, mu::value_type* value) {
  const char* end = text;
  while ((*end >= '0' && *end <= '9') || *end == '.') ++end;
  if (end == text) return 0;
  if (*end == 'e' || *end == 'E') {
    const char* exponent = end + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    if (*exponent >= '0' && *exponent <= '9') {
      while (*exponent >= '0' && *exponent <= '9') ++exponent;
      end = exponent;
    }
  }
  double read = 0;
  const auto [stop, problem] = read_decimal(text, end, read);
  if (problem != std::errc{} || stop != end) return 0;
  *value = read;
  *position += static_cast<int>(end - text);
  return 1;
}

constexpr const char* name_characters = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

}  // namespace

namespace detail {

class Engine final : public mu::ParserBase {
 public:
  Engine() {
    EnableBuiltInOprt(false);
    AddValIdent(read_number);
    InitCharSets();
    InitFun();
    InitOprt();
  }

 protected:
  void InitCharSets() override {
    DefineNameChars(name_characters);
    DefineOprtChars("+-*/^<>=!%&|");
    DefineInfixOprtChars("-!");
  }
  void InitConst() override {}
  void InitFun() override {
    DefineFun("abs", absolute);
    DefineFun("ceil", ceiling);
    DefineFun("ceil_to", ceil_to);
    DefineFun("divides", divides);
    DefineFun("floor", floor_);
    DefineFun("floor_to", floor_to);
    DefineFun("if", if_);
    DefineFun("log2", log2_);
    DefineFun("max", maximum);
    DefineFun("min", minimum);
    DefineFun("nearest_to", nearest_to);
    DefineFun("pow2_divisor", pow2_divisor);
    DefineFun("round", round_);
    DefineFun("sqrt", root);
    DefineFun("trunc", truncate);
  }
  void InitOprt() override {
    DefineOprt("||", either, mu::prLOR, mu::oaLEFT, true);
    DefineOprt("&&", both, mu::prLAND, mu::oaLEFT, true);
    DefineOprt("<", less, mu::prCMP, mu::oaLEFT, true);
    DefineOprt("<=", less_or_equal, mu::prCMP, mu::oaLEFT, true);
    DefineOprt(">", greater, mu::prCMP, mu::oaLEFT, true);
    DefineOprt(">=", greater_or_equal, mu::prCMP, mu::oaLEFT, true);
    DefineOprt("==", equal, mu::prCMP, mu::oaLEFT, true);
    DefineOprt("!=", not_equal, mu::prCMP, mu::oaLEFT, true);
    DefineOprt("+", add, mu::prADD_SUB, mu::oaLEFT, true);
    DefineOprt("-", subtract, mu::prADD_SUB, mu::oaLEFT, true);
    DefineOprt("*", multiply, mu::prMUL_DIV, mu::oaLEFT, true);
    DefineOprt("/", divide, mu::prMUL_DIV, mu::oaLEFT, true);
    DefineOprt("%", modulo, mu::prMUL_DIV, mu::oaLEFT, true);
    DefineOprt("^", power, mu::prPOW, mu::oaRIGHT, true);
    DefineInfixOprt("-", negate);
    DefineInfixOprt("!", not_);
  }
};

}  // namespace detail

namespace {

using detail::Engine;

// Copying one is faster than defining all operators and functions again.
const Engine& prototype() {
  static const Engine engine;
  return engine;
}

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || (c >= '0' && c <= '9');
}

Error error_at(std::string message, std::string hint, std::size_t begin, std::size_t end,
               ErrorCode code = ErrorCode::syntax) {
  return Error{std::move(message),
               std::move(hint),
               {},
               Span{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)},
               code};
}

// What muparser takes for a text, as measured: 20 us, and 1.4 us for each character.
constexpr std::size_t units_to_hold = 100;  // also of a name alone
// Memory of one, and of one that has an engine: its tables, and its code.
constexpr std::size_t bytes_to_hold = 400;
constexpr std::size_t bytes_of_engine = 8000;
constexpr std::size_t bytes_per_compiled = 40;
constexpr std::size_t units_to_compile = 2000;
constexpr std::size_t units_per_compiled = 140;
// Its code runs in 5 ns a character; of what was not compiled (Condition) a comparison takes as long.
constexpr std::size_t characters_per_unit = 2;

// Of one mistake, which is held until all are counted.
constexpr std::size_t units_per_mistake = 40;

// Finds names and characters that cannot belong to an expression, all of them.
struct Scan {
  std::vector<std::int32_t> used;
  bool failed = false;
};

// As long as muparser takes.
constexpr std::size_t longest_expression = 19'999;

// Where `name` stands among hundreds of names. Rules ask for the same few thousands of times, of lists that
// begin alike, so that it mostly stands where it stood the last time.
std::size_t place_of(std::string_view name, std::span<const std::string_view> names) {
  constexpr std::size_t remembered = 1024;
  thread_local std::array<std::uint16_t, remembered> places{};
  std::uint16_t& place = places[std::hash<std::string_view>{}(name) % remembered];
  if (place < names.size() && names[place] == name) return place;
  // Most differ in their first letter already.
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view each) {
    return each.size() == name.size() && each.front() == name.front() && each == name;
  });
  const auto at = static_cast<std::size_t>(found - names.begin());
  if (at <= std::numeric_limits<std::uint16_t>::max()) place = static_cast<std::uint16_t>(at);
  return at;
}

Scan scan(std::string_view text, std::span<const std::string_view> names, std::vector<Error>& errors) {
  Scan out;
  std::size_t i = 0;
  charge(1 + text.size() / characters_per_unit);
  const auto fail = [&](std::string message, std::string hint, std::size_t begin, std::size_t end,
                        ErrorCode code = ErrorCode::syntax) {
    charge(units_per_mistake);
    charge_bytes(sizeof(Error) + message.size() + hint.size());
    errors.push_back(error_at(std::move(message), std::move(hint), begin, end, code));
    out.failed = true;
  };
  if (text.size() > longest_expression) {
    fail(fmt::format("the expression has {} characters", text.size()),
         fmt::format("at most {} are read", longest_expression), 0, text.size());
    return out;
  }
  while (i < text.size()) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {  // also skips the `e5` of a number
      while (i < text.size() && (continues_name(text[i]) || text[i] == '.')) ++i;
      continue;
    }
    if (!starts_name(c)) {
      if (c == '=' && i + 1 < text.size() && text[i + 1] != '=' &&
          (i == 0 || std::string_view("=<>!").find(text[i - 1]) == std::string_view::npos)) {
        fail("`=` is no operator", "compare with `==`", i, i + 1);
      } else if (std::string_view(" \t\r\n+-*/^<>=!%&|(),.").find(c) == std::string_view::npos) {
        fail(fmt::format("`{}` cannot stand in an expression", c), {}, i, i + 1);
      } else if ((c == '&' || c == '|')) {
        if (i + 1 < text.size() && text[i + 1] == c) {
          ++i;
        } else {
          fail(fmt::format("`{}` is no operator", c), fmt::format("did you mean `{0}{0}`", c), i, i + 1);
        }
      }
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && continues_name(text[i])) ++i;
    const std::string_view name = text.substr(begin, i - begin);
    std::size_t next = i;
    while (next < text.size() && (text[next] == ' ' || text[next] == '\n' || text[next] == '\t')) ++next;
    if (next < text.size() && text[next] == '(') {
      std::vector<std::string_view> candidates;
      bool found = false;
      for (const Function& each : function_table) {
        candidates.push_back(each.name);
        found = found || each.name == name;
      }
      if (!found) {
        fail(fmt::format("unknown function `{}`", name), did_you_mean(name, candidates), begin, i,
             ErrorCode::unknown_name);
      }
      continue;
    }
    const std::size_t place = place_of(name, names);
    if (place == names.size()) {
      fail(fmt::format("unknown variable `{}`", name), did_you_mean(name, names), begin, i,
           ErrorCode::unknown_name);
      continue;
    }
    out.used.push_back(static_cast<std::int32_t>(place));
  }
  std::sort(out.used.begin(), out.used.end());
  out.used.erase(std::unique(out.used.begin(), out.used.end()), out.used.end());
  return out;
}

const Function* function_before(std::string_view text, std::size_t position) {
  // The call that an argument error belongs to: the last function name before the place.
  const Function* best = nullptr;
  std::size_t best_at = 0;
  for (const Function& each : function_table) {
    for (std::size_t at = text.find(each.name); at != std::string_view::npos && at < position;
         at = text.find(each.name, at + 1)) {
      const bool whole = (at == 0 || !continues_name(text[at - 1])) && at + each.name.size() < text.size() &&
                         !continues_name(text[at + each.name.size()]);
      if (whole && (best == nullptr || at >= best_at)) {
        best = &each;
        best_at = at;
      }
    }
  }
  return best;
}

Error syntax_error(std::string_view text, const mu::ParserError& problem) {
  const auto size = text.size();
  std::size_t at = problem.GetPos() < 0 ? 0 : std::min(static_cast<std::size_t>(problem.GetPos()), size);
  const std::string& token = problem.GetToken();
  const std::size_t end = std::min(size, at + std::max<std::size_t>(1, token.size()));
  switch (problem.GetCode()) {
    case mu::ecUNEXPECTED_EOF:
      return error_at("the expression ends too early", "a value is missing at its end", size, size);
    case mu::ecMISSING_PARENS:
      return error_at("a parenthesis is not closed", {}, size, size);
    case mu::ecUNEXPECTED_PARENS:
      return error_at("a parenthesis too many", {}, at, end);
    case mu::ecTOO_MANY_PARAMS:
    case mu::ecTOO_FEW_PARAMS: {
      const Function* function = function_before(text, std::max<std::size_t>(at, 1));
      const bool many = problem.GetCode() == mu::ecTOO_MANY_PARAMS;
      if (function != nullptr) {
        return error_at(fmt::format("too {} arguments for `{}`", many ? "many" : "few", function->name),
                        fmt::format("it is `{}`", function->signature), at, end);
      }
      return error_at(fmt::format("too {} arguments", many ? "many" : "few"), {}, at, end);
    }
    default:
      break;
  }
  if (at >= size)
    return error_at("the expression ends too early", "a value is missing at its end", size, size);
  std::size_t stop = at + 1;
  while (stop < size && continues_name(text[at]) && continues_name(text[stop])) ++stop;
  return error_at(fmt::format("unexpected `{}`", text.substr(at, stop - at)), {}, at, stop);
}

}  // namespace

std::span<const Function> functions() {
  return function_table;
}

struct Expression::State {
  std::string text;
  std::vector<std::int32_t> used;
  std::vector<std::string> used_names;
  mutable std::vector<double> slots;
  std::optional<Engine> engine;  // without one: the only name, or else the number
  double number = none;
};

// A name or a whole number alone, as many messages and defaults have: its value needs no engine, which takes
// a hundred thousand instructions to make.
bool Expression::is_plain(std::string_view text, State& state) {
  const std::string_view alone = trimmed(text);
  if (state.used.size() == 1) return alone == state.used_names.front();
  const auto number = state.used.empty() ? parse_integer(alone) : std::nullopt;
  if (!number || alone.starts_with('-')) return false;
  state.number = static_cast<double>(*number);
  return true;
}

Expression::Expression(std::unique_ptr<State> state) : state_(std::move(state)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

std::span<const std::int32_t> Expression::used() const {
  return state_->used;
}
std::string_view Expression::text() const {
  return state_->text;
}

Result<double> Expression::evaluate(std::span<const double> values) const {
  const State& state = *state_;
  charge(1 + (state.engine ? state.text.size() / characters_per_unit : 0));
  for (std::size_t i = 0; i < state.used.size(); ++i) {
    state.slots[i] = values[static_cast<std::size_t>(state.used[i])];
  }
  double result = none;
  try {
    result = state.engine ? state.engine->Eval() : state.slots.empty() ? state.number : state.slots.front();
  } catch (const mu::ParserError&) {
    result = none;
  }
  if (std::isfinite(result)) return result;
  std::string where;
  charge(units_per_mistake * (1 + state.used.size()) + state.text.size());
  for (std::size_t i = 0; i < state.used.size(); ++i) {
    where += fmt::format("{}{} = {}", i == 0 ? "" : ", ", state.used_names[i],
                         std::isfinite(state.slots[i]) ? exact(state.slots[i]) : "nothing");
  }
  return Error{fmt::format("`{}` has no value{}{}", state.text, where.empty() ? "" : " for ", where),
               "a division or remainder by zero, or a number that is too large",
               {},
               std::nullopt};
}

std::optional<std::vector<std::int32_t>> names_in(std::string_view text,
                                                  std::span<const std::string_view> names) {
  std::vector<Error> errors;
  Scan found = scan(text, names, errors);
  if (found.failed) return std::nullopt;
  return std::move(found.used);
}

std::optional<Expression> compile(std::string_view text, std::span<const std::string_view> names,
                                  std::vector<Error>& errors) {
  const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  if (blank) {
    errors.push_back(error_at("the expression is empty", {}, 0, text.size()));
    return std::nullopt;
  }
  charge(units_to_hold);
  charge_bytes(bytes_to_hold + 2 * text.size());
  Scan found = scan(text, names, errors);
  if (found.failed) return std::nullopt;
  auto state = std::make_unique<Expression::State>();
  state->text = std::string(text);
  state->used = std::move(found.used);
  state->slots.resize(state->used.size(), 1.0);
  for (const std::int32_t each : state->used)
    state->used_names.emplace_back(names[static_cast<std::size_t>(each)]);
  if (Expression::is_plain(text, *state)) return Expression(std::move(state));
  charge(units_to_compile + units_per_compiled * text.size());
  charge_bytes(bytes_of_engine + bytes_per_compiled * text.size());
  state->engine.emplace(prototype());
  std::string flat(text);  // muparser knows blanks, but not line breaks
  std::replace_if(
      flat.begin(), flat.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  try {
    for (std::size_t i = 0; i < state->used.size(); ++i) {
      state->engine->DefineVar(state->used_names[i], &state->slots[i]);
    }
    state->engine->SetExpr(flat);
    state->engine->Eval();  // builds the byte code
    if (state->engine->GetNumResults() != 1) {
      errors.push_back(
          error_at("several values separated by commas", "an expression has one value", 0, text.size()));
      return std::nullopt;
    }
  } catch (const mu::ParserError& problem) {
    errors.push_back(syntax_error(text, problem));
    return std::nullopt;
  }
  return Expression(std::move(state));
}

}  // namespace shapelint::expr
