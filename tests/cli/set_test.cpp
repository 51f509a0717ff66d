// `--set` states fields in place of a file's values, as each field's own option does.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/run_support.hpp"

using namespace shapelint;
using tests::run;

namespace {

text::MemoryFileSystem gpt2() {
  text::MemoryFileSystem out;
  out.files["m.toml"] =
      "[model]\nhidden_size = 768\nnum_layers = 12\nnum_attention_heads = 12\nvocab_size = 50304\n"
      "[run]\nmicro_batch_size = 8\nsequence_length = 1024\n";
  return out;
}

std::string shown(std::vector<std::string> args) {
  args.insert(args.begin(), {"show", "m.toml", "--format", "json"});
  const tests::Ran ran = run(args, gpt2());
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  return ran.out;
}

}  // namespace

TEST_CASE("--set states what options of fields state", "[cli]") {
  const auto fields = [](const std::string& out) {
    return nlohmann::json::parse(out)["files"][0]["models"][0]["fields"];
  };
  const auto set = fields(shown({"--set", "tp=4,micro_batch_size=2", "--set", "mode=prefill,causal=false"}));
  CHECK(set["tensor"]["value"] == 4);
  CHECK(set["micro_batch_size"]["value"] == 2);
  CHECK(set["mode"]["value"] == "prefill");
  CHECK(set["causal"]["value"] == false);
  const auto last = fields(shown({"--set", "seq=512", "--sequence-length", "2048"}));
  CHECK(last["sequence_length"]["value"] == 2048);
}

TEST_CASE("--set says what it takes in place of what it was given", "[cli]") {
  const auto error = [](const std::string& text) {
    const tests::Ran ran = run({"show", "m.toml", "--set", text}, gpt2());
    CHECK(ran.code == 2);
    return ran.err;
  };
  CHECK(error("tensr=2").find("did you mean `tensor`?") != std::string::npos);
  CHECK(error("tensor").find("FIELD=VALUE") != std::string::npos);
  CHECK(error("tensor=two").find("for tensor: a whole number from 1 to ") != std::string::npos);
  CHECK(error("mode=trian").find("for mode: ") != std::string::npos);
}

TEST_CASE("every field is listed, with its section", "[cli]") {
  const tests::Ran text = run({"fields"}, gpt2());
  CHECK(text.code == 0);
  CHECK(text.out.find("[parallel]\n") != std::string::npos);
  CHECK(text.out.find("  tensor ") != std::string::npos);
  const auto json = nlohmann::json::parse(run({"fields", "--format", "json"}, gpt2()).out);
  CHECK(json["fields"].size() > 150);
  CHECK(json["fields"][0].contains("doc"));
}

TEST_CASE("options of fields are accepted and stay out of the help", "[cli]") {
  const std::string help = run({"lint", "--help"}, gpt2()).out;
  CHECK(help.find("\n  --micro-batch-size") == std::string::npos);
  CHECK(help.find("--set FIELD=VALUE") != std::string::npos);
  CHECK(std::count(help.begin(), help.end(), '\n') <= 240);
}
