// Findings as people read them: input beside the exact text.
#include "report/findings/text.hpp"

#include "report/exchange/json.hpp"
#include "tests/catch.hpp"
#include "tests/report/findings/report_support.hpp"

using namespace shapelint;

TEST_CASE("a finding shows its line, why, what it costs and what to try", "[report]") {
  CHECK(report::text(tests::one_gpu_report(), report::Style{}) ==
        R"(warning[SL201]: head dim 80 is no multiple of 64
  --> gpt.toml:4:23
   |
 2 | hidden_size = 2560
   |               ----
...
 4 | num_attention_heads = 32
   |                       ^^
   |
   = why: without a fused kernel, attention is a batch of matrix products whose
          dimension is the head's; tensor cores read 64 elements at a time
   = cost: 16.2 ± 3.0 % of the step (measured)
   = try: num_attention_heads 32 → 20 (head_dim 80 → 128): saves 16.2 ± 3.0 %;
          2.652 B parameters as before
   = try: num_attention_heads 32 → 40 (head_dim 80 → 64): saves 11.0 %; 2.652 B
          parameters as before
   = more: `shapelint explain SL201` (head-dim-misaligned)

error[SL401]: 3 tensor-parallel ranks cannot share 32 heads
  --> gpt.toml
   = note: tensor = 3 was given on the command line
   = more: `shapelint explain SL401` (heads-not-divisible)

gpt.toml: 1 error, 1 warning
  2.652 B parameters: one training step of 8,192 tokens, bf16, unfused attention
  a100-sxm4-80gb: 1.50 s, MFU 41.2 %; with all fixes 1.26 s, MFU 49.1 %
    fixes: num_attention_heads 32 → 20
)");
}

TEST_CASE("with several GPUs each figure says which", "[report]") {
  const auto several = tests::two_gpu_report();
  CHECK(report::text(several, report::Style{}) ==
        R"(warning[SL101]: 50257 rows of vocabulary are odd
  --> gpt.toml:5:14
   |
 5 | vocab_size = 50257
   |              ^^^^^
   |
   = cost: 7.3 % on a100-sxm4-80gb, 4.1 % on h100-sxm (estimated)
   = try: vocab_size 50257 → 50304: saves 7.3 % on a100-sxm4-80gb, 4.1 % on
          h100-sxm; parameters 2.652 B → 2.652 B (+120.3 K)
   = more: `shapelint explain SL101` (vocab-misaligned)

gpt.toml: 1 warning
  2.652 B parameters: one training step of 8,192 tokens, bf16, unfused attention
  a100-sxm4-80gb: 1.50 s, MFU 41.2 %
  h100-sxm (uncalibrated): 700 ms, MFU 38.0 %
no GPU was named, so these figures are for a100-sxm4-80gb and h100-sxm; `--gpu
NAME` chooses, `shapelint gpus` lists them
)");
}

TEST_CASE("a value that another file states is shown in that file", "[report]") {
  auto report = tests::two_gpu_report();
  lint::ModelReport& model = report.models[0];
  model.result.findings[0].path = "base.toml";
  model.result.findings[0].span = {6, 11};
  CHECK(report::text(model.result.findings[0], model, report::Style{}).find("  --> base.toml\n") !=
        std::string::npos);
  model.other_sources["base.toml"] = "x = 1\n50257\n";
  CHECK(report::text(model.result.findings[0], model, report::Style{})
            .find("  --> base.toml:2:1\n   |\n 2 | 50257\n   | ^^^^^\n") != std::string::npos);
  CHECK(report::json(report).find("\"path\": \"base.toml\"") != std::string::npos);
}

TEST_CASE("nothing found is said in one line per model", "[report]") {
  auto report = tests::one_gpu_report();
  report.models[0].result.findings.clear();
  report.models[0].result.gpus[0].applied.clear();
  CHECK(report::text(report, report::Style{}) ==
        R"(gpt.toml: nothing found
  2.652 B parameters: one training step of 8,192 tokens, bf16, unfused attention
  a100-sxm4-80gb: 1.50 s, MFU 41.2 %
)");
}

TEST_CASE("colour changes nothing but colour", "[report]") {
  const auto report = tests::one_gpu_report();
  std::string colored = report::text(report, report::Style{true});
  CHECK(colored.find("\x1b[1;33mwarning[SL201]\x1b[0m") != std::string::npos);
  std::string plain;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b') {
      i = colored.find('m', i);
    } else {
      plain += colored[i];
    }
  }
  CHECK(plain == report::text(report, report::Style{}));
}
