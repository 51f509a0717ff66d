// What an editor or a binding passes beside a text: what proposals may change, and what the text was.
#include <shapelint/shapelint.hpp>

#include <algorithm>
#include <set>

#include "tests/catch.hpp"
#include "tests/replaced.hpp"

using namespace shapelint;
using tests::replaced;
using Strings = std::vector<std::string>;

namespace {

const char* const unfused_gpt3 = R"([model]
hidden_size = 2560
num_layers = 32
num_attention_heads = 32
intermediate_size = 10240
vocab_size = 50257
[run]
micro_batch_size = 4
sequence_length = 2048
dtype = "bf16"
attention = "unfused"
)";

// "SL101 vocab_size 50257 → 50304": of each finding that is a warning, the fields of its proposals.
std::set<std::string> proposed(const api::LintResult& result) {
  REQUIRE(result.errors.empty());
  std::set<std::string> fields;
  for (const api::Finding& finding : result.findings) {
    for (const api::Proposal& proposal : finding.proposals) {
      for (const api::Change& change : proposal.changes) fields.insert(change.field);
    }
  }
  return fields;
}

std::vector<std::int64_t> heads(const api::LintResult& result) {
  std::vector<std::int64_t> all;
  for (const api::Finding& finding : result.findings) {
    for (const api::Proposal& proposal : finding.proposals) {
      for (const api::Change& change : proposal.changes) {
        if (change.field == "num_attention_heads") all.push_back(std::get<std::int64_t>(change.after));
      }
    }
  }
  return all;
}

Strings codes(const api::LintResult& result) {
  Strings out;
  for (const api::Finding& finding : result.findings) {
    if (finding.severity != api::Severity::info) out.push_back(finding.code);
  }
  return out;
}

api::LintResult linted(const api::LintOptions& options) {
  return api::lint(*api::memory_files({}), {{"m.toml", unfused_gpt3}}, options);
}

}  // namespace

TEST_CASE("a caller says what of a shape may be changed", "[api]") {
  const std::set<std::string> free = proposed(linted({.gpus = {{"a100"}}, .shape = api::Shape::free}));
  const std::set<std::string> padding = proposed(linted({.gpus = {{"a100"}}, .shape = api::Shape::padding}));
  const std::set<std::string> fixed = proposed(linted({.gpus = {{"a100"}}, .shape = api::Shape::fixed}));
  CHECK(free.count("num_attention_heads") == 1);
  CHECK(free.count("vocab_size") == 1);
  CHECK(padding.count("num_attention_heads") == 0);
  CHECK(padding.count("vocab_size") == 1);
  CHECK(fixed.count("num_attention_heads") == 0);
  CHECK(fixed.count("vocab_size") == 1);
  // Of a file that says what to train, everything.
  CHECK(proposed(linted({.gpus = {{"a100"}}})) == free);
  CHECK(api::name(api::Shape::padding) == "padding");
}

TEST_CASE("a caller says of what numbers of heads are multiples", "[api]") {
  const std::vector<std::int64_t> eights = heads(linted({.gpus = {{"a100"}}, .head_multiple = 8}));
  REQUIRE_FALSE(eights.empty());
  // No multiple of eight gains here: then fours will do, as they do unless a caller says otherwise.
  const std::vector<std::int64_t> fours = heads(linted({.gpus = {{"a100"}}}));
  CHECK(std::count(fours.begin(), fours.end(), 20) == 1);
  CHECK(eights == fours);
  const api::LintResult wrong = linted({.head_multiple = 0});
  REQUIRE(wrong.errors.size() == 1);
  CHECK(wrong.errors[0].code == "invalid-option");
  CHECK(api::to_string(wrong.errors[0]) ==
        "error: `head_multiple` is 0; expected a whole number from 1 to 1024");
}

TEST_CASE("a search keeps what its caller says of the shape", "[api]") {
  const auto files = api::memory_files({{"m.toml", unfused_gpt3}});
  const auto found = [&](const api::SuggestOptions& options) {
    const auto result = api::suggest(*files, {"m.toml"}, options);
    REQUIRE(result);
    std::set<std::string> fields;
    for (const api::Suggestion& each : result->suggestions) {
      for (const api::Change& change : each.changes) fields.insert(change.field);
    }
    return fields;
  };
  CHECK(found({.gpus = {{"a100"}}, .threads = 1}).count("num_attention_heads") == 1);
  const std::set<std::string> padding =
      found({.gpus = {{"a100"}}, .shape = api::Shape::padding, .threads = 1});
  CHECK(padding == std::set<std::string>{"vocab_size"});
  const auto eights = api::suggest(
      *files, {"m.toml"},
      {.gpus = {{"a100"}}, .vary = {"num_attention_heads"}, .head_multiple = 8, .top = 5, .threads = 1});
  REQUIRE(eights);
  for (const api::Suggestion& each : eights->suggestions)
    CHECK(std::get<std::int64_t>(each.changes[0].after) % 8 == 0);
  const auto wrong = api::suggest(*files, {"m.toml"}, {.head_multiple = 5000});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.errors()[0].message == "`head_multiple` is 5000");
}

TEST_CASE("with the text that a file was, only what the change introduced is told", "[api]") {
  const auto files = api::memory_files({});
  const api::LintOptions options{.gpus = {{"a100"}}};
  const std::string aligned = replaced(unfused_gpt3, "50257", "50304");
  const api::LintResult all = api::lint(*files, {{"m.toml", unfused_gpt3}}, options);
  REQUIRE(codes(all) == Strings{"SL604", "SL605", "SL101", "SL510"});
  CHECK(all.counts.baselined == 0);
  const api::LintResult same = api::lint(*files, {{"m.toml", unfused_gpt3, unfused_gpt3}}, options);
  CHECK(codes(same) == Strings{});
  CHECK(same.counts.baselined >= 3);
  CHECK_FALSE(same.fails);
  const api::LintResult changed = api::lint(*files, {{"m.toml", unfused_gpt3, aligned}}, options);
  CHECK(codes(changed) == Strings{"SL101"});
  CHECK(changed.fails);
  // Lines above it are no change of what stands below them.
  CHECK(codes(api::lint(*files, {{"m.toml", "# a comment\n" + std::string(unfused_gpt3), unfused_gpt3}},
                        options)) == Strings{});
  // Of a file, as well as of a text.
  const auto disk = api::memory_files({{"m.toml", unfused_gpt3}});
  CHECK(codes(api::lint(*disk, {{"./m.toml", std::nullopt, aligned}}, options)) == Strings{"SL101"});
}

TEST_CASE("what a file inherits has a text from before as well", "[api]") {
  const std::string base = "model:\n  tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: ";
  const std::string heir =
      "defaults:\n  - base\n  - _self_\ntrainer: {devices: 8}\nmodel:\n  encoder_seq_length: 2048\n"
      "  hidden_size: 4096\n  num_layers: 25\n  num_attention_heads: 32\n  ffn_hidden_size: 11008\n"
      "  micro_batch_size: 1\n  global_batch_size: 24\n";
  const auto files = api::memory_files({{"conf/base.yaml", base + "8\n"}, {"conf/run.yaml", heir}});
  const api::LintOptions options{.gpus = {{"a100"}}};
  const Strings now = codes(api::lint(*files, {{"conf/run.yaml"}}, options));
  REQUIRE(std::count(now.begin(), now.end(), "SL408") == 1);
  const auto told = [&](const std::string& then) {
    return codes(api::lint(
        *files, {{"conf/run.yaml", std::nullopt, heir}, {"conf/base.yaml", std::nullopt, then}}, options));
  };
  CHECK(told(base + "8\n") == Strings{});
  const Strings introduced = told(base + "2\n");
  CHECK(std::count(introduced.begin(), introduced.end(), "SL408") >= 1);
}

TEST_CASE("a proposal has the memory that the run needs before and after", "[api]") {
  const api::LintResult result = linted({.gpus = {{"a100"}}});
  bool is_looked_at = false;
  for (const api::Finding& finding : result.findings) {
    for (const api::Proposal& proposal : finding.proposals) {
      CHECK(proposal.memory_bytes_before == result.steps.at(0).memory.total_bytes);
      if (finding.code != "SL101") continue;
      is_looked_at = true;
      // 47 rows of weights, gradients and optimizer states more, and as many columns of logits.
      CHECK(proposal.memory_bytes_after > proposal.memory_bytes_before);
      CHECK(proposal.memory_bytes_after < proposal.memory_bytes_before + 100'000'000);
    }
  }
  CHECK(is_looked_at);
}
