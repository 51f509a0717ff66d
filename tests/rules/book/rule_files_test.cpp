// The rule files: sound, unique, documented; and what the reader says of mistakes in one.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include <fmt/format.h>

#include "catalog/catalog.hpp"
#include "expr/expression.hpp"
#include "expr/prepared.hpp"
#include "lint/rule_costs.hpp"
#include "rules/book/compiled.hpp"
#include "rules/book/docs.hpp"
#include "rules/book/rule.hpp"
#include "rules/book/select.hpp"
#include "tests/catch.hpp"
#include "tests/golden.hpp"
#include "tests/source_dir.hpp"
#include "text/source.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;
using rules::builtin_rules;
using rules::current_name;
using rules::is_selected;
using rules::Rule;

namespace {

// "line:column: message; hint" for each error.
std::string mistakes(const std::string& source) {
  const auto document = text::parse_toml("own.toml", source);
  REQUIRE(document);
  std::vector<Error> errors;
  const rules::RuleBook book({&*document, 1}, true, errors);
  std::string out;
  for (const Error& error : errors) {
    REQUIRE(error.span);
    const text::Place place = text::place_of(source, error.span->begin);
    out += fmt::format("{}:{}: {}{}{}\n", place.line, place.column, error.message,
                       error.hint.empty() ? "" : "; ", error.hint);
  }
  return out;
}

std::string rule(const std::string& when, const std::string& more = "",
                 const std::string& message = "too wide") {
  return "code = \"MY1\"\nname = \"wide\"\nsummary = \"s\"\nwhen = \"" + when + "\"\nmessage = \"" + message +
         "\"\nmechanism = \"m\"\nblame = \"hidden_size\"\n" + more +
         "[[fix]]\nhidden_size = \"floor_to(hidden_size, 64)\"\n";
}

}  // namespace

TEST_CASE("the rules compiled in have no mistakes") {
  std::vector<Error> errors;
  const rules::RuleBook book(catalog::builtin("rules"), true, errors);
  for (const Error& error : errors) {
    UNSCOPED_INFO(fmt::format("{}: {}; {}", error.path, error.message, error.hint));
  }
  CHECK(errors.empty());
  CHECK(book.rules().size() == catalog::builtin("rules").size());
}

TEST_CASE("conditions that the build compiles are what compiling their texts makes") {
  const auto prepared = expr::prepared();
  CHECK(std::ranges::is_sorted(prepared, {}, &expr::Prepared::text));
  for (const Rule& each : builtin_rules().rules()) {
    INFO(each.code);
    const auto found = std::ranges::find(prepared, each.when.value, &expr::Prepared::text);
    REQUIRE(found != prepared.end());
    const std::vector<std::string_view> own = expr::distinct_names(each.when.value);
    CHECK(std::ranges::equal(found->names, own));
    std::vector<Error> errors;
    const auto program = expr::compile_program(each.when.value, own, errors);
    REQUIRE(program);
    CHECK(found->depth == program->depth);
    const auto same = [](const expr::Instruction& a, const expr::Instruction& b) {
      return a.code == b.code && a.function == b.function && a.at == b.at && a.number == b.number;
    };
    CHECK(std::ranges::equal(found->instructions, program->instructions, same));
    // Linked to the names of rules, it asks for its own.
    const std::vector<std::string_view> names = rules::names_for(each);
    const auto linked = expr::compile(each.when.value, names);
    REQUIRE(linked);
    std::set<std::string_view> used;
    for (const std::int32_t name : linked->used()) used.insert(names[static_cast<std::size_t>(name)]);
    CHECK(std::ranges::equal(used, own));
  }
}

TEST_CASE("codes and names are unique, sorted, and agree with the file's name") {
  std::set<std::string_view> names;
  std::string_view last;
  for (const Rule& each : builtin_rules().rules()) {
    INFO(each.code);
    CHECK(each.code > last);
    CHECK(names.insert(each.name).second);
    CHECK(each.when.node.file() == fmt::format("rules/{}-{}.toml", each.code, each.name));
    CHECK(each.code.starts_with("SL"));
    CHECK_FALSE(each.since.empty());
    CHECK_FALSE(each.sources.empty());
    CHECK(each.why.size() > 20);
    CHECK_FALSE(each.summary.ends_with('.'));
    CHECK_FALSE(each.message.value.ends_with('.'));
    CHECK_FALSE(each.mechanism.ends_with('.'));
    last = each.code;
  }
}

TEST_CASE("a name that a rule had still selects it, and is the name of no other") {
  std::set<std::string_view> names;
  for (const Rule& each : builtin_rules().rules()) names.insert(each.name);
  for (const Rule& each : builtin_rules().rules()) {
    for (const std::string_view former : each.formerly) {
      INFO(former);
      CHECK(names.insert(former).second);
      CHECK(current_name(former) == each.name);
      CHECK(builtin_rules().find(former) == &each);
      CHECK(is_selected(each, {.select = {std::string(former)}}));
      CHECK_FALSE(is_selected(each, {.ignore = {std::string(former)}}));
    }
  }
  CHECK(current_name("product-misaligned") == "gemm-misaligned");
  CHECK(current_name("SL110") == "SL110");
}

TEST_CASE("the pages of docs/reference/rules are written from the rule files") {
  std::set<std::string> pages{"README.md", "variables.md"};
  std::string differs =
      tests::compare_with_file("docs/reference/rules/README.md", rules::index_markdown(builtin_rules()));
  CHECK(differs == "");
  differs = tests::compare_with_file("docs/reference/rules/variables.md", rules::variables_markdown());
  CHECK(differs == "");
  for (const Rule& each : builtin_rules().rules()) {
    pages.insert(rules::page_name(each));
    const std::vector<rules::ExampleCost> costs = lint::example_costs(builtin_rules(), each);
    differs = tests::compare_with_file("docs/reference/rules/" + rules::page_name(each),
                                       rules::rule_markdown(each, costs));
    CHECK(differs == "");
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(tests::source_dir() + "/docs/reference/rules")) {
    INFO(entry.path().string());
    CHECK(pages.contains(entry.path().filename().string()));  // of a rule that is no more
  }
}

TEST_CASE("a rule's page has its example, what to use instead, and what the example costs") {
  const rules::RuleBook& book = builtin_rules();
  const Rule& vocabulary = *book.find("SL101");
  const std::vector<rules::ExampleCost> costs = lint::example_costs(book, vocabulary);
  REQUIRE(costs.size() == 2);
  CHECK(costs[0].gpu == "a100-sxm4-80gb");
  CHECK(costs[1].gpu == "h100-sxm5");
  CHECK(costs[0].fix == "vocab_size 50257 → 50304");
  const std::string page = rules::rule_markdown(vocabulary, costs);
  // An odd vocabulary loses more where the tensor cores are faster (docs/explanation/cost-model.md).
  CHECK(page.find("| `a100-sxm4-80gb` | " + costs[0].cost) != std::string::npos);
  CHECK(std::stod(costs[1].cost) > std::stod(costs[0].cost));
  const std::size_t instead = page.find("## Use instead");
  REQUIRE(instead != std::string::npos);
  CHECK(page.find("vocab_size = 50304", instead) < page.find("## Cost on", instead));
  const Rule& heads = *book.find("SL403");
  CHECK(rules::rule_markdown(heads, lint::example_costs(book, heads)).find("The job fails") !=
        std::string::npos);
  CHECK(lint::example_costs(book, *book.find("SL900")).empty());
}

TEST_CASE("mistakes in a rule file are all reported, each at its place") {
  CHECK(mistakes(rule("hidden_size % 64 != 0")).empty());
  CHECK(mistakes(rule("hiden_size % 64 != 0")) ==
        "4:9: unknown variable `hiden_size`; did you mean `hidden_size`?\n");
  CHECK(mistakes(rule("hidden_size % 64 != 0 && hidden_sise > 3 || celi_to(1, 2)")) ==
        "4:34: unknown variable `hidden_sise`; did you mean `hidden_size`?\n"
        "4:53: unknown function `celi_to`; did you mean `ceil_to`?\n");
  CHECK(mistakes(rule("hidden_size = 64")) == "4:21: `=` is not an operator; compare with `==`\n");
  CHECK(mistakes(rule("wave_efficiency < 0.5")) ==
        "4:9: `wave_efficiency` belongs to one operation, which a rule with scope `model` and effect "
        "`slower` does "
        "not see\n");
  CHECK(mistakes(rule("hidden_size > 3", "effect = \"fails\"\n", "{sm_count} SMs")) ==
        "5:13: `sm_count` belongs to the GPU, which a rule with scope `model` and effect `fails` does not "
        "see\n");
  CHECK(mistakes(rule("hidden_size > 3", "", "{hidden_size:percnt} of {hiden_size}")) ==
        "5:25: unknown format `percnt`; did you mean `percent`?\n"
        "5:37: unknown variable `hiden_size`; did you mean `hidden_size`?\n");
  CHECK(mistakes(rule("hidden_size > 3", "", "{hidden_size")) ==
        "5:12: a brace is not closed; write `{{` for a brace\n");
  CHECK(mistakes(rule("hidden_size > limit", "[parameters]\nlimit = 3\n")).empty());
  CHECK(mistakes(rule("hidden_size > 3", "[parameters]\ntensor = 3\n")) ==
        "9:1: `tensor` is a variable already\n");
  CHECK(mistakes(rule("hidden_size > 3", "[[fix]]\nhiden_size = \"3\"\n")) ==
        "9:1: unknown field `hiden_size`; did you mean `hidden_size`?\n");
  CHECK(mistakes(rule("hidden_size > 3", "[[fix]]\nvary = [\"hiden_size\"]\n")) ==
        "9:9: unknown field `hiden_size`; did you mean `hidden_size`?\n");
  CHECK(mistakes(rule("hidden_size > 3",
                      "blame_when = { hidden_size = \"tensor > 1\" }\n[[fix]]\nvary = [\"blamed\"]\n"))
            .empty());
  CHECK(
      mistakes(rule("hidden_size > 3", "blame_when = { num_layers = \"1\" }\n[[fix]]\nvary = [\"blamed\"]\n"))
          .find("`num_layers` is not in `blame`") != std::string::npos);
  CHECK(mistakes(rule("hidden_size > 3", "[[fix]]\nvary = [\"blamed\"]\n")).empty());
  CHECK(
      mistakes(
          "blame = \"blamed\"\ncode = \"MY1\"\nname = \"n\"\nsummary = \"s\"\nwhen = \"1\"\nmessage = \"m\"\n"
          "mechanism = \"m\"\neffect = \"advice\"\n") == "1:9: unknown field `blamed`\n");
  // No GPU is at hand when only the file is looked at.
  CHECK(mistakes(rule("is_duplicate_key && sm_count > 3", "scope = \"remark\"\n")) ==
        "4:29: `sm_count` belongs to the GPU, which a rule with scope `remark` and effect `slower` does not "
        "see\n");
  CHECK(mistakes(rule("hidden_size > 3", "scope = \"modle\"\n")) ==
        "8:9: `modle` is not a known scope; did you mean `model`?\n");
  CHECK(mistakes(rule("hidden_size > 3", "severty = \"info\"\n")) ==
        "8:1: unknown key `severty`; did you mean `severity`?\n");
  CHECK(
      mistakes("code = \"sl1\"\nname = \"Wide\"\n") ==
      "1:8: `sl1` is not a code; use capital letters and digits, such as `SL101`; custom rules begin with "
      "other letters than SL\n"
      "2:8: `Wide` is not a rule name; use lower-case letters, digits and hyphens\n"
      "1:1: the key `summary` is missing\n1:1: the key `when` is missing\n1:1: the key `message` is missing\n"
      "1:1: the key `mechanism` is missing\n1:1: the key `blame` is missing\n"
      "2:8: rule `Wide` has no `[[fix]]`; without one its gain cannot be computed and it never reports; use "
      "`effect = \"advice\"` for advice without a number\n");
}

TEST_CASE("a code is used once") {
  std::vector<text::Document> both;
  for (const char* path : {"a.toml", "b.toml"}) {
    both.push_back(*text::parse_toml(path, rule("hidden_size > 3")));
  }
  std::vector<Error> errors;
  const rules::RuleBook book(both, true, errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "`MY1` is the code of another rule");
  CHECK(errors[0].hint == "it is in a.toml");
  CHECK(errors[0].path == "b.toml");
}
