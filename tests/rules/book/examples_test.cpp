// Every rule's own examples: what its file says that it finds, and what it says that it does not.
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "rules/engine/lint.hpp"
#include "rules/engine/remarks.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"
#include "text/toml/toml.hpp"

using namespace shapelint;

namespace {

std::string messages(const std::vector<Error>& errors) {
  std::string out;
  for (const Error& error : errors) out += fmt::format("{}: {}; {}\n", error.path, error.message, error.hint);
  return out;
}

// What the example finds: its message and gain, or nothing.
std::string findings_of(const rules::RuleBook& book, const rules::Rule& rule, const rules::Example& example) {
  const text::MemoryFileSystem files;
  const formats::ReadResult file =
      formats::read_text(files, std::string(example.file), std::string(example.config));
  INFO(messages(file.errors));
  if (rule.scope == rules::Scope::remark) {
    rules::Options only;
    only.select = {std::string(rule.code)};
    std::string remarked;
    for (const rules::Finding& finding : rules::look_at(book, file.remarks, only)) {
      remarked += finding.message + "\n";
    }
    return remarked;
  }
  REQUIRE(file.readings.size() == 1);
  const auto gpu = gpu::find_gpu(example.gpu);
  REQUIRE(gpu);
  rules::Options options;
  options.select = {std::string(rule.code)};
  const rules::LintResult result = rules::lint(book, file.readings.front(), {&*gpu, 1}, options);
  INFO(messages(result.errors));
  CHECK(result.errors.empty());
  std::string found;
  for (const rules::Finding& finding : result.findings) {
    CHECK(finding.code == rule.code);
    found += fmt::format("{} (gain {:.4f}, {} proposals)\n", finding.message, finding.gain,
                         finding.proposals.size());
  }
  return found;
}

void check_examples(const rules::RuleBook& book) {
  for (const rules::Rule& rule : book.rules()) {
    if (rule.scope == rules::Scope::comment) continue;  // tests/config/suppress_test.cpp
    std::set<bool> kinds;
    int number = 0;
    for (const rules::Example& example : rule.examples) {
      ++number;
      INFO(fmt::format("{} {}, example {} on {}", rule.code, rule.name, number, example.gpu));
      const std::string found = findings_of(book, rule, example);
      INFO(found);
      CHECK(found.empty() != example.finds);
      if (example.finds && !example.says.empty()) CHECK(found.find(example.says) != std::string::npos);
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

TEST_CASE("the worked example of docs/adding-a-rule.md is a rule, and finds what it says") {
  std::ifstream file(SHAPELINT_SOURCE_DIR "/docs/adding-a-rule.md");
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
