// Which findings one change mends at once.
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
