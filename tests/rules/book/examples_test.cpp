// Every rule's own examples: what its file says that it finds, and what it says that it does not.
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "rules/engine/lint.hpp"
#include "rules/scope/blame.hpp"
#include "tests/catch.hpp"
#include "tests/source_dir.hpp"
#include "text/files.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

namespace {

std::string messages(const std::vector<Error>& errors) {
  std::string out;
  for (const Error& error : errors) out += fmt::format("{}: {}; {}\n", error.path, error.message, error.hint);
  return out;
}

// What the rule finds in the example's file.
std::vector<rules::Finding> findings_of(const rules::RuleBook& book, const rules::Rule& rule,
                                        const rules::Example& example) {
  const text::MemoryFileSystem files;
  const formats::ReadResult file =
      formats::read(files, formats::parse(std::string(example.file), std::string(example.config)));
  INFO(messages(file.errors));
  rules::Options only;
  only.select = {std::string(rule.code)};
  const auto gpu = gpu::find_gpu(example.gpu);
  REQUIRE(gpu);
  if (rule.scope == rules::Scope::remark) {
    std::vector<model::Remark> remarks = file.remarks;
    for (const model::Reading& reading : file.readings) {
      if (gpu::can_multiply(*gpu, reading.setup.plan.dtype)) continue;
      if (auto remark = rules::remark_on_format(reading, {&*gpu, 1})) remarks.push_back(*std::move(remark));
    }
    return rules::check_remarks(book, remarks, only);
  }
  REQUIRE(!file.readings.empty());
  std::vector<rules::Finding> found;
  for (const model::Reading& reading : file.readings) {
    rules::LintResult result = rules::lint(book, reading, {&*gpu, 1}, only);
    INFO(messages(result.errors));
    CHECK(result.errors.empty());
    std::move(result.findings.begin(), result.findings.end(), std::back_inserter(found));
  }
  return found;
}

// Whether the carets stand under `at`: it is in the file once, and what they mark is its end.
bool is_at(const rules::Finding& finding, const rules::Example& example) {
  const std::size_t found = example.config.find(example.at);
  const bool once =
      found != std::string_view::npos && example.config.find(example.at, found + 1) == std::string_view::npos;
  const auto begin = static_cast<std::size_t>(finding.span.begin);
  const auto end = static_cast<std::size_t>(finding.span.end);
  return once && found <= begin && begin < end && end == found + example.at.size();
}

void check_place(const rules::Finding& finding, const rules::Example& example) {
  INFO("at: " << example.at << ", marked: " << finding.span.begin << " to " << finding.span.end);
  if (example.at.empty()) {
    CHECK(finding.span == Span{});  // else `at` is missing
  } else {
    CHECK(finding.path == example.file);
    CHECK(is_at(finding, example));
  }
}

void check_examples(const rules::RuleBook& book) {
  for (const rules::Rule& rule : book.rules()) {
    if (rule.scope == rules::Scope::comment) continue;   // tests/project/suppress_test.cpp
    if (rule.scope == rules::Scope::contract) continue;  // tests/contracts/lint_test.cpp
    std::set<bool> kinds;
    int number = 0;
    for (const rules::Example& example : rule.examples) {
      ++number;
      INFO(fmt::format("{} {}, example {} on {}", rule.code, rule.name, number, example.gpu));
      const std::vector<rules::Finding> found = findings_of(book, rule, example);
      CHECK(found.size() == (example.finds ? 1 : 0));
      for (const rules::Finding& finding : found) {
        INFO(finding.message);
        CHECK(finding.code == rule.code);
        CHECK(rules::may_blame(rule.scope, rule.blame, {&finding.blamed, 1}));
        CHECK(fmt::format("{}: {}", finding.message, finding.label).find(example.says) != std::string::npos);
        check_place(finding, example);
      }
      kinds.insert(example.finds);
    }
    INFO(fmt::format("{} {} needs an example that it finds and one that it does not", rule.code, rule.name));
    CHECK(kinds.size() == 2);
  }
}

}  // namespace

TEST_CASE("each rule finds what its examples say, and nothing else") {
  check_examples(rules::builtin_rules());
}

TEST_CASE("the worked example of docs/contributing/rule.md is a rule, and finds what it says") {
  std::ifstream file(tests::source_dir() + "/docs/contributing/rule.md");
  std::ostringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::string fence = "```toml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const auto document = text::parse_toml("own.toml", text.substr(begin, text.find("```", begin) - begin));
  REQUIRE(document);
  std::vector<Error> errors;
  const rules::RuleBook book({&*document, 1}, true, errors);
  INFO(messages(errors));
  REQUIRE(errors.empty());
  check_examples(book);
}
