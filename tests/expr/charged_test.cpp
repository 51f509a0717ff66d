// What rules and dialects say in expressions, conditions and messages is charged for, each operator, function
// and form of it: compiling and evaluating by their length, messages by what they hold. No test here looks at
// a clock.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/budget.hpp"
#include "base/strings.hpp"
#include "expr/expression.hpp"
#include "formats/dialect/formula.hpp"
#include "project/config.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/template.hpp"
#include "tests/catch.hpp"

using namespace shapelint;

namespace {

constexpr std::size_t longest = 19'000;  // what is read, and some of it left
constexpr std::array<std::string_view, 1> only_a{"a"};

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// `text` as often as it fits, and a value behind it.
std::string filled(std::string_view text) {
  return repeated(text, longest / text.size()) + "a";
}

template <class Work>
std::int64_t units_of(const Work& work) {
  constexpr std::int64_t plenty = 2'000'000'000;
  const Budget budget(plenty, plenty, plenty);
  const std::int64_t before = budget.used();
  work();
  return budget.used() - before;
}

void check_charged(const std::string& text) {
  INFO(text.substr(0, 40));
  const auto size = static_cast<std::int64_t>(text.size());
  std::vector<Error> errors;
  std::optional<expr::Expression> compiled;
  CHECK(units_of([&] { compiled = expr::compile(text, only_a, errors); }) >= 3 * size);
  for (const Error& error : errors) UNSCOPED_INFO(error.message);
  REQUIRE(compiled);
  const std::array<double, 1> values{3};
  for (int i = 0; i < 2; ++i) {
    CHECK(units_of([&] { (void)compiled->evaluate(values); }) >= size / 2);
    CHECK(units_of([&] {
            formats::evaluate(text, [](std::string_view) { return std::optional<double>(3.0); });
          }) >= size / 2);
  }
  CHECK(units_of([&] { (void)formats::variables(text); }) >= 3 * size);
  CHECK(units_of([&] { (void)formats::variables(text); }) >= 3 * size);  // also what is known already
}

}  // namespace

TEST_CASE("budget: each operator and function of an expression is charged by its length", "[budget][expr]") {
  for (const std::string_view each : expr::operators()) {
    const bool is_prefix = each == "!";
    check_charged(filled(is_prefix ? "!a + " : fmt::format("a {} ", each)));
  }
  check_charged(filled("-a + "));
  check_charged(repeated("-", longest) + "a");
  for (const expr::Function& each : expr::functions()) {
    const std::size_t arguments = each.arguments < 0 ? 9 : static_cast<std::size_t>(each.arguments);
    check_charged(filled(fmt::format("{}({}a) + ", each.name, repeated("a, ", arguments - 1))));
    if (each.arguments < 0) check_charged(fmt::format("{}({}a)", each.name, repeated("a,", longest / 2)));
  }
  check_charged(repeated("(", longest / 2) + "a" + repeated(")", longest / 2));
  check_charged(filled("1.5 + "));
}

TEST_CASE("budget: mistakes of an expression and guesses at names are charged", "[budget][expr]") {
  const auto compiled = [](const std::string& text, std::span<const std::string_view> names) {
    return units_of([&] {
      std::vector<Error> errors;
      expr::compile(text, names, errors);
    });
  };
  CHECK(compiled(repeated("$", longest), only_a) >= static_cast<std::int64_t>(20 * longest));
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back(fmt::format("name_{}", i));
  const std::vector<std::string_view> names(many.begin(), many.end());
  CHECK(compiled(repeated("mane_1 ", 1000), names) >= 1000 * 1000);
  const std::string word(60, 'a');
  const std::string other(60, 'b');
  CHECK(units_of([&] { did_you_mean(word, std::array<std::string_view, 1>{other}); }) >= 60 * 60 / 4);
}

TEST_CASE("budget: a message is charged by its pieces, and holds what it says", "[budget][rules]") {
  const std::array<std::string_view, 1> words{"expression"};
  std::vector<Error> errors;
  std::vector<std::string> texts{"{a} ", "{expression} ", "{{ ", "}} "};
  for (const std::string_view format : rules::number_formats())
    texts.push_back(fmt::format("{{a:{}}} ", format));
  constexpr std::size_t times = 1000;
  for (const std::string& each : texts) {
    INFO(each);
    const std::string text = repeated(each, times);
    std::optional<rules::Template> compiled;
    CHECK(units_of([&] { compiled = rules::Template::compile(text, only_a, words, errors); }) >=
          static_cast<std::int64_t>(text.size() / 4));
    REQUIRE(errors.empty());
    const std::vector<double> values(compiled->expressions().size(), 3.0);
    const std::array<rules::Word, 1> filled{{{"expression", [] { return std::string(64, 'x'); }}}};
    const bool has_pieces = each.find("{{") == std::string::npos && each.find("}}") == std::string::npos;
    CHECK(units_of([&] { compiled->fill(values, filled); }) >=
          static_cast<std::int64_t>(has_pieces ? times : 1));
  }
  // A short rule must not become a long message.
  const std::string text = repeated("{expression}", 10'000);
  const rules::Template compiled = rules::Template::compile(text, only_a, words, errors);
  const std::array<rules::Word, 1> filled{{{"expression", [] { return std::string(longest, 'x'); }}}};
  const Budget budget;
  CHECK_THROWS_AS(compiled.fill({}, filled), Spent);
}

TEST_CASE("budget: a rule's condition costs each file the same, whoever comes first", "[budget][rules]") {
  rules::Rule rule;
  rule.code = "X1";
  rule.is_own = true;
  const std::string when = filled("hidden_size + ") + " > 0";
  std::string renamed = when;
  renamed.replace(renamed.rfind("a >"), 1, "hidden_size");
  rule.when.value = renamed;
  rules::CompiledSets sets;
  model::Reading reading;
  rules::Context context;
  context.reading = &reading;
  context.setup = &reading.setup;
  const auto linted = [&] {
    return units_of([&] {
      auto set = sets.take({&rule, 1});
      (void)set->front().holds(context);
      sets.return_to_pool(std::move(set));
    });
  };
  const std::int64_t first = linted();
  CHECK(first >= static_cast<std::int64_t>(renamed.size() / 4));
  CHECK(first < static_cast<std::int64_t>(3 * renamed.size()));
  CHECK(linted() == first);
  // What is built in is nobody's to pay.
  rules::Rule builtin = rule;
  builtin.is_own = false;
  CHECK(units_of([&] { (void)rules::CompiledRule(builtin).holds(context); }) == 0);
  // One for a single file is charged for being compiled.
  CHECK(units_of([&] { (void)rules::CompiledRule(rule).holds(context); }) >=
        static_cast<std::int64_t>(3 * renamed.size()));
}

TEST_CASE("budget: what is spent says on what", "[budget]") {
  const Budget budget(100);
  {
    const SpendingOn rule("X1");
    const SpendingOn within("X2");
  }
  const SpendingOn rule("X3");
  {
    const Uncharged kept;
    charge(1000);
  }
  CHECK(budget.spent_on().empty());
  CHECK_THROWS_AS(charge(101), Spent);
  CHECK(budget.spent_on() == "X3");
}

TEST_CASE("budget: a pattern of a configuration is charged for each file", "[budget]") {
  const std::string path = "/project/" + repeated("folder/", 20) + "m.toml";
  for (const char* const glob : {"*.toml", "a/b/*.toml", "/project/**/x.toml", "./m.toml"}) {
    CHECK(units_of([&] { project::matches({"/project", glob}, path, "/project"); }) >= 1);
  }
}
