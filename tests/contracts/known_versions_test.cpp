// Versions that no contract was read at, and stacks that only serve.
#include "contracts/stack.hpp"

#include <algorithm>

#include "contracts/check.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;

namespace {

const std::string model =
    "[model]\nhidden_size = 4096\nnum_layers = 32\nnum_attention_heads = 32\nnum_key_value_heads = 8\n"
    "intermediate_size = 14336\nmlp_gated = true\nvocab_size = 128256\n";

const std::string lengths = "[run]\nmicro_batch_size = 1\nsequence_length = 2048\n";

contracts::Stack stack_of(const std::string& text) {
  std::vector<Error> errors;
  return contracts::parse_stack(contracts::builtin_contracts(), {&text, 1}, errors);
}

text::MemoryFileSystem files_with(const std::string& more) {
  text::MemoryFileSystem files;
  files.files["model.toml"] = model + more;
  return files;
}

}  // namespace

TEST_CASE("a version newer than is known is checked as the newest, and that is said", "[contracts]") {
  const contracts::Book& book = contracts::builtin_contracts();
  const std::string newest(book.newest("vllm"));
  const std::size_t all = contracts::Checker(book, stack_of("vllm==" + newest)).contracts().size();
  REQUIRE(all > 0);
  for (const std::string& version : {newest + ".1", std::string("9.9")}) {
    INFO(version);
    const contracts::Stack stack = stack_of("vllm==" + version);
    const contracts::Checker checker(book, stack);
    CHECK(checker.contracts().size() == all);
    CHECK(checker.newer().empty());
    const std::vector<std::string> notes = contracts::version_notes(book, stack);
    if (version != "9.9") continue;  // a further number says nothing where the known has none
    REQUIRE(notes.size() == 1);
    CHECK(notes.front() == "vllm 9.9 is newer than " + newest +
                               ", the newest with known requirements; those of " + newest + " were checked");
    CHECK(contracts::describe(book, stack) == "vllm 9.9 (checked as " + newest + ", the newest known)");
  }
  CHECK(contracts::version_notes(book, stack_of("vllm==" + newest)).empty());
}

TEST_CASE("of an older version it is said what is known", "[contracts]") {
  const contracts::Book& book = contracts::builtin_contracts();
  const std::vector<std::string> first = contracts::version_notes(book, stack_of("vllm==0.0.1"));
  REQUIRE(first.size() == 1);
  CHECK(first.front().find("is older than 0.1.0") != std::string::npos);
  const std::vector<std::string> some = contracts::version_notes(book, stack_of("vllm==0.2"));
  REQUIRE(some.size() == 1);
  CHECK(some.front().find("are known for versions later than 0.2 only") != std::string::npos);
}

TEST_CASE("lint says unasked that a version is newer than is known", "[contracts]") {
  const tests::Ran ran =
      tests::run({"model.toml", "--gpu", "h100", "--mode", "decode", "--stack", "vllm==9.9"}, files_with(""));
  CHECK(ran.err.find("vllm 9.9 is newer than") != std::string::npos);
}

TEST_CASE("a stack that only serves is not asked about training that nobody stated", "[contracts]") {
  const std::vector<std::string> fits = {"fits",    "model.toml", "--gpu",   "h100",
                                         "--count", "8",          "--stack", "vllm"};
  const tests::Ran silent = tests::run(fits, files_with(lengths));
  CHECK(silent.code == 2);
  CHECK(silent.err.find("`--mode decode`") != std::string::npos);
  CHECK(
      tests::run({"contracts", "model.toml", "--gpu", "h100", "--stack", "vllm"}, files_with(lengths)).code ==
      2);
  const tests::Ran served = tests::run(
      fits, files_with("[run]\nmode = \"decode\"\nmicro_batch_size = 64\ncontext_length = 4096\n"));
  CHECK(served.code == 0);
  CHECK(served.out.find("decoding of 64 sequences with 4,096 tokens in the KV cache") != std::string::npos);
  // Where training is stated, it is what is asked.
  CHECK(tests::run(fits, files_with(lengths + "mode = \"train\"\n")).code == 0);
}

TEST_CASE("a way that is refused says what does not come out even", "[contracts]") {
  const tests::Ran ran = tests::run({"fits", "model.toml", "--gpu", "h100", "--count", "6", "--stack", "vllm",
                                     "--mode", "decode", "--context-length", "4096"},
                                    files_with(""));
  CHECK(ran.out.find("`num_attention_heads") != std::string::npos);
}
