// Every rule's own examples: what its file says that it finds, and what it says that it does not.
#include <set>
#include <string>

#include <fmt/format.h>

#include "formats/read.hpp"
#include "gpu/registry.hpp"
#include "rules/lint.hpp"
#include "tests/catch.hpp"
#include "text/files.hpp"

using namespace shapelint;

namespace {

std::string messages(const std::vector<Error>& errors) {
  std::string out;
  for (const Error& error : errors) out += fmt::format("{}: {}; {}\n", error.path, error.message, error.hint);
  return out;
}

}  // namespace

TEST_CASE("each rule finds what its examples say, and nothing else") {
  for (const rules::Rule& rule : rules::builtin_rules().rules()) {
    if (rule.scope == rules::Scope::comment) continue;  // tests/config/suppress_test.cpp
    std::set<bool> kinds;
    int number = 0;
    for (const rules::Example& example : rule.examples) {
      ++number;
      INFO(fmt::format("{} {}, example {} on {}", rule.code, rule.name, number, example.gpu));
      const text::MemoryFileSystem files;
      const formats::ReadResult file =
          formats::read_text(files, std::string(example.file), std::string(example.config));
      INFO(messages(file.errors));
      REQUIRE(file.readings.size() == 1);
      const auto gpu = gpu::find_gpu(example.gpu);
      REQUIRE(gpu);
      rules::Options options;
      options.select = {std::string(rule.code)};
      const rules::LintResult result =
          rules::lint(rules::builtin_rules(), file.readings.front(), {&*gpu, 1}, options);
      INFO(messages(result.errors));
      CHECK(result.errors.empty());
      std::string found;
      for (const rules::Finding& finding : result.findings) {
        CHECK(finding.code == rule.code);
        found += fmt::format("{} (gain {:.4f}, {} proposals)\n", finding.message, finding.gain,
                             finding.proposals.size());
      }
      INFO(found);
      CHECK(result.findings.empty() != example.finds);
      if (example.finds && !example.says.empty()) {
        CHECK(found.find(example.says) != std::string::npos);
      }
      kinds.insert(example.finds);
    }
    INFO(fmt::format("{} {} needs an example that it finds and one that it does not", rule.code, rule.name));
    CHECK(kinds.size() == 2);
  }
}
