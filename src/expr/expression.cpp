// Names and signs are found first, all mistakes among them; then the signs are put in the order in which they
// run (Dijkstra's shunting yard), with a stack of their own: an expression may be nested as deep as it is
// long.
#include "expr/expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/number.hpp"
#include "base/strings.hpp"
#include "expr/prepared.hpp"

namespace shapelint::expr {

namespace {

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

constexpr std::size_t if_function = 6;
static_assert(function_table[if_function].name == "if");

template <double (*function)(double)>
double one(const double* operands, int) {
  return function(operands[0]);
}
template <double (*function)(double, double)>
double two(const double* operands, int) {
  return function(operands[0], operands[1]);
}
// As function_table.
constexpr std::array<Call, function_table.size()> calls{one<arithmetic::absolute>,
                                                        one<arithmetic::ceiling>,
                                                        two<arithmetic::ceil_to>,
                                                        two<arithmetic::divides>,
                                                        one<arithmetic::floor_>,
                                                        two<arithmetic::floor_to>,
                                                        nullptr,
                                                        one<arithmetic::log2_>,
                                                        arithmetic::maximum,
                                                        arithmetic::minimum,
                                                        two<arithmetic::nearest_to>,
                                                        one<arithmetic::pow2_divisor>,
                                                        one<arithmetic::round_>,
                                                        one<arithmetic::root>,
                                                        one<arithmetic::truncate>};

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

Error error_at(std::string message, std::string hint, std::size_t begin, std::size_t end,
               ErrorCode code = ErrorCode::syntax) {
  return Error{std::move(message),
               std::move(hint),
               {},
               Span{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)},
               code};
}

// Compiling takes 0.3 us and 30 ns for each character, what is compiled runs in 3 ns for each; as measured.
constexpr std::size_t units_to_compile = 30;
constexpr std::size_t units_per_compiled = 3;
constexpr std::size_t bytes_to_hold = 400;
constexpr std::size_t bytes_per_compiled = 25;  // an instruction for each
constexpr std::size_t characters_per_unit = 2;

// Of one mistake, which is held until all are counted.
constexpr std::size_t units_per_mistake = 40;
constexpr std::size_t longest_expression = 19'999;

struct Token {
  enum class Kind : std::uint8_t {
    number,
    name,
    function,
    infix,
    prefix_or_infix,
    prefix,
    open,
    close,
    comma
  };
  Kind kind;
  std::uint8_t sign = 0;   // the place of an infix sign, or of a function, in its table
  std::int32_t name = -1;  // of a name, its index
  std::size_t begin = 0;
  std::size_t end = 0;
  double number = 0;
};

// Where `name` stands among hundreds of names. Rules ask for the same few thousands of times, of lists that
// begin alike, so that it mostly stands where it stood the last time, or in the longest list so far.
std::size_t place_of(std::string_view name, std::span<const std::string_view> names) {
  constexpr std::size_t remembered = 4096;
  thread_local std::array<std::uint16_t, remembered> places{};
  thread_local std::size_t longest = 0;
  const auto slot = [&](std::string_view each) -> std::uint16_t& {
    return places[std::hash<std::string_view>{}(each) % remembered];
  };
  if (names.size() > longest && names.size() < remembered) {
    longest = names.size();
    // From the end: of equal names the first counts.
    for (std::size_t i = names.size(); i-- > 0;) slot(names[i]) = static_cast<std::uint16_t>(i);
  }
  std::uint16_t& place = slot(name);
  if (place < names.size() && names[place] == name) return place;
  // Most differ in their first letter already.
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view each) {
    return each.size() == name.size() && each.front() == name.front() && each == name;
  });
  const auto at = static_cast<std::size_t>(found - names.begin());
  if (at <= std::numeric_limits<std::uint16_t>::max()) place = static_cast<std::uint16_t>(at);
  return at;
}

// Finds the signs, names and numbers of a text, and all that cannot belong to an expression.
class Scanner {
 public:
  Scanner(std::string_view text, std::span<const std::string_view> names, std::vector<Error>& errors)
      : text_(text), names_(names), errors_(errors) {}

  // Empty, with errors, where something cannot.
  std::vector<Token> scan() {
    charge(1 + text_.size() / characters_per_unit);
    if (text_.size() > longest_expression) {
      fail(fmt::format("the expression has {} characters", text_.size()),
           fmt::format("at most {} are read", longest_expression), 0, text_.size());
      return {};
    }
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_blank(c)) {
        ++at_;
      } else if (is_digit(c) || c == '.') {
        scan_number();
      } else if (starts_name(c)) {
        scan_name();
      } else {
        scan_sign();
      }
    }
    if (failed_) return {};
    return std::move(tokens_);
  }

 private:
  void fail(std::string message, std::string hint, std::size_t begin, std::size_t end,
            ErrorCode code = ErrorCode::syntax) {
    charge(units_per_mistake);
    charge_bytes(sizeof(Error) + message.size() + hint.size());
    errors_.push_back(error_at(std::move(message), std::move(hint), begin, end, code));
    failed_ = true;
  }
  Token& add(Token::Kind kind, std::size_t begin) {
    tokens_.push_back({kind, 0, -1, begin, at_, 0});
    return tokens_.back();
  }

  void scan_number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t exponent = at_ + 1;
      if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
      if (exponent < text_.size() && is_digit(text_[exponent])) {
        at_ = exponent;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      }
    }
    double number = 0;
    const char* const end = text_.data() + at_;
    const auto [stop, problem] = read_decimal(text_.data() + begin, end, number);
    if (problem != std::errc{} || stop != end) number = arithmetic::none;  // the parser says where
    add(Token::Kind::number, begin).number = number;
    // Letters behind a number belong to nothing.
    if (at_ < text_.size() && starts_name(text_[at_])) {
      const std::size_t rest = at_;
      while (at_ < text_.size() && (continues_name(text_[at_]) || text_[at_] == '.')) ++at_;
      add(Token::Kind::number, rest).number = arithmetic::none;
    }
  }

  void scan_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    std::size_t next = at_;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    if (next < text_.size() && text_[next] == '(') {
      const auto* const found = std::find_if(function_table.begin(), function_table.end(),
                                             [&](const Function& each) { return each.name == name; });
      if (found == function_table.end()) {
        std::vector<std::string_view> candidates;
        for (const Function& each : function_table) candidates.push_back(each.name);
        return fail(fmt::format("unknown function `{}`", name), did_you_mean(name, candidates), begin, at_,
                    ErrorCode::unknown_name);
      }
      add(Token::Kind::function, begin).sign = static_cast<std::uint8_t>(found - function_table.begin());
      return;
    }
    const std::size_t place = place_of(name, names_);
    if (place == names_.size())
      return fail(fmt::format("unknown variable `{}`", name), did_you_mean(name, names_), begin, at_,
                  ErrorCode::unknown_name);
    add(Token::Kind::name, begin).name = static_cast<std::int32_t>(place);
  }

  void scan_sign() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    const std::string_view rest = text_.substr(at_);
    for (std::size_t i = 0; i < infixes.size(); ++i) {
      const std::string_view sign = infixes[i].sign;
      if (!rest.starts_with(sign)) continue;
      at_ += sign.size();
      add(c == '-' ? Token::Kind::prefix_or_infix : Token::Kind::infix, begin).sign =
          static_cast<std::uint8_t>(i);
      return;
    }
    ++at_;
    if (c == '(' || c == ')' || c == ',' || c == '!') {
      add(c == '('   ? Token::Kind::open
          : c == ')' ? Token::Kind::close
          : c == ',' ? Token::Kind::comma
                     : Token::Kind::prefix,
          begin);
    } else if (c == '=') {
      fail("`=` is not an operator", "compare with `==`", begin, at_);
    } else if (c == '&' || c == '|') {
      fail(fmt::format("`{}` is not an operator", c), fmt::format("did you mean `{0}{0}`?", c), begin, at_);
    } else {
      fail(fmt::format("`{}` cannot stand in an expression", c), {}, begin, at_);
    }
  }

  std::string_view text_;
  std::span<const std::string_view> names_;
  std::vector<Error>& errors_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

class Compiler {
 public:
  Compiler(std::string_view text, std::span<const Token> tokens, Program& program)
      : text_(text), tokens_(tokens), program_(program) {}

  std::optional<Error> compile() {
    for (const Token& token : tokens_) {
      auto problem = wants_operand_ ? take_operand(token) : take_operator(token);
      if (problem) return problem;
    }
    if (wants_operand_)
      return error_at("the expression ends too early", "a value is missing at its end", text_.size(),
                      text_.size());
    unwind(0);
    if (!open_.empty()) return error_at("a parenthesis is not closed", {}, text_.size(), text_.size());
    return std::nullopt;
  }

 private:
  using Kind = Token::Kind;
  // What stands to the left of an operand that is not complete yet.
  struct Open {
    Kind kind;               // infix, prefix, open or function
    std::uint8_t place = 0;  // in the table of its kind
    int precedence = 0;      // 0: nothing goes past it
    std::int32_t operands = 1;
    std::size_t jump = 0;       // an instruction that leads behind the operand
    std::size_t none_jump = 0;  // of `if`
  };

  std::int32_t here() const { return static_cast<std::int32_t>(program_.instructions.size()); }
  void emit(Code code, std::uint8_t function = 0, std::int32_t at = 0, double number = 0) {
    program_.instructions.push_back({code, function, at, number});
  }
  void pushed() { program_.depth = std::max(program_.depth, ++depth_); }
  std::size_t emit_jump(Code code) {
    emit(code);
    return program_.instructions.size() - 1;
  }
  void land(std::size_t jump) { program_.instructions[jump].at = here(); }

  Error unexpected(const Token& token) const {
    return error_at(fmt::format("unexpected `{}`", text_.substr(token.begin, token.end - token.begin)), {},
                    token.begin, token.end);
  }

  std::optional<Error> take_operand(const Token& token) {
    switch (token.kind) {
      case Kind::number:
        if (std::isnan(token.number)) return unexpected(token);
        emit(Code::number, 0, 0, token.number);
        pushed();
        wants_operand_ = false;
        return std::nullopt;
      case Kind::name:
        emit(Code::name, 0, token.name);
        pushed();
        wants_operand_ = false;
        return std::nullopt;
      case Kind::prefix_or_infix:
      case Kind::prefix:
        open_.push_back({Kind::prefix, static_cast<std::uint8_t>(token.kind == Kind::prefix ? 1 : 0),
                         precedence_of_prefix});
        return std::nullopt;
      case Kind::function:
        open_.push_back({Kind::function, token.sign});
        expects_open_ = true;
        return std::nullopt;
      case Kind::open:
        if (!expects_open_) open_.push_back({Kind::open});
        expects_open_ = false;
        return std::nullopt;
      case Kind::close:
        // `max()`: nothing where a first operand belongs.
        if (!open_.empty() && open_.back().kind == Kind::function && open_.back().operands == 1)
          return wrong_count(open_.back(), false, token);
        return open_.empty() ? too_many(token) : unexpected(token);
      case Kind::infix:
      case Kind::comma:
        return unexpected(token);
    }
    return std::nullopt;
  }

  static Error too_many(const Token& token) {
    return error_at("a parenthesis too many", {}, token.begin, token.end);
  }
  static Error wrong_count(const Open& call, bool many, const Token& token) {
    const Function& function = function_table[call.place];
    return error_at(fmt::format("too {} arguments for `{}`", many ? "many" : "few", function.name),
                    fmt::format("it is `{}`", function.signature), token.begin, token.end);
  }

  std::optional<Error> take_operator(const Token& token) {
    switch (token.kind) {
      case Kind::infix:
      case Kind::prefix_or_infix:
        take_infix(token.sign);
        return std::nullopt;
      case Kind::comma:
        return take_comma(token);
      case Kind::close:
        return take_close(token);
      default:
        return unexpected(token);
    }
  }

  void take_infix(std::uint8_t place) {
    const Infix& sign = infixes[place];
    const bool groups_right = sign.apply == arithmetic::power;
    unwind(sign.precedence + (groups_right ? 1 : 0));
    Open& open = open_.emplace_back(Open{Kind::infix, place, sign.precedence});
    if (sign.apply == nullptr) {
      open.jump = emit_jump(sign.precedence == precedence_of_and ? Code::decided_and : Code::decided_or);
      --depth_;
    }
    wants_operand_ = true;
  }

  std::optional<Error> take_comma(const Token& token) {
    unwind(0);
    if (open_.empty())
      return error_at("several values separated by commas", "an expression has one value", 0, text_.size());
    Open& call = open_.back();
    if (call.kind != Kind::function) return unexpected(token);
    ++call.operands;
    wants_operand_ = true;
    if (call.place != if_function) return std::nullopt;
    --depth_;
    if (call.operands == 2) {
      call.none_jump = emit_jump(Code::jump_if_none);
      call.jump = emit_jump(Code::jump_if_zero);
    } else if (call.operands == 3) {
      const std::size_t end = emit_jump(Code::jump);
      land(call.jump);
      call.jump = end;
    }
    return std::nullopt;
  }

  std::optional<Error> take_close(const Token& token) {
    unwind(0);
    if (open_.empty()) return too_many(token);
    const Open call = open_.back();
    open_.pop_back();
    if (call.kind != Kind::function) return std::nullopt;
    const int wanted = function_table[call.place].arguments;
    if (wanted >= 0 && call.operands != wanted) return wrong_count(call, call.operands > wanted, token);
    if (call.place == if_function) {
      land(call.jump);
      land(call.none_jump);
    } else {
      emit(Code::call, call.place, call.operands);
      depth_ -= static_cast<std::size_t>(call.operands - 1);
    }
    return std::nullopt;
  }

  // Completes what binds as tightly as `precedence`, or more so.
  void unwind(int precedence) {
    while (!open_.empty() && open_.back().precedence > 0 && open_.back().precedence >= precedence) {
      const Open open = open_.back();
      open_.pop_back();
      if (open.kind == Kind::prefix) {
        emit(Code::prefix, open.place);
      } else if (infixes[open.place].apply == nullptr) {
        emit(Code::truth);
        land(open.jump);
      } else {
        emit(Code::infix, open.place);
        --depth_;
      }
    }
  }

  std::string_view text_;
  std::span<const Token> tokens_;
  Program& program_;
  std::vector<Open> open_;
  std::size_t depth_ = 0;
  bool wants_operand_ = true;
  bool expects_open_ = false;  // right behind a function's name, where the scanner saw it
};

// What compiling a text over `names` makes, where the build did it.
struct Linked {
  Program program;
  std::vector<std::int32_t> used;  // as they stand in Prepared
};
std::optional<Linked> link(std::string_view text, std::span<const std::string_view> names) {
  const auto all = prepared();
  const auto found =
      std::lower_bound(all.begin(), all.end(), text,
                       [](const Prepared& each, std::string_view wanted) { return each.text < wanted; });
  if (found == all.end() || found->text != text) return std::nullopt;
  Linked out;
  out.used.reserve(found->names.size());
  for (const std::string_view each : found->names) {
    const std::size_t place = place_of(each, names);
    if (place == names.size()) return std::nullopt;
    out.used.push_back(static_cast<std::int32_t>(place));
  }
  out.program.depth = found->depth;
  out.program.instructions.assign(found->instructions.begin(), found->instructions.end());
  for (Instruction& each : out.program.instructions)
    if (each.code == Code::name) each.at = out.used[static_cast<std::size_t>(each.at)];
  return out;
}

}  // namespace

std::span<const Function> functions() {
  return function_table;
}

std::vector<std::string_view> operators() {
  std::vector<std::string_view> out;
  for (const Infix& each : infixes) out.emplace_back(each.sign);
  for (const Prefix& each : prefixes) out.emplace_back(&each.sign, 1);
  return out;
}

Call call_of(std::size_t function) {
  return calls[function];
}

template <class Values>
Result<double> Expression::evaluate_with(const Values& values) const {
  charge(1 + text_.size() / characters_per_unit);
  const double result = run(program_, values);
  if (std::isfinite(result)) return result;
  std::string where;
  charge(units_per_mistake * (1 + used_.size()) + text_.size());
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const double value = values(used_[i]);
    where += fmt::format("{}{} = {}", i == 0 ? "" : ", ", used_names_[i],
                         std::isfinite(value) ? exact(value) : "nothing");
  }
  return Error{fmt::format("`{}` has no value{}{}", text_, where.empty() ? "" : " for ", where),
               "a division or remainder by zero, or a number that is too large",
               {},
               std::nullopt};
}

Result<double> Expression::evaluate(std::span<const double> values) const {
  return evaluate_with([values](std::int32_t name) { return values[static_cast<std::size_t>(name)]; });
}

Result<double> Expression::evaluate(const Value& value) const {
  return evaluate_with(value);
}

Result<bool> Expression::holds(const Value& value) const {
  const Result<double> result = evaluate_with(value);
  if (!result) return result.error();
  return *result != 0;
}

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (continues_name(text[end]) || text[end] == '.')) ++end;
    const bool is_call = end < text.size() && text[end] == '(';
    if (end > at && starts_name(text[at]) && !is_call) out.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return out;
}

void charge_compiling(std::string_view text) {
  charge(units_to_compile + units_per_compiled * text.size());
  charge_bytes(bytes_to_hold + bytes_per_compiled * text.size());
}

std::optional<Expression> compile(std::string_view text, std::span<const std::string_view> names,
                                  std::vector<Error>& errors) {
  if (std::all_of(text.begin(), text.end(), is_blank)) {
    errors.push_back(error_at("the expression is empty", {}, 0, text.size()));
    return std::nullopt;
  }
  charge_compiling(text);
  Expression out;
  out.text_ = text;
  if (auto linked = link(text, names)) {
    out.program_ = std::move(linked->program);
    out.used_ = std::move(linked->used);
  } else {
    auto program = compile_program(text, names, errors);
    if (!program) return std::nullopt;
    out.program_ = *std::move(program);
    for (const Instruction& each : out.program_.instructions)
      if (each.code == Code::name) out.used_.push_back(each.at);
  }
  std::sort(out.used_.begin(), out.used_.end());
  out.used_.erase(std::unique(out.used_.begin(), out.used_.end()), out.used_.end());
  for (const std::int32_t each : out.used_) out.used_names_.push_back(names[static_cast<std::size_t>(each)]);
  return out;
}

std::optional<Expression> compile(std::string_view text, std::span<const std::string_view> names) {
  std::vector<Error> ignored;
  return compile(text, names, ignored);
}

std::vector<std::string_view> distinct_names(std::string_view text) {
  std::vector<std::string_view> out = names_in(text);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::optional<Program> compile_program(std::string_view text, std::span<const std::string_view> names,
                                       std::vector<Error>& errors) {
  const std::vector<Token> tokens = Scanner(text, names, errors).scan();
  if (tokens.empty()) return std::nullopt;
  Program out;
  if (auto problem = Compiler(text, tokens, out).compile()) {
    errors.push_back(*std::move(problem));
    return std::nullopt;
  }
  return out;
}

}  // namespace shapelint::expr
