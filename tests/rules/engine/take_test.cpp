// What people would take, and what is to blame: causes of gains, order of proposals, the closing line.
#include <cmath>

#include <fmt/format.h>

#include "cost/kernels/gemm.hpp"
#include "gpu/registry.hpp"
#include "rules/engine/lint.hpp"
#include "suggest/edit/candidate.hpp"
#include "tests/catch.hpp"
#include "tests/rules/rules_support.hpp"

using namespace shapelint;
using namespace shapelint::tests;
using model::FieldId;
using rules::builtin_rules;
using rules::Change;
using rules::Finding;
using rules::LintResult;

namespace {

LintResult decoding(std::int64_t sequences) {
  return rules::lint(builtin_rules(),
                     read(fmt::format(R"(
[model]
hidden_size = 4096
num_layers = 32
num_attention_heads = 32
num_key_value_heads = 8
intermediate_size = 14336
mlp_gated = true
vocab_size = 128256
[run]
mode = "decode"
micro_batch_size = {}
context_length = 1024
)",
                                      sequences)),
                     gpus({"a100"}));
}

suggest::Rank rank(double gain, std::span<const Change> changes) {
  return {gain, changes, 0};
}

}  // namespace

TEST_CASE("a batch just past a tile's edge is to blame itself, not the width of the keys", "[rules]") {
  const LintResult result = decoding(257);
  const Finding* batch = find(result, "SL204");
  INFO(listing(result.findings));
  REQUIRE(batch != nullptr);
  CHECK(changes_text(batch->proposals.front().changes) == "micro_batch_size 257 -> 256");
  CHECK(batch->gain > 0.1);
  for (const Finding& finding : result.findings) {
    for (const rules::Proposal& proposal : finding.proposals) {
      for (const Change& change : proposal.changes) CHECK(change.field != FieldId::num_key_value_heads);
    }
  }
  CHECK(find(decoding(256), "SL204") == nullptr);
}

TEST_CASE("a larger batch of decoded sequences is no other edge", "[rules]") {
  const LintResult result = decoding(129);
  INFO(listing(result.findings));
  std::size_t proposals = 0;
  for (const Finding& finding : result.findings) {
    if (finding.blamed != FieldId::micro_batch_size) continue;
    for (const rules::Proposal& proposal : finding.proposals) {
      INFO(changes_text(proposal.changes));
      CHECK(proposal.changes.front().to % 8 == 0);
      ++proposals;
    }
  }
  CHECK(proposals > 0);
}

TEST_CASE("two full waves lose nothing to idle SMs", "[cost]") {
  // 257 rows in tiles of 128 x 256: three rows of tiles for what two of them and a line would hold.
  const gpu::Gpu a100 = *gpu::find_gpu("a100");
  cost::GemmShape shape;
  shape.m = 257;
  shape.n = 6144;
  shape.k = 4096;
  shape.dtype = DType::bf16;
  const cost::OpCost cost = cost::predict_gemm(a100, shape, cost::Timing::in_step);
  REQUIRE(cost.waves == std::floor(cost.waves));
  CHECK(cost.efficiency.wave == Approx(1));
  CHECK(cost.efficiency.tile < 0.8);
  const double all =
      cost.efficiency.alignment * cost.efficiency.tile * cost.efficiency.wave * cost.efficiency.rest;
  CHECK(all == Approx(cost.ideal_us / cost.time_us));
}

TEST_CASE("within half of the error the easiest change comes first, and stands for others of its fields",
          "[suggest]") {
  const std::vector<Change> far_down{{FieldId::intermediate_size, 4304, 4096}};
  const std::vector<Change> down{{FieldId::intermediate_size, 4304, 4288}};
  const std::vector<Change> up{{FieldId::intermediate_size, 4304, 4352}};
  const std::vector<Change> padding{{FieldId::vocab_size, 50257, 50304}};
  const std::vector<Change> both{{FieldId::num_attention_heads, 32, 20}, {FieldId::vocab_size, 50257, 50304}};
  const suggest::Rank all[] = {rank(0.060, far_down), rank(0.055, down), rank(0.054, up),
                               rank(0.051, padding), rank(0.062, both)};
  const auto chosen = [&](double error) {
    return suggest::choose(
        all, [=](std::size_t) { return error; }, 0.01, 4);
  };
  // Padding first, one field before two; of one field's values the one that is nearest, up before down.
  CHECK(chosen(0.03) == std::vector<std::size_t>{3, 2, 4});
  // With a smaller error the gains tell them apart.
  CHECK(chosen(0.0001) == std::vector<std::size_t>{4, 0, 1, 2});
  CHECK(chosen(0.07).empty());
  CHECK(suggest::choose(
            all, [](std::size_t) { return 0.001; }, 0.0615, 4) == std::vector<std::size_t>{4});
}

TEST_CASE("what keeps the sequences of an optimizer step comes before what adds to them", "[suggest]") {
  const std::vector<Change> more{{FieldId::micro_batch_size, 1, 2}};
  const std::vector<Change> as_many{{FieldId::micro_batch_size, 1, 2},
                                    {FieldId::gradient_accumulation, 2, 1}};
  const suggest::Rank all[] = {rank(0.5, more), rank(0.5, as_many)};
  CHECK(suggest::choose(
            all, [](std::size_t) { return 0.005; }, 0.01, 4)
            .front() == 1);
}

TEST_CASE("padded vocabularies that gain the same are one proposal", "[rules]") {
  const LintResult result = rules::lint(builtin_rules(), read(R"(
[model]
hidden_size = 1280
num_layers = 36
num_attention_heads = 20
vocab_size = 50257
[run]
micro_batch_size = 8
sequence_length = 1024
)"),
                                        gpus({"a100"}));
  const Finding* finding = find(result, "SL101");
  REQUIRE(finding != nullptr);
  REQUIRE(finding->proposals.size() == 1);
  CHECK(changes_text(finding->proposals.front().changes) == "vocab_size 50257 -> 50304");
  CHECK(finding->proposals.front().or_multiple_of == 64);
}

TEST_CASE("fixes that leave the largest out say why", "[rules]") {
  const LintResult result = rules::lint(builtin_rules(), read(R"(
[model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = 50257
[run]
micro_batch_size = 1
sequence_length = 512
)"),
                                        gpus({"a100"}));
  INFO(listing(result.findings));
  const rules::GpuReport& report = result.gpus.front();
  const auto largest = std::max_element(result.findings.begin(), result.findings.end(),
                                        [](const Finding& a, const Finding& b) { return a.gain < b.gain; });
  REQUIRE(largest->severity == rules::Severity::info);
  REQUIRE_FALSE(report.applied.empty());
  CHECK(report.left_out == largest->proposals.front().changes);
  CHECK(report.left_out_because == "infos are not combined with the fixes");
}
