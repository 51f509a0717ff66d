// The files of contracts/: no mistakes, examples that hold, and nothing applied where it was not stated.
#include "contracts/book.hpp"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "contracts/check.hpp"
#include "gpu/registry.hpp"
#include "tests/catch.hpp"
#include "tests/contracts/own_book_support.hpp"
#include "tests/golden.hpp"
#include "tests/source_dir.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

namespace {

std::string messages(const std::vector<Error>& errors) {
  std::string out;
  for (const Error& error : errors) out += fmt::format("{}: {}; {}\n", error.path, error.message, error.hint);
  return out;
}

std::string mistakes(std::string text) {
  const auto document = text::parse_toml("own.toml", std::move(text));
  REQUIRE(document);
  std::vector<Error> errors;
  const contracts::Book book({&*document, 1}, true, errors);
  std::string out;
  for (const Error& error : errors) out += fmt::format("{}; {}\n", error.message, error.hint);
  return out;
}

const std::string own_package = R"([package]
name = "own"
repository = "me/own"
version = "1.2"
commit = "abc"
date = "2026-01-01"
)";

// How many there were.
std::size_t check_examples(const contracts::Book& book) {
  contracts::Checker checker(book);
  std::size_t examples = 0;
  for (const contracts::Contract& contract : book.contracts()) {
    for (const contracts::Example& example : contract.examples) {
      ++examples;
      INFO(contract.id << " on " << example.gpu << example.config);
      const model::Reading reading = test::read_config(std::string(example.config));
      const auto gpu = gpu::find_gpu(example.gpu);
      REQUIRE(gpu);
      const contracts::Verdict* found = nullptr;
      const auto verdicts = checker.check(reading, reading.setup, *gpu);
      for (const contracts::Verdict& each : verdicts) {
        if (each.contract == &contract) found = &each;
      }
      REQUIRE(found != nullptr);
      CHECK(found->meets == example.meets);
      INFO(found->numbers);
      CHECK(found->numbers.find(example.says) != std::string::npos);
    }
  }
  return examples;
}

}  // namespace

TEST_CASE("the contracts that are compiled in have no mistakes", "[contracts]") {
  std::vector<Error> errors;
  const contracts::Book book(contracts::builtin_documents(), true, errors);
  INFO(messages(errors));
  CHECK(errors.empty());
  CHECK(book.contracts().size() >= 120);
  std::set<std::string> ids;
  for (const contracts::Contract& each : book.contracts()) {
    INFO(each.id);
    CHECK(ids.insert(each.id).second);
    CHECK_FALSE(each.blame.empty());
    for (const contracts::SourceLines& source : each.sources) {
      CHECK(source.fingerprint.size() == 16);
    }
  }
}

TEST_CASE("each contract's examples meet it or not, as they say", "[contracts]") {
  CHECK(check_examples(contracts::builtin_contracts()) >= 10);
}

// Over the whole table: each contract with each architecture, mode, number format and recipe, and a stack of
// older, known and newer versions of its package.
TEST_CASE("no contract is applied to what it was not stated for", "[contracts]") {
  std::vector<gpu::Gpu> gpus;
  for (const char* name :
       {"v100-sxm2-32gb", "a100", "l40s", "h100", "b200-sxm", "rtx-5090", "mi300x", "mi355x"}) {
    const auto gpu = gpu::find_gpu(name);
    REQUIRE(gpu);
    gpus.push_back(*gpu);
  }
  model::Plan plan;
  std::size_t applied = 0;
  for (const contracts::Contract& contract : contracts::builtin_contracts().contracts()) {
    INFO(contract.id);
    for (const gpu::Gpu& gpu : gpus) {
      const auto& list = contract.architectures;
      const bool is_listed = std::find(list.begin(), list.end(), gpu.architecture.id) != list.end();
      CHECK(contracts::is_for(contract, gpu) == (list.empty() || is_listed));
    }
    const auto allows = [](const std::vector<std::int64_t>& values, std::int64_t value) {
      return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
    };
    for (int mode = 0; mode < 3; ++mode) {
      for (std::size_t dtype = 0; dtype < dtypes.size(); ++dtype) {
        for (std::size_t recipe = 0; recipe < recipes.size(); ++recipe) {
          plan.mode = static_cast<model::Mode>(mode);
          plan.dtype = static_cast<DType>(dtype);
          plan.recipe = static_cast<Recipe>(recipe);
          const bool stated = allows(contract.modes, mode) &&
                              allows(contract.dtypes, static_cast<std::int64_t>(dtype)) &&
                              allows(contract.recipes, static_cast<std::int64_t>(recipe));
          CHECK(contracts::is_for(contract, plan) == stated);
          applied += stated ? 1 : 0;
        }
      }
    }
    contracts::Stack stack{{std::string(contract.package.name), {}, {}}};
    for (const std::string_view other : contract.with) stack.push_back({std::string(other), {}, {}});
    CHECK(contracts::standing(contract, stack) == contracts::VersionMatch::holds);
    for (const std::string_view other : contract.unless) {
      contracts::Stack more = stack;
      more.push_back({std::string(other), {}, {}});
      CHECK(contracts::standing(contract, more) == contracts::VersionMatch::absent);
    }
    stack.front().version = contracts::Version{0, 0, 0};
    CHECK(contracts::standing(contract, stack) == contracts::VersionMatch::older);
    stack.front().version = contracts::Version{9999};
    CHECK(contracts::standing(contract, stack) == contracts::VersionMatch::newer);
    stack.front().name = "another";
    CHECK(contracts::standing(contract, stack) == contracts::VersionMatch::absent);
  }
  CHECK(applied > 0);
}

TEST_CASE("the worked example of docs/contributing/requirement.md is a contract", "[contracts]") {
  std::ifstream file(tests::source_dir() + "/docs/contributing/requirement.md");
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::string fence = "```toml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const auto document = text::parse_toml("own.toml", text.substr(begin, text.find("```", begin) - begin));
  REQUIRE(document);
  std::vector<Error> errors;
  const contracts::Book book({&*document, 1}, true, errors);
  INFO(messages(errors));
  CHECK(errors.empty());
  REQUIRE(book.contracts().size() == 1);
  CHECK(check_examples(book) == 1);
}

TEST_CASE("docs/reference/requirements.md is written from contracts/", "[contracts]") {
  CHECK(tests::compare_with_file("docs/reference/requirements.md",
                                 contracts::contracts_markdown(contracts::builtin_contracts())) == "");
}

TEST_CASE("mistakes in a file of contracts are all reported", "[contracts]") {
  CHECK(mistakes(own_package + R"(
[[contract]]
name = "a"
layer = "mlp"
summary = "widths are even"
condition = "intermediate_size % 2 == 0"
outcome = "refuses"
blame = ["intermediate_size"]
issues = ["me/own#1"]
)")
            .empty());
  CHECK(mistakes(own_package + R"(
[[contract]]
name = "a"
layer = "mpl"
summary = "widths are even"
condition = "intermediate_siz % 2 == 0"
outcome = "pad"
architectures = ["hoper"]
recipes = ["block"]
blame = ["width"]
colour = 1
)") == "unknown key `colour`; \n"
       "`hoper` is not a known architecture; did you mean `hopper`?\n"
       "`block` is not a known recipe; one of none, tensor, row, block128, mxfp8, nvfp4, mxfp4\n"
       "`mpl` is not a known kind of layer; did you mean `mlp`?\n"
       "unknown variable `intermediate_siz` in `intermediate_siz % 2 == 0`; did you mean "
       "`intermediate_size`?\n"
       "`pad` is not a known outcome; did you mean `pads`?\n"
       "unknown field `width`; \n"
       "a requirement needs `source` or `issues`; \n");
  CHECK(mistakes(own_package + R"(
[[contract]]
name = "a"
layer = "mlp"
summary = "widths are even"
condition = "step_us > 0"
outcome = "falls-back"
blame = ["intermediate_size"]
issues = ["me/own#1"]
)") == "`step_us` is not a variable of model or GPU in `step_us > 0`; \n"
       "the key `instead` is missing; what runs in its place\n");
}
