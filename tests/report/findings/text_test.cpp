// Findings as people read them: input beside the exact text.
#include "report/findings/text.hpp"

#include "report/exchange/json.hpp"
#include "tests/catch.hpp"
#include "tests/report/findings/report_support.hpp"

using namespace shapelint;

TEST_CASE("a finding shows its line, what it costs and what to try", "[report]") {
  CHECK(report::text(tests::one_gpu_report(), {report::Style{}}) ==
        R"(warning[SL201]: head dim 80 is no multiple of 64
  --> gpt.toml:4:23
   |
 2 | hidden_size = 2560
   |               ----
...
 4 | num_attention_heads = 32
   |                       ^^
   |
   = cost: 16.2 ± 3.0 % of the step (measured)
   = try: num_attention_heads 32 → 20 (head_dim 80 → 128): saves 16.2 ± 3.0 %;
          2.652 B parameters as before
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
  CHECK(report::text(several, {report::Style{}}) ==
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
no GPU was named, so these figures are for a100-sxm4-80gb and h100-sxm;
`--gpu NAME` chooses, `shapelint gpus` lists them
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
  CHECK(report::text(report, {report::Style{}}) ==
        R"(gpt.toml: nothing found
  2.652 B parameters: one training step of 8,192 tokens, bf16, unfused attention
  a100-sxm4-80gb: 1.50 s, MFU 41.2 %
)");
}

TEST_CASE("what is not shown is counted, and what was not looked at is said", "[report]") {
  auto report = tests::one_gpu_report();
  lint::ModelReport& model = report.models[0];
  model.result.gpus[0].applied.clear();
  rules::Finding micro = model.result.findings[0];
  micro.severity = rules::Severity::info;
  rules::Finding gap = micro;
  gap.code = "SL912";
  gap.brief = "not costed: linear attention in 24 of 32 layers";
  model.result.findings.clear();
  model.hidden = {micro, gap};
  CHECK(report::text(report, {}) ==
        R"(gpt.toml: nothing found
  2.652 B parameters: one training step of 8,192 tokens, bf16, unfused attention
  not costed: linear attention in 24 of 32 layers (SL912)
  a100-sxm4-80gb: 1.50 s, MFU 41.2 %
2 infos not shown; the largest saving is 16.2 ± 3.0 % (SL201
head-dim-misaligned): `--min-severity info`
)");
  CHECK(report::text(report, {{}, true}).empty());
}

TEST_CASE("what rests on an assumed number of tokens is folded into one line", "[report]") {
  auto report = tests::one_gpu_report();
  lint::ModelReport& model = report.models[0];
  model.result.gpus[0].applied.clear();
  model::set(model.reading.setup, model::FieldId::micro_batch_size, 1);
  model::set(model.reading.setup, model::FieldId::sequence_length, 2048);
  const auto by_default = [&](model::FieldId field, const char* note) {
    model.reading.origins[field].kind = model::Origin::Kind::defaulted;
    model.reading.origins[field].note = note;
  };
  by_default(model::FieldId::micro_batch_size, "shapelint's default");
  by_default(model::FieldId::sequence_length, "assumed: the file does not state it");
  // What a framework does unless it is told is no guess.
  by_default(model::FieldId::dtype, "Megatron's default");
  rules::Finding waves = model.result.findings[0];
  waves.code = "SL301";
  waves.rule = "wave-tail";
  waves.gain = 0.015;
  waves.assumed = {model::FieldId::micro_batch_size, model::FieldId::sequence_length};
  rules::Finding tiles = waves;
  tiles.code = "SL202";
  tiles.rule = "partial-token-tiles";
  tiles.assumed = {model::FieldId::micro_batch_size};
  model.result.findings = {waves, tiles};
  CHECK(report::text(report, {}) ==
        R"(warning: 2 findings rest on an assumed micro_batch_size 1 and sequence_length
  2048: wave-tail (SL301) 1.5 %, partial-token-tiles (SL202) 1.5 %;
  `--micro-batch-size` and `--sequence-length` state what is run, `--verbose`
  shows them

gpt.toml: 2 warnings
  2.652 B parameters: one training step of 8,192 tokens, bf16, unfused attention
  assumed: micro_batch_size 1 and sequence_length 2048; options such as
    `--micro-batch-size` state what is run
  a100-sxm4-80gb: 1.50 s, MFU 41.2 %
)");
  CHECK(
      report::text(report, {{}, false, true}).find("   = note: rests on an assumed micro_batch_size 1 and") !=
      std::string::npos);
  CHECK(report::json(report).find("\"micro_batch_size\",\n") != std::string::npos);
}

TEST_CASE("how a framework does what is proposed stands with the finding", "[report]") {
  auto report = tests::one_gpu_report();
  lint::ModelReport& model = report.models[0];
  model.result.findings[0].how = "`--num-attention-heads 20`";
  CHECK(report::text(model.result.findings[0], model, {}).find("   = how: `--num-attention-heads 20`\n") !=
        std::string::npos);
}

TEST_CASE("quiet shows what fails alone", "[report]") {
  auto report = tests::one_gpu_report();
  report.models[0].fail_level = rules::Severity::error;
  CHECK(report::text(report, {{}, true}) ==
        R"(error[SL401]: 3 tensor-parallel ranks cannot share 32 heads
  --> gpt.toml
   = note: tensor = 3 was given on the command line
   = more: `shapelint explain SL401` (heads-not-divisible)

)");
}

TEST_CASE("findings of several files are grouped by file, a few lines each", "[report]") {
  lint::Report report = tests::one_gpu_report();
  report.models.push_back(tests::two_gpu_report().models[0]);
  lint::ModelReport& second = report.models[1];
  second.path = second.reading.path = "two models.toml";
  second.result.findings[0].path = second.path;
  second.gpus_assumed = false;
  report.models.push_back(second);
  report.models[2].reading.name = "vision";
  report.models[2].result.findings[0].path = "base.toml";
  lint::ModelReport clean = tests::gpt();
  clean.path = "clean.toml";
  report.models.push_back(clean);
  report.not_whole = 2;
  report.not_recognised = 1300;
  CHECK(report::text(report, {}) ==
        R"(gpt.toml: 1 error, 1 warning
  4:23 warning[SL201]: head dim 80 is no multiple of 64
      try num_attention_heads 32 → 20: saves 16.2 ± 3.0 %
  - error[SL401]: 3 tensor-parallel ranks cannot share 32 heads

two models.toml: 2 warnings
  5:14 warning[SL101]: gpt: 50257 rows of vocabulary are odd
      try vocab_size 50257 → 50304: saves 7.3 % on a100-sxm4-80gb, 4.1 % on
      h100-sxm
  base.toml:- warning[SL101]: vision: 50257 rows of vocabulary are odd
      try vocab_size 50257 → 50304: saves 7.3 % on a100-sxm4-80gb, 4.1 % on
      h100-sxm

     2  SL101  vocab-misaligned (files: 2)
     1  SL201  head-dim-misaligned (files: 1)
     1  SL401  heads-not-divisible (files: 1)

checked 4 models in 3 files: 1 error, 3 warnings
nothing could be checked in 2 files, and 1,300 others are no models'
configurations (`--verbose` says why)
)");
  // In full where it is asked for, with every way out.
  const std::string full = report::text(report, {{}, false, true});
  CHECK(full.find("  --> gpt.toml:4:23\n") != std::string::npos);
  CHECK(full.find("32 → 40") != std::string::npos);
  CHECK(full.find("clean.toml: nothing found\n") != std::string::npos);
}

TEST_CASE("of many files those with most to gain are named", "[report]") {
  lint::Report report;
  for (int i = 0; i < 7; ++i) {
    lint::Report one = i == 3 ? tests::one_gpu_report() : tests::two_gpu_report();
    lint::ModelReport& model = one.models[0];
    model.path = "m" + std::to_string(i) + ".toml";
    model.gpus_assumed = false;
    for (rules::Finding& finding : model.result.findings) finding.path = model.path;
    if (i != 3) model.result.findings[0].gain = 0.01 * i;
    report.models.push_back(model);
  }
  const std::string text = report::text(report, {});
  CHECK(text.find(R"(
worst files
 fails  m3.toml
 6.0 %  m6.toml
 5.0 %  m5.toml
 4.0 %  m4.toml
 2.0 %  m2.toml

checked 7 models: 1 error, 7 warnings
)") != std::string::npos);
}

TEST_CASE("colour changes nothing but colour", "[report]") {
  const auto report = tests::one_gpu_report();
  std::string colored = report::text(report, {report::Style{true}});
  CHECK(colored.find("\x1b[1;33mwarning[SL201]\x1b[0m") != std::string::npos);
  std::string plain;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b') {
      i = colored.find('m', i);
    } else {
      plain += colored[i];
    }
  }
  CHECK(plain == report::text(report, {report::Style{}}));
}
