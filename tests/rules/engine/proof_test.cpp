// A proposal is kept only if what it names is gone after it, and the nearest that does comes first.
#include <algorithm>
#include <string>
#include <vector>

#include "rules/engine/lint.hpp"
#include "suggest/edit/change.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using namespace shapelint::tests;
using rules::Finding;
using rules::LintResult;

namespace {

LintResult lint_for(const model::Reading& reading, const char* gpu) {
  const auto all = gpus({gpu});
  return rules::lint(rules::builtin_rules(), reading, all);
}

std::string first_changes(const LintResult& result, std::string_view code) {
  INFO(listing(result.findings));
  const Finding* finding = find(result, code);
  REQUIRE(finding != nullptr);
  REQUIRE_FALSE(finding->proposals.empty());
  return changes_text(finding->proposals.front().changes);
}

}  // namespace

// 4090 tokens are no multiple of 16, and neither are twice as many.
TEST_CASE("fp8 rows of 4090 tokens become 4096, not two micro-batches of them", "[rules][proof]") {
  const model::Reading reading = read(R"(
[model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
num_key_value_heads = 8
intermediate_size = 14336
mlp_gated = true
vocab_size = 128256
[run]
sequence_length = 4090
micro_batch_size = 1
dtype = "fp8"
attention = "flash"
gradient_accumulation = 8
[parallel]
data = 8
zero = 3
)");
  const LintResult result = lint_for(reading, "h100");
  CHECK(first_changes(result, "SL802") == "sequence_length 4090 -> 4096");
}

// 136 channels leave tiles of 128 filters partly empty, which is the next finding.
TEST_CASE("channels go to the value that nothing is found of, at once", "[rules][proof]") {
  const model::Reading reading = read(R"(
[model]
in_channels = 4
image = 224
[run]
micro_batch_size = 64
mode = "train"
dtype = "fp16"
[[conv]]
out_channels = 129
kernel = 3
stride = 4
padding = "same"
[[conv]]
out_channels = 129
kernel = 3
padding = "same"
repeat = 6
)");
  const LintResult result = lint_for(reading, "a100");
  const Finding* finding = find(result, "SL701");
  INFO(listing(result.findings));
  REQUIRE(finding != nullptr);
  for (const rules::Change& change : finding->proposals.front().changes) CHECK(change.to == 128);
}

// A ViT-L/14 at 224 pixels: 134 ms for 257 tokens, 138 ms for 320, on an A100.
TEST_CASE("an image that is padded to more tokens is compared by the image", "[rules][proof]") {
  const model::Reading reading = read(R"(
[model]
hidden_size = 1024
num_layers = 24
num_attention_heads = 16
input = "patches"
input_size = 768
causal = false
lm_head = false
[run]
sequence_length = 257
micro_batch_size = 32
attention = "unfused"
dtype = "fp16"
)");
  const LintResult result = lint_for(reading, "a100");
  for (const Finding& finding : result.findings) {
    for (const rules::Proposal& proposal : finding.proposals) {
      for (const rules::Change& change : proposal.changes) {
        if (change.field == model::FieldId::sequence_length) CHECK(change.to < 320);
      }
    }
  }
}

TEST_CASE("of lengths that ranks can share the nearest comes first", "[rules][proof]") {
  const model::Reading reading = read(R"(
[model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
vocab_size = 128256
[run]
sequence_length = 4104
micro_batch_size = 1
attention = "flash"
[parallel]
tensor = 8
context = 4
sequence_parallel = true
)");
  CHECK(first_changes(lint_for(reading, "h100"), "SL412") == "sequence_length 4104 -> 4096");
}

TEST_CASE("no layers are added to make a pipeline even", "[rules][proof]") {
  const model::Reading reading = read(R"(
[model]
hidden_size = 4096
num_layers = 60
num_attention_heads = 32
vocab_size = 128256
[run]
sequence_length = 4096
micro_batch_size = 1
gradient_accumulation = 64
attention = "flash"
[parallel]
pipeline = 8
virtual_pipeline = 4
)");
  const LintResult result = lint_for(reading, "h100");
  const Finding* finding = find(result, "SL417");
  INFO(listing(result.findings));
  REQUIRE(finding != nullptr);
  REQUIRE_FALSE(finding->proposals.empty());
  for (const rules::Proposal& proposal : finding->proposals) {
    for (const rules::Change& change : proposal.changes) CHECK(change.field != model::FieldId::num_layers);
  }
}

// What one rule proposes, no rule of the same severity finds again.
TEST_CASE("after the first proposal its field is found by nothing as severe", "[rules][proof]") {
  for (const char* const width : {"4090", "5000", "11005", "10920", "14337"}) {
    const model::Reading reading = read(std::string(R"(
[model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
vocab_size = 50304
mlp_gated = true
intermediate_size = )") + width + R"(
[run]
sequence_length = 4096
micro_batch_size = 2
attention = "flash"
)");
    const LintResult before = lint_for(reading, "a100");
    for (const Finding& finding : before.findings) {
      if (finding.blamed != model::FieldId::intermediate_size || finding.proposals.empty()) continue;
      INFO(width << '\n' << listing(before.findings));
      model::Reading changed = reading;
      const auto setup =
          suggest::apply(reading.setup, suggest::links_of(reading), finding.proposals.front().changes);
      REQUIRE(setup);
      changed.setup = *setup;
      const LintResult after = lint_for(changed, "a100");
      INFO(listing(after.findings));
      for (const Finding& left : after.findings) {
        CHECK((left.blamed != finding.blamed || left.severity < finding.severity));
      }
    }
  }
}
