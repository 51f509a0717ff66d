// Which findings one change mends at once.
#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;

namespace {

// "SL403 tensor 3 -> 2: SL406 SL407", one line for each error and warning.
std::string mended(const std::string& config) {
  const rules::LintResult result =
      rules::lint(rules::builtin_rules(), tests::read(config), tests::gpus({"a100"}));
  std::string out;
  for (const rules::Finding& finding : result.findings) {
    if (finding.severity == rules::Severity::info) continue;
    out += std::string(finding.code) + ' ';
    if (!finding.proposals.empty()) out += tests::changes_text(finding.proposals.front().changes);
    out += ':';
    for (const std::int32_t number : finding.also_fixes) {
      out += ' ' + std::string(result.findings.at(static_cast<std::size_t>(number)).code);
    }
    out += '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("a degree that splits nothing is changed once for all that it breaks", "[rules]") {
  CHECK(mended(R"(
[model]
hidden_size = 4096
num_layers = 4
num_attention_heads = 32
intermediate_size = 16384
vocab_size = 32000
[run]
micro_batch_size = 4
sequence_length = 2048
[parallel]
tensor = 3
)") == "SL403 tensor 3 -> 4: SL404 SL406 SL407 SL103 SL101\n"
       "SL404 tensor 3 -> 4: SL403 SL406 SL407 SL103 SL101\n"
       "SL406 intermediate_size 16384 -> 16320: SL103\n"  // the nearest multiple of 3 x 64
       "SL407 vocab_size 32000 -> 32064: SL101\n"
       "SL103 intermediate_size 16384 -> 16320: SL406\n"  // one value for both
       "SL101 vocab_size 32000 -> 32064: SL407\n");
}

TEST_CASE("of the ways out of what cannot be built, the one that mends most goes first", "[rules]") {
  CHECK(mended(R"(
[model]
hidden_size = 5130
num_layers = 4
num_attention_heads = 40
vocab_size = 50304
[run]
micro_batch_size = 4
sequence_length = 2048
)") == "SL401 hidden_size 5130 -> 5120: SL102\n"
       "SL102 hidden_size 5130 -> 5120: SL401\n");
}

TEST_CASE("what leads further away from a published model does not mend a slip", "[rules]") {
  // Yi 6B, whose MLP is 11008 wide.
  const std::string config = R"(
[model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
num_key_value_heads = 4
mlp_gated = true
vocab_size = 64000
intermediate_size = )";
  const std::string run = "\n[run]\nmicro_batch_size = 1\nsequence_length = 4096\n[parallel]\n";
  const std::string further = mended(config + "11000" + run + "tensor = 8\n");
  CAPTURE(further);
  CHECK(further.find("SL902 ") != std::string::npos);
  CHECK(further.find("SL103 intermediate_size 11000 -> 11264:\n") != std::string::npos);
  const std::string there = mended(config + "11004" + run);
  CAPTURE(there);
  CHECK(there.find("SL103 intermediate_size 11004 -> 11008: SL902") != std::string::npos);
}

TEST_CASE("a finding of one GPU takes the fix of a graver one that fixes it, too", "[rules]") {
  // 50,432 rows are four times 12,608: a multiple of 64. 50,688, which a hundredth of the step is saved by,
  // would be another value than the one that makes it run.
  const rules::LintResult result = rules::lint(rules::builtin_rules(), tests::read(R"(
[model]
hidden_size = 3625
num_layers = 8
num_attention_heads = 25
intermediate_size = 14564
vocab_size = 50257
[run]
micro_batch_size = 2
sequence_length = 512
[parallel]
tensor = 4
)"),
                                               tests::gpus({"a100", "h100"}));
  const rules::Finding* uneven = tests::find(result, "SL407");
  const rules::Finding* misaligned = tests::find(result, "SL101");
  REQUIRE(uneven != nullptr);
  REQUIRE(misaligned != nullptr);
  REQUIRE(!misaligned->proposals.empty());
  CHECK(tests::changes_text(misaligned->proposals.front().changes) == "vocab_size 50257 -> 50432");
  CHECK(tests::changes_text(uneven->proposals.front().changes) == "vocab_size 50257 -> 50432");
  REQUIRE(misaligned->gains.size() == 1);
  CHECK(misaligned->gain == misaligned->proposals.front().gain);
}

TEST_CASE("a finding that has to give way claims no saving", "[rules]") {
  const auto all = tests::gpus({"a100", "h100"});
  CHECK(rc::check("what saves time is proposed", [&] {
    const rules::LintResult result =
        rules::lint(rules::builtin_rules(), tests::read(tests::random_config()), all);
    for (const rules::Finding& finding : result.findings) {
      if (finding.certain_to_fail || finding.gain <= 0) continue;
      RC_ASSERT(!finding.proposals.empty());
      RC_ASSERT(finding.gain == finding.proposals.front().gain);
    }
  }));
}

TEST_CASE("findings whose fixes add up are not listed as fixed by each other", "[rules]") {
  // GPT-3 2.7B of arXiv 2401.14489: flash attention saves most, and 20 heads of 128 instead of 32 of 80 then
  // save the padding to 96.
  CHECK(mended(R"(
[model]
hidden_size = 2560
num_layers = 32
num_attention_heads = 32
vocab_size = 50304
[run]
micro_batch_size = 4
sequence_length = 2048
dtype = "fp16"
attention = "unfused"
recompute = "selective"
)") == "SL604 attention 1 -> 0:\n"
       "SL605 num_attention_heads 32 -> 20:\n");
}
