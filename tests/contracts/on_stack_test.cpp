// What a stack makes of findings, proposals and searches: nothing that it refuses, and prices of what it
// runs.
#include "contracts/price.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cost/step.hpp"
#include "gpu/registry.hpp"
#include "rules/book/rule.hpp"
#include "rules/engine/conditions.hpp"
#include "rules/engine/lint.hpp"
#include "suggest/answer.hpp"
#include "suggest/search/optimize.hpp"
#include "tests/catch.hpp"
#include "tests/contracts/own_book_support.hpp"
#include "tests/rules/rules_support.hpp"
#include "tests/suggest/search/problem_support.hpp"

using namespace shapelint;
using test::book_of;

namespace {

const std::string decoded_gpt2 = R"([model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = 50257
[run]
mode = "decode"
context_length = 64
micro_batch_size = 256
attention = "flash"
)";

std::string contract(const std::string& name, const std::string& rest) {
  return fmt::format(
      "[[contract]]\nname = \"{}\"\nsummary = \"a demand\"\nissues = [\"us/ours#1\"]\nlayer = \"any\"\n{}\n",
      name, rest);
}

suggest::OnStack on_stack(const contracts::Book& book, const contracts::Stack& stack,
                          const model::Reading& reading, const gpu::Gpu& gpu) {
  const gpu::Gpu* const gpus[] = {&gpu};
  return contracts::on_stack(std::make_shared<contracts::Checker>(book, stack), reading, gpus);
}

// "SL101 vocab_size 50257 -> 50304; …" of the findings of a rule.
std::string proposals(const rules::LintResult& result, std::string_view code) {
  std::string out;
  for (const rules::Finding& finding : result.findings) {
    if (finding.code != code) continue;
    for (const rules::Proposal& each : finding.proposals) {
      out += (out.empty() ? "" : "; ") + tests::changes_text(each.changes);
    }
  }
  return out.empty() ? "nothing" : out;
}

rules::LintResult lint(const model::Reading& reading, const contracts::Book& book,
                       const std::vector<std::string>& packages) {
  const std::vector<gpu::Gpu> gpus = tests::gpus({"h100"});
  std::vector<Error> errors;
  const contracts::Stack stack = contracts::parse_stack(book, packages, errors);
  REQUIRE(errors.empty());
  return rules::lint(rules::builtin_rules(), reading, gpus, {}, on_stack(book, stack, reading, gpus.front()));
}

// Setups of the same sizes run the same.
bool runs_as_written(const suggest::OnStack& stack, const model::Setup& setup, const gpu::Gpu& gpu) {
  const suggest::StackRun run = stack.run(setup, gpu);
  return suggest::differences(setup, run.setup).empty() && run.times.empty();
}

suggest::Problem search(const model::Reading& reading, const contracts::Book& book,
                        const std::string& range) {
  const suggest::Problem plain = test::problem_of(reading, {&test::known_gpu("h100")}, {range});
  suggest::Problem problem = plain;
  problem.axes.clear();
  rules::constrain(problem, rules::builtin_rules(), {}, {});
  contracts::constrain(problem, book, {{"ours", {}, {}}});
  problem.axes = plain.axes;
  return problem;
}

suggest::Answer answer(const suggest::Problem& problem) {
  suggest::SearchOptions options;
  options.threads = 1;
  options.better_only = problem.broken.empty();
  return suggest::explain(problem, suggest::optimize(problem, options), options);
}

}  // namespace

TEST_CASE("rows that an engine pads by itself are not proposed to be padded by hand", "[contracts]") {
  const model::Reading reading = tests::read(decoded_gpt2);
  const contracts::Book& book = contracts::builtin_contracts();
  const rules::LintResult alone = rules::lint(rules::builtin_rules(), reading, tests::gpus({"h100"}));
  CHECK(proposals(alone, "SL101").starts_with("vocab_size 50257 -> 50304"));
  const rules::LintResult run = lint(reading, book, {"vllm==0.24"});
  CHECK(proposals(run, "SL101") == "nothing");
  // The step is that of 50304 rows.
  model::Reading padded = reading;
  padded.setup.model.vocab_size = 50304;
  const rules::LintResult wide = rules::lint(rules::builtin_rules(), padded, tests::gpus({"h100"}));
  CHECK(run.gpus.front().before.time_us == wide.gpus.front().before.time_us);
  CHECK(run.gpus.front().before.time_us < alone.gpus.front().before.time_us);
}

TEST_CASE("what the stack refuses is not proposed", "[contracts]") {
  const model::Reading reading = tests::read(decoded_gpt2);
  // 50264 is met, 50304 is not.
  const contracts::Book book = book_of(
      contract("odd", "condition = \"vocab_size % 2 == 1 || vocab_size < 50300\"\noutcome = \"refuses\""));
  const rules::LintResult run = lint(reading, book, {"ours"});
  CHECK(proposals(run, "SL101") != "nothing");
  for (const rules::Finding& finding : run.findings) {
    for (const rules::Proposal& each : finding.proposals) {
      for (const rules::Change& change : each.changes) {
        if (change.field == model::FieldId::vocab_size) CHECK((change.to % 2 == 1 || change.to < 50300));
      }
    }
  }
}

TEST_CASE("a proposal that leaves a slower kernel gains what that took, too", "[contracts]") {
  model::Reading reading = tests::read(decoded_gpt2);
  const contracts::Book book = book_of(
      contract("aligned",
               "condition = \"vocab_size % 64 == 0\"\noutcome = \"falls-back\"\ninstead = \"a loop\"\n"
               "factor = \"1.5\""));
  const rules::LintResult alone = rules::lint(rules::builtin_rules(), reading, tests::gpus({"h100"}));
  const rules::LintResult run = lint(reading, book, {"ours"});
  const rules::Finding* before = tests::find(alone, "SL101");
  const rules::Finding* after = tests::find(run, "SL101");
  REQUIRE(before != nullptr);
  REQUIRE(after != nullptr);
  REQUIRE_FALSE(before->proposals.empty());
  REQUIRE_FALSE(after->proposals.empty());
  const double as_written = before->proposals.front().gain;
  const double as_run = after->proposals.front().gain;
  CHECK(as_run > 0.3);
  CHECK(as_written < 0.2);
  // The whole of it: 1 - (1 - before) / 1.5.
  CHECK_THAT(as_run, Catch::Matchers::WithinAbs(1 - (1 - as_written) / 1.5, 1e-3));
  CHECK_THAT(run.gpus.front().before.time_us,
             Catch::Matchers::WithinRel(1.5 * alone.gpus.front().before.time_us, 1e-9));
}

TEST_CASE("a search suggests nothing that the stack refuses, and prices what it runs", "[contracts]") {
  const model::Reading reading = test::small_model();
  const contracts::Book book = book_of(
      contract("whole", "condition = \"hidden_size % 128 == 0\"\noutcome = \"refuses\"") +
      contract("wide", "condition = \"hidden_size % 256 == 0\"\noutcome = \"slower\"\nfactor = \"3\""));
  const suggest::Problem problem = search(reading, book, "hidden_size=512:1024:64");
  CHECK(problem.broken.empty());
  CHECK(problem.stack_note == "ours (newest known, 1.0)");
  const suggest::Answer found = answer(problem);
  REQUIRE_FALSE(found.suggestions.empty());
  for (const suggest::Suggestion& each : found.suggestions) CHECK(each.setup.model.hidden_size % 128 == 0);
  // Multiples of 256 run three times as fast.
  CHECK(found.suggestions.front().setup.model.hidden_size % 256 == 0);
  CHECK(found.suggestions.front().gain > 0.5);
  cost::PriceMemo memo(test::known_gpu("h100"));
  suggest::Step written;
  suggest::step_of(nullptr, memo, problem.start, written);
  CHECK_THAT(found.start.front().time_us, Catch::Matchers::WithinRel(3 * written.cost.time_us, 1e-9));
}

TEST_CASE("a model that the stack refuses gets suggestions that it runs", "[contracts]") {
  const model::Reading reading = test::small_model();
  const contracts::Book book =
      book_of(contract("large", "condition = \"hidden_size >= 768\"\noutcome = \"refuses\""));
  const suggest::Problem problem = search(reading, book, "hidden_size=640:1024:128");
  CHECK(problem.broken == "ours/large");
  const suggest::Answer found = answer(problem);
  REQUIRE_FALSE(found.suggestions.empty());
  for (const suggest::Suggestion& each : found.suggestions) CHECK(each.setup.model.hidden_size >= 768);
}

TEST_CASE("what the stack pads is not varied unless somebody names it", "[contracts]") {
  const model::Reading reading = tests::read(decoded_gpt2);
  suggest::Problem problem = test::problem_of(reading, {&test::known_gpu("h100")}, {"hidden_size=768,1024"});
  problem.axes.clear();
  contracts::constrain(problem, contracts::builtin_contracts(), {{"vllm", {}, {}}});
  CHECK(problem.padded == std::vector<model::FieldId>{model::FieldId::vocab_size});
}

TEST_CASE("constraints beyond so many are one together, and none is lost", "[contracts]") {
  std::string many;
  for (int i = 0; i < 40; ++i) {
    many += contract(fmt::format("c{:02}", i),
                     fmt::format("condition = \"vocab_size != {}\"\noutcome = \"refuses\"", 50000 + i));
  }
  const contracts::Book book = book_of(many);
  const model::Reading reading = tests::read(decoded_gpt2);
  const suggest::OnStack stack = on_stack(book, {{"ours", {}, {}}}, reading, test::known_gpu("h100"));
  CHECK(stack.constraints.size() == contracts::max_separate_constraints + 1);
  CHECK(stack.constraints.front().name == "requirement ours/c00 (a demand)");
  CHECK(stack.constraints.back().name == "one of 24 further requirements");
  const auto refused = [&](std::int64_t rows) {
    model::Setup setup = reading.setup;
    setup.model.vocab_size = rows;
    return std::any_of(stack.constraints.begin(), stack.constraints.end(),
                       [&](const suggest::Constraint& each) { return !each.holds(setup); });
  };
  for (int i = 0; i < 40; ++i) CHECK(refused(50000 + i));
  CHECK_FALSE(refused(50257));
}

// Over the whole table, as in book_test.cpp: here of what is priced and proposed.
TEST_CASE("no contract changes a step, or takes a proposal away, where it was not stated for",
          "[contracts]") {
  const contracts::Book& book = contracts::builtin_contracts();
  const std::vector<gpu::Gpu> others =
      tests::gpus({"v100-sxm2-32gb", "a100", "l40s", "h100", "b200-sxm", "rtx-5090", "mi300x", "mi355x"});
  std::size_t looked_at = 0;
  for (const contracts::Contract& each : book.contracts()) {
    contracts::Stack stack{{std::string(each.package.name), {}, {}}};
    for (const std::string_view other : each.with) stack.push_back({std::string(other), {}, {}});
    for (const contracts::Example& example : each.examples) {
      if (example.meets) continue;
      INFO(each.id << " on " << example.gpu);
      ++looked_at;
      const model::Reading reading = tests::read(std::string(example.config));
      const gpu::Gpu& own = test::known_gpu(example.gpu);
      // It is one of those that bind here ...
      contracts::Checker checker(book, stack);
      CHECK_FALSE(checker.meets(each, reading, reading.setup, own));
      // ... not on another GPU, with another mode, number format or recipe,
      for (const gpu::Gpu& gpu : others) {
        if (!contracts::is_for(each, gpu)) CHECK(checker.meets(each, reading, reading.setup, gpu));
      }
      model::Setup setup = reading.setup;
      for (const model::FieldId field :
           {model::FieldId::mode, model::FieldId::dtype, model::FieldId::recipe}) {
        for (std::size_t i = 0; i < model::info(field).choices.size(); ++i) {
          setup = reading.setup;
          model::set(setup, field, static_cast<std::int64_t>(i));
          if (!contracts::is_for(each, setup.plan)) CHECK(checker.meets(each, reading, setup, own));
        }
      }
      // ... and with versions older than what anybody read nothing of the package's does. Of a newer one the
      // newest that is known is taken.
      const auto hook_of = [&](const std::optional<contracts::Version>& version) {
        return on_stack(book, contracts::Stack{{std::string(each.package.name), version, {}}}, reading, own);
      };
      const suggest::OnStack older = hook_of(contracts::Version{0, 0, 0});
      CHECK(runs_as_written(older, reading.setup, own));
      CHECK(older.constraints.empty());
      CHECK(hook_of(contracts::Version{9999}).constraints.size() == hook_of(std::nullopt).constraints.size());
    }
  }
  CHECK(looked_at > 20);
}

TEST_CASE("rules that say the same as contracts name those that there are", "[contracts]") {
  std::vector<std::string> codes;
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    const std::vector<std::string_view> named = rules::contracts_of(rule);
    if (!named.empty()) codes.emplace_back(rule.code);
    for (const std::string_view id : named) {
      INFO(rule.code << " names " << id);
      const contracts::Contract* found = contracts::builtin_contracts().find(id);
      REQUIRE(found != nullptr);
      CHECK(found->id == id);
    }
  }
  CHECK(codes == std::vector<std::string>{"SL403", "SL404", "SL406", "SL408", "SL410", "SL411", "SL414",
                                          "SL427", "SL602", "SL802", "SL803", "SL804", "SL805", "SL907",
                                          "SL915"});
}
