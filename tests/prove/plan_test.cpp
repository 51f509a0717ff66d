// Which kernels a finding depends on, and the script that measures them.
#include "prove/plan.hpp"

#include <algorithm>

#include "prove/sweep.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"
#include "tests/prove/prove_support.hpp"

using namespace shapelint;
using shapelint::tests::run;

namespace {

text::MemoryFileSystem with(const std::string& content) {
  text::MemoryFileSystem files;
  files.files["model.toml"] = content;
  return files;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a proposal's products are paired with what they become, each pair once", "[prove]") {
  const auto files = with(tests::misaligned_vocabulary);
  const auto ran = run({"prove", "model.toml", "--gpu", "a100", "--findings", "SL101"}, files);
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  // The output layer in its three passes, before and after.
  for (const char* size : {"\"n\": 50257,", "\"n\": 50304,", "\"k\": 50257,", "\"k\": 50304,",
                           "\"m\": 50257,", "\"m\": 50304,"}) {
    INFO(size);
    CHECK(times(ran.out, size) == 1);
  }
  CHECK(times(ran.out, "\"code\": \"SL101\"") == 1);
  CHECK(times(ran.out, "\"vocab_size\": [\n     \"50257\",\n     \"50304\"\n    ]") == 1);
}

TEST_CASE("a script goes where it is told, and the note says how to go on", "[prove]") {
  const auto files = with(tests::misaligned_vocabulary);
  const auto ran = run(
      {"prove", "model.toml", "--gpu", "a100", "--findings", "vocab-misaligned", "-o", "prove.py"}, files);
  CHECK(ran.code == 0);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("`shapelint prove --read result.json`") != std::string::npos);
  REQUIRE(files.files.contains("prove.py"));
  CHECK(files.files.at("prove.py").starts_with("#!/usr/bin/env python3\n"));
  CHECK(files.files.at("prove.py").find("PLAN = json.loads(\n") != std::string::npos);
}

TEST_CASE("what cannot be proved is told", "[prove]") {
  const auto files = with(tests::misaligned_vocabulary);
  const auto told = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"prove", "model.toml"});
    const auto ran = run(arguments, files);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    return ran.err;
  };
  CHECK(told({}) == "error: a script measures one GPU; choose it with `--gpu NAME`\n");
  CHECK(told({"--gpu", "a100,h100"}) == "error: a script measures one GPU; choose it with `--gpu NAME`\n");
  CHECK(told({"--gpu", "a100", "--findings", "SL999"})
            .starts_with("error: model.toml: no finding `SL999`; found: "));
  CHECK(told({"--gpu", "a100", "--vocab-size", "50304"})
            .starts_with("error: model.toml: no finding has a faster alternative, so there is nothing"));
  CHECK(told({"--gpu", "a100", "--budget", "0s"}).find("a time from 1s to 24h") != std::string::npos);
}

TEST_CASE("a checksum follows the sizes, and nothing that is as it would be anyway", "[prove]") {
  model::Setup setup;
  const prove::Sizes nothing = prove::sizes_of(setup);
  CHECK(nothing.empty());
  CHECK(prove::checksum_of(nothing) == "cbf29ce484222325");
  setup.model.hidden_size = 1024;
  const prove::Sizes sizes = prove::sizes_of(setup);
  CHECK(sizes == prove::Sizes{{"hidden_size", "1024"}});
  CHECK(prove::checksum_of(sizes) != prove::checksum_of(nothing));
}
